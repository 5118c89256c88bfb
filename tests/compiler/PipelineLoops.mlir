// RUN: tigon-opt %s -tigon-pipeline-loops | FileCheck %s
// Loads of the next iteration are issued before the iteration is computed; past the last one they are masked off.

#l = #tg.layout<64, register = [32], lane = [1, 2, 4, 8, 16], warp = []>
module attributes {tg.target = "sm_90"} {
// CHECK-LABEL: tt.func public @rows(
// CHECK: %[[ANY:.*]] = arith.cmpi slt, %arg3, %arg4
// CHECK: %[[FIRST:.*]] = tt.addptr %arg0, %arg3
// CHECK: tt.splat %[[ANY]]
// CHECK: %[[X0:.*]] = tt.load
// CHECK: scf.for %[[I:.*]] = %arg3 to %arg4 step %[[STEP:.*]] iter_args(%[[X:.*]] = %[[X0]])
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]], %[[STEP]]
// CHECK: %[[LEFT:.*]] = arith.subi %arg4, %[[I]]
// CHECK: %[[MORE:.*]] = arith.cmpi ult, %[[STEP]], %[[LEFT]]
// CHECK: tt.addptr %arg0, %[[NEXT]]
// CHECK: %[[M:.*]] = tt.splat %[[MORE]] : i1
// CHECK: %[[BOTH:.*]] = arith.andi %arg2, %[[M]]
// CHECK: %[[FETCHED:.*]] = tt.load %{{.*}}, %[[BOTH]]
// CHECK-NOT: tt.load
// CHECK: tt.store %{{.*}}, %[[X]], %arg2
// CHECK: scf.yield %[[FETCHED]]
tt.func public @rows(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %m: tensor<64xi1, #l>, %from: i32, %to: i32) attributes {tg.plan = #tg.plan<warps = 1, stages = 2>} {
  %c1 = arith.constant 1 : i32
  scf.for %i = %from to %to step %c1 : i32 {
    %px = tt.addptr %x, %i : !tt.ptr<f32>, i32
    %xs = tt.splat %px : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #l>
    %v = tt.load %xs, %m : tensor<64x!tt.ptr<f32>, #l>
    %py = tt.addptr %y, %i : !tt.ptr<f32>, i32
    %ys = tt.splat %py : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #l>
    tt.store %ys, %v, %m : tensor<64x!tt.ptr<f32>, #l>
  }
  tt.return
}

// A carried offset is known an iteration ahead, as is a scalar load through it.
// CHECK-LABEL: tt.func public @carried(
// CHECK: %[[V0:.*]] = tt.load %arg0, %{{.*}} : !tt.ptr<f32>
// CHECK: scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[P:.*]] = %arg0, %[[V:.*]] = %[[V0]])
// CHECK: %[[AHEAD:.*]] = tt.addptr %[[P]], %arg2
// CHECK: %[[FETCHED:.*]] = tt.load %[[AHEAD]], %{{.*}} : !tt.ptr<f32>
// CHECK: arith.addf %[[SUM]], %[[V]]
// CHECK: scf.yield %{{.*}}, %{{.*}}, %[[FETCHED]]
tt.func public @carried(%x: !tt.ptr<f32>, %n: i32, %stride: i32) -> f32 attributes {tg.plan = #tg.plan<warps = 1, stages = 2>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero, %p = %x) -> (f32, !tt.ptr<f32>) : i32 {
    %v = tt.load %p : !tt.ptr<f32>
    %s = arith.addf %sum, %v : f32
    %q = tt.addptr %p, %stride : !tt.ptr<f32>, i32
    scf.yield %s, %q : f32, !tt.ptr<f32>
  }
  tt.return %r#0 : f32
}

// Not what the loop writes through the same argument, not behind a barrier, not what a load points to.
// CHECK-LABEL: tt.func public @held(
// CHECK-NOT: iter_args
// CHECK: tt.return
tt.func public @held(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %z: !tt.ptr<i32>, %n: i32) attributes {tg.plan = #tg.plan<warps = 1, stages = 2>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %p = tt.addptr %x, %i : !tt.ptr<f32>, i32
    %v = tt.load %p : !tt.ptr<f32>
    tt.store %x, %v : !tt.ptr<f32>
  }
  scf.for %i = %c0 to %n step %c1 : i32 {
    %p = tt.addptr %x, %i : !tt.ptr<f32>, i32
    %v = tt.load %p : !tt.ptr<f32>
    gpu.barrier
    tt.store %y, %v : !tt.ptr<f32>
  }
  scf.for %i = %c0 to %n step %c1 : i32 {
    %j = tt.load %z {isVolatile = true} : !tt.ptr<i32>
    %p = tt.addptr %x, %j : !tt.ptr<f32>, i32
    %v = tt.load %p : !tt.ptr<f32>
    tt.store %y, %v : !tt.ptr<f32>
  }
  tt.return
}

// Values that are carried in a circle: %a needs %c, which nothing can know ahead.
// CHECK-LABEL: tt.func public @circle(
// CHECK: scf.for
// CHECK: tt.load %arg0
// CHECK: tt.load {{.*}} : !tt.ptr<f32>
// CHECK: scf.yield
tt.func public @circle(%z: !tt.ptr<i32>, %x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) attributes {tg.plan = #tg.plan<warps = 1, stages = 2>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %c0, %b = %c0, %c = %c0) -> (i32, i32, i32) : i32 {
    %next = tt.load %z {isVolatile = true} : !tt.ptr<i32>
    %p = tt.addptr %x, %a : !tt.ptr<f32>, i32
    %v = tt.load %p : !tt.ptr<f32>
    tt.store %y, %v : !tt.ptr<f32>
    %sum = arith.addi %b, %c : i32
    %k = arith.addi %a, %c1 : i32
    scf.yield %sum, %k, %next : i32, i32, i32
  }
  tt.return
}

// Where tiles are copied three iterations ahead, scalars are as far ahead, and handed on from one iteration to the next.
// CHECK-LABEL: tt.func public @scalars(
// CHECK: %[[A:.*]] = tt.load %{{.*}}, %{{.*}} : !tt.ptr<f32>
// CHECK: %[[B:.*]] = tt.load %{{.*}}, %{{.*}} : !tt.ptr<f32>
// CHECK: %[[C:.*]] = tt.load %{{.*}}, %{{.*}} : !tt.ptr<f32>
// CHECK: scf.for %[[I:.*]] = {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[X:.*]] = %[[A]], %[[Y:.*]] = %[[B]], %[[Z:.*]] = %[[C]])
// CHECK: %[[PASSED:.*]] = arith.muli %{{.*}}, %{{.*}} : i32
// CHECK: %[[THERE:.*]] = arith.addi %[[I]], %[[PASSED]]
// CHECK: %[[FETCHED:.*]] = tt.load
// CHECK: %[[NEXT:.*]] = arith.addf %[[SUM]], %[[X]]
// CHECK: scf.yield %[[NEXT]], %[[Y]], %[[Z]], %[[FETCHED]]
tt.func public @scalars(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) attributes {tg.plan = #tg.plan<warps = 1, stages = 4>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> f32 : i32 {
    %px = tt.addptr %x, %i : !tt.ptr<f32>, i32
    %v = tt.load %px : !tt.ptr<f32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  tt.store %y, %sum : !tt.ptr<f32>
  tt.return
}

// Three steps of 2^31 would wrap: there is no such iteration, whatever the product says.
// CHECK-LABEL: tt.func public @huge(
// CHECK: arith.cmpi ule, %c-2147483648_i32, %c2147483647_i32
// CHECK: scf.for
// CHECK: %[[FITS:.*]] = arith.cmpi ule, %c-2147483648_i32, %c1431655765_i32
// CHECK: %[[RUNS:.*]] = arith.andi %{{.*}}, %[[FITS]]
// CHECK: tt.load %{{.*}}, %[[RUNS]]
tt.func public @huge(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) attributes {tg.plan = #tg.plan<warps = 1, stages = 4>} {
  %c0 = arith.constant 0 : i32
  %step = arith.constant -2147483648 : i32
  %zero = arith.constant 0.0 : f32
  %sum = scf.for unsigned %i = %c0 to %n step %step iter_args(%s = %zero) -> f32 : i32 {
    %px = tt.addptr %x, %i : !tt.ptr<f32>, i32
    %v = tt.load %px : !tt.ptr<f32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  tt.store %y, %sum : !tt.ptr<f32>
  tt.return
}
}
