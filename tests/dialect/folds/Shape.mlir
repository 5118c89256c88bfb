// RUN: tigon-opt %s -canonicalize | FileCheck %s
// Folds of ops that rename coordinates.

// CHECK-LABEL: tt.func public @identities(
// CHECK-SAME: %[[V:.*]]: tensor<4x8xf32>)
tt.func public @identities(%v: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = tt.reshape %v allow_reorder : tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = tt.broadcast %v : tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = tt.trans %v {order = array<i32: 0, 1>} : tensor<4x8xf32> -> tensor<4x8xf32>
  // CHECK-NEXT: tt.return %[[V]], %[[V]], %[[V]]
  tt.return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// CHECK-LABEL: tt.func public @twice(
// CHECK-SAME: %[[V:.*]]: tensor<4x8x1xf32>)
tt.func public @twice(%v: tensor<4x8x1xf32>) -> (tensor<2x16xf32>, tensor<4x8x4xf32>, tensor<1x4x8xf32>) {
  // CHECK-NEXT: %[[R:.*]] = tt.reshape %[[V]] : tensor<4x8x1xf32> -> tensor<2x16xf32>
  %0 = tt.reshape %v : tensor<4x8x1xf32> -> tensor<32xf32>
  %1 = tt.reshape %0 : tensor<32xf32> -> tensor<2x16xf32>
  // CHECK-NEXT: %[[B:.*]] = tt.broadcast %[[V]] : tensor<4x8x1xf32> -> tensor<4x8x4xf32>
  %2 = tt.broadcast %v : tensor<4x8x1xf32> -> tensor<4x8x1xf32>
  %3 = tt.broadcast %2 : tensor<4x8x1xf32> -> tensor<4x8x4xf32>
  // The result's axes are axes 2, 0, 1 of the source.
  // CHECK-NEXT: %[[T:.*]] = tt.trans %[[V]] {order = array<i32: 2, 0, 1>} : tensor<4x8x1xf32> -> tensor<1x4x8xf32>
  %4 = tt.trans %v {order = array<i32: 1, 2, 0>} : tensor<4x8x1xf32> -> tensor<8x1x4xf32>
  %5 = tt.trans %4 {order = array<i32: 1, 2, 0>} : tensor<8x1x4xf32> -> tensor<1x4x8xf32>
  // CHECK-NEXT: tt.return %[[R]], %[[B]], %[[T]]
  tt.return %1, %3, %5 : tensor<2x16xf32>, tensor<4x8x4xf32>, tensor<1x4x8xf32>
}

// CHECK-LABEL: tt.func public @broadcast_twice(
// CHECK-SAME: %[[V:.*]]: tensor<1x1xf32>)
tt.func public @broadcast_twice(%v: tensor<1x1xf32>) -> tensor<8x4xf32> {
  // CHECK-NEXT: tt.broadcast %[[V]] : tensor<1x1xf32> -> tensor<8x4xf32>
  %0 = tt.broadcast %v : tensor<1x1xf32> -> tensor<8x1xf32>
  %1 = tt.broadcast %0 : tensor<8x1xf32> -> tensor<8x4xf32>
  tt.return %1 : tensor<8x4xf32>
}

// CHECK-LABEL: tt.func public @transposed_back(
// CHECK-SAME: %[[V:.*]]: tensor<2x4x8xf32>)
tt.func public @transposed_back(%v: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %0 = tt.trans %v {order = array<i32: 2, 0, 1>} : tensor<2x4x8xf32> -> tensor<8x2x4xf32>
  %1 = tt.trans %0 {order = array<i32: 1, 2, 0>} : tensor<8x2x4xf32> -> tensor<2x4x8xf32>
  // CHECK-NEXT: tt.return %[[V]]
  tt.return %1 : tensor<2x4x8xf32>
}

// CHECK-LABEL: tt.func public @split_of_join(
// CHECK-SAME: %[[A:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8xf32>)
tt.func public @split_of_join(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = tt.join %a, %b : tensor<8xf32> -> tensor<8x2xf32>
  %1, %2 = tt.split %0 : tensor<8x2xf32> -> tensor<8xf32>
  // CHECK-NEXT: tt.return %[[A]], %[[B]]
  tt.return %1, %2 : tensor<8xf32>, tensor<8xf32>
}
