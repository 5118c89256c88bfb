// RUN: tigon-opt %s | FileCheck %s
// Triton 3.2 to 3.8: cache hints are clauses before the attributes. A hint equal to its default is
// not printed.

// CHECK-LABEL: tt.func public @clauses
tt.func public @clauses(%p: tensor<8x!tt.ptr<f32>>, %m: tensor<8xi1>, %v: tensor<8xf32>) {
  // CHECK-NEXT: tt.load %{{.*}} cacheModifier = ca : tensor<8x!tt.ptr<f32>>
  %0 = tt.load %p cacheModifier = ca : tensor<8x!tt.ptr<f32>>
  // CHECK-NEXT: tt.load %{{.*}} evictionPolicy = evict_first : tensor<8x!tt.ptr<f32>>
  %1 = tt.load %p evictionPolicy = evict_first : tensor<8x!tt.ptr<f32>>
  // CHECK-NEXT: tt.load %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}} cacheModifier = cg evictionPolicy = evict_last : tensor
  %2 = tt.load %p, %m, %v cacheModifier = cg evictionPolicy = evict_last : tensor<8x!tt.ptr<f32>>
  // CHECK-NEXT: tt.load %{{.*}}, %{{.*}} cacheModifier = cv {isVolatile = true} : tensor<8x!tt.ptr<f32>>
  %3 = tt.load %p, %m cacheModifier = cv {isVolatile = true} : tensor<8x!tt.ptr<f32>>
  // CHECK-NEXT: tt.load %{{[^ ]*}} : tensor<8x!tt.ptr<f32>>
  %4 = tt.load %p cacheModifier = none evictionPolicy = evict_normal : tensor<8x!tt.ptr<f32>>
  // CHECK-NEXT: tt.store %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}} cacheModifier = cs evictionPolicy = evict_first : tensor
  tt.store %p, %v, %m cacheModifier = cs evictionPolicy = evict_first : tensor<8x!tt.ptr<f32>>
  // CHECK-NEXT: tt.store %{{[^ ]*}}, %{{[^ ]*}} cacheModifier = wb {tt.note} : tensor<8x!tt.ptr<f32>>
  tt.store %p, %v cacheModifier = wb {tt.note} : tensor<8x!tt.ptr<f32>>
  tt.return
}
