// RUN: sed s/MODE/2/ %s | tigon-opt -tigon-strip-mine -canonicalize | FileCheck %s --check-prefix=TWO
// RUN: sed s/MODE/8/ %s | tigon-opt -tigon-strip-mine -canonicalize | FileCheck %s --check-prefix=EIGHT
// RUN: sed s/MODE/1/ %s | tigon-opt -tigon-strip-mine -canonicalize | FileCheck %s --check-prefix=ONE
// RUN: sed s/MODE/off/ %s | tigon-opt -tigon-strip-mine -canonicalize | FileCheck %s --check-prefix=ONE
// RUN: sed s/MODE/auto/ %s | tigon-opt -tigon-strip-mine -canonicalize | FileCheck %s --check-prefix=ONE
// A number of steps may be forced, however small the tile: each takes its share, not more steps than it has elements.

// ONE-NOT: scf.for
// TWO: scf.for %{{.*}} = %c0_i32 to %c2_i32
// TWO: tt.store {{.*}} : tensor<64x!tt.ptr<f32>>
// TWO: scf.for %{{.*}} = %c0_i32 to %c2_i32
// TWO: tt.store {{.*}} : tensor<2x!tt.ptr<f32>>
// EIGHT: scf.for %{{.*}} = %c0_i32 to %c8_i32
// EIGHT: tt.store {{.*}} : tensor<16x!tt.ptr<f32>>
// EIGHT: scf.for %{{.*}} = %c0_i32 to %c4_i32
// EIGHT: tt.store {{.*}} : tensor<1x!tt.ptr<f32>>
tt.func public @fill(%x: !tt.ptr<f32>, %v: f32) attributes {tg.plan = #tg.plan<strip = 1024>, tg.strips = "MODE"} {
  %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %p = tt.addptr %xs, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %vs = tt.splat %v : f32 -> tensor<128xf32>
  tt.store %p, %vs : tensor<128x!tt.ptr<f32>>
  %j = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
  %ys = tt.splat %x : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
  %q = tt.addptr %ys, %j : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
  %ws = tt.splat %v : f32 -> tensor<4xf32>
  tt.store %q, %ws : tensor<4x!tt.ptr<f32>>
  tt.return
}
