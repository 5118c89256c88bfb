// RUN: tigon-opt %s | FileCheck %s
// Triton 3.9: atomic loads, stores and polls.

// CHECK-LABEL: tt.func public @access
tt.func public @access(%p: !tt.ptr<i32>, %x: i32, %c: i1, %ns: i64, %ps: tensor<8x!tt.ptr<i32>>,
                       %v: tensor<8xi32>, %m: tensor<8xi1>) {
  // CHECK-NEXT: tt.atomic_load acquire, gpu, %{{.*}}, %{{.*}} : (!tt.ptr<i32>, i1) -> i32
  %0 = tt.atomic_load acquire, gpu, %p, %c : (!tt.ptr<i32>, i1) -> i32
  // CHECK-NEXT: tt.atomic_load relaxed, cta, %{{.*}} : (!tt.ptr<i32>) -> i32
  %1 = tt.atomic_load relaxed, cta, %p : (!tt.ptr<i32>) -> i32
  // CHECK-NEXT: tt.atomic_load acquire, sys, %{{.*}}, %{{.*}} : (tensor<8x!tt.ptr<i32>>, tensor<8xi1>) -> tensor<8xi32>
  %2 = tt.atomic_load acquire, sys, %ps, %m : (tensor<8x!tt.ptr<i32>>, tensor<8xi1>) -> tensor<8xi32>
  // CHECK-NEXT: tt.atomic_store release, gpu, %{{.*}}, %{{.*}}, %{{.*}} : !tt.ptr<i32>
  tt.atomic_store release, gpu, %p, %x, %c : !tt.ptr<i32>
  // CHECK-NEXT: tt.atomic_store relaxed, sys, %{{.*}}, %{{[^,]*}} : tensor<8x!tt.ptr<i32>>
  tt.atomic_store relaxed, sys, %ps, %v : tensor<8x!tt.ptr<i32>>
  // CHECK-NEXT: tt.atomic_poll acquire, gpu, %{{.*}}, %{{.*}} : !tt.ptr<i32>, i32 -> i1
  %3 = tt.atomic_poll acquire, gpu, %p, %x : !tt.ptr<i32>, i32 -> i1
  // CHECK-NEXT: tt.atomic_poll relaxed, cta, %{{.*}}, %{{.*}} timeout %{{.*}} : tensor<8x!tt.ptr<i32>>, tensor<8xi32> -> tensor<8xi1>
  %4 = tt.atomic_poll relaxed, cta, %ps, %v timeout %ns : tensor<8x!tt.ptr<i32>>, tensor<8xi32> -> tensor<8xi1>
  tt.return
}
