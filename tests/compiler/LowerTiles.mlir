// RUN: sed s/TARGET/sm_90/ %s | tigon-opt -tigon-lower-tiles -cse | FileCheck %s --check-prefix=GPU
// RUN: sed s/TARGET/cpu:x86-64-v3/ %s | tigon-opt -tigon-lower-tiles -cse | FileCheck %s --check-prefix=CPU
// A tile becomes a list of registers: scalars of a thread, or SIMD vectors; the function a kernel of the target's calling
// convention, with all programs of a range in one call on the CPU.

#layout = #tg.layout<32, register = [8, 16], lane = [1, 2, 4]>
!ptrs = tensor<32x!tt.ptr<f32>, #layout>
module attributes {tg.target = "TARGET"} {
// What a launch must know stays on the module. Behind the arguments come the scratches of the grid and of the launch.
// GPU: module attributes {{.*}}tg.threads = 64 : i64
// GPU-LABEL: llvm.func @scale(%{{.*}}: !llvm.ptr<1>, %{{.*}}: f32, %{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>)
// GPU-SAME: nvvm.kernel, nvvm.minctasm = 3 : i32, nvvm.reqntid = array<i32: 64, 1, 1>
// GPU: nvvm.read.ptx.sreg.tid.x
// GPU-COUNT-4: arith.mulf %{{.*}}, %{{.*}} : f32
// GPU-NOT: arith.mulf
// GPU: llvm.return

// CPU: module attributes {{.*}}tg.threads = 1 : i64
// CPU: llvm.func @scale(%[[ARGS:.*]]: !llvm.ptr, %[[BEGIN:.*]]: i64, %[[END:.*]]: i64, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr) {
// CPU: llvm.load %{{.*}} : !llvm.ptr -> f32
// CPU: scf.for %{{.*}} = %[[BEGIN]] to %[[END]]
// CPU-COUNT-4: arith.mulf %{{.*}}, %{{.*}} : vector<8xf32>
// CPU-NOT: arith.mulf
// CPU: llvm.return
tt.func public @scale(%x: !tt.ptr<f32>, %a: f32) attributes {tg.plan = #tg.plan<warps = 2, ctas = 3>} {
  %i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #layout>
  %xs = tt.splat %x : !tt.ptr<f32> -> !ptrs
  %as = tt.splat %a : f32 -> tensor<32xf32, #layout>
  %p = tt.addptr %xs, %i : !ptrs, tensor<32xi32, #layout>
  %v = tt.load %p : !ptrs
  %w = arith.mulf %v, %as : tensor<32xf32, #layout>
  tt.store %p, %w : !ptrs
  tt.return
}
}
