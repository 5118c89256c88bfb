// RUN: tigon-opt %s -tigon-decompose-pointers | FileCheck %s
// A loop carries a scalar instead of a tile of pointers, if all lanes move alike.

!ptrs = tensor<64x!tt.ptr<f32>>

// CHECK-LABEL: tt.func public @steps(
// CHECK-SAME: %[[X:.*]]: !tt.ptr<f32>, %[[N:.*]]: i32)
// CHECK-DAG: %[[STEP:.*]] = arith.constant 64 : i64
// CHECK-DAG: %[[START:.*]] = arith.constant 0 : i64
// CHECK: scf.for {{.*}} iter_args(%[[OFFSET:.*]] = %[[START]]) -> (i64)
// CHECK-NEXT: %[[BASE:.*]] = tt.addptr %[[X]], %[[OFFSET]] : !tt.ptr<f32>, i64
// CHECK-NEXT: %[[BASES:.*]] = tt.splat %[[BASE]]
// CHECK-NEXT: %[[P:.*]] = tt.addptr %[[BASES]], %{{.*}} : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
// CHECK-NEXT: tt.load %[[P]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[OFFSET]], %[[STEP]] : i64
// CHECK-NEXT: scf.yield %[[NEXT]] : i64
tt.func public @steps(%x: !tt.ptr<f32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %step = arith.constant dense<64> : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> !ptrs
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %p0 = tt.addptr %xs, %i : !ptrs, tensor<64xi32>
  scf.for %k = %zero to %n step %one iter_args(%p = %p0) -> (!ptrs) : i32 {
    %v = tt.load %p : !ptrs
    tt.store %p, %v : !ptrs
    %q = tt.addptr %p, %step : !ptrs, tensor<64xi32>
    scf.yield %q : !ptrs
  }
  tt.return
}

// Each lane with a step of its own: the tile stays.
// CHECK-LABEL: tt.func public @lanes_part(
// CHECK: scf.for {{.*}} -> (tensor<64x!tt.ptr<f32>>)
tt.func public @lanes_part(%x: !tt.ptr<f32>, %n: i32, %steps: tensor<64xi32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %xs = tt.splat %x : !tt.ptr<f32> -> !ptrs
  scf.for %k = %zero to %n step %one iter_args(%p = %xs) -> (!ptrs) : i32 {
    %v = tt.load %p : !ptrs
    tt.store %p, %v : !ptrs
    %q = tt.addptr %p, %steps : !ptrs, tensor<64xi32>
    scf.yield %q : !ptrs
  }
  tt.return
}

// A sum of i32 offsets might wrap, so it is left as it was written.
// CHECK-LABEL: tt.func public @row(
// CHECK: %[[SUM:.*]] = arith.addi %{{.*}}, %{{.*}} : tensor<64xi32>
// CHECK-NEXT: tt.addptr %{{.*}}, %[[SUM]] : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
tt.func public @row(%x: !tt.ptr<f32>, %start: i32) -> tensor<64xf32> {
  %xs = tt.splat %x : !tt.ptr<f32> -> !ptrs
  %row = tt.splat %start : i32 -> tensor<64xi32>
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %offsets = arith.addi %row, %i : tensor<64xi32>
  %p = tt.addptr %xs, %offsets : !ptrs, tensor<64xi32>
  %v = tt.load %p : !ptrs
  tt.return %v : tensor<64xf32>
}
