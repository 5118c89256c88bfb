// RUN: tigon compile %s --target=sm_90 --plan=stages=4 | FileCheck %s
// Rows are copied ahead, three before the loop and one in each iteration. Past the last row nothing is: a copy of zeros would
// still be under way behind the loop, where nobody waits for it. Past the end of a row zeros are.

// CHECK: .entry sums(
// CHECK-COUNT-3: @%p{{[0-9]+}} cp.async.cg.shared.global [%rd{{[0-9]+}}], [%rd{{[0-9]+}}], 16, %r{{[0-9]+}};
// CHECK: cp.async.wait_group 2;
// CHECK: @%p{{[0-9]+}} cp.async.cg.shared.global [%rd{{[0-9]+}}], [%rd{{[0-9]+}}], 16, %r{{[0-9]+}};
// CHECK: bar.sync
tt.func public @sums(%x: !tt.ptr<bf16> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32>, %rows: i32, %n: i32 {tt.divisibility = 16 : i32}) attributes {tg.plan = #tg.plan<warps = 8>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<2048xbf16>
  %i = tt.make_range {start = 0 : i32, end = 2048 : i32} : tensor<2048xi32>
  %ns = tt.splat %n : i32 -> tensor<2048xi32>
  %mask = arith.cmpi slt, %i, %ns : tensor<2048xi32>
  scf.for %row = %c0 to %rows step %c1 : i32 {
    %start = arith.muli %row, %n : i32
    %px = tt.addptr %x, %start : !tt.ptr<bf16>, i32
    %xs = tt.splat %px : !tt.ptr<bf16> -> tensor<2048x!tt.ptr<bf16>>
    %xp = tt.addptr %xs, %i : tensor<2048x!tt.ptr<bf16>>, tensor<2048xi32>
    %v = tt.load %xp, %mask, %zero : tensor<2048x!tt.ptr<bf16>>
    %w = arith.extf %v : tensor<2048xbf16> to tensor<2048xf32>
    %sum = "tt.reduce"(%w) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      tt.reduce.return %0 : f32
    }) : (tensor<2048xf32>) -> f32
    %py = tt.addptr %y, %row : !tt.ptr<f32>, i32
    tt.store %py, %sum : !tt.ptr<f32>
  }
  tt.return
}
