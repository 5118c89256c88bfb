// RUN: tigon-opt %s | FileCheck %s
// A range prints as Triton 3.6 prints it.

// CHECK-LABEL: tt.func public @range
tt.func public @range() {
  // CHECK: tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  tt.return
}
