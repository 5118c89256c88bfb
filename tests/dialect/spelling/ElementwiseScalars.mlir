// RUN: tigon-opt %s | FileCheck %s
// Triton 3.3 to 3.9: float conversions of scalars.

// CHECK-LABEL: tt.func public @scalars
tt.func public @scalars(%x: f32, %h: f8E4M3FN) {
  // CHECK-NEXT: tt.fp_to_fp %{{.*}}, rounding = rtne : f32 -> f8E4M3FN
  %0 = tt.fp_to_fp %x, rounding = rtne : f32 -> f8E4M3FN
  // CHECK-NEXT: tt.fp_to_fp %{{.*}} : f8E4M3FN -> f8E5M2
  %1 = tt.fp_to_fp %h : f8E4M3FN -> f8E5M2
  tt.return
}
