// RUN: sed s/DIVISIBILITY/16/ %s | tigon-opt -tigon-lower-tiles -cse | FileCheck %s
// RUN: sed s/DIVISIBILITY/4/ %s | tigon-opt -tigon-lower-tiles -cse | FileCheck %s --check-prefix=UNALIGNED
// On a CPU a streaming store (.cs) goes past the cache if its address is a multiple of 16; a fence orders it before what
// hands the results on.

#layout = #tg.layout<32, register = [8, 16], lane = [1, 2, 4]>
!ptrs = tensor<32x!tt.ptr<f32>, #layout>
module attributes {tg.target = "cpu:x86-64-v3"} {
// CHECK-LABEL: llvm.func @stream(
// CHECK: scf.for
// CHECK-COUNT-4: llvm.store %{{.*}} {alignment = 16 : i64, nontemporal} : vector<8xf32>
// CHECK: }
// CHECK-NEXT: llvm.call_intrinsic "llvm.x86.sse.sfence"()
// CHECK: llvm.return
// UNALIGNED-LABEL: llvm.func @stream(
// UNALIGNED-NOT: nontemporal
// UNALIGNED-NOT: sfence
tt.func public @stream(%x: !tt.ptr<f32> {tt.divisibility = DIVISIBILITY : i32}, %a: f32) attributes {tg.plan = #tg.plan<warps = 1>} {
  %i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #layout>
  %xs = tt.splat %x : !tt.ptr<f32> -> !ptrs
  %as = tt.splat %a : f32 -> tensor<32xf32, #layout>
  %p = tt.addptr %xs, %i : !ptrs, tensor<32xi32, #layout>
  tt.store %p, %as cacheModifier = cs : !ptrs
  tt.return
}
}
