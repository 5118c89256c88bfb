// RUN: tigon-opt %s | FileCheck %s
// Triton 3.2 to 3.9: accesses without cache hints; scalars, tiles and tiles of rank 0.

// CHECK-LABEL: tt.func public @memory
tt.func public @memory(%p: !tt.ptr<f32>, %n: i64, %c: i1, %x: f32, %ps: tensor<8x!tt.ptr<f32>>,
                       %ns: tensor<8xi32>, %m: tensor<8xi1>, %v: tensor<8xf32>,
                       %z: tensor<!tt.ptr<f32>>) {
  // CHECK-NEXT: tt.addptr %{{.*}}, %{{.*}} : !tt.ptr<f32>, i64
  %0 = tt.addptr %p, %n : !tt.ptr<f32>, i64
  // CHECK-NEXT: tt.addptr %{{.*}}, %{{.*}} : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  %1 = tt.addptr %ps, %ns : tensor<8x!tt.ptr<f32>>, tensor<8xi32>
  // CHECK-NEXT: tt.load %{{.*}} : !tt.ptr<f32>
  %2 = tt.load %p : !tt.ptr<f32>
  // CHECK-NEXT: tt.load %{{.*}}, %{{.*}}, %{{.*}} : !tt.ptr<f32>
  %3 = tt.load %p, %c, %x : !tt.ptr<f32>
  // CHECK-NEXT: tt.load %{{.*}}, %{{.*}} : tensor<8x!tt.ptr<f32>>
  %4 = tt.load %ps, %m : tensor<8x!tt.ptr<f32>>
  // CHECK-NEXT: tt.load %{{.*}}, %{{.*}}, %{{.*}} {isVolatile = true} : tensor<8x!tt.ptr<f32>>
  %5 = tt.load %ps, %m, %v {isVolatile = true} : tensor<8x!tt.ptr<f32>>
  // CHECK-NEXT: tt.load %{{.*}} : tensor<8x!tt.ptr<f32>>
  %6 = tt.load %ps {isVolatile = false} : tensor<8x!tt.ptr<f32>>
  // CHECK-NEXT: tt.load %{{.*}} : tensor<!tt.ptr<f32>>
  %7 = tt.load %z : tensor<!tt.ptr<f32>>
  // CHECK-NEXT: tt.store %{{.*}}, %{{.*}} : !tt.ptr<f32>
  tt.store %p, %x : !tt.ptr<f32>
  // CHECK-NEXT: tt.store %{{.*}}, %{{.*}}, %{{.*}} : tensor<8x!tt.ptr<f32>>
  tt.store %ps, %v, %m : tensor<8x!tt.ptr<f32>>
  tt.return
}
