// RUN: tigon-opt %s | FileCheck %s
// Triton 3.2 to 3.9: upstream's ops as Triton's texts use them.

// CHECK-LABEL: tt.func public @arithmetic
tt.func public @arithmetic(%f: tensor<8xf32>, %h: tensor<8xf8E5M2>, %i: tensor<8xi32>, %c: i1,
                           %ps: tensor<8x!tt.ptr<f32>>, %q: !tt.ptr<f32>) {
  // CHECK-NEXT: arith.constant dense<0xFF800000> : tensor<8xf32>
  %0 = arith.constant dense<0xFF800000> : tensor<8xf32>
  // CHECK-NEXT: arith.constant dense<true> : tensor<8xi1>
  %1 = arith.constant dense<true> : tensor<8xi1>
  // CHECK-NEXT: arith.constant dense<0.000000e+00> : tensor<f32>
  %2 = arith.constant dense<0.0> : tensor<f32>
  // CHECK-NEXT: ub.poison : tensor<8xf32>
  %3 = ub.poison : tensor<8xf32>
  // CHECK-NEXT: arith.addf %{{.*}}, %{{.*}} : tensor<8xf8E5M2>
  %4 = arith.addf %h, %h : tensor<8xf8E5M2>
  // CHECK-NEXT: arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<8x!tt.ptr<f32>>
  %5 = arith.select %c, %ps, %ps : tensor<8x!tt.ptr<f32>>
  // CHECK-NEXT: arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<8xi1>, tensor<8xf32>
  %6 = arith.select %1, %f, %f : tensor<8xi1>, tensor<8xf32>
  // CHECK-NEXT: arith.select %{{.*}}, %{{.*}}, %{{.*}} : !tt.ptr<f32>
  %7 = arith.select %c, %q, %q : !tt.ptr<f32>
  // CHECK-NEXT: arith.cmpf une, %{{.*}}, %{{.*}} : tensor<8xf32>
  %8 = arith.cmpf une, %f, %f : tensor<8xf32>
  // CHECK-NEXT: math.fma %{{.*}}, %{{.*}}, %{{.*}} : tensor<8xf32>
  %9 = math.fma %f, %f, %f : tensor<8xf32>
  // CHECK-NEXT: arith.sitofp %{{.*}} : tensor<8xi32> to tensor<8xf32>
  %10 = arith.sitofp %i : tensor<8xi32> to tensor<8xf32>
  tt.return
}
