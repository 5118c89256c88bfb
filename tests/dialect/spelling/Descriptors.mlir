// RUN: tigon-opt %s | FileCheck %s
// Triton 3.4 to 3.7: descriptors.

// CHECK-LABEL: tt.func public @descriptors(%{{.*}}: !tt.tensordesc<tensor<1x8xui8>>,
tt.func public @descriptors(%h: !tt.tensordesc<tensor<1x8xui8>>, %p: !tt.ptr<f16>, %n: i32,
                            %s: i64, %v: tensor<4x8xf16>, %rows: tensor<32xi32>) {
  // CHECK-NEXT: %[[D:.*]] = tt.make_tensor_descriptor %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] : <f16>, <tensor<4x8xf16>>
  %d = tt.make_tensor_descriptor %p, [%n, %n], [%s, %s] : <f16>, <tensor<4x8xf16>>
  // CHECK-NEXT: %[[R:.*]] = tt.make_tensor_descriptor {{.*}} : <f16>, <tensor<1x16xf16>>
  %r = tt.make_tensor_descriptor %p, [%n, %n], [%s, %s] : !tt.ptr<f16>, !tt.tensordesc<tensor<1x16xf16>>
  // CHECK-NEXT: tt.descriptor_load %[[D]][%{{.*}}, %{{.*}}] : !tt.tensordesc<tensor<4x8xf16>> -> tensor<4x8xf16>
  %0 = tt.descriptor_load %d[%n, %n] : !tt.tensordesc<tensor<4x8xf16>> -> tensor<4x8xf16>
  // CHECK-NEXT: tt.descriptor_load %{{.*}}[%{{.*}}, %{{.*}}] cacheModifier = ca evictionPolicy = evict_last : !tt.tensordesc<tensor<1x8xui8>> -> tensor<8xi8>
  %1 = tt.descriptor_load %h[%n, %n] cacheModifier = ca evictionPolicy = evict_last : !tt.tensordesc<tensor<1x8xui8>> -> tensor<8xi8>
  // CHECK-NEXT: tt.descriptor_store %[[D]][%{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<tensor<4x8xf16>>, tensor<4x8xf16>
  tt.descriptor_store %d[%n, %n], %v : !tt.tensordesc<tensor<4x8xf16>>, tensor<4x8xf16>
  // CHECK-NEXT: tt.descriptor_reduce add, %[[D]][%{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<tensor<4x8xf16>>, tensor<4x8xf16>
  tt.descriptor_reduce add, %d[%n, %n], %v : !tt.tensordesc<tensor<4x8xf16>>, tensor<4x8xf16>
  // CHECK-NEXT: tt.descriptor_gather %[[R]][%{{.*}}, %{{.*}}] : (!tt.tensordesc<tensor<1x16xf16>>, tensor<32xi32>, i32) -> tensor<32x16xf16>
  %2 = tt.descriptor_gather %r[%rows, %n] : (!tt.tensordesc<tensor<1x16xf16>>, tensor<32xi32>, i32) -> tensor<32x16xf16>
  // CHECK-NEXT: tt.descriptor_scatter %[[R]][%{{.*}}, %{{.*}}], %{{.*}} : !tt.tensordesc<tensor<1x16xf16>>, tensor<32xi32>, i32, tensor<32x16xf16>
  tt.descriptor_scatter %r[%rows, %n], %2 : !tt.tensordesc<tensor<1x16xf16>>, tensor<32xi32>, i32, tensor<32x16xf16>
  tt.return
}
