// RUN: tigon compile %s --target=sm_80 | FileCheck %s --check-prefixes=CHECK,BITS --implicit-check-not=e4m3x2
// RUN: tigon compile %s --target=sm_90 | FileCheck %s --check-prefixes=CHECK,CVT
// RUN: tigon compile %s --target=sm_100 | FileCheck %s --check-prefixes=CHECK,CVT
// Floats of 8 bits are read and written 16 bytes at a time, and converted by instructions where there are any.

// CHECK: .entry scale(
// CHECK: ld.global.v4.b32
// BITS: add.rn.f32 {{.*}}, 0fBC800000
// BITS: min.s32 {{.*}}, 126
// CVT: cvt.rn.f16x2.e4m3x2
// CVT: cvt.rn.satfinite.e4m3x2.f32
// CHECK: st.global.v4.b32
tt.func public @scale(%x: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f8E4M3FN> {tt.divisibility = 16 : i32}, %scale: f32) {
  %i = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f8E4M3FN> -> tensor<1024x!tt.ptr<f8E4M3FN>>
  %ys = tt.splat %y : !tt.ptr<f8E4M3FN> -> tensor<1024x!tt.ptr<f8E4M3FN>>
  %px = tt.addptr %xs, %i : tensor<1024x!tt.ptr<f8E4M3FN>>, tensor<1024xi32>
  %py = tt.addptr %ys, %i : tensor<1024x!tt.ptr<f8E4M3FN>>, tensor<1024xi32>
  %v = tt.load %px : tensor<1024x!tt.ptr<f8E4M3FN>>
  %w = tt.fp_to_fp %v : tensor<1024xf8E4M3FN> -> tensor<1024xf32>
  %s = tt.splat %scale : f32 -> tensor<1024xf32>
  %p = arith.mulf %w, %s : tensor<1024xf32>
  %r = tt.fp_to_fp %p, rounding = rtne : tensor<1024xf32> -> tensor<1024xf8E4M3FN>
  tt.store %py, %r : tensor<1024x!tt.ptr<f8E4M3FN>>
  tt.return
}
