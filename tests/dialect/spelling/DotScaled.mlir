// RUN: tigon-opt %s | FileCheck %s
// Triton 3.3 to 3.9: scaled products with no, one and both scales.

// CHECK-LABEL: tt.func public @scaled
tt.func public @scaled(%a: tensor<16x64xf8E4M3FN>, %as: tensor<16x2xi8>, %b: tensor<64x32xf8E5M2>,
                       %bs: tensor<32x2xi8>, %c: tensor<16x32xf32>, %p: tensor<16x32xi8>,
                       %h: tensor<64x32xbf16>) {
  // CHECK-NEXT: tt.dot_scaled %{{[^ ]*}} scale %{{[^ ]*}}, %{{[^ ]*}} scale %{{[^ ]*}}, %{{[^ ]*}} lhs = e4m3 rhs = e5m2 {fastMath = false} : tensor<16x64xf8E4M3FN>, tensor<16x2xi8> * tensor<64x32xf8E5M2>, tensor<32x2xi8> -> tensor<16x32xf32>
  %0 = tt.dot_scaled %a scale %as, %b scale %bs, %c lhs = e4m3 rhs = e5m2 {fastMath = false} : tensor<16x64xf8E4M3FN>, tensor<16x2xi8> * tensor<64x32xf8E5M2>, tensor<32x2xi8> -> tensor<16x32xf32>
  // CHECK-NEXT: tt.dot_scaled %{{[^ ]*}}, %{{[^ ]*}} scale %{{[^ ]*}}, %{{[^ ]*}} lhs = e4m3 rhs = e5m2 {fastMath = true} : tensor<16x64xf8E4M3FN> * tensor<64x32xf8E5M2>, tensor<32x2xi8> -> tensor<16x32xf32>
  %1 = tt.dot_scaled %a, %b scale %bs, %c lhs = e4m3 rhs = e5m2 {fastMath = true} : tensor<16x64xf8E4M3FN> * tensor<64x32xf8E5M2>, tensor<32x2xi8> -> tensor<16x32xf32>
  // CHECK-NEXT: tt.dot_scaled %{{[^ ]*}} scale %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}} lhs = e2m1 rhs = bf16 {fastMath = false} : tensor<16x32xi8>, tensor<16x2xi8> * tensor<64x32xbf16> -> tensor<16x32xf32>
  %2 = tt.dot_scaled %p scale %as, %h, %c lhs = e2m1 rhs = bf16 {fastMath = false} : tensor<16x32xi8>, tensor<16x2xi8> * tensor<64x32xbf16> -> tensor<16x32xf32>
  // CHECK-NEXT: tt.dot_scaled %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}} lhs = e4m3 rhs = bf16 {fastMath = false} : tensor<16x64xf8E4M3FN> * tensor<64x32xbf16> -> tensor<16x32xf32>
  %3 = tt.dot_scaled %a, %h, %c lhs = e4m3 rhs = bf16 {fastMath = false} : tensor<16x64xf8E4M3FN> * tensor<64x32xbf16> -> tensor<16x32xf32>
  tt.return
}
