// RUN: tigon-opt %s | FileCheck %s
// Triton 3.9: an approximate quotient, and conversions between f16 and bf16.

// CHECK-LABEL: tt.func public @elementwise
tt.func public @elementwise(%f: tensor<8xf32>, %h: f16, %b: tensor<8xbf16>) {
  // CHECK-NEXT: tt.approx_divf %{{.*}}, %{{.*}} : tensor<8xf32>
  %0 = tt.approx_divf %f, %f : tensor<8xf32>
  // CHECK-NEXT: tt.fp_to_fp %{{.*}}, rounding = rtne : f16 -> bf16
  %1 = tt.fp_to_fp %h, rounding = rtne : f16 -> bf16
  // CHECK-NEXT: tt.fp_to_fp %{{.*}}, rounding = rtne : tensor<8xbf16> -> tensor<8xf16>
  %2 = tt.fp_to_fp %b, rounding = rtne : tensor<8xbf16> -> tensor<8xf16>
  tt.return
}
