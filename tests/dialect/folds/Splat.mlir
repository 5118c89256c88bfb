// RUN: tigon-opt %s -canonicalize | FileCheck %s
// Splats, of constants and of values, through ops that rename coordinates.

// CHECK-LABEL: tt.func public @constants(
tt.func public @constants() -> (tensor<4x8xf32>, tensor<8x4xf32>, tensor<32xf32>, f32, tensor<1xi32>) {
  // CHECK-DAG: %[[X:.*]] = arith.constant 1.500000e+00 : f32
  // CHECK-DAG: %[[A:.*]] = arith.constant dense<1.500000e+00> : tensor<4x8xf32>
  // CHECK-DAG: %[[B:.*]] = arith.constant dense<1.500000e+00> : tensor<8x4xf32>
  // CHECK-DAG: %[[C:.*]] = arith.constant dense<1.500000e+00> : tensor<32xf32>
  // CHECK-DAG: %[[R:.*]] = arith.constant dense<-3> : tensor<1xi32>
  %x = arith.constant 1.5 : f32
  %0 = tt.splat %x : f32 -> tensor<8xf32>
  %1 = tt.expand_dims %0 {axis = 0 : i32} : tensor<8xf32> -> tensor<1x8xf32>
  %2 = tt.broadcast %1 : tensor<1x8xf32> -> tensor<4x8xf32>
  %3 = tt.trans %2 {order = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<8x4xf32>
  %4 = tt.reshape %3 : tensor<8x4xf32> -> tensor<32xf32>
  %5 = tt.splat %x : f32 -> tensor<1xf32>
  %6 = tt.unsplat %5 : tensor<1xf32>
  %7 = tt.make_range {end = -2 : i32, start = -3 : i32} : tensor<1xi32>
  // CHECK-NEXT: tt.return %[[A]], %[[B]], %[[C]], %[[X]], %[[R]]
  tt.return %2, %3, %4, %6, %7 : tensor<4x8xf32>, tensor<8x4xf32>, tensor<32xf32>, f32, tensor<1xi32>
}

// CHECK-LABEL: tt.func public @values(
// CHECK-SAME: %[[P:.*]]: !tt.ptr<f32>)
tt.func public @values(%p: !tt.ptr<f32>) -> (tensor<32x!tt.ptr<f32>>, !tt.ptr<f32>) {
  // CHECK-NEXT: %[[S:.*]] = tt.splat %[[P]] : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %0 = tt.splat %p : !tt.ptr<f32> -> tensor<8x!tt.ptr<f32>>
  %1 = tt.expand_dims %0 {axis = 0 : i32} : tensor<8x!tt.ptr<f32>> -> tensor<1x8x!tt.ptr<f32>>
  %2 = tt.broadcast %1 : tensor<1x8x!tt.ptr<f32>> -> tensor<4x8x!tt.ptr<f32>>
  %3 = tt.trans %2 {order = array<i32: 1, 0>} : tensor<4x8x!tt.ptr<f32>> -> tensor<8x4x!tt.ptr<f32>>
  %4 = tt.reshape %3 : tensor<8x4x!tt.ptr<f32>> -> tensor<32x!tt.ptr<f32>>
  %5 = tt.splat %p : !tt.ptr<f32> -> tensor<1x1x!tt.ptr<f32>>
  %6 = tt.unsplat %5 : tensor<1x1x!tt.ptr<f32>>
  // CHECK-NEXT: tt.return %[[S]], %[[P]]
  tt.return %4, %6 : tensor<32x!tt.ptr<f32>>, !tt.ptr<f32>
}

// A constant that is no splat stays as it is.
// CHECK-LABEL: tt.func public @dense(
tt.func public @dense() -> tensor<2x1xi32> {
  // CHECK-NEXT: %[[C:.*]] = arith.constant dense<[1, 2]> : tensor<2xi32>
  %0 = arith.constant dense<[1, 2]> : tensor<2xi32>
  // CHECK-NEXT: tt.expand_dims %[[C]] {axis = 1 : i32}
  %1 = tt.expand_dims %0 {axis = 1 : i32} : tensor<2xi32> -> tensor<2x1xi32>
  tt.return %1 : tensor<2x1xi32>
}
