// RUN: tigon-opt %s | FileCheck %s
// Triton 3.2 to 3.9: elementwise ops, of tiles and of scalars.

// CHECK-LABEL: tt.func public @elementwise
tt.func public @elementwise(%f: tensor<8xf32>, %i: tensor<8xi32>, %p: tensor<8x!tt.ptr<i1>>,
                            %x: f64, %n: i64, %q: !tt.ptr<f32>, %h: tensor<8xf8E5M2>) {
  // CHECK-NEXT: tt.bitcast %{{.*}} : tensor<8xi32> -> tensor<8xf32>
  %0 = tt.bitcast %i : tensor<8xi32> -> tensor<8xf32>
  // CHECK-NEXT: tt.bitcast %{{.*}} : tensor<8x!tt.ptr<i1>> -> tensor<8x!tt.ptr<i8>>
  %1 = tt.bitcast %p : tensor<8x!tt.ptr<i1>> -> tensor<8x!tt.ptr<i8>>
  // CHECK-NEXT: tt.bitcast %{{.*}} : f64 -> i64
  %2 = tt.bitcast %x : f64 -> i64
  // CHECK-NEXT: tt.int_to_ptr %{{.*}} : i64 -> !tt.ptr<f32>
  %3 = tt.int_to_ptr %n : i64 -> !tt.ptr<f32>
  // CHECK-NEXT: tt.ptr_to_int %{{.*}} : tensor<8x!tt.ptr<i1>> -> tensor<8xi64>
  %4 = tt.ptr_to_int %p : tensor<8x!tt.ptr<i1>> -> tensor<8xi64>
  // CHECK-NEXT: tt.fp_to_fp %{{.*}}, rounding = rtne : tensor<8xf32> -> tensor<8xf8E5M2>
  %5 = tt.fp_to_fp %f, rounding = rtne : tensor<8xf32> -> tensor<8xf8E5M2>
  // CHECK-NEXT: tt.fp_to_fp %{{.*}} : tensor<8xf8E5M2> -> tensor<8xf16>
  %6 = tt.fp_to_fp %h : tensor<8xf8E5M2> -> tensor<8xf16>
  // CHECK-NEXT: tt.fp_to_fp %{{.*}} {tt.note}, rounding = rtz : tensor<8xf32> -> tensor<8xbf16>
  %7 = tt.fp_to_fp %f {tt.note}, rounding = rtz : tensor<8xf32> -> tensor<8xbf16>
  // CHECK-NEXT: tt.clampf %{{.*}}, %{{.*}}, %{{.*}}, propagateNan = none : tensor<8xf32>
  %8 = tt.clampf %f, %f, %f, propagateNan = none : tensor<8xf32>
  // CHECK-NEXT: tt.precise_sqrt %{{.*}} : tensor<8xf32>
  %9 = tt.precise_sqrt %f : tensor<8xf32>
  // CHECK-NEXT: tt.precise_divf %{{.*}}, %{{.*}} : tensor<8xf32>
  %10 = tt.precise_divf %f, %f : tensor<8xf32>
  // CHECK-NEXT: tt.mulhiui %{{.*}}, %{{.*}} : tensor<8xi32>
  %11 = tt.mulhiui %i, %i : tensor<8xi32>
  tt.return
}
