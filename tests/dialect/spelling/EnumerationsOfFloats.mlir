// RUN: tigon-opt %s | FileCheck %s
// Triton 3.3 to 3.9: every keyword of rounding, NaN propagation and scaled formats. Those of
// precision are in Dot.mlir and DotPrecisionOf36.mlir, those of the grid's axes in Program.mlir.

// CHECK-LABEL: tt.func public @floats
tt.func public @floats(%x: f32, %i: tensor<16x64xi8>, %j: tensor<64x16xi8>, %c: tensor<16x16xf32>,
                       %b: tensor<64x16xbf16>, %h: tensor<64x16xf16>) {
  // CHECK-NEXT: rounding = rtz :
  %0 = tt.fp_to_fp %x, rounding = rtz : f32 -> f16
  // CHECK-NEXT: rounding = rtne :
  %1 = tt.fp_to_fp %x, rounding = rtne : f32 -> f16
  // CHECK-NEXT: propagateNan = none :
  %2 = tt.clampf %x, %x, %x, propagateNan = none : f32
  // CHECK-NEXT: propagateNan = all :
  %3 = tt.clampf %x, %x, %x, propagateNan = all : f32
  // CHECK-NEXT: lhs = e4m3 rhs = e5m2
  %4 = tt.dot_scaled %i, %j, %c lhs = e4m3 rhs = e5m2 {fastMath = false} : tensor<16x64xi8> * tensor<64x16xi8> -> tensor<16x16xf32>
  // CHECK-NEXT: lhs = e2m3 rhs = e3m2
  %5 = tt.dot_scaled %i, %j, %c lhs = e2m3 rhs = e3m2 {fastMath = false} : tensor<16x64xi8> * tensor<64x16xi8> -> tensor<16x16xf32>
  // CHECK-NEXT: lhs = e2m1 rhs = e2m1
  %6 = tt.dot_scaled %i, %j, %c lhs = e2m1 rhs = e2m1 {fastMath = false} : tensor<16x64xi8> * tensor<64x16xi8> -> tensor<16x16xf32>
  // CHECK-NEXT: lhs = e4m3 rhs = bf16
  %7 = tt.dot_scaled %i, %b, %c lhs = e4m3 rhs = bf16 {fastMath = false} : tensor<16x64xi8> * tensor<64x16xbf16> -> tensor<16x16xf32>
  // CHECK-NEXT: lhs = e4m3 rhs = fp16
  %8 = tt.dot_scaled %i, %h, %c lhs = e4m3 rhs = fp16 {fastMath = false} : tensor<16x64xi8> * tensor<64x16xf16> -> tensor<16x16xf32>
  tt.return
}
