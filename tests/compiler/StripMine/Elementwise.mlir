// RUN: tigon-opt %s -tigon-strip-mine -canonicalize -cse | FileCheck %s
// A chain of elementwise ops is one loop: nothing is kept from one strip to the next, and nothing is left outside.

// CHECK-LABEL: tt.func public @axpy(
// CHECK-SAME: %[[X:.*]]: !tt.ptr<f32>, %[[Y:.*]]: !tt.ptr<f32>, %[[A:.*]]: f32)
// CHECK-NOT: tg.scratch
// CHECK-NOT: tensor<4096x
// CHECK: scf.for %[[STEP:.*]] = %c0_i32 to %c4_i32 step %c1_i32
// CHECK-NEXT: %[[RANGE:.*]] = tt.make_range {end = 1024 : i32, start = 0 : i32} : tensor<1024xi32>
// CHECK-NEXT: %[[BASE:.*]] = arith.muli %[[STEP]], %c1024_i32 overflow<nsw>
// CHECK-NEXT: %[[BASES:.*]] = tt.splat %[[BASE]]
// CHECK-NEXT: %[[I:.*]] = arith.addi %[[RANGE]], %[[BASES]] overflow<nsw>
// CHECK: %[[VX:.*]] = tt.load
// CHECK: %[[VY:.*]] = tt.load %[[P:.*]] :
// CHECK: %[[M:.*]] = arith.mulf %{{.*}}, %[[VX]] : tensor<1024xf32>
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[M]], %[[VY]] : tensor<1024xf32>
// CHECK-NEXT: tt.store %[[P]], %[[S]]
// CHECK-NEXT: } {tg.strip}
// CHECK-NEXT: tt.return
tt.func public @axpy(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %a: f32) attributes {tg.plan = #tg.plan<strip = 1024>} {
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
