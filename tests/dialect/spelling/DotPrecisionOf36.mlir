// RUN: tigon-opt %s | FileCheck %s
// Triton 3.6 to 3.9: f32 products from bf16 parts.

// CHECK-LABEL: tt.func public @dot
tt.func public @dot(%a: tensor<16x16xf32>) {
  // CHECK-NEXT: tt.dot %{{.*}}, %{{.*}}, %{{.*}}, inputPrecision = bf16x3 : tensor
  %0 = tt.dot %a, %a, %a, inputPrecision = bf16x3 : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  // CHECK-NEXT: tt.dot %{{.*}}, %{{.*}}, %{{.*}}, inputPrecision = bf16x6 : tensor
  %1 = tt.dot %a, %a, %a, inputPrecision = bf16x6 : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  tt.return
}
