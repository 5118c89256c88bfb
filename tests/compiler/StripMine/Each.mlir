// RUN: tigon-opt %s -tigon-strip-mine -canonicalize -cse | FileCheck %s
// The fallback that is legal for every program: one op, one loop, all its tiles in scratch.

// CHECK-LABEL: tt.func public @axpy(
// CHECK: %[[X:.*]] = tg.scratch_alloc in private : <tensor<4096x!tt.ptr<f32>>>
// CHECK: scf.for
// CHECK: tt.make_range
// CHECK: tg.scratch_put
// CHECK: scf.for
// CHECK: tt.addptr
// CHECK-NEXT: tg.scratch_put
// CHECK-NEXT: } {tg.strip}
// CHECK: scf.for
// CHECK: tg.scratch_put
// CHECK: scf.for
// CHECK-NEXT: %[[P:.*]] = tg.scratch_get
// CHECK-NEXT: %[[V:.*]] = tt.load %[[P]]
// CHECK-NEXT: tg.scratch_put %[[V]]
// CHECK-NEXT: } {tg.strip}
// CHECK: scf.for
// CHECK: tt.load
// CHECK: scf.for
// CHECK-NEXT: %[[A:.*]] = tg.scratch_get
// CHECK-NEXT: %[[B:.*]] = tg.scratch_get
// CHECK-NEXT: %[[M:.*]] = arith.mulf %[[A]], %[[B]]
// CHECK-NEXT: tg.scratch_put %[[M]]
// CHECK-NEXT: } {tg.strip}
// CHECK: scf.for
// CHECK: arith.addf
// CHECK-NEXT: tg.scratch_put
// CHECK-NEXT: } {tg.strip}
// CHECK-NEXT: scf.for
// CHECK: tt.store
// CHECK-NEXT: } {tg.strip}
// CHECK-NEXT: tt.return
tt.func public @axpy(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %a: f32) attributes {tg.plan = #tg.plan<strip = 1024>, tg.strips = "each"} {
  %i = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
  %as = tt.splat %a : f32 -> tensor<4096xf32>
  %px = tt.addptr %xs, %i : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
  %py = tt.addptr %ys, %i : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
  %vx = tt.load %px : tensor<4096x!tt.ptr<f32>>
  %vy = tt.load %py : tensor<4096x!tt.ptr<f32>>
  %m = arith.mulf %as, %vx : tensor<4096xf32>
  %s = arith.addf %m, %vy : tensor<4096xf32>
  tt.store %py, %s : tensor<4096x!tt.ptr<f32>>
  tt.return
}
