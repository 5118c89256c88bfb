// RUN: tigon-opt %s | FileCheck %s
// Triton 3.2 to 3.7: block pointers, their type printed without `!tt.ptr` and read either way.

// CHECK-LABEL: tt.func public @block_pointers
tt.func public @block_pointers(%p: !tt.ptr<f16>, %n: i64, %o: i32, %v: tensor<16x8xf16>) {
  // CHECK-NEXT: %[[B:.*]] = tt.make_tensor_ptr %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] {order = array<i32: 1, 0>} : <tensor<16x8xf16>>
  %0 = tt.make_tensor_ptr %p, [%n, %n], [%n, %n], [%o, %o] {order = array<i32: 1, 0>} : <tensor<16x8xf16>>
  // CHECK-NEXT: tt.make_tensor_ptr %{{.*}}, [%{{.*}}], [%{{.*}}], [%{{.*}}] {order = array<i32: 0>} : <tensor<8xf16>>
  %1 = tt.make_tensor_ptr %p, [%n], [%n], [%o] {order = array<i32: 0>} : !tt.ptr<tensor<8xf16>>
  // CHECK-NEXT: tt.advance %[[B]], [%{{.*}}, %{{.*}}] : <tensor<16x8xf16>>
  %2 = tt.advance %0, [%o, %o] : <tensor<16x8xf16>>
  // CHECK-NEXT: tt.advance %[[B]], [%{{.*}}, %{{.*}}] : <tensor<16x8xf16>>
  %3 = tt.advance %0, [%o, %o] : !tt.ptr<tensor<16x8xf16>>
  // CHECK-NEXT: tt.load %{{.*}} : !tt.ptr<tensor<16x8xf16>>
  %4 = tt.load %2 : !tt.ptr<tensor<16x8xf16>>
  // CHECK-NEXT: tt.load %{{.*}} evictionPolicy = evict_first {boundaryCheck = array<i32: 0, 1>, padding = 2 : i32} : !tt.ptr<tensor<16x8xf16>>
  %5 = tt.load %2 evictionPolicy = evict_first {boundaryCheck = array<i32: 0, 1>, padding = 2 : i32} : !tt.ptr<tensor<16x8xf16>>
  // CHECK-NEXT: tt.store %{{.*}}, %{{.*}} {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<16x8xf16>>
  tt.store %3, %v {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<16x8xf16>>
  tt.return
}
