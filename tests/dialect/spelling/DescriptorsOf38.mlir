// RUN: tigon-opt %s | FileCheck %s
// Triton 3.8 to 3.9: the block of a descriptor's type stands without `tensor`. It prints as in 3.6.

// CHECK-LABEL: tt.func public @descriptors
// CHECK-SAME: !tt.tensordesc<tensor<1x8xui8>>, %{{.*}}: !tt.tensordesc<tensor<1x8xsi8>>,
tt.func public @descriptors(%h: !tt.tensordesc<1x8xui8>, %g: !tt.tensordesc<1x8xsi8>,
                            %p: !tt.ptr<f16>, %n: i32, %s: i64) {
  // CHECK-NEXT: tt.make_tensor_descriptor %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] : <f16>, <tensor<4x8xf16>>
  %d = tt.make_tensor_descriptor %p, [%n, %n], [%s, %s] : <f16>, <4x8xf16>
  // CHECK-NEXT: tt.descriptor_load %{{.*}}[%{{.*}}, %{{.*}}] : !tt.tensordesc<tensor<4x8xf16>> -> tensor<4x8xf16>
  %0 = tt.descriptor_load %d[%n, %n] : !tt.tensordesc<4x8xf16> -> tensor<4x8xf16>
  // CHECK-NEXT: tt.descriptor_load %{{.*}}[%{{.*}}, %{{.*}}] : !tt.tensordesc<tensor<1x8xui8>> -> tensor<8xi8>
  %1 = tt.descriptor_load %h[%n, %n] : !tt.tensordesc<1x8xui8> -> tensor<8xi8>
  // CHECK-NEXT: tt.descriptor_store %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<tensor<4x8xf16>>, tensor<4x8xf16>
  tt.descriptor_store %d[%n, %n], %0 : !tt.tensordesc<4x8xf16>, tensor<4x8xf16>
  tt.return
}
