// RUN: tigon-opt %s -split-input-file -verify-diagnostics
// Refusals of atomics.

// atomic_rmw_c1: fadd of integers
tt.func @fadd(%p: !tt.ptr<i32>, %n: i32) {
  // expected-error @below {{found fadd of 'i32', expected a float}}
  %0 = tt.atomic_rmw fadd, relaxed, gpu, %p, %n : (!tt.ptr<i32>, i32) -> i32
  tt.return
}

// -----
// atomic_rmw_c1: max of floats
tt.func @max(%p: !tt.ptr<f32>, %x: f32) {
  // expected-error @below {{found max of 'f32', expected an integer}}
  %0 = tt.atomic_rmw max, relaxed, gpu, %p, %x : (!tt.ptr<f32>, f32) -> f32
  tt.return
}

// -----
// atomic_rmw_c2
tt.func @pointee(%p: !tt.ptr<i32>, %n: i64) {
  // expected-error @below {{found 'i64' and result 'i64', expected 'i32'}}
  %0 = tt.atomic_rmw add, relaxed, gpu, %p, %n : (!tt.ptr<i32>, i64) -> i64
  tt.return
}

// -----
// atomic_cas_c1
tt.func @cas(%p: !tt.ptr<i32>, %n: i32, %x: f32) {
  // expected-error @below {{found 'i32', 'f32' and result 'i32', expected 'i32'}}
  %0 = tt.atomic_cas relaxed, gpu, %p, %n, %x : (!tt.ptr<i32>, i32, f32) -> i32
  tt.return
}

// -----
// atomic_load_c1
tt.func @load_order(%p: !tt.ptr<i32>) {
  // expected-error @below {{found ordering release, expected acquire or relaxed}}
  %0 = tt.atomic_load release, gpu, %p : (!tt.ptr<i32>) -> i32
  tt.return
}

// -----
// atomic_load_c2
tt.func @load_type(%p: !tt.ptr<i32>) {
  // expected-error @below {{found 'f32', expected 'i32'}}
  %0 = tt.atomic_load acquire, gpu, %p : (!tt.ptr<i32>) -> f32
  tt.return
}

// -----
// atomic_store_c1
tt.func @store_order(%p: !tt.ptr<i32>, %n: i32) {
  // expected-error @below {{found ordering acq_rel, expected release or relaxed}}
  tt.atomic_store acq_rel, gpu, %p, %n : !tt.ptr<i32>
  tt.return
}

// -----
// atomic_store_c2
tt.func @store_type(%p: !tt.ptr<i32>, %x: f32) {
  // expected-error @below {{found 'f32', expected 'i32'}}
  "tt.atomic_store"(%p, %x) <{sem = 3 : i32, scope = 1 : i32}> : (!tt.ptr<i32>, f32) -> ()
  tt.return
}

// -----
// atomic_store_c3
tt.func @store_mask(%p: !tt.ptr<i32>, %n: i32, %m: tensor<8xi1>) {
  // expected-error @below {{found a mask of type 'tensor<8xi1>' for '!tt.ptr<i32>', expected equal shapes}}
  "tt.atomic_store"(%p, %n, %m) <{sem = 3 : i32, scope = 1 : i32}> : (!tt.ptr<i32>, i32, tensor<8xi1>) -> ()
  tt.return
}

// -----
// atomic_poll_c1
tt.func @poll_order(%p: !tt.ptr<i32>, %n: i32) {
  // expected-error @below {{found ordering release, expected acquire or relaxed}}
  %0 = tt.atomic_poll release, gpu, %p, %n : !tt.ptr<i32>, i32 -> i1
  tt.return
}

// -----
// atomic_poll_c2
tt.func @poll_type(%p: !tt.ptr<i32>, %n: i64) {
  // expected-error @below {{found 'i64', expected 'i32'}}
  %0 = tt.atomic_poll acquire, gpu, %p, %n : !tt.ptr<i32>, i64 -> i1
  tt.return
}

// -----
// atomic_poll_c3
tt.func @poll_result(%p: tensor<8x!tt.ptr<i32>>, %n: tensor<8xi32>) {
  // expected-error @below {{found a result of type 'i1' for 'tensor<8x!tt.ptr<i32>>', expected equal shapes}}
  %0 = tt.atomic_poll acquire, gpu, %p, %n : tensor<8x!tt.ptr<i32>>, tensor<8xi32> -> i1
  tt.return
}
