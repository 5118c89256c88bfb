// A loop that only hands its two tiles on, each as the other.
// RUN: tigon run %s --strips=auto --arg arg0=randn:f32[16384]:1 --arg arg1=randn:f32[16384]:2 --arg arg2=3 --compare=interpreter
// RUN: tigon run %s --strips=2 --arg arg0=randn:f32[16384]:1 --arg arg1=randn:f32[16384]:2 --arg arg2=3 --compare=interpreter
// RUN: tigon run %s --strips=8 --arg arg0=randn:f32[16384]:1 --arg arg1=randn:f32[16384]:2 --arg arg2=3 --compare=interpreter
// RUN: tigon run %s --strips=each --arg arg0=randn:f32[16384]:1 --arg arg1=randn:f32[16384]:2 --arg arg2=3 --compare=interpreter

tt.func public @g3(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %W = arith.constant 4096 : i32
  %r = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
  %a0 = tt.load %xp : tensor<4096x!tt.ptr<f32>>
  %b0 = tt.load %yp : tensor<4096x!tt.ptr<f32>>
  %q:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %a0, %b = %b0) -> (tensor<4096xf32>, tensor<4096xf32>) : i32 {
    scf.yield %b, %a : tensor<4096xf32>, tensor<4096xf32>
  }
  tt.store %xp, %q#0 : tensor<4096x!tt.ptr<f32>>
  tt.store %yp, %q#1 : tensor<4096x!tt.ptr<f32>>
  tt.return
}
