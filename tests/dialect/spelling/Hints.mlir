// RUN: tigon-opt %s | FileCheck %s
// Triton 3.2 to 3.9: hints on results, from tl.multiple_of, tl.max_contiguous and tl.max_constancy.

// CHECK-LABEL: tt.func public @hints
tt.func public @hints(%x: i32, %v: tensor<8xi32>, %m: tensor<4x8xi32>) {
  // CHECK-NEXT: arith.addi %{{.*}}, %{{.*}} {tt.divisibility = dense<16> : tensor<1xi32>} : i32
  %0 = arith.addi %x, %x {tt.divisibility = dense<16> : tensor<1xi32>} : i32
  // CHECK-NEXT: arith.muli %{{.*}}, %{{.*}} {tt.constancy = dense<8> : tensor<1xi32>, tt.contiguity = dense<1> : tensor<1xi32>} : tensor<8xi32>
  %1 = arith.muli %v, %v {tt.contiguity = dense<1> : tensor<1xi32>, tt.constancy = dense<8> : tensor<1xi32>} : tensor<8xi32>
  // CHECK-NEXT: arith.subi %{{.*}}, %{{.*}} {tt.divisibility = dense<[4, 16]> : tensor<2xi32>} : tensor<4x8xi32>
  %2 = arith.subi %m, %m {tt.divisibility = dense<[4, 16]> : tensor<2xi32>} : tensor<4x8xi32>
  tt.return
}
