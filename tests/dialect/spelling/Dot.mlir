// RUN: tigon-opt %s | FileCheck %s
// Triton 3.2 to 3.9: matrix products; precision ieee is the default and is not printed.

// CHECK-LABEL: tt.func public @dot
tt.func public @dot(%a: tensor<16x32xf16>, %b: tensor<32x64xf16>, %c: tensor<16x64xf32>,
                    %x: tensor<4x16x32xi8>, %y: tensor<4x32x64xi8>, %z: tensor<4x16x64xi32>) {
  // CHECK-NEXT: tt.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x32xf16> * tensor<32x64xf16> -> tensor<16x64xf32>
  %0 = tt.dot %a, %b, %c : tensor<16x32xf16> * tensor<32x64xf16> -> tensor<16x64xf32>
  // CHECK-NEXT: tt.dot %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}} : tensor
  %1 = tt.dot %a, %b, %c, inputPrecision = ieee : tensor<16x32xf16> * tensor<32x64xf16> -> tensor<16x64xf32>
  // CHECK-NEXT: tt.dot %{{.*}}, %{{.*}}, %{{.*}}, inputPrecision = tf32 {maxNumImpreciseAcc = 1073741824 : i32} : tensor
  %2 = tt.dot %a, %b, %c, inputPrecision = tf32 {maxNumImpreciseAcc = 1073741824 : i32} : tensor<16x32xf16> * tensor<32x64xf16> -> tensor<16x64xf32>
  // CHECK-NEXT: tt.dot %{{.*}}, %{{.*}}, %{{.*}}, inputPrecision = tf32x3 : tensor
  %3 = tt.dot %a, %b, %c, inputPrecision = tf32x3 : tensor<16x32xf16> * tensor<32x64xf16> -> tensor<16x64xf32>
  // CHECK-NEXT: tt.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<4x16x32xi8> * tensor<4x32x64xi8> -> tensor<4x16x64xi32>
  %4 = tt.dot %x, %y, %z : tensor<4x16x32xi8> * tensor<4x32x64xi8> -> tensor<4x16x64xi32>
  tt.return
}
