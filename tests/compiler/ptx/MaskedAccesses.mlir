// RUN: tigon compile %s --target=sm_90 | FileCheck %s
// RUN: tigon compile %s --target=sm_100 | FileCheck %s
// A mask is a predicate, one a vector where its bound is aligned like the pointers, and never a branch. What is not loaded
// was zero before.

// CHECK: .entry masked(
// CHECK-NOT: bra
// CHECK-COUNT-4: setp.lt.s32
// CHECK-NOT: setp
// CHECK: mov.b32 %r{{[0-9]+}}, 0;
// CHECK: @%p1 ld.global.v4.b32 {[[V:%r[0-9]+, %r[0-9]+, %r[0-9]+, %r[0-9]+]]}, [%rd{{[0-9]+}}];
// CHECK-COUNT-3: @%p{{[2-4]}} ld.global.v4.b32
// CHECK-NOT: ld.global
// CHECK: @%p1 st.global.v4.b32 [%rd{{[0-9]+}}], {[[V]]};
// CHECK-COUNT-3: @%p{{[2-4]}} st.global.v4.b32
// CHECK-NOT: {{st.global|bra}}
// CHECK: ret;
tt.func public @masked(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %zeros = arith.constant dense<0.0> : tensor<512xf32>
  %i = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
  %ns = tt.splat %n : i32 -> tensor<512xi32>
  %mask = arith.cmpi slt, %i, %ns : tensor<512xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>>
  %px = tt.addptr %xs, %i : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %py = tt.addptr %ys, %i : tensor<512x!tt.ptr<f32>>, tensor<512xi32>
  %v = tt.load %px, %mask, %zeros : tensor<512x!tt.ptr<f32>>
  tt.store %py, %v, %mask : tensor<512x!tt.ptr<f32>>
  tt.return
}
