// RUN: tigon-opt %s | FileCheck %s
// Triton 3.9: address spaces have names. They print as numbers.

// CHECK: tt.func private @pointers(!tt.ptr<f32>, !tt.ptr<f32>, !tt.ptr<f32, 4>, tensor<8x!tt.ptr<f32, 4>>)
tt.func private @pointers(!tt.ptr<f32>, !tt.ptr<f32, "global">, !tt.ptr<f32, "constant">, tensor<8x!tt.ptr<f32, "constant">>)
