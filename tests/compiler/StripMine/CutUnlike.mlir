// RUN: tigon-opt %s -tigon-strip-mine | FileCheck %s
// A parked tile whose strips are put in one order and got in another is in memory: no thread gets what it put.

module attributes {tg.target = "cpu:x86-64-v3"} {
// CHECK-LABEL: tt.func public @unlike(
// CHECK: tg.scratch_alloc in memory
tt.func public @unlike(%y: !tt.ptr<i32>, %k: i32) attributes {tg.plan = #tg.plan<warps = 1, strip = 16>} {
  %s = tg.scratch_alloc in private : !tg.scratch<tensor<64xi32>>
  %v = arith.constant dense<1> : tensor<16xi32>
  %i = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  tg.scratch_put %v, %s[%k] strip [4, 5] : tensor<16xi32>, !tg.scratch<tensor<64xi32>>
  %w = tg.scratch_get %s[%k] strip [5, 4] : !tg.scratch<tensor<64xi32>> -> tensor<16xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %p = tt.addptr %ys, %i : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  tt.store %p, %w : tensor<16x!tt.ptr<i32>>
  tt.return
}

// CHECK-LABEL: tt.func public @alike(
// CHECK: tg.scratch_alloc in private
tt.func public @alike(%y: !tt.ptr<i32>, %k: i32) attributes {tg.plan = #tg.plan<warps = 1, strip = 16>} {
  %s = tg.scratch_alloc in private : !tg.scratch<tensor<64xi32>>
  %v = arith.constant dense<1> : tensor<16xi32>
  %i = tt.make_range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  tg.scratch_put %v, %s[%k] strip [4, 5] : tensor<16xi32>, !tg.scratch<tensor<64xi32>>
  %w = tg.scratch_get %s[%k] strip [4, 5] : !tg.scratch<tensor<64xi32>> -> tensor<16xi32>
  %ys = tt.splat %y : !tt.ptr<i32> -> tensor<16x!tt.ptr<i32>>
  %p = tt.addptr %ys, %i : tensor<16x!tt.ptr<i32>>, tensor<16xi32>
  tt.store %p, %w : tensor<16x!tt.ptr<i32>>
  tt.return
}
}
