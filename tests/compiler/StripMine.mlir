// RUN: tigon-opt %s -tigon-strip-mine -canonicalize -cse | FileCheck %s
// Which coordinates a strip fixes: rows that are independent before columns that are added up. More, one property a file,
// is in StripMine/.

// Row sums of [64, 64]: four rows at a time, each whole, so that no loop carries anything.
// CHECK-LABEL: tt.func public @rows(
// CHECK-NOT: tg.scratch
// CHECK: scf.for %{{[^(]*}} : i32 {
// CHECK: tt.load %{{.*}} : tensor<16x64x!tt.ptr<f32>>
// CHECK: "tt.reduce"
// CHECK: (tensor<16x64xf32>) -> tensor<16xf32>
// CHECK: tt.store %{{.*}} : tensor<16x!tt.ptr<f32>>
// CHECK: } {tg.strip}
tt.func public @rows(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) attributes {tg.plan = #tg.plan<strip = 1024>} {
  %i = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32>
  %m = tt.reshape %i : tensor<4096xi32> -> tensor<64x64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x64x!tt.ptr<f32>>
  %p = tt.addptr %xs, %m : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  %v = tt.load %p : tensor<64x64x!tt.ptr<f32>>
  %sums = "tt.reduce"(%v) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    tt.reduce.return %0 : f32
  }) : (tensor<64x64xf32>) -> tensor<64xf32>
  %j = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %q = tt.addptr %ys, %j : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %q, %sums : tensor<64x!tt.ptr<f32>>
  tt.return
}

// A combination without an identity that is known starts from the first strip.
// CHECK-LABEL: tt.func public @product_of_sums(
// CHECK: scf.for %[[STEP:.*]] = {{.*}} iter_args(%[[ACC:.*]] = %
// CHECK: %[[V:.*]] = tt.load
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[STEP]], %c0_i32
// CHECK-NEXT: arith.select %[[FIRST]], %[[V]], %{{.*}} : tensor<1024xf32>
tt.func public @product_of_sums(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) attributes {tg.plan = #tg.plan<strip = 1024>} {
  %i = tt.make_range {start = 0 : i32, end = 2048 : i32} : tensor<2048xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %p = tt.addptr %xs, %i : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
  %v = tt.load %p : tensor<2048x!tt.ptr<f32>>
  %all = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    %1 = arith.mulf %a, %b : f32
    %2 = arith.addf %0, %1 : f32
    tt.reduce.return %2 : f32
  }) : (tensor<2048xf32>) -> f32
  tt.store %y, %all : !tt.ptr<f32>
  tt.return
}
