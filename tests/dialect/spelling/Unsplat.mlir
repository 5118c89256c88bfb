// RUN: tigon-opt %s | FileCheck %s
// Triton 3.5 to 3.9: the element of a one-element tile.

// CHECK-LABEL: tt.func public @unsplat
tt.func public @unsplat(%a: tensor<f32>, %b: tensor<1x1x!tt.ptr<i8>>) -> (f32, !tt.ptr<i8>) {
  // CHECK-NEXT: %[[A:.*]] = tt.unsplat %{{.*}} : tensor<f32>
  %0 = tt.unsplat %a : tensor<f32>
  // CHECK-NEXT: %[[B:.*]] = tt.unsplat %{{.*}} : tensor<1x1x!tt.ptr<i8>>
  %1 = tt.unsplat %b : tensor<1x1x!tt.ptr<i8>>
  // CHECK-NEXT: tt.return %[[A]], %[[B]] : f32, !tt.ptr<i8>
  tt.return %0, %1 : f32, !tt.ptr<i8>
}
