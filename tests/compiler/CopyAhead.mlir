// RUN: tigon-opt %s -tigon-copy-ahead | FileCheck %s
// A thread copies what it will load, iterations ahead, to slots of its own; each wait leaves the later batches under way.

#l = #tg.layout<256, register = [1, 2, 4], lane = [8, 16, 32, 64, 128], warp = []>
#wide = #tg.layout<32768, register = [1, 2, 4, 256, 512, 1024, 2048, 4096, 8192, 16384], lane = [8, 16, 32, 64, 128], warp = []>
module attributes {tg.target = "sm_90"} {
// All steps are under way before the loop that parks them begins; an empty batch an iteration keeps the count.
// CHECK-LABEL: tt.func public @held(
// CHECK: %[[S:.*]] = tg.scratch_alloc in private
// CHECK: scf.for %[[K:.*]] = %c0_i32{{.*}} to %c4_i32
// CHECK: %[[RUNS:.*]] = arith.cmpi slt, %[[K]], %arg1
// CHECK: tg.async_copy %{{.*}} to %[[S]][%[[K]]] strip [8, 9] if %[[RUNS]]
// CHECK: tg.async_commit
// CHECK: scf.for %[[I:.*]] = %c0_i32 to %arg1
// CHECK-NEXT: tg.async_wait 3
// CHECK-NEXT: tg.async_commit
// CHECK-NOT: tt.load
// CHECK: tg.scratch_get %[[S]][%[[I]]] strip [8, 9]
// CHECK-NOT: tg.scratch_put
// CHECK: tt.return
tt.func public @held(%x: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %n: i32) attributes {tg.plan = #tg.plan<warps = 1, hold = 1>} {
  %s = tg.scratch_alloc in private : !tg.scratch<tensor<1024xbf16>>
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %c256 = arith.constant 256 : i32
  %range = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #l>
  scf.for %i = %c0_i32 to %n step %c1_i32 : i32 {
    %start = arith.muli %i, %c256 : i32
    %at = tt.addptr %x, %start : !tt.ptr<bf16>, i32
    %xs = tt.splat %at : !tt.ptr<bf16> -> tensor<256x!tt.ptr<bf16>, #l>
    %p = tt.addptr %xs, %range : tensor<256x!tt.ptr<bf16>, #l>, tensor<256xi32, #l>
    %v = tt.load %p : tensor<256x!tt.ptr<bf16>, #l>
    tg.scratch_put %v, %s[%i] strip [8, 9] : tensor<256xbf16, #l>, !tg.scratch<tensor<1024xbf16>>
  } {tg.strip}
  %w = tg.scratch_get %s[%c0_i32] strip [8, 9] : !tg.scratch<tensor<1024xbf16>> -> tensor<256xbf16, #l>
  tt.return
}

// Three of four strips fit: each loop is cut in two, whose second part loads what is not held.
// CHECK-LABEL: tt.func public @cut(
// CHECK: %[[S:.*]] = tg.scratch_alloc in private {tg.held_steps = 3 : i64, tg.reloadable}
// CHECK: %[[END:.*]] = arith.minsi %arg1, %c3_i32
// CHECK: %[[BEGIN:.*]] = arith.maxsi %c0_i32, %c3_i32
// CHECK: scf.for %{{.*}} to %c3_i32
// CHECK: tg.async_copy %{{.*}} to %[[S]]
// CHECK: scf.for %{{.*}} = %c0_i32 to %[[END]]
// CHECK: tg.scratch_get %[[S]]
// CHECK: scf.for %{{.*}} = %[[BEGIN]] to %arg1
// CHECK-NEXT: arith.muli
// CHECK-NOT: tg.scratch_put
// CHECK: scf.for
// CHECK: tg.scratch_get %[[S]]
// CHECK: scf.for %[[K:.*]] =
// CHECK: %[[AT:.*]] = arith.muli %[[K]], %c32768
// CHECK: tt.load
// CHECK-NOT: tg.scratch_get
// CHECK: tt.return
tt.func public @cut(%x: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %n: i32, %y: !tt.ptr<bf16>) attributes {tg.plan = #tg.plan<warps = 1, hold = 1>} {
  %s = tg.scratch_alloc in private {tg.reloadable} : !tg.scratch<tensor<131072xbf16>>
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %c32768 = arith.constant 32768 : i32
  %range = tt.make_range {start = 0 : i32, end = 32768 : i32} : tensor<32768xi32, #wide>
  %ys = tt.splat %y : !tt.ptr<bf16> -> tensor<32768x!tt.ptr<bf16>, #wide>
  scf.for %i = %c0_i32 to %n step %c1_i32 : i32 {
    %start = arith.muli %i, %c32768 : i32
    %at = tt.addptr %x, %start : !tt.ptr<bf16>, i32
    %xs = tt.splat %at : !tt.ptr<bf16> -> tensor<32768x!tt.ptr<bf16>, #wide>
    %p = tt.addptr %xs, %range : tensor<32768x!tt.ptr<bf16>, #wide>, tensor<32768xi32, #wide>
    %v = tt.load %p : tensor<32768x!tt.ptr<bf16>, #wide>
    tg.scratch_put %v, %s[%i] strip [15, 16] : tensor<32768xbf16, #wide>, !tg.scratch<tensor<131072xbf16>>
  } {tg.strip}
  scf.for %i = %c0_i32 to %n step %c1_i32 : i32 {
    %w = tg.scratch_get %s[%i] strip [15, 16] : !tg.scratch<tensor<131072xbf16>> -> tensor<32768xbf16, #wide>
    tt.store %ys, %w : tensor<32768x!tt.ptr<bf16>, #wide>
  } {tg.strip}
  tt.return
}

// A ring of four: three copies before the loop, one an iteration; past the end none is begun.
// CHECK-LABEL: tt.func public @ring(
// CHECK: %[[R:.*]] = tg.scratch_alloc in private : <tensor<1024xbf16>>
// CHECK-COUNT-3: tg.async_commit
// CHECK: scf.for %[[I:.*]] = %arg1 to %arg2 step %arg3 iter_args(%[[N:.*]] = %c0_i32
// CHECK: tg.async_wait 2
// CHECK: %[[SLOT:.*]] = arith.andi %[[N]], %c3_i32
// CHECK: %[[LEFT:.*]] = arith.subi %arg2, %[[I]]
// CHECK: %[[MORE:.*]] = arith.cmpi ult, %{{.*}}, %[[LEFT]]
// CHECK: %[[RUNS:.*]] = arith.andi %[[MORE]]
// CHECK: tg.async_copy %{{.*}} to %[[R]][%{{.*}}] strip [8, 9] if %[[RUNS]]
// CHECK: tg.async_commit
// CHECK: tg.scratch_get %[[R]][%[[SLOT]]] strip [8, 9]
// CHECK: tt.store
tt.func public @ring(%x: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %from: i32, %to: i32, %step: i32 {tt.divisibility = 16 : i32}, %y: !tt.ptr<bf16>) attributes {tg.plan = #tg.plan<warps = 1, stages = 4>} {
  %range = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #l>
  %ys = tt.splat %y : !tt.ptr<bf16> -> tensor<256x!tt.ptr<bf16>, #l>
  scf.for %i = %from to %to step %step : i32 {
    %xs = tt.splat %x : !tt.ptr<bf16> -> tensor<256x!tt.ptr<bf16>, #l>
    %p = tt.addptr %xs, %range : tensor<256x!tt.ptr<bf16>, #l>, tensor<256xi32, #l>
    %v = tt.load %p : tensor<256x!tt.ptr<bf16>, #l>
    tt.store %ys, %v : tensor<256x!tt.ptr<bf16>, #l>
  }
  tt.return
}

// Not what the loop itself writes, nor what another thread overwrites in place.
// CHECK-LABEL: tt.func public @kept(
// CHECK-NOT: tg.async_copy
// CHECK: tt.return
tt.func public @kept(%x: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %n: i32) attributes {tg.plan = #tg.plan<warps = 1, stages = 4>} {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %range = tt.make_range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #l>
  scf.for %i = %c0_i32 to %n step %c1_i32 : i32 {
    %xs = tt.splat %x : !tt.ptr<bf16> -> tensor<256x!tt.ptr<bf16>, #l>
    %p = tt.addptr %xs, %range : tensor<256x!tt.ptr<bf16>, #l>, tensor<256xi32, #l>
    %v = tt.load %p : tensor<256x!tt.ptr<bf16>, #l>
    tt.store %p, %v : tensor<256x!tt.ptr<bf16>, #l>
  }
  tt.return
}
}
