// RUN: tigon-opt %s -canonicalize | FileCheck %s
// Accesses whose mask is constant, and addresses that do not move.

// CHECK-LABEL: tt.func public @masks(
// CHECK-SAME: %[[P:.*]]: tensor<8x!tt.ptr<f32>>, %[[V:.*]]: tensor<8xf32>)
tt.func public @masks(%p: tensor<8x!tt.ptr<f32>>, %v: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %on = arith.constant dense<true> : tensor<8xi1>
  %off = arith.constant dense<false> : tensor<8xi1>
  // CHECK-NEXT: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<8xf32>
  // CHECK-NEXT: %[[ALL:.*]] = tt.load %[[P]] cacheModifier = cg evictionPolicy = evict_first {isVolatile = true, tt.note} : tensor
  %0 = tt.load %p, %on, %v cacheModifier = cg evictionPolicy = evict_first {isVolatile = true, tt.note} : tensor<8x!tt.ptr<f32>>
  %1 = tt.load %p, %off, %v : tensor<8x!tt.ptr<f32>>
  %2 = tt.load %p, %off : tensor<8x!tt.ptr<f32>>
  // CHECK-NEXT: tt.store %[[P]], %[[V]] evictionPolicy = evict_last : tensor
  tt.store %p, %v, %on evictionPolicy = evict_last : tensor<8x!tt.ptr<f32>>
  tt.store %p, %v, %off : tensor<8x!tt.ptr<f32>>
  // CHECK-NEXT: tt.return %[[ALL]], %[[V]], %[[ZERO]]
  tt.return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// A volatile load stays, and so does one of pointers without other: there is no constant of them.
// CHECK-LABEL: tt.func public @masks_that_stay(
tt.func public @masks_that_stay(%p: !tt.ptr<f32>, %q: !tt.ptr<!tt.ptr<f32>>, %v: tensor<2x!tt.ptr<f32>>) {
  // CHECK-DAG: %[[OFF:.*]] = arith.constant false
  // CHECK-DAG: %[[MIXED:.*]] = arith.constant dense<[true, false]> : tensor<2xi1>
  %off = arith.constant false
  %mixed = arith.constant dense<[true, false]> : tensor<2xi1>
  // CHECK: tt.load %{{.*}}, %[[OFF]] {isVolatile = true} : !tt.ptr<f32>
  %0 = tt.load %p, %off {isVolatile = true} : !tt.ptr<f32>
  // CHECK-NEXT: %[[Q:.*]] = tt.load %{{.*}}, %[[OFF]] : !tt.ptr<!tt.ptr<f32>>
  %1 = tt.load %q, %off : !tt.ptr<!tt.ptr<f32>>
  // CHECK-NEXT: tt.store %[[Q]]
  tt.store %1, %0 : !tt.ptr<f32>
  // CHECK-NEXT: %[[W:.*]] = tt.load %{{.*}}, %[[MIXED]] : tensor<2x!tt.ptr<f32>>
  %2 = tt.load %v, %mixed : tensor<2x!tt.ptr<f32>>
  // CHECK-NEXT: tt.store %{{.*}}, %[[W]] : tensor<2x!tt.ptr<f32>>
  tt.store %v, %2 : tensor<2x!tt.ptr<f32>>
  tt.return
}

// CHECK-LABEL: tt.func public @zero_offsets(
// CHECK-SAME: %[[P:.*]]: !tt.ptr<f32>, %[[PS:.*]]: tensor<8x!tt.ptr<f32>>)
tt.func public @zero_offsets(%p: !tt.ptr<f32>, %ps: tensor<8x!tt.ptr<f32>>) -> (!tt.ptr<f32>, tensor<8x!tt.ptr<f32>>) {
  %zero = arith.constant 0 : i64
  %zero32 = arith.constant 0 : i32
  %zeros = tt.splat %zero32 : i32 -> tensor<8xi32>
  %0 = tt.addptr %p, %zero : !tt.ptr<f32>, i64
  %1 = tt.addptr %ps, %zeros : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  // CHECK-NEXT: tt.return %[[P]], %[[PS]]
  tt.return %0, %1 : !tt.ptr<f32>, tensor<8x!tt.ptr<f32>>
}
