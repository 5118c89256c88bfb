// RUN: tigon-opt %s -canonicalize | FileCheck %s
// A fold never loses a layout: where types differ in it, the op stays.

#rows = #tg.layout<8, register = [1], lane = [2, 4], warp = []>
#columns = #tg.layout<8, register = [4], lane = [1, 2], warp = []>
#pairs = #tg.layout<8x2, register = [1, 2], lane = [4, 8], warp = []>

// CHECK-LABEL: tt.func public @layouts(
tt.func public @layouts(%v: tensor<8xf32, #rows>) -> (tensor<8xf32, #columns>, tensor<8xf32, #columns>) {
  // CHECK-NEXT: %[[T:.*]] = tt.trans %{{.*}} {order = array<i32: 0>} : tensor<8xf32, #{{.*}}> -> tensor<8xf32, #{{.*}}>
  %0 = tt.trans %v {order = array<i32: 0>} : tensor<8xf32, #rows> -> tensor<8xf32, #columns>
  // CHECK-NEXT: %[[J:.*]] = tt.join
  %1 = tt.join %v, %v : tensor<8xf32, #rows> -> tensor<8x2xf32, #pairs>
  // CHECK-NEXT: %[[L:.*]], %{{.*}} = tt.split %[[J]]
  %2, %3 = tt.split %1 : tensor<8x2xf32, #pairs> -> tensor<8xf32, #columns>
  // CHECK-NEXT: tt.return %[[T]], %[[L]]
  tt.return %0, %2 : tensor<8xf32, #columns>, tensor<8xf32, #columns>
}
