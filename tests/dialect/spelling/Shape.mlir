// RUN: tigon-opt %s | FileCheck %s
// Triton 3.2 to 3.9: ops that rename coordinates, of numbers and of pointers.

// CHECK-LABEL: tt.func public @shape
tt.func public @shape(%x: f32, %p: !tt.ptr<f16>, %v: tensor<16xf32>, %m: tensor<4x8xf32>) {
  // CHECK-NEXT: tt.splat %{{.*}} : f32 -> tensor<16xf32>
  %0 = tt.splat %x : f32 -> tensor<16xf32>
  // CHECK-NEXT: tt.splat %{{.*}} : !tt.ptr<f16> -> tensor<16x!tt.ptr<f16>>
  %1 = tt.splat %p : !tt.ptr<f16> -> tensor<16x!tt.ptr<f16>>
  // CHECK-NEXT: tt.splat %{{.*}} : f32 -> tensor<f32>
  %2 = tt.splat %x : f32 -> tensor<f32>
  // CHECK-NEXT: tt.expand_dims %{{.*}} {axis = 1 : i32} : tensor<16xf32> -> tensor<16x1xf32>
  %3 = tt.expand_dims %v {axis = 1 : i32} : tensor<16xf32> -> tensor<16x1xf32>
  // CHECK-NEXT: tt.broadcast %{{.*}} : tensor<16x1xf32> -> tensor<16x8xf32>
  %4 = tt.broadcast %3 : tensor<16x1xf32> -> tensor<16x8xf32>
  // CHECK-NEXT: tt.reshape %{{.*}} : tensor<4x8xf32> -> tensor<2x16xf32>
  %5 = tt.reshape %m : tensor<4x8xf32> -> tensor<2x16xf32>
  // CHECK-NEXT: tt.reshape %{{.*}} allow_reorder : tensor<4x8xf32> -> tensor<32xf32>
  %6 = tt.reshape %m allow_reorder : tensor<4x8xf32> -> tensor<32xf32>
  // CHECK-NEXT: tt.reshape %{{.*}} allow_reorder efficient_layout : tensor<4x8xf32> -> tensor<32xf32>
  %7 = tt.reshape %m allow_reorder efficient_layout : tensor<4x8xf32> -> tensor<32xf32>
  // CHECK-NEXT: tt.trans %{{.*}} {order = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<8x4xf32>
  %8 = tt.trans %m {order = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<8x4xf32>
  // CHECK-NEXT: %[[J:.*]] = tt.join %{{.*}}, %{{.*}} : tensor<4x8xf32> -> tensor<4x8x2xf32>
  %9 = tt.join %m, %m : tensor<4x8xf32> -> tensor<4x8x2xf32>
  // CHECK-NEXT: %{{.*}}, %{{.*}} = tt.split %[[J]] : tensor<4x8x2xf32> -> tensor<4x8xf32>
  %a, %b = tt.split %9 : tensor<4x8x2xf32> -> tensor<4x8xf32>
  // CHECK-NEXT: tt.cat %{{.*}}, %{{.*}} : tensor<16xf32> -> tensor<32xf32>
  %10 = tt.cat %v, %v : tensor<16xf32> -> tensor<32xf32>
  tt.return
}
