// RUN: sed s/TARGET/cpu:x86-64-v3/ %s | tigon-opt -tigon-strip-mine -canonicalize -cse | FileCheck %s
// A mask is a bound: strips below it run without the mask, then the one that it cuts, and those above not at all, as the
// zeros there add nothing to a sum.

module attributes {tg.target = "TARGET"} {
// CHECK-LABEL: tt.func public @sum(
// CHECK-SAME: %[[X:.*]]: !tt.ptr<f32>, %[[OUT:.*]]: !tt.ptr<f32>, %[[N:.*]]: i32)
// CHECK: %[[WIDE:.*]] = arith.extsi %[[N]]
// CHECK-NEXT: %[[LIMIT:.*]] = arith.maxsi %[[WIDE]], %c0_i64
// CHECK-NEXT: %[[BELOW:.*]] = arith.shrui %[[LIMIT]], %c10_i64
// CHECK-NEXT: %[[CLAMPED:.*]] = arith.minui %[[BELOW]], %c4_i64
// CHECK-NEXT: %[[FULL:.*]] = arith.trunci %[[CLAMPED]]
// CHECK-NEXT: %[[UP:.*]] = arith.addi %[[LIMIT]], %c1023_i64
// CHECK: %[[END:.*]] = arith.trunci
// CHECK-NEXT: %[[SUMS:.*]] = scf.for %{{.*}} = %c0_i32 to %[[FULL]] step %c1_i32
// CHECK: tt.load %{{[0-9]+}} :
// CHECK: } {tg.strip}
// CHECK-NEXT: %[[TOTAL:.*]] = scf.for %{{.*}} = %[[FULL]] to %[[END]] step %c1_i32 iter_args(%{{.*}} = %[[SUMS]])
// CHECK: %[[MASK:.*]] = arith.cmpi slt
// CHECK: tt.load %{{[0-9]+}}, %[[MASK]], %{{.*}} :
// CHECK: } {tg.strip, tg.strip_rest}
// CHECK-NEXT: "tt.reduce"(%[[TOTAL]])
tt.func public @sum(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) attributes {tg.plan = #tg.plan<strip = 1024>} {
  %zeros = arith.constant dense<0.0> : tensor<4096xf32>
  %i = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32>
  %ns = tt.splat %n : i32 -> tensor<4096xi32>
  %mask = arith.cmpi slt, %i, %ns : tensor<4096xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
  %px = tt.addptr %xs, %i : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
  %v = tt.load %px, %mask, %zeros : tensor<4096x!tt.ptr<f32>>
  %sum = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    tt.reduce.return %0 : f32
  }) : (tensor<4096xf32>) -> f32
  tt.store %out, %sum : !tt.ptr<f32>
  tt.return
}

// Each lane beyond adds (0 - 1)^2, so none may be left out: the second loop runs to the end.
// CHECK-LABEL: tt.func public @squares(
// CHECK: %[[FULL:.*]] = arith.trunci
// CHECK: scf.for %{{.*}} = %c0_i32 to %[[FULL]]
// CHECK: scf.for %{{.*}} = %[[FULL]] to %c4_i32
tt.func public @squares(%x: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32) attributes {tg.plan = #tg.plan<strip = 1024>} {
  %zeros = arith.constant dense<0.0> : tensor<4096xf32>
  %ones = arith.constant dense<1.0> : tensor<4096xf32>
  %i = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32>
  %ns = tt.splat %n : i32 -> tensor<4096xi32>
  %mask = arith.cmpi slt, %i, %ns : tensor<4096xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
  %px = tt.addptr %xs, %i : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
  %v = tt.load %px, %mask, %zeros : tensor<4096x!tt.ptr<f32>>
  %d = arith.subf %v, %ones : tensor<4096xf32>
  %q = arith.mulf %d, %d : tensor<4096xf32>
  %sum = "tt.reduce"(%q) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    tt.reduce.return %0 : f32
  }) : (tensor<4096xf32>) -> f32
  tt.store %out, %sum : !tt.ptr<f32>
  tt.return
}
}
