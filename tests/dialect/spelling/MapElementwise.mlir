// RUN: tigon-opt %s | FileCheck %s
// Triton 3.5 to 3.9: a scalar region applied to each element; it may branch, and take several
// elements at once.

// CHECK-LABEL: tt.func public @map
tt.func public @map(%a: tensor<8xi32>, %b: tensor<8xf32>) {
  // CHECK-NEXT: "tt.map_elementwise"(%{{.*}}) <{pack = 1 : i32}> ({
  // CHECK-NEXT: ^bb0(%[[X:.*]]: i32):
  // CHECK: cf.cond_br %{{.*}}, ^bb1, ^bb2
  // CHECK-NEXT: ^bb1:
  // CHECK-NEXT: tt.map_elementwise.return %{{.*}} : i32
  // CHECK-NEXT: ^bb2:
  // CHECK-NEXT: tt.map_elementwise.return %[[X]] : i32
  // CHECK-NEXT: }) : (tensor<8xi32>) -> tensor<8xi32>
  %0 = "tt.map_elementwise"(%a) <{pack = 1 : i32}> ({
  ^bb0(%x: i32):
    %zero = arith.constant 0 : i32
    %negative = arith.cmpi slt, %x, %zero : i32
    cf.cond_br %negative, ^bb1, ^bb2
  ^bb1:
    tt.map_elementwise.return %zero : i32
  ^bb2:
    tt.map_elementwise.return %x : i32
  }) : (tensor<8xi32>) -> tensor<8xi32>
  // CHECK: ^bb0(%[[I0:.*]]: i32, %[[I1:.*]]: i32, %[[F0:.*]]: f32, %[[F1:.*]]: f32):
  // CHECK-NEXT: tt.map_elementwise.return %[[F1]], %[[F0]], %[[I0]], %[[I1]] : f32, f32, i32, i32
  // CHECK-NEXT: }) : (tensor<8xi32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xi32>)
  %1:2 = "tt.map_elementwise"(%a, %b) <{pack = 2 : i32}> ({
  ^bb0(%i0: i32, %i1: i32, %f0: f32, %f1: f32):
    tt.map_elementwise.return %f1, %f0, %i0, %i1 : f32, f32, i32, i32
  }) : (tensor<8xi32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xi32>)
  tt.return
}
