// RUN: tigon-opt %s | FileCheck %s
// Triton 3.2 to 3.8: element types, address spaces, tiles of rank 0, tiles of pointers.

// CHECK: tt.func private @floats(f8E4M3FN, f8E5M2, f8E4M3FNUZ, f8E5M2FNUZ, f16, bf16, f32, f64)
tt.func private @floats(f8E4M3FN, f8E5M2, f8E4M3FNUZ, f8E5M2FNUZ, f16, bf16, f32, f64)
// CHECK: tt.func private @integers(i1, i4, i8, i16, i32, i64)
tt.func private @integers(i1, i4, i8, i16, i32, i64)
// CHECK: tt.func private @pointers(!tt.ptr<f32>, !tt.ptr<f32>, !tt.ptr<f32, 3>, !tt.ptr<!tt.ptr<i8>>)
tt.func private @pointers(!tt.ptr<f32>, !tt.ptr<f32, 1>, !tt.ptr<f32, 3>, !tt.ptr<!tt.ptr<i8>>)
// CHECK: tt.func private @tiles(tensor<f32>, tensor<1x1xi1>, tensor<8x4x!tt.ptr<f16, 3>>, tensor<1048576xf32>)
tt.func private @tiles(tensor<f32>, tensor<1x1xi1>, tensor<8x4x!tt.ptr<f16, 3>>, tensor<1048576xf32>)
// CHECK: tt.func private @block_pointers(!tt.ptr<tensor<8x4xf16>>, !tt.ptr<tensor<8x4x!tt.ptr<i8>>>)
tt.func private @block_pointers(!tt.ptr<tensor<8x4xf16>>, !tt.ptr<tensor<8x4x!tt.ptr<i8>>>)
