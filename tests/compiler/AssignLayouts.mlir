// RUN: sed s/TARGET/sm_90/ %s | tigon-opt -tigon-assign-layouts | FileCheck %s --check-prefixes=CHECK,GPU
// RUN: sed s/TARGET/cpu:x86-64-v3/ %s | tigon-opt -tigon-assign-layouts | FileCheck %s --check-prefixes=CHECK,CPU
// Every tile gets a layout: neighbours in memory are neighbours in a thread's registers, or in a SIMD register's lanes.
// A kernel that works row by row needs no conversion.

module attributes {tg.target = "TARGET"} {
// 4 neighbours a thread, a 16-byte access.
// CHECK-LABEL: tt.func public @row(
// GPU: tt.load %{{.*}} : tensor<1024x!tt.ptr<f32>, #tg.layout<1024, register = [1, 2, 512], lane = [4, 8, 16, 32, 64], warp = [128, 256]>>
// CPU: tt.load %{{.*}} : tensor<1024x!tt.ptr<f32>, #tg.layout<1024, register = [32, 64, 128, 256, 512], lane = [1, 2, 4], warp = [8, 16]>>
// CHECK-NOT: tg.convert_layout
// CHECK: tt.store
tt.func public @row(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}) attributes {tg.plan = #tg.plan<warps = 4, strip = 1024>} {
  %i = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %px = tt.addptr %xs, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %px : tensor<1024x!tt.ptr<f32>>
  %sum = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    tt.reduce.return %0 : f32
  }) : (tensor<1024xf32>) -> f32
  %s = tt.splat %sum : f32 -> tensor<1024xf32>
  %q = arith.mulf %v, %s : tensor<1024xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %py = tt.addptr %ys, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  tt.store %py, %q : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// Pointers that are not known to be aligned are accessed element by element, each lane next to its neighbour.
// CHECK-LABEL: tt.func public @unaligned(
// GPU: tt.load %{{.*}} : tensor<128x!tt.ptr<f32>, #tg.layout<128, register = [32, 64], lane = [1, 2, 4, 8, 16], warp = []>>
// CPU: tt.load %{{.*}} : tensor<128x!tt.ptr<f32>, #tg.layout<128, register = [8, 16, 32, 64], lane = [1, 2, 4], warp = []>>
tt.func public @unaligned(%x: !tt.ptr<f32>) attributes {tg.plan = #tg.plan<warps = 1>} {
  %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %px = tt.addptr %xs, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %px : tensor<128x!tt.ptr<f32>>
  tt.store %px, %v : tensor<128x!tt.ptr<f32>>
  tt.return
}

// Of a tile that is smaller than the program, lanes and warps hold duplicates.
// CHECK-LABEL: tt.func public @small(
// GPU: tt.splat %{{.*}} -> tensor<8xf32, #tg.layout<8, register = [], lane = [1, 2, 4, 0, 0], warp = [0, 0]>>
// CPU: tt.splat %{{.*}} -> tensor<8xf32, #tg.layout<8, register = [], lane = [1, 2, 4], warp = [0, 0]>>
tt.func public @small(%v: f32) attributes {tg.plan = #tg.plan<warps = 4>} {
  %0 = tt.splat %v : f32 -> tensor<8xf32>
  tt.return
}
}
