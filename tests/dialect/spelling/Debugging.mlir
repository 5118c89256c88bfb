// RUN: tigon-opt %s | FileCheck %s
// Triton 3.2 to 3.9: prints, assertions, assumptions.

// CHECK-LABEL: tt.func public @debugging
tt.func public @debugging(%v: tensor<8xi32>, %x: f32, %m: tensor<8xi1>, %c: i1) {
  // CHECK-NEXT: tt.print " msg only" {hex = false, isSigned = array<i32>}
  tt.print " msg only" {hex = false, isSigned = array<i32>}
  // CHECK-NEXT: tt.print " v: " {hex = true, isSigned = array<i32: 1, 0>} : %{{.*}}, %{{.*}} : tensor<8xi32>, f32
  tt.print " v: " {hex = true, isSigned = array<i32: 1, 0>} : %v, %x : tensor<8xi32>, f32
  // CHECK-NEXT: tt.assert %{{.*}}, "a \22quoted\22 message" : tensor<8xi1>
  tt.assert %m, "a \22quoted\22 message" : tensor<8xi1>
  // CHECK-NEXT: tt.assert %{{.*}}, "scalar" : i1
  tt.assert %c, "scalar" : i1
  // CHECK-NEXT: llvm.intr.assume %{{.*}} : i1
  llvm.intr.assume %c : i1
  tt.return
}
