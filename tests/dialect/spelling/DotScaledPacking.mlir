// RUN: tigon-opt %s | FileCheck %s
// Triton 3.4 to 3.9: two e2m1 elements of a byte along M or N instead of K.

// CHECK-LABEL: tt.func public @packing
tt.func public @packing(%a: tensor<8x64xi8>, %b: tensor<64x16xi8>, %c: tensor<16x32xf32>) {
  // CHECK-NEXT: tt.dot_scaled {{.*}} {fastMath = false, lhs_k_pack = false, rhs_k_pack = false} : tensor<8x64xi8> * tensor<64x16xi8> -> tensor<16x32xf32>
  %0 = tt.dot_scaled %a, %b, %c lhs = e2m1 rhs = e2m1 {fastMath = false, lhs_k_pack = false, rhs_k_pack = false} : tensor<8x64xi8> * tensor<64x16xi8> -> tensor<16x32xf32>
  tt.return
}
