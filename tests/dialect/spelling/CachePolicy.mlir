// RUN: tigon-opt %s | FileCheck %s
// Triton 3.9: cache hints are an attribute. It prints as the clauses of 3.6.

// CHECK-LABEL: tt.func public @policy
tt.func public @policy(%p: tensor<8x!tt.ptr<f32>>, %m: tensor<8xi1>, %v: tensor<8xf32>,
                       %d: !tt.tensordesc<4x8xf16>, %i: i32) {
  // CHECK-NEXT: tt.load %{{[^ ]*}}, %{{[^ ]*}} cacheModifier = ca evictionPolicy = evict_last {isVolatile = true} : tensor
  %0 = tt.load %p, %m {cachePolicy = #tt.cache_policy<cache_modifier = ca, eviction_policy = evict_last>, isVolatile = true} : tensor<8x!tt.ptr<f32>>
  // CHECK-NEXT: tt.load %{{[^ ]*}} evictionPolicy = evict_first : tensor
  %1 = tt.load %p {cachePolicy = #tt.cache_policy<cache_modifier = none, eviction_policy = evict_first>} : tensor<8x!tt.ptr<f32>>
  // CHECK-NEXT: tt.load %{{[^ ]*}} : tensor
  %2 = tt.load %p {cachePolicy = #tt.cache_policy<cache_modifier = none, eviction_policy = evict_normal>} : tensor<8x!tt.ptr<f32>>
  // CHECK-NEXT: tt.store %{{[^ ]*}}, %{{[^ ]*}} cacheModifier = wt : tensor
  tt.store %p, %v {cachePolicy = #tt.cache_policy<cache_modifier = wt, eviction_policy = evict_normal>} : tensor<8x!tt.ptr<f32>>
  // CHECK-NEXT: tt.descriptor_load %{{[^ ]*}}[%{{[^ ]*}}, %{{[^ ]*}}] cacheModifier = cg evictionPolicy = evict_last : !tt.tensordesc<tensor<4x8xf16>> -> tensor<4x8xf16>
  %3 = tt.descriptor_load %d[%i, %i] {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_last>} : !tt.tensordesc<4x8xf16> -> tensor<4x8xf16>
  tt.return
}
