// RUN: tigon-opt %s -split-input-file -verify-diagnostics -tigon-allocate-scratch | FileCheck %s
// Places in shared memory: shared by what is never alive at once; what does not fit goes to global memory.

#row = #tg.layout<1024, register = [1, 2, 4], lane = [8, 16, 32, 64, 128], warp = [256, 512]>
#cross = #tg.layout<1024, register = [128, 256, 512], lane = [1, 2, 4, 8, 16], warp = [32, 64]>
module attributes {tg.target = "sm_90"} {
// Two conversions, one after the other: 4096 bytes for both.
// CHECK-LABEL: tt.func public @in_turn(
// CHECK-SAME: tg.local_bytes = 4096 : i64, {{.*}}tg.scratch_bytes = 0 : i64
// CHECK-NEXT: tg.convert_layout %{{.*}} {tg.offset = 0 : i64}
// CHECK-NEXT: tg.convert_layout %{{.*}} {tg.offset = 0 : i64}
tt.func public @in_turn(%v: tensor<1024xf32, #row>) attributes {tg.plan = #tg.plan<warps = 4>} {
  %0 = tg.convert_layout %v : tensor<1024xf32, #row> -> tensor<1024xf32, #cross>
  %1 = tg.convert_layout %0 : tensor<1024xf32, #cross> -> tensor<1024xf32, #row>
  tt.return
}

// Scratch lives from its put to its get, through the conversion between; a loop counts as a whole.
// CHECK-LABEL: tt.func public @alive_at_once(
// CHECK-SAME: tg.local_bytes = 8192 : i64
// CHECK: tg.scratch_alloc in private {tg.offset = 0 : i64}
// CHECK: tg.convert_layout %{{.*}} {tg.offset = 4096 : i64}
tt.func public @alive_at_once(%v: tensor<1024xf32, #row>, %n: i32) attributes {tg.plan = #tg.plan<warps = 4>} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %s = tg.scratch_alloc in private : !tg.scratch<tensor<1024xf32>>
  scf.for %k = %zero to %n step %one : i32 {
    %1 = tg.scratch_get %s strip [] : !tg.scratch<tensor<1024xf32>> -> tensor<1024xf32, #row>
    tg.scratch_put %1, %s strip [] : tensor<1024xf32, #row>, !tg.scratch<tensor<1024xf32>>
    %2 = tg.convert_layout %1 : tensor<1024xf32, #row> -> tensor<1024xf32, #cross>
  }
  tt.return
}

// 256 KB do not fit into the 227 that sm_90 has.
// CHECK-LABEL: tt.func public @too_large(
// CHECK-SAME: tg.local_bytes = 4096 : i64, {{.*}}tg.scratch_bytes = 262144 : i64
// CHECK: tg.scratch_alloc in private {tg.global, tg.offset = 0 : i64} : <tensor<65536xf32>>
// CHECK-NEXT: tg.scratch_alloc in private {tg.offset = 0 : i64} : <tensor<1024xf32>>
tt.func public @too_large(%v: tensor<1024xf32, #row>, %step: i32) attributes {tg.plan = #tg.plan<warps = 4>} {
  %s = tg.scratch_alloc in private : !tg.scratch<tensor<65536xf32>>
  %t = tg.scratch_alloc in private : !tg.scratch<tensor<1024xf32>>
  tg.scratch_put %v, %t strip [] : tensor<1024xf32, #row>, !tg.scratch<tensor<1024xf32>>
  tg.scratch_put %v, %s[%step] strip [10, 11, 12, 13, 14, 15] : tensor<1024xf32, #row>, !tg.scratch<tensor<65536xf32>>
  %0 = tg.scratch_get %t strip [] : !tg.scratch<tensor<1024xf32>> -> tensor<1024xf32, #row>
  tt.return
}
}

// -----

#row = #tg.layout<65536, register = [1, 2, 4, 512, 1024, 2048, 4096, 8192, 16384, 32768], lane = [8, 16, 32, 64, 128], warp = [256]>
#cross = #tg.layout<65536, register = [64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768], lane = [1, 2, 4, 8, 16], warp = [32]>
module attributes {tg.target = "sm_90"} {
// expected-error @+1 {{found 262144 bytes of shared memory needed, expected at most 232448 on 'sm_90'; use fewer warps or a smaller tile}}
tt.func public @no_room(%v: tensor<65536xf32, #row>) attributes {tg.plan = #tg.plan<warps = 2>} {
  %0 = tg.convert_layout %v : tensor<65536xf32, #row> -> tensor<65536xf32, #cross>
  tt.return
}
}
