// Two arguments may be one buffer, in place: also where one of the accesses is in a branch.
// RUN: tigon run %s --strips=auto --arg arg0=randn:f32[4096]:1 --arg arg1==arg0 --arg arg2=3 --compare=interpreter
// RUN: tigon run %s --strips=2 --arg arg0=randn:f32[4096]:1 --arg arg1==arg0 --arg arg2=3 --compare=interpreter
// RUN: tigon run %s --strips=8 --arg arg0=randn:f32[4096]:1 --arg arg1==arg0 --arg arg2=3 --compare=interpreter
// RUN: tigon run %s --strips=each --arg arg0=randn:f32[4096]:1 --arg arg1==arg0 --arg arg2=3 --compare=interpreter

tt.func public @g2(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %W = arith.constant 4096 : i32
  %r = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %r : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %r : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
  %o = tt.load %xp : tensor<4096x!tt.ptr<f32>>
  %u = arith.addf %o, %o : tensor<4096xf32>
  tt.store %yp, %u : tensor<4096x!tt.ptr<f32>>
  %g = arith.cmpi sgt, %n, %c0 : i32
  scf.if %g {
    %w = arith.addf %o, %u : tensor<4096xf32>
    tt.store %yp, %w : tensor<4096x!tt.ptr<f32>>
  }
  tt.return
}
