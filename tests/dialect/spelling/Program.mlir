// RUN: tigon-opt %s | FileCheck %s
// Triton 3.2 to 3.9: program ids and ranges.

// CHECK-LABEL: tt.func public @program
tt.func public @program() {
  // CHECK-NEXT: %{{.*}} = tt.get_program_id x : i32
  %x = tt.get_program_id x : i32
  // CHECK-NEXT: %{{.*}} = tt.get_program_id y : i32
  %y = tt.get_program_id y : i32
  // CHECK-NEXT: %{{.*}} = tt.get_program_id z : i32
  %z = tt.get_program_id z : i32
  // CHECK-NEXT: %{{.*}} = tt.get_num_programs x : i32
  %nx = tt.get_num_programs x : i32
  // CHECK-NEXT: %{{.*}} = tt.get_num_programs y : i32
  %ny = tt.get_num_programs y : i32
  // CHECK-NEXT: %{{.*}} = tt.get_num_programs z : i32
  %nz = tt.get_num_programs z : i32
  // CHECK-NEXT: %{{.*}} = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  // CHECK-NEXT: %{{.*}} = tt.make_range {end = 4 : i32, start = -4 : i32} : tensor<8xi32>
  %s = tt.make_range {end = 4 : i32, start = -4 : i32} : tensor<8xi32>
  tt.return
}
