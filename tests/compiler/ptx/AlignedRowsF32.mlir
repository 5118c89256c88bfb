// RUN: tigon compile %s --target=sm_90 | FileCheck %s
// RUN: tigon compile %s --target=sm_100 | FileCheck %s
// Aligned rows of f32 are read and written 16 bytes at a time, without a branch.

// CHECK: .entry f32(
// CHECK: .reqntid 64, 1, 1
// CHECK: .minnctapersm
// CHECK-NOT: bra
// CHECK-COUNT-4: ld.global.{{v4.b32|v2.b64}}
// CHECK-NOT: ld.global
// CHECK-COUNT-4: st.global.{{v4.b32|v2.b64}}
// CHECK-NOT: {{st.global|bra}}
tt.func public @f32(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = 16 : i32}) {
  %row = tt.get_program_id x : i32
  %start = arith.muli %row, %stride : i32
  %px0 = tt.addptr %x, %start : !tt.ptr<f32>, i32
  %py0 = tt.addptr %y, %start : !tt.ptr<f32>, i32
  %i = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %xs = tt.splat %px0 : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %ys = tt.splat %py0 : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %px = tt.addptr %xs, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %py = tt.addptr %ys, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %px : tensor<1024x!tt.ptr<f32>>
  tt.store %py, %v : tensor<1024x!tt.ptr<f32>>
  tt.return
}
