// RUN: tigon-opt %s -tigon-strip-mine -canonicalize -cse | FileCheck %s
// What a later stage needs of an earlier one: had again for nothing, loaded again, kept by each thread for itself, or kept
// in memory where it is cut in another way.

// The mask and the cast are made again, the exponentials of a narrow type are put as f16: half the bytes.
// CHECK-LABEL: tt.func public @recomputed(
// CHECK: tg.scratch_alloc in private : <tensor<2048xf16>>
// CHECK-NOT: tg.scratch_alloc
// CHECK: tg.scratch_put
// CHECK: "tt.reduce"
// CHECK: scf.for
// CHECK-NOT: tt.load
// CHECK: %[[E:.*]] = tg.scratch_get
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[E]]
// CHECK: tt.store
tt.func public @recomputed(%x: !tt.ptr<f16>, %y: !tt.ptr<f32>) attributes {tg.plan = #tg.plan<strip = 1024>} {
  %i = tt.make_range {start = 0 : i32, end = 2048 : i32} : tensor<2048xi32>
  %xs = tt.splat %x : !tt.ptr<f16> -> tensor<2048x!tt.ptr<f16>>
  %p = tt.addptr %xs, %i : tensor<2048x!tt.ptr<f16>>, tensor<2048xi32>
  %v = tt.load %p : tensor<2048x!tt.ptr<f16>>
  %e = math.exp %v : tensor<2048xf16>
  %w = arith.extf %e : tensor<2048xf16> to tensor<2048xf32>
  %sum = "tt.reduce"(%w) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    tt.reduce.return %0 : f32
  }) : (tensor<2048xf32>) -> f32
  %sums = tt.splat %sum : f32 -> tensor<2048xf32>
  %q = arith.mulf %w, %sums : tensor<2048xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %py = tt.addptr %ys, %i : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
  tt.store %py, %q : tensor<2048x!tt.ptr<f32>>
  tt.return
}

// Volatile: not loaded again, but kept.
// CHECK-LABEL: tt.func public @loaded_once(
// CHECK: tg.scratch_alloc in private : <tensor<2048xf32>>
// CHECK: tt.load {{.*}}isVolatile
// CHECK-NEXT: tg.scratch_put
// CHECK-NOT: tt.load
// CHECK: tg.scratch_get
tt.func public @loaded_once(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) attributes {tg.plan = #tg.plan<strip = 1024>} {
  %i = tt.make_range {start = 0 : i32, end = 2048 : i32} : tensor<2048xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %p = tt.addptr %xs, %i : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
  %v = tt.load %p {isVolatile = true} : tensor<2048x!tt.ptr<f32>>
  %max = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %0 = arith.maxnumf %a, %b : f32
    tt.reduce.return %0 : f32
  }) : (tensor<2048xf32>) -> f32
  %maxes = tt.splat %max : f32 -> tensor<2048xf32>
  %d = arith.subf %v, %maxes : tensor<2048xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<2048x!tt.ptr<f32>>
  %py = tt.addptr %ys, %i : tensor<2048x!tt.ptr<f32>>, tensor<2048xi32>
  tt.store %py, %d : tensor<2048x!tt.ptr<f32>>
  tt.return
}

// Rows meet columns: a strip of rows is put where a strip of columns is got from.
// CHECK-LABEL: tt.func public @symmetric(
// CHECK: %[[S:.*]] = tg.scratch_alloc in memory : <tensor<64x64xf32>>
// CHECK: tt.trans {{.*}} -> tensor<64x16xf32>
// CHECK-NEXT: tg.scratch_put %{{.*}}, %[[S]][%{{.*}}] strip [4, 5] : tensor<64x16xf32>
// CHECK-NEXT: } {tg.strip}
// CHECK: tg.scratch_get %[[S]][%{{.*}}] strip [10, 11] : {{.*}} -> tensor<16x64xf32>
// CHECK-NEXT: arith.addf
tt.func public @symmetric(%x: !tt.ptr<f32>) attributes {tg.plan = #tg.plan<strip = 1024>} {
  %i = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
  %p = tt.addptr %xs, %i : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
  %v = tt.load %p : tensor<4096x!tt.ptr<f32>>
  %m = tt.reshape %v : tensor<4096xf32> -> tensor<64x64xf32>
  %t = tt.trans %m {order = array<i32: 1, 0>} : tensor<64x64xf32> -> tensor<64x64xf32>
  %s = arith.addf %m, %t : tensor<64x64xf32>
  %r = tt.reshape %s : tensor<64x64xf32> -> tensor<4096xf32>
  tt.store %p, %r : tensor<4096x!tt.ptr<f32>>
  tt.return
}
