// RUN: sed s/TARGET/sm_90/ %s | tigon-opt -tigon-remove-conversions -cse | FileCheck %s
// A mask and the offsets of a column are made again in the layout of the rows; what was loaded is converted still.

#column = #tg.layout<8, register = [], lane = [1, 2, 4, 0, 0], warp = []>
#rows = #tg.layout<8, register = [4], lane = [0, 0, 0, 1, 2], warp = []>
#flat = #tg.layout<8x8, register = [32], lane = [1, 2, 4, 8, 16], warp = []>
#turned = #tg.layout<8x8, register = [4], lane = [8, 16, 32, 1, 2], warp = []>
module attributes {tg.target = "TARGET"} {
// CHECK-LABEL: tt.func public @range(
// CHECK: %[[RANGE:.*]] = tt.make_range {{.*}} lane = [0, 0, 0, 1, 2]
// CHECK: %[[SUM:.*]] = arith.addi %[[RANGE]], %{{.*}} lane = [0, 0, 0, 1, 2]
// CHECK-NOT: tg.convert_layout
// CHECK: tt.return %[[SUM]]
tt.func public @range(%start: i32) -> tensor<8xi32, #rows> {
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32, #column>
  %s = tt.splat %start : i32 -> tensor<8xi32, #column>
  %sum = arith.addi %i, %s : tensor<8xi32, #column>
  %c = tg.convert_layout %sum : tensor<8xi32, #column> -> tensor<8xi32, #rows>
  tt.return %c : tensor<8xi32, #rows>
}

// Through shape ops, whose operands take the layout from the result; the loop stays free of the copy.
// CHECK-LABEL: tt.func public @mask(
// CHECK: arith.cmpi {{.*}} tensor<8xi32, #tg.layout<8, register = [], lane = [1, 2, 4, 0, 0]
// CHECK: tt.broadcast {{.*}} -> tensor<8x8xi1, #tg.layout<8x8, register = [32], lane = [1, 2, 4, 8, 16]
// CHECK: scf.for
// CHECK-NOT: tg.convert_layout
// CHECK: tt.return
tt.func public @mask(%x: !tt.ptr<i1>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %limit = arith.constant dense<5> : tensor<8xi32, #rows>
  %i = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32, #rows>
  %m = arith.cmpi slt, %i, %limit : tensor<8xi32, #rows>
  %e = tt.expand_dims %m {axis = 0 : i32} : tensor<8xi1, #rows> -> tensor<1x8xi1, #tg.layout<1x8, register = [4], lane = [0, 0, 0, 1, 2], warp = []>>
  %b = tt.broadcast %e : tensor<1x8xi1, #tg.layout<1x8, register = [4], lane = [0, 0, 0, 1, 2], warp = []>> -> tensor<8x8xi1, #turned>
  %p = tt.splat %x : !tt.ptr<i1> -> tensor<8x8x!tt.ptr<i1>, #flat>
  scf.for %k = %c0 to %n step %c1 : i32 {
    %c = tg.convert_layout %b : tensor<8x8xi1, #turned> -> tensor<8x8xi1, #flat>
    tt.store %p, %c : tensor<8x8x!tt.ptr<i1>, #flat>
  }
  tt.return
}

// CHECK-LABEL: tt.func public @loaded(
// CHECK: tg.convert_layout
tt.func public @loaded(%p: tensor<8x!tt.ptr<f32>, #column>) -> tensor<8xf32, #rows> {
  %v = tt.load %p : tensor<8x!tt.ptr<f32>, #column>
  %c = tg.convert_layout %v : tensor<8xf32, #column> -> tensor<8xf32, #rows>
  tt.return %c : tensor<8xf32, #rows>
}
}
