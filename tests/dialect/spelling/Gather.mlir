// RUN: tigon-opt %s | FileCheck %s
// Triton 3.3 to 3.9: gather along an axis.

// CHECK-LABEL: tt.func public @gather
tt.func public @gather(%s: tensor<128x64xf32>, %i: tensor<256x64xi32>) {
  // CHECK-NEXT: tt.gather %{{.*}}[%{{.*}}] {axis = 0 : i32} : (tensor<128x64xf32>, tensor<256x64xi32>) -> tensor<256x64xf32>
  %0 = tt.gather %s[%i] {axis = 0 : i32} : (tensor<128x64xf32>, tensor<256x64xi32>) -> tensor<256x64xf32>
  // CHECK-NEXT: tt.gather %{{.*}}[%{{.*}}] {axis = 0 : i32, efficient_layout} : (tensor<128x64xf32>, tensor<256x64xi32>) -> tensor<256x64xf32>
  %1 = tt.gather %s[%i] {axis = 0 : i32, efficient_layout} : (tensor<128x64xf32>, tensor<256x64xi32>) -> tensor<256x64xf32>
  tt.return
}
