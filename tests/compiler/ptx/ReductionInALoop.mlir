// RUN: tigon compile %s --target=sm_90 --plan=stages=1 | FileCheck %s
// Sums of a row an iteration: threads meet once in each, as its partial sums have one of two places. An upper half becomes an
// f32 by one mask.

// CHECK: .entry sums(
// CHECK: ld.global.v4.b32
// CHECK-DAG: and.b32 {{.*}}, -65536;
// CHECK-DAG: and.b32 {{.*}}, 64;
// CHECK: bar.sync
// CHECK-NOT: bar.sync
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
