// RUN: tigon-opt %s -split-input-file -verify-diagnostics -tigon-inline-calls | FileCheck %s
// Calls are inlined, `noinline` or not, and nothing but kernels is left.

// CHECK-LABEL: tt.func public @kernel(
// CHECK-SAME: %[[X:.*]]: !tt.ptr<f32>, %[[V:.*]]: f32)
// CHECK-NEXT: %[[TWO:.*]] = arith.addf %[[V]], %[[V]] : f32
// CHECK-NEXT: %[[FOUR:.*]] = arith.addf %[[TWO]], %[[TWO]] : f32
// CHECK-NEXT: tt.store %[[X]], %[[FOUR]]
// CHECK-NOT: tt.func
tt.func public @kernel(%x: !tt.ptr<f32>, %v: f32) {
  %0 = tt.call @twice(%v) : (f32) -> f32
  %1 = tt.call @twice(%0) : (f32) -> f32
  tt.store %x, %1 : !tt.ptr<f32>
  tt.return
}
tt.func private @twice(%a: f32) -> f32 attributes {noinline = true} {
  %0 = tt.call @sum(%a, %a) : (f32, f32) -> f32
  tt.return %0 : f32
}
tt.func private @sum(%a: f32, %b: f32) -> f32 attributes {noinline = false} {
  %0 = arith.addf %a, %b : f32
  tt.return %0 : f32
}

// -----

tt.func public @kernel(%n: i32) -> i32 {
  %0 = tt.call @even(%n) : (i32) -> i32
  tt.return %0 : i32
}
tt.func private @even(%n: i32) -> i32 {
  %0 = tt.call @odd(%n) : (i32) -> i32
  tt.return %0 : i32
}
tt.func private @odd(%n: i32) -> i32 {
  // expected-error @+1 {{found a recursive call of 'even', expected device functions that do not call themselves}}
  %0 = tt.call @even(%n) : (i32) -> i32
  tt.return %0 : i32
}
