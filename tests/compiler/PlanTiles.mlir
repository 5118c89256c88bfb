// RUN: sed s/TARGET/sm_90/ %s | tigon-opt -tigon-plan-tiles 2> %t | FileCheck %s --check-prefix=GPU
// RUN: FileCheck %s --check-prefix=WHY < %t
// RUN: sed s/TARGET/cpu:x86-64-v3/ %s | tigon-opt -tigon-plan-tiles | FileCheck %s --check-prefix=CPU
// RUN: sed s/TARGET/cpu:skylake-avx512/ %s | tigon-opt -tigon-plan-tiles | FileCheck %s --check-prefix=WIDE
// The plan follows from the largest tile and from how many are alive; what was asked for stays. The decisions are a table
// in PlanTilesTest.cpp.

module attributes {tg.target = "TARGET"} {
// GPU: @whole({{.*}}tg.plan = #tg.plan<warps = 2, cluster = 1, strip = 1024, ctas = 16, stages = 1, hold = -1>
// CPU: @whole({{.*}}tg.plan = #tg.plan<warps = 1, cluster = 1, strip = 32, ctas = 1, stages = 1>
// WIDE: @whole({{.*}}tg.plan = #tg.plan<warps = 1, cluster = 1, strip = 64, ctas = 1, stages = 1>
// WHY: remark: plan: 2 warps: tiles of 1024 elements, 0 kept and 1 alive, whole
// WHY: remark: plan: 16 programs a processor: 64 registers a thread
tt.func public @whole(%x: !tt.ptr<f32>) {
  %i = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %p = tt.addptr %xs, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %p : tensor<1024x!tt.ptr<f32>>
  tt.store %p, %v : tensor<1024x!tt.ptr<f32>>
  tt.return
}

// GPU: @strips({{.*}}tg.plan = #tg.plan<warps = 16, cluster = 1, strip = 8192, ctas = 2, stages = 1, hold = -1>
// WHY: remark: plan: 16 warps: tiles of 65536 elements, 0 kept and 1 alive, in strips
// WHY: remark: plan: strip of 8192 elements: 16 a thread, as 1 tiles are live
tt.func public @strips(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %i = tt.make_range {start = 0 : i32, end = 65536 : i32} : tensor<65536xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<65536x!tt.ptr<f32>>
  %p = tt.addptr %xs, %i : tensor<65536x!tt.ptr<f32>>, tensor<65536xi32>
  %v = tt.load %p : tensor<65536x!tt.ptr<f32>>
  tt.store %p, %v : tensor<65536x!tt.ptr<f32>>
  tt.return
}

// GPU: @asked({{.*}}tg.plan = #tg.plan<warps = 2, cluster = 1, strip = 512, ctas = 16, stages = 1, hold = -1>
// CPU: @asked({{.*}}tg.plan = #tg.plan<warps = 1, cluster = 1, strip = 512, ctas = 1, stages = 1>
tt.func public @asked(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}) attributes {tg.plan = #tg.plan<warps = 2, strip = 512>} {
  %i = tt.make_range {start = 0 : i32, end = 65536 : i32} : tensor<65536xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<65536x!tt.ptr<f32>>
  %p = tt.addptr %xs, %i : tensor<65536x!tt.ptr<f32>>, tensor<65536xi32>
  %v = tt.load %p : tensor<65536x!tt.ptr<f32>>
  tt.store %p, %v : tensor<65536x!tt.ptr<f32>>
  tt.return
}
}
