// RUN: tigon-opt %s | FileCheck %s
// Triton 3.2: a plain pointer to a raw descriptor.

// CHECK-LABEL: tt.func public @descriptors
tt.func public @descriptors(%d: !tt.ptr<i8> {tt.nv_tma_desc = 1 : i32}, %n: i32) {
  // CHECK-NEXT: %[[X:.*]] = tt.descriptor_load %{{.*}}[%{{.*}}, %{{.*}}] : !tt.ptr<i8> -> tensor<16x32xf16>
  %0 = tt.experimental_descriptor_load %d[%n, %n] : !tt.ptr<i8> -> tensor<16x32xf16>
  // CHECK-NEXT: tt.descriptor_store %{{.*}}[%{{.*}}, %{{.*}}], %[[X]] : !tt.ptr<i8>, tensor<16x32xf16>
  tt.experimental_descriptor_store %d[%n, %n], %0 : !tt.ptr<i8>, tensor<16x32xf16>
  tt.return
}
