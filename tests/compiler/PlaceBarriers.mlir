// RUN: tigon-opt %s -tigon-allocate-scratch -tigon-place-barriers | FileCheck %s
// A barrier stands before an access to shared memory that other threads may not be done with, and only there.

#row = #tg.layout<1024, register = [1, 2, 4], lane = [8, 16, 32, 64, 128], warp = [256, 512]>
#cross = #tg.layout<1024, register = [128, 256, 512], lane = [1, 2, 4, 8, 16], warp = [32, 64]>
#warps = #tg.layout<64, register = [], lane = [1, 2, 4, 8, 16], warp = [32]>
!s = !tg.scratch<tensor<1024xf32>>
module attributes {tg.target = "sm_90"} {
// The second conversion overwrites what the first one may still be reading.
// CHECK-LABEL: tt.func public @in_turn(
// CHECK-NEXT: tg.convert_layout %{{.*}} {tg.offset = 0 : i64}
// CHECK-NEXT: tg.convert_layout %{{.*}} {tg.barrier_before, tg.offset = 0 : i64}
tt.func public @in_turn(%v: tensor<1024xf32, #row>) attributes {tg.plan = #tg.plan<warps = 4>} {
  %0 = tg.convert_layout %v : tensor<1024xf32, #row> -> tensor<1024xf32, #cross>
  %1 = tg.convert_layout %0 : tensor<1024xf32, #cross> -> tensor<1024xf32, #row>
  tt.return
}

// So does a single one in a loop, its own of the iteration before.
// CHECK-LABEL: tt.func public @in_loop(
// CHECK: tg.convert_layout %{{.*}} {tg.barrier_before, tg.offset = 0 : i64}
tt.func public @in_loop(%v: tensor<1024xf32, #row>, %n: i32) attributes {tg.plan = #tg.plan<warps = 4>} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %k = %zero to %n step %one : i32 {
    %0 = tg.convert_layout %v : tensor<1024xf32, #row> -> tensor<1024xf32, #cross>
  }
  tt.return
}

// Private scratch: each thread gets what it put.
// CHECK-LABEL: tt.func public @private(
// CHECK-NOT: tg.barrier_before
// CHECK: tt.return
tt.func public @private(%v: tensor<1024xf32, #row>) attributes {tg.plan = #tg.plan<warps = 4>} {
  %s = tg.scratch_alloc in private : !s
  tg.scratch_put %v, %s strip [] : tensor<1024xf32, #row>, !s
  %0 = tg.scratch_get %s strip [] : !s -> tensor<1024xf32, #row>
  tg.scratch_put %0, %s strip [] : tensor<1024xf32, #row>, !s
  tt.return
}

// Scratch in memory may be got by other threads. Puts do not meet each other's threads' gets twice.
// CHECK-LABEL: tt.func public @memory(
// CHECK: tg.scratch_put
// CHECK-NOT: tg.barrier_before
// CHECK: tg.scratch_get {{.*}} {tg.barrier_before}
// CHECK: tg.scratch_get
// CHECK-NOT: tg.barrier_before
// CHECK: tt.return
tt.func public @memory(%v: tensor<1024xf32, #row>) attributes {tg.plan = #tg.plan<warps = 4>} {
  %s = tg.scratch_alloc in memory : !s
  tg.scratch_put %v, %s strip [] : tensor<1024xf32, #row>, !s
  %0 = tg.scratch_get %s strip [] : !s -> tensor<1024xf32, #cross>
  %1 = tg.scratch_get %s strip [] : !s -> tensor<1024xf32, #row>
  tt.return
}

// Small exchanges have places of their own: none waits for another.
// CHECK-LABEL: tt.func public @one_after_the_other(
// CHECK-NOT: tg.barrier_before
// CHECK: tt.return
tt.func public @one_after_the_other(%v: tensor<64xf32, #warps>) attributes {tg.plan = #tg.plan<warps = 2>} {
  %0 = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<64xf32, #warps>) -> f32
  %w = tt.splat %0 : f32 -> tensor<64xf32, #warps>
  %1 = "tt.reduce"(%w) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<64xf32, #warps>) -> f32
  tt.return
}

// A loop's only reduction has two places in turn, unless it may be left out of an iteration. Behind the loop either may
// still be read.
// CHECK-LABEL: tt.func public @in_turn_by_iteration(
// CHECK: scf.for
// CHECK: scf.for
// CHECK: tt.reduce
// CHECK: tg.barrier_before{{.*}}tg.turns
// CHECK: scf.for
// CHECK: tt.reduce
// CHECK-NOT: tg.barrier_before
// CHECK: tg.turns
// CHECK: scf.for
// CHECK: scf.if
// CHECK: tt.reduce
// CHECK: tg.barrier_before
// CHECK-NOT: tg.turns
// CHECK: tt.return
tt.func public @in_turn_by_iteration(%v: tensor<64xf32, #warps>, %n: i32, %c: i1) attributes {tg.plan = #tg.plan<warps = 2>} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %j = %zero to %n step %one : i32 {
    scf.for %k = %zero to %n step %one : i32 {
      %0 = "tt.reduce"(%v) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %s = arith.addf %a, %b : f32
        tt.reduce.return %s : f32
      }) : (tensor<64xf32, #warps>) -> f32
    }
  }
  scf.for %k = %zero to %n step %one : i32 {
    %0 = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tt.reduce.return %s : f32
    }) : (tensor<64xf32, #warps>) -> f32
  }
  scf.for %k = %zero to %n step %one : i32 {
    scf.if %c {
      %0 = "tt.reduce"(%v) <{axis = 0 : i32}> ({
      ^bb0(%a: f32, %b: f32):
        %s = arith.addf %a, %b : f32
        tt.reduce.return %s : f32
      }) : (tensor<64xf32, #warps>) -> f32
    }
  }
  tt.return
}
}
