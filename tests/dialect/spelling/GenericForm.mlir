// RUN: tigon-opt %s | FileCheck %s
// RUN: tigon-opt %s --mlir-print-op-generic | tigon-opt | FileCheck %s
// Triton 3.3 to 3.8: the generic form of an op prints in its own form, attributes at their defaults
// left out.

// CHECK-LABEL: tt.func public @generic
tt.func public @generic(%p: !tt.ptr<f32>, %ps: tensor<8x!tt.ptr<f32>>, %m: tensor<8xi1>,
                        %v: tensor<8xf32>, %a: tensor<16x16xf16>) {
  // CHECK-NEXT: tt.get_program_id y : i32
  %0 = "tt.get_program_id"() <{axis = 1 : i32}> : () -> i32
  // CHECK-NEXT: tt.load %{{[^ ]*}} : !tt.ptr<f32>
  %1 = "tt.load"(%p) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 1 : i32, isVolatile = false, operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tt.ptr<f32>) -> f32
  // CHECK-NEXT: tt.load %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}} cacheModifier = cg evictionPolicy = evict_last {isVolatile = true} : tensor<8x!tt.ptr<f32>>
  %2 = "tt.load"(%ps, %m, %v) <{cache = 3 : i32, evict = 3 : i32, isVolatile = true, operandSegmentSizes = array<i32: 1, 1, 1>}> : (tensor<8x!tt.ptr<f32>>, tensor<8xi1>, tensor<8xf32>) -> tensor<8xf32>
  // CHECK-NEXT: tt.store %{{[^ ]*}}, %{{[^ ]*}} evictionPolicy = evict_first : tensor<8x!tt.ptr<f32>>
  "tt.store"(%ps, %v) <{boundaryCheck = array<i32>, cache = 1 : i32, evict = 2 : i32}> : (tensor<8x!tt.ptr<f32>>, tensor<8xf32>) -> ()
  // CHECK-NEXT: tt.dot %{{[^ ]*}}, %{{[^ ]*}}, %{{[^ ]*}}, inputPrecision = tf32 : tensor<16x16xf16>
  %3 = "tt.dot"(%a, %a, %a) <{inputPrecision = 0 : i32, maxNumImpreciseAcc = 0 : i32}> : (tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf16>) -> tensor<16x16xf16>
  // CHECK-NEXT: tt.trans %{{[^ ]*}} {order = array<i32: 1, 0>} : tensor<16x16xf16> -> tensor<16x16xf16>
  %4 = "tt.trans"(%a) <{order = array<i32: 1, 0>}> : (tensor<16x16xf16>) -> tensor<16x16xf16>
  // CHECK-NEXT: tt.fp_to_fp %{{[^ ]*}}, rounding = rtne : f32 -> f16
  %5 = "tt.fp_to_fp"(%1) <{rounding = 1 : i32}> : (f32) -> f16
  // CHECK-NEXT: tt.reshape %{{[^ ]*}} allow_reorder : tensor<16x16xf16> -> tensor<256xf16>
  %6 = "tt.reshape"(%a) <{allow_reorder}> : (tensor<16x16xf16>) -> tensor<256xf16>
  "tt.return"() : () -> ()
}
