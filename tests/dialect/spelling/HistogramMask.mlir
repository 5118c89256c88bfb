// RUN: tigon-opt %s | FileCheck %s
// Triton 3.4 to 3.9: histogram with a mask, whose type is not printed.

// CHECK-LABEL: tt.func public @histogram
tt.func public @histogram(%v: tensor<64xi64>, %m: tensor<64xi1>) {
  // CHECK-NEXT: tt.histogram %{{.*}}, %{{.*}} : tensor<64xi64> -> tensor<16xi32>
  %0 = tt.histogram %v, %m : tensor<64xi64> -> tensor<16xi32>
  tt.return
}
