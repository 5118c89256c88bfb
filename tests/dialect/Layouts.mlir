// RUN: tigon-opt %s | FileCheck %s
// RUN: tigon-opt %s | tigon-opt | FileCheck %s
// Dialect tg: layouts, plans, scratch, conversions.

#rows = #tg.layout<8x4, register = [1, 2], lane = [4, 8, 16], warp = [0]>
#swizzle = #tg.layout<8x4, register = [4, 8, 16], lane = [1, 2, 3], warp = [], block = [0]>
// An index that is not listed has no bits.
#all = #tg.layout<8x4, register = [1, 2, 4, 8, 16]>
#scalar = #tg.layout<lane = [0, 0]>

// CHECK-LABEL: tt.func public @layouts(
// CHECK-SAME: tensor<8x4xf32, #tg.layout<8x4, register = [1, 2], lane = [4, 8, 16], warp = [0]>>
// CHECK-SAME: tensor<f32, #tg.layout<register = [], lane = [0, 0], warp = []>>
// CHECK-SAME: attributes {tg.plan = #tg.plan<warps = 8, strip = 2048>}
tt.func public @layouts(%v: tensor<8x4xf32, #rows>, %s: tensor<f32, #scalar>) attributes {tg.plan = #tg.plan<warps = 8, strip = 2048>} {
  // CHECK-NEXT: tg.convert_layout {{.*}} -> tensor<8x4xf32, #tg.layout<8x4, register = [4, 8, 16], lane = [1, 2, 3], warp = [], block = [0]>>
  %0 = tg.convert_layout %v : tensor<8x4xf32, #rows> -> tensor<8x4xf32, #swizzle>
  // CHECK-NEXT: tg.convert_layout {{.*}} -> tensor<8x4xf32, #tg.layout<8x4, register = [1, 2, 4, 8, 16], lane = [], warp = []>>
  %1 = tg.convert_layout %0 : tensor<8x4xf32, #swizzle> -> tensor<8x4xf32, #all>
  tt.return
}

// CHECK-LABEL: tt.func public @scratch(
// CHECK-SAME: %[[V:.*]]: tensor<64xf32>, %[[STRIP:.*]]: tensor<16xf32>, %[[STEP:.*]]: i32)
tt.func public @scratch(%v: tensor<64xf32>, %strip: tensor<16xf32>, %step: i32) {
  // CHECK-NEXT: %[[S:.*]] = tg.scratch_alloc in memory : <tensor<64xf32>>
  %0 = tg.scratch_alloc in memory : !tg.scratch<tensor<64xf32>>
  // CHECK-NEXT: tg.scratch_alloc : <tensor<64xf32>>
  %1 = tg.scratch_alloc : !tg.scratch<tensor<64xf32>>
  // CHECK-NEXT: tg.scratch_put %[[V]], %[[S]] strip [] : tensor<64xf32>, <tensor<64xf32>>
  tg.scratch_put %v, %0 strip [] : tensor<64xf32>, !tg.scratch<tensor<64xf32>>
  // CHECK-NEXT: tg.scratch_put %[[STRIP]], %[[S]][%[[STEP]]] strip [4, 5] : tensor<16xf32>, <tensor<64xf32>>
  tg.scratch_put %strip, %0[%step] strip [4, 5] : tensor<16xf32>, !tg.scratch<tensor<64xf32>>
  // CHECK-NEXT: tg.scratch_get %[[S]][%[[STEP]]] strip [5] : <tensor<64xf32>> -> tensor<32xf32>
  %2 = tg.scratch_get %0[%step] strip [5] : !tg.scratch<tensor<64xf32>> -> tensor<32xf32>
  tt.return
}
