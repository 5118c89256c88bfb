// RUN: tigon-opt %s -tigon-strip-mine -canonicalize -cse | FileCheck %s
// The acceptance kernel's form: a tile carried over rows, a reduction inside, the result in place. What is carried lives in
// private scratch and is added to strip by strip, in the loop that the reduction closes.

// CHECK-LABEL: tt.func public @backward(
// CHECK: %[[DW:.*]] = tg.scratch_alloc in private : <tensor<4096xf32>>
// CHECK-NOT: tg.scratch_alloc
// CHECK: scf.for
// CHECK-NEXT: tg.scratch_put %{{.*}}, %[[DW]]
// CHECK-NEXT: } {tg.strip}
// The rows:
// CHECK-NEXT: scf.for %{{[^(]*}} : i32 {
// CHECK: %[[DOTS:.*]] = scf.for {{.*}} iter_args(
// CHECK: %[[OLD:.*]] = tg.scratch_get %[[DW]]
// CHECK: %[[M:.*]] = arith.mulf
// CHECK: %[[NEXT:.*]] = arith.addf %[[OLD]], %[[M]]
// CHECK-NEXT: tg.scratch_put %[[NEXT]], %[[DW]]
// CHECK: } {tg.strip}
// CHECK-NEXT: "tt.reduce"(%[[DOTS]])
// Both inputs are loaded again, one of them before it is overwritten.
// CHECK: scf.for
// CHECK: %[[G:.*]] = tt.load %[[P:[0-9]+]] :
// CHECK: tt.load
// CHECK: %[[DX:.*]] = arith.subf %[[G]]
// CHECK-NEXT: tt.store %[[P]], %[[DX]]
// CHECK-NEXT: } {tg.strip}
// CHECK-NEXT: }
// CHECK-NEXT: scf.for
// CHECK: tg.scratch_get %[[DW]]
// CHECK: tt.store
tt.func public @backward(%dy: !tt.ptr<f32>, %x: !tt.ptr<f32>, %dw: !tt.ptr<f32>, %rows: i32) attributes {tg.plan = #tg.plan<strip = 1024>} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = arith.constant 4096 : i32
  %zeros = arith.constant dense<0.0> : tensor<4096xf32>
  %i = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32>
  %total = scf.for %row = %zero to %rows step %one iter_args(%acc = %zeros) -> (tensor<4096xf32>) : i32 {
    %start = arith.muli %row, %n : i32
    %dyRow = tt.addptr %dy, %start : !tt.ptr<f32>, i32
    %xRow = tt.addptr %x, %start : !tt.ptr<f32>, i32
    %dys = tt.splat %dyRow : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
    %xs = tt.splat %xRow : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
    %pdy = tt.addptr %dys, %i : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
    %px = tt.addptr %xs, %i : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
    %g = tt.load %pdy : tensor<4096x!tt.ptr<f32>>
    %v = tt.load %px : tensor<4096x!tt.ptr<f32>>
    %m = arith.mulf %g, %v : tensor<4096xf32>
    %dot = "tt.reduce"(%m) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      tt.reduce.return %0 : f32
    }) : (tensor<4096xf32>) -> f32
    %dots = tt.splat %dot : f32 -> tensor<4096xf32>
    %scaled = arith.mulf %v, %dots : tensor<4096xf32>
    %dx = arith.subf %g, %scaled : tensor<4096xf32>
    tt.store %pdy, %dx : tensor<4096x!tt.ptr<f32>>
    %next = arith.addf %acc, %m : tensor<4096xf32>
    scf.yield %next : tensor<4096xf32>
  }
  %dws = tt.splat %dw : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
  %pdw = tt.addptr %dws, %i : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
  tt.store %pdw, %total : tensor<4096x!tt.ptr<f32>>
  tt.return
}
