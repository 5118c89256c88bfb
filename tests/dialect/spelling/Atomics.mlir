// RUN: tigon-opt %s | FileCheck %s
// Triton 3.2 to 3.9: read-modify-write and compare-and-swap.

// CHECK-LABEL: tt.func public @atomics
tt.func public @atomics(%p: !tt.ptr<f32>, %x: f32, %c: i1, %ps: tensor<8x!tt.ptr<i32>>,
                        %v: tensor<8xi32>, %m: tensor<8xi1>) {
  // CHECK-NEXT: tt.atomic_rmw fadd, acq_rel, gpu, %{{.*}}, %{{.*}}, %{{.*}} : (!tt.ptr<f32>, f32, i1) -> f32
  %0 = tt.atomic_rmw fadd, acq_rel, gpu, %p, %x, %c : (!tt.ptr<f32>, f32, i1) -> f32
  // CHECK-NEXT: tt.atomic_rmw exch, relaxed, sys, %{{.*}}, %{{.*}} : (!tt.ptr<f32>, f32) -> f32
  %1 = tt.atomic_rmw exch, relaxed, sys, %p, %x : (!tt.ptr<f32>, f32) -> f32
  // CHECK-NEXT: tt.atomic_rmw umax, acquire, cta, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>, tensor<8xi1>) -> tensor<8xi32>
  %2 = tt.atomic_rmw umax, acquire, cta, %ps, %v, %m : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>, tensor<8xi1>) -> tensor<8xi32>
  // CHECK-NEXT: tt.atomic_cas acq_rel, gpu, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  %3 = tt.atomic_cas acq_rel, gpu, %ps, %v, %v : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  // CHECK-NEXT: tt.atomic_cas release, sys, %{{.*}}, %{{.*}}, %{{.*}} : (!tt.ptr<f32>, f32, f32) -> f32
  %4 = tt.atomic_cas release, sys, %p, %x, %x : (!tt.ptr<f32>, f32, f32) -> f32
  tt.return
}
