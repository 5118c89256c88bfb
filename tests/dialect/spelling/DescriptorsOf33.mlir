// RUN: tigon-opt %s | FileCheck %s
// Triton 3.3: accesses are called experimental. They print under their present names.

// CHECK-LABEL: tt.func public @descriptors
tt.func public @descriptors(%raw: !tt.ptr<i8>, %n: i32, %rows: tensor<32xi32>) {
  // CHECK-NEXT: %[[D:.*]] = tt.reinterpret_tensor_descriptor %{{.*}} : !tt.ptr<i8> to !tt.tensordesc<tensor<4x8xf16>>
  %d = tt.reinterpret_tensor_descriptor %raw : !tt.ptr<i8> to !tt.tensordesc<tensor<4x8xf16>>
  // CHECK-NEXT: %[[R:.*]] = tt.reinterpret_tensor_descriptor %{{.*}} : !tt.ptr<i8> to !tt.tensordesc<tensor<1x16xf16>>
  %r = tt.reinterpret_tensor_descriptor %raw : !tt.ptr<i8> to !tt.tensordesc<tensor<1x16xf16>>
  // CHECK-NEXT: tt.descriptor_load %[[D]][%{{.*}}, %{{.*}}] evictionPolicy = evict_first : !tt.tensordesc<tensor<4x8xf16>> -> tensor<4x8xf16>
  %0 = tt.experimental_descriptor_load %d[%n, %n] evictionPolicy = evict_first : !tt.tensordesc<tensor<4x8xf16>> -> tensor<4x8xf16>
  // CHECK-NEXT: tt.descriptor_store %[[D]][%{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<tensor<4x8xf16>>, tensor<4x8xf16>
  tt.experimental_descriptor_store %d[%n, %n], %0 : !tt.tensordesc<tensor<4x8xf16>>, tensor<4x8xf16>
  // CHECK-NEXT: %[[G:.*]] = tt.descriptor_gather %[[R]][%{{.*}}, %{{.*}}] : (!tt.tensordesc<tensor<1x16xf16>>, tensor<32xi32>, i32) -> tensor<32x16xf16>
  %1 = tt.experimental_descriptor_gather %r[%rows, %n] : (!tt.tensordesc<tensor<1x16xf16>>, tensor<32xi32>, i32) -> tensor<32x16xf16>
  // CHECK-NEXT: tt.descriptor_scatter %[[R]][%{{.*}}, %{{.*}}], %[[G]] : !tt.tensordesc<tensor<1x16xf16>>, tensor<32xi32>, i32, tensor<32x16xf16>
  tt.experimental_descriptor_scatter %r[%rows, %n], %1 : !tt.tensordesc<tensor<1x16xf16>>, tensor<32xi32>, i32, tensor<32x16xf16>
  tt.return
}
