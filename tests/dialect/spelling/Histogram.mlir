// RUN: tigon-opt %s | FileCheck %s
// Triton 3.2 to 3.9: histogram without a mask.

// CHECK-LABEL: tt.func public @histogram
tt.func public @histogram(%v: tensor<512xi32>) {
  // CHECK-NEXT: tt.histogram %{{.*}} : tensor<512xi32> -> tensor<16xi32>
  %0 = tt.histogram %v : tensor<512xi32> -> tensor<16xi32>
  tt.return
}
