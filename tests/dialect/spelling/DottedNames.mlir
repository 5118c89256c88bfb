// RUN: tigon-opt %s | FileCheck %s
// Triton 3.8 to 3.9: dotted SSA names and results of several values.

// CHECK-LABEL: tt.func public @dotted(
// CHECK-SAME: %[[S:.*]]: i32, %[[T0:.*]]: f32, %[[T1:.*]]: f32)
tt.func public @dotted(%d.shape.0: i32, %t.0: f32, %t.1: f32) {
  // CHECK-NEXT: %[[R:.*]]:2 = scf.for %{{.*}} = %[[S]] to %[[S]] step %[[S]] iter_args(%[[A:.*]] = %[[T0]], %[[B:.*]] = %[[T1]])
  %r.0:2 = scf.for %k = %d.shape.0 to %d.shape.0 step %d.shape.0 iter_args(%t.0_0 = %t.0, %t.1_1 = %t.1) -> (f32, f32)  : i32 {
    // CHECK-NEXT: scf.yield %[[B]], %[[A]]
    scf.yield %t.1_1, %t.0_0 : f32, f32
  }
  // CHECK: arith.addf %[[R]]#0, %[[R]]#1 : f32
  %0 = arith.addf %r.0#0, %r.0#1 : f32
  tt.return
}
