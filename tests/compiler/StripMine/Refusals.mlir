// RUN: not tigon compile %s --kernel=atomic --target=sm_90 2>&1 | FileCheck %s --check-prefix=ATOMIC
// RUN: not tigon compile %s --kernel=scan --target=sm_90 2>&1 | FileCheck %s --check-prefix=SCAN
// RUN: not tigon compile %s --kernel=dot --target=sm_90 2>&1 | FileCheck %s --check-prefix=DOT
// RUN: not tigon compile %s --kernel=long_scan --target=cpu 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: tigon-opt %s -tigon-strip-mine | FileCheck %s --check-prefix=STRIPS
// What is not compiled yet is refused by name, at its place in the file; an atomic is cut in strips all the same.

// ATOMIC: Refusals.mlir:[[@LINE+10]]:10: found 'tt.atomic_rmw', which is not compiled for 'sm_90'
// STRIPS-LABEL: tt.func public @atomic(
// STRIPS: scf.for
// STRIPS: tt.atomic_rmw {{.*}} tensor<1024xi32>
// STRIPS: } {tg.strip}
tt.func public @atomic(%x: !tt.ptr<i32>) attributes {tg.plan = #tg.plan<strip = 1024>} {
  %ones = arith.constant dense<1> : tensor<4096xi32>
  %i = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<4096x!tt.ptr<i32>>
  %p = tt.addptr %xs, %i : tensor<4096x!tt.ptr<i32>>, tensor<4096xi32>
  %old = tt.atomic_rmw add, relaxed, gpu, %p, %ones : (tensor<4096x!tt.ptr<i32>>, tensor<4096xi32>) -> tensor<4096xi32>
  tt.return
}

// SCAN: Refusals.mlir:[[@LINE+6]]:8: found 'tt.scan', which is not compiled for 'sm_90'
tt.func public @scan(%x: !tt.ptr<f32>) {
  %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %p = tt.addptr %xs, %i : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %v = tt.load %p : tensor<128x!tt.ptr<f32>>
  %s = "tt.scan"(%v) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    tt.scan.return %0 : f32
  }) : (tensor<128xf32>) -> tensor<128xf32>
  tt.store %p, %s : tensor<128x!tt.ptr<f32>>
  tt.return
}

// DOT: Refusals.mlir:[[@LINE+4]]:8: found 'tt.dot', which is not compiled for 'sm_90'
tt.func public @dot(%x: !tt.ptr<f32>, %v: f16) {
  %a = tt.splat %v : f16 -> tensor<16x16xf16>
  %c = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = tt.dot %a, %a, %c : tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  %p = tt.splat %x : !tt.ptr<f32> -> tensor<16x16x!tt.ptr<f32>>
  tt.store %p, %d : tensor<16x16x!tt.ptr<f32>>
  tt.return
}

// What an op needs whole goes through memory, and splitting ends; a tile that is too large for registers is refused.
// LONG: Refusals.mlir:[[@LINE+6]]:8: found 'tg.scratch_get' of 'tensor<32768xf32>', which cannot be done strip by strip
tt.func public @long_scan(%x: !tt.ptr<f32>) {
  %i = tt.make_range {start = 0 : i32, end = 32768 : i32} : tensor<32768xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<32768x!tt.ptr<f32>>
  %p = tt.addptr %xs, %i : tensor<32768x!tt.ptr<f32>>, tensor<32768xi32>
  %v = tt.load %p : tensor<32768x!tt.ptr<f32>>
  %s = "tt.scan"(%v) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    tt.scan.return %0 : f32
  }) : (tensor<32768xf32>) -> tensor<32768xf32>
  tt.store %p, %s : tensor<32768x!tt.ptr<f32>>
  tt.return
}
