// RUN: tigon-opt %s -tigon-strip-mine -canonicalize -cse | FileCheck %s
// A reduction closes a loop, and what needs its result opens the next: a softmax row is three loops. The input is loaded
// again, as nothing has written it; the exponentials are put and got back, as an exp is not cheap.

// CHECK-LABEL: tt.func public @softmax(
// CHECK: %[[E:.*]] = tg.scratch_alloc in private : <tensor<4096xf32>>
// CHECK-NOT: tg.scratch_alloc
// A maximum starts from NaN, which maxnumf gives way with; threads meet once, behind the loop.
// CHECK: %[[MAXES:.*]] = scf.for {{.*}} iter_args(%[[M:.*]] = %cst{{.*}}) -> (tensor<1024xf32>)
// CHECK: %[[V:.*]] = tt.load
// CHECK-NEXT: %[[NEXT:.*]] = arith.maxnumf %[[M]], %[[V]] : tensor<1024xf32>
// CHECK-NEXT: scf.yield %[[NEXT]]
// CHECK-NEXT: } {tg.strip}
// CHECK-NEXT: %[[MAX:.*]] = "tt.reduce"(%[[MAXES]])
// CHECK: %[[SUMS:.*]] = scf.for
// CHECK: tt.load
// CHECK: arith.subf
// CHECK-NEXT: %[[EXP:.*]] = math.exp
// CHECK-NEXT: tg.scratch_put %[[EXP]], %[[E]][%{{.*}}] strip [10, 11] :
// CHECK-NEXT: arith.addf
// CHECK: } {tg.strip}
// CHECK-NEXT: "tt.reduce"(%[[SUMS]])
// CHECK: scf.for
// CHECK-NOT: tt.load
// CHECK: %[[AGAIN:.*]] = tg.scratch_get %[[E]][%{{.*}}] strip [10, 11] :
// CHECK-NEXT: arith.divf %[[AGAIN]]
// CHECK: tt.store
// CHECK: } {tg.strip}
// CHECK-NEXT: tt.return
tt.func public @softmax(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) attributes {tg.plan = #tg.plan<strip = 1024>} {
  %i = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
  %px = tt.addptr %xs, %i : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
  %v = tt.load %px : tensor<4096x!tt.ptr<f32>>
  %max = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maxnumf %a, %b : f32
    tt.reduce.return %0 : f32
  }) : (tensor<4096xf32>) -> f32
  %maxes = tt.splat %max : f32 -> tensor<4096xf32>
  %d = arith.subf %v, %maxes : tensor<4096xf32>
  %e = math.exp %d : tensor<4096xf32>
  %sum = "tt.reduce"(%e) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    tt.reduce.return %0 : f32
  }) : (tensor<4096xf32>) -> f32
  %sums = tt.splat %sum : f32 -> tensor<4096xf32>
  %q = arith.divf %e, %sums : tensor<4096xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
  %py = tt.addptr %ys, %i : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
  tt.store %py, %q : tensor<4096x!tt.ptr<f32>>
  tt.return
}
