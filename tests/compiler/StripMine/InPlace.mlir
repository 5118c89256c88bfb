// RUN: tigon-opt %s -tigon-strip-mine -canonicalize -cse | FileCheck %s
// Accesses of one root keep their order: lane by lane where the addresses are the same, else all lanes of one before any of
// the other.

// CHECK-LABEL: tt.func public @same(
// CHECK-NOT: tg.scratch
// CHECK: tt.load %[[P:.*]] :
// CHECK: tt.store %[[P]]
// CHECK-NEXT: } {tg.strip}
// CHECK-NEXT: tt.return
tt.func public @same(%x: !tt.ptr<f32>) attributes {tg.plan = #tg.plan<strip = 1024>} {
  %i = tt.make_range {start = 0 : i32, end = 2048 : i32} : tensor<2048xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %p = tt.addptr %xs, %i : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
  %v = tt.load %p : tensor<2048x!tt.ptr<f32>>
  %w = arith.addf %v, %v : tensor<2048xf32>
  tt.store %p, %w : tensor<2048x!tt.ptr<f32>>
  tt.return
}

// What lane i writes, lane i + 1 has read before, also where that is in the next strip.
// CHECK-LABEL: tt.func public @shift(
// CHECK: %[[S:.*]] = tg.scratch_alloc in private : <tensor<2048xf32>>
// CHECK: scf.for
// CHECK: %[[V:.*]] = tt.load
// CHECK-NEXT: tg.scratch_put %[[V]], %[[S]]
// CHECK-NEXT: } {tg.strip}
// CHECK-NEXT: scf.for
// CHECK-NOT: tt.load
// CHECK: tg.scratch_get %[[S]]
// CHECK-NEXT: tt.store
tt.func public @shift(%x: !tt.ptr<f32>) attributes {tg.plan = #tg.plan<strip = 1024>} {
  %one = arith.constant 1 : i32
  %i = tt.make_range {start = 0 : i32, end = 2048 : i32} : tensor<2048xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %p = tt.addptr %xs, %i : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
  %next = tt.addptr %x, %one : !tt.ptr<f32>, i32
  %nexts = tt.splat %next : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %q = tt.addptr %nexts, %i : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
  %v = tt.load %p : tensor<2048x!tt.ptr<f32>>
  tt.store %q, %v : tensor<2048x!tt.ptr<f32>>
  tt.return
}

// Two arguments are one memory in place or none at all, so one loop will do, and the second load stays behind the store.
// CHECK-LABEL: tt.func public @two(
// CHECK-NOT: tg.scratch
// CHECK: tt.load %[[P:.*]] :
// CHECK: tt.store
// CHECK-NEXT: %[[W:.*]] = tt.load %[[P]] :
// CHECK-NEXT: tt.store %[[P]], %[[W]]
// CHECK-NEXT: } {tg.strip}
// CHECK-NEXT: tt.return
tt.func public @two(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) attributes {tg.plan = #tg.plan<strip = 1024>} {
  %i = tt.make_range {start = 0 : i32, end = 2048 : i32} : tensor<2048xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %p = tt.addptr %xs, %i : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
  %q = tt.addptr %ys, %i : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
  %v = tt.load %p : tensor<2048x!tt.ptr<f32>>
  tt.store %q, %v : tensor<2048x!tt.ptr<f32>>
  %w = tt.load %p : tensor<2048x!tt.ptr<f32>>
  tt.store %p, %w : tensor<2048x!tt.ptr<f32>>
  tt.return
}
