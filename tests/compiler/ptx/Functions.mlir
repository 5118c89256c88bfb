// RUN: tigon compile %s --target=sm_90 | FileCheck %s --check-prefixes=GPU,EXACT
// RUN: tigon compile %s --target=sm_90 --fast-math | FileCheck %s --check-prefixes=GPU,FAST
// RUN: tigon compile %s --target=sm_100 | FileCheck %s --check-prefixes=GPU,EXACT
// RUN: tigon compile %s --target=cpu:x86-64-v3 -o %t.o
// RUN: llvm-nm --undefined-only %t.o | FileCheck %s --check-prefix=CPU --allow-empty
// f32 functions are the machine's approximations, made good to 2 ulp by two more fused operations unless asked not to;
// on the CPU they are arithmetic, and nothing is called.

// GPU: .entry functions(
// FAST-NOT: fma
// EXACT: fma.rn.f32
// GPU: ex2.approx{{(.ftz)?}}.f32
// GPU: div.full.f32
// GPU-NOT: {{call|div.rn}}
// CPU-NOT: {{U +}}
tt.func public @functions(%x: !tt.ptr<f32>) {
  %i = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
  %p = tt.addptr %xs, %i : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
  %v = tt.load %p : tensor<32x!tt.ptr<f32>>
  %e = math.exp %v : tensor<32xf32>
  %q = arith.divf %e, %v : tensor<32xf32>
  tt.store %p, %q : tensor<32x!tt.ptr<f32>>
  tt.return
}
