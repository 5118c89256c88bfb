// RUN: tigon-opt %s | FileCheck %s
// Triton 3.4 to 3.7: every keyword. Atomics' orders and scopes are tried on one op.

// CHECK-LABEL: tt.func public @caches
tt.func public @caches(%p: !tt.ptr<f32>, %x: f32) {
  // CHECK-COUNT-1: cacheModifier = ca :
  %0 = tt.load %p cacheModifier = ca : !tt.ptr<f32>
  // CHECK-NEXT: cacheModifier = cg :
  %1 = tt.load %p cacheModifier = cg : !tt.ptr<f32>
  // CHECK-NEXT: cacheModifier = wb :
  tt.store %p, %x cacheModifier = wb : !tt.ptr<f32>
  // CHECK-NEXT: cacheModifier = cs :
  tt.store %p, %x cacheModifier = cs : !tt.ptr<f32>
  // CHECK-NEXT: cacheModifier = wt :
  tt.store %p, %x cacheModifier = wt : !tt.ptr<f32>
  // CHECK-NEXT: cacheModifier = cv :
  %2 = tt.load %p cacheModifier = cv : !tt.ptr<f32>
  tt.return
}

// CHECK-LABEL: tt.func public @read_modify_write
tt.func public @read_modify_write(%p: !tt.ptr<i32>, %n: i32, %q: !tt.ptr<f32>, %x: f32) {
  // CHECK-NEXT: tt.atomic_rmw and, relaxed, gpu,
  %0 = tt.atomic_rmw and, relaxed, gpu, %p, %n : (!tt.ptr<i32>, i32) -> i32
  // CHECK-NEXT: tt.atomic_rmw or, acquire, cta,
  %1 = tt.atomic_rmw or, acquire, cta, %p, %n : (!tt.ptr<i32>, i32) -> i32
  // CHECK-NEXT: tt.atomic_rmw xor, release, sys,
  %2 = tt.atomic_rmw xor, release, sys, %p, %n : (!tt.ptr<i32>, i32) -> i32
  // CHECK-NEXT: tt.atomic_rmw add, acq_rel, gpu,
  %3 = tt.atomic_rmw add, acq_rel, gpu, %p, %n : (!tt.ptr<i32>, i32) -> i32
  // CHECK-NEXT: tt.atomic_rmw fadd, acq_rel, gpu,
  %4 = tt.atomic_rmw fadd, acq_rel, gpu, %q, %x : (!tt.ptr<f32>, f32) -> f32
  // CHECK-NEXT: tt.atomic_rmw max, acq_rel, gpu,
  %5 = tt.atomic_rmw max, acq_rel, gpu, %p, %n : (!tt.ptr<i32>, i32) -> i32
  // CHECK-NEXT: tt.atomic_rmw min, acq_rel, gpu,
  %6 = tt.atomic_rmw min, acq_rel, gpu, %p, %n : (!tt.ptr<i32>, i32) -> i32
  // CHECK-NEXT: tt.atomic_rmw umax, acq_rel, gpu,
  %7 = tt.atomic_rmw umax, acq_rel, gpu, %p, %n : (!tt.ptr<i32>, i32) -> i32
  // CHECK-NEXT: tt.atomic_rmw umin, acq_rel, gpu,
  %8 = tt.atomic_rmw umin, acq_rel, gpu, %p, %n : (!tt.ptr<i32>, i32) -> i32
  // CHECK-NEXT: tt.atomic_rmw exch, acq_rel, gpu,
  %9 = tt.atomic_rmw exch, acq_rel, gpu, %p, %n : (!tt.ptr<i32>, i32) -> i32
  tt.return
}

// CHECK-LABEL: tt.func public @descriptor_reduce
tt.func public @descriptor_reduce(%d: !tt.tensordesc<tensor<8xi32>>, %i: i32, %v: tensor<8xi32>) {
  // CHECK-NEXT: tt.descriptor_reduce add,
  tt.descriptor_reduce add, %d[%i], %v : !tt.tensordesc<tensor<8xi32>>, tensor<8xi32>
  // CHECK-NEXT: tt.descriptor_reduce min,
  tt.descriptor_reduce min, %d[%i], %v : !tt.tensordesc<tensor<8xi32>>, tensor<8xi32>
  // CHECK-NEXT: tt.descriptor_reduce max,
  tt.descriptor_reduce max, %d[%i], %v : !tt.tensordesc<tensor<8xi32>>, tensor<8xi32>
  // CHECK-NEXT: tt.descriptor_reduce inc,
  tt.descriptor_reduce inc, %d[%i], %v : !tt.tensordesc<tensor<8xi32>>, tensor<8xi32>
  // CHECK-NEXT: tt.descriptor_reduce dec,
  tt.descriptor_reduce dec, %d[%i], %v : !tt.tensordesc<tensor<8xi32>>, tensor<8xi32>
  // CHECK-NEXT: tt.descriptor_reduce and,
  tt.descriptor_reduce and, %d[%i], %v : !tt.tensordesc<tensor<8xi32>>, tensor<8xi32>
  // CHECK-NEXT: tt.descriptor_reduce or,
  tt.descriptor_reduce or, %d[%i], %v : !tt.tensordesc<tensor<8xi32>>, tensor<8xi32>
  // CHECK-NEXT: tt.descriptor_reduce xor,
  tt.descriptor_reduce xor, %d[%i], %v : !tt.tensordesc<tensor<8xi32>>, tensor<8xi32>
  tt.return
}
