// RUN: tigon-opt %s | FileCheck %s
// Triton 3.2: the scale of the left operand is a plain second operand.

// CHECK-LABEL: tt.func public @scaled
tt.func public @scaled(%a: tensor<16x64xi8>, %s: tensor<16x2xi8>, %b: tensor<64x32xi8>,
                       %c: tensor<16x32xf32>) {
  // CHECK-NEXT: tt.dot_scaled %[[A:[^ ]*]] scale %[[S:[^ ]*]], %[[B:[^ ]*]], %[[C:[^ ]*]] lhs = e4m3 rhs = e5m2 {fastMath = false} : tensor<16x64xi8>, tensor<16x2xi8> * tensor<64x32xi8> -> tensor<16x32xf32>
  %0 = tt.dot_scaled %a, %s, %b, %c lhs = e4m3 rhs = e5m2 : tensor<16x64xi8>, tensor<16x2xi8> * tensor<64x32xi8> -> tensor<16x32xf32>
  tt.return
}
