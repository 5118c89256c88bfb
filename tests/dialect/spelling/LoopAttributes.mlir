// RUN: tigon-opt %s | FileCheck %s
// Triton 3.2 to 3.9: options of tl.range, kept on the loop.

// CHECK-LABEL: tt.func public @loops
tt.func public @loops(%n: i32, %x: f32, %k: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: %{{.*}} = scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (f32)  : i32 {
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (f32)  : i32 {
    scf.yield %a : f32
  // CHECK: } {tt.disallow_acc_multi_buffer, tt.flatten, tt.loop_unroll_factor = 4 : i32, tt.num_stages = 3 : i32, tt.warp_specialize}
  } {tt.disallow_acc_multi_buffer, tt.flatten, tt.loop_unroll_factor = 4 : i32, tt.num_stages = 3 : i32, tt.warp_specialize}
  // CHECK: scf.for {{.*}}  : i64 {
  scf.for %i = %k to %k step %k  : i64 {
    // CHECK-NEXT: arith.addi %{{.*}}, %{{.*}} {tt.latency = 2 : i32, tt.self_latency = 1 : i32} : i64
    %0 = arith.addi %i, %i {tt.latency = 2 : i32, tt.self_latency = 1 : i32} : i64
  }
  // CHECK: scf.while : () -> () {
  scf.while : () -> () {
    %t = arith.constant true
    scf.condition(%t)
  } do {
    scf.yield
  }
  tt.return
}
