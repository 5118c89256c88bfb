// RUN: tigon-opt %s -tigon-localize-loop-reductions -canonicalize | FileCheck %s
// A loop that sums sums carries a tile, and reduces it once, behind it.

module attributes {tg.target = "sm_90"} {
// CHECK-LABEL: tt.func public @total(
// CHECK: %[[START:.*]] = arith.constant dense<-0.000000e+00> : tensor<64xf32>
// CHECK: %[[PARTS:.*]] = scf.for {{.*}} iter_args(%[[PART:.*]] = %[[START]]) -> (tensor<64xf32>)
// CHECK-NOT: tt.reduce
// CHECK: arith.addf %[[PART]], %{{.*}} : tensor<64xf32>
// CHECK: scf.yield
// CHECK: %[[SUM:.*]] = "tt.reduce"(%[[PARTS]])
// CHECK: arith.addf %arg1, %[[SUM]] : f32
tt.func public @total(%x: tensor<64x!tt.ptr<f32>>, %init: f32, %n: i32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (f32) : i32 {
    %v = tt.load %x : tensor<64x!tt.ptr<f32>>
    %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      tt.reduce.return %0 : f32
    }) : (tensor<64xf32>) -> f32
    %next = arith.addf %s, %acc : f32
    scf.yield %next : f32
  }
  tt.return %r : f32
}

// Rows of a tile, and a maximum: NaN is what maxnumf leaves alone.
// CHECK-LABEL: tt.func public @rows(
// CHECK: arith.constant dense<0x7FC00000> : tensor<4x16xf32>
// CHECK: arith.maxnumf {{.*}} : tensor<4x16xf32>
// CHECK: "tt.reduce"
// CHECK: (tensor<4x16xf32>) -> tensor<4xf32>
// CHECK: arith.maxnumf %arg1
tt.func public @rows(%x: tensor<4x16x!tt.ptr<f32>>, %init: tensor<4xf32>, %n: i32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init) -> (tensor<4xf32>) : i32 {
    %v = tt.load %x : tensor<4x16x!tt.ptr<f32>>
    %s = "tt.reduce"(%v) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %0 = arith.maxnumf %a, %b : f32
      tt.reduce.return %0 : f32
    }) : (tensor<4x16xf32>) -> tensor<4xf32>
    %next = arith.maxnumf %acc, %s : tensor<4xf32>
    scf.yield %next : tensor<4xf32>
  }
  tt.return %r : tensor<4xf32>
}

// Not if each sum is wanted, nor where a maximum of sums is.
// CHECK-LABEL: tt.func public @others(
// CHECK: scf.for
// CHECK: tt.reduce
// CHECK: tt.reduce
// CHECK: scf.yield
// CHECK-NOT: tt.reduce
tt.func public @others(%x: tensor<64x!tt.ptr<f32>>, %y: !tt.ptr<f32>, %init: f32, %n: i32) -> (f32, f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init, %top = %init) -> (f32, f32) : i32 {
    %v = tt.load %x : tensor<64x!tt.ptr<f32>>
    %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      tt.reduce.return %0 : f32
    }) : (tensor<64xf32>) -> f32
    tt.store %y, %s : !tt.ptr<f32>
    %next = arith.addf %s, %acc : f32
    %w = arith.mulf %v, %v : tensor<64xf32>
    %t = "tt.reduce"(%w) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      tt.reduce.return %0 : f32
    }) : (tensor<64xf32>) -> f32
    %higher = arith.maxnumf %top, %t : f32
    scf.yield %next, %higher : f32, f32
  }
  tt.return %r#0, %r#1 : f32, f32
}
}
