// What was loaded before it was overwritten in place is not loaded again behind that.
// RUN: tigon run %s --strips=auto --arg arg0=randn:f32[16384]:1 --arg arg1=randn:f32[4096]:2 --arg arg2=3 --compare=interpreter
// RUN: tigon run %s --strips=2 --arg arg0=randn:f32[16384]:1 --arg arg1=randn:f32[4096]:2 --arg arg2=3 --compare=interpreter
// RUN: tigon run %s --strips=8 --arg arg0=randn:f32[16384]:1 --arg arg1=randn:f32[4096]:2 --arg arg2=3 --compare=interpreter
// RUN: tigon run %s --strips=each --arg arg0=randn:f32[16384]:1 --arg arg1=randn:f32[4096]:2 --arg arg2=3 --compare=interpreter

tt.func public @g1(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %W = arith.constant 4096 : i32
  %r = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
  %o = tt.load %yp : tensor<4096x!tt.ptr<f32>>
  %u = arith.addf %o, %o : tensor<4096xf32>
  tt.store %yp, %u : tensor<4096x!tt.ptr<f32>>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %k = arith.muli %i, %W : i32
    %ks = tt.splat %k : i32 -> tensor<4096xi32>
    %q = tt.addptr %xp, %ks : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
    %v = tt.load %q : tensor<4096x!tt.ptr<f32>>
    %w = arith.addf %v, %o : tensor<4096xf32>
    tt.store %q, %w : tensor<4096x!tt.ptr<f32>>
  }
  tt.return
}
