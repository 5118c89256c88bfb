// RUN: tigon-opt %s | FileCheck %s
// Triton 3.2 to 3.9: combinations along an axis, always in the generic form; the attributes may
// stand before the region or behind it.

// CHECK-LABEL: tt.func public @combine
tt.func public @combine(%f: tensor<8xf32>, %i: tensor<4x8xi32>, %g: tensor<4x8xf32>) {
  // CHECK-NEXT: "tt.reduce"(%{{.*}}) <{axis = 0 : i32}> ({
  // CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
  // CHECK-NEXT: %[[S:.*]] = arith.addf %[[A]], %[[B]] : f32
  // CHECK-NEXT: tt.reduce.return %[[S]] : f32
  // CHECK-NEXT: }) : (tensor<8xf32>) -> f32
  %0 = "tt.reduce"(%f) ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) {axis = 0 : i32} : (tensor<8xf32>) -> f32
  // CHECK: "tt.reduce"(%{{.*}}, %{{.*}}) <{axis = 1 : i32}> ({
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: i32, %{{.*}}: f32, %{{.*}}: i32):
  // CHECK: tt.reduce.return %{{.*}}, %{{.*}} : f32, i32
  // CHECK-NEXT: }) : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  %1:2 = "tt.reduce"(%g, %i) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %m: i32, %b: f32, %n: i32):
    %c = arith.cmpf ogt, %a, %b : f32
    %x = arith.select %c, %a, %b : f32
    %y = arith.select %c, %m, %n : i32
    tt.reduce.return %x, %y : f32, i32
  }) : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<4xf32>, tensor<4xi32>)
  // CHECK: "tt.scan"(%{{.*}}) <{axis = 1 : i32, reverse = true}> ({
  // CHECK: tt.scan.return %{{.*}} : i32
  // CHECK-NEXT: }) : (tensor<4x8xi32>) -> tensor<4x8xi32>
  %2 = "tt.scan"(%i) <{axis = 1 : i32, reverse = true}> ({
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    tt.scan.return %s : i32
  }) : (tensor<4x8xi32>) -> tensor<4x8xi32>
  tt.return
}
