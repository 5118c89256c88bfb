// A carried row beside tiles of many rows is met by every strip of them, and still changes once an iteration.
// RUN: tigon run %s --strips=auto --arg arg0=randn:f32[2,16384]:1 --arg arg1=zeros:f32[4096] --arg arg2=2 --compare=interpreter
// RUN: tigon run %s --strips=2 --arg arg0=randn:f32[2,16384]:1 --arg arg1=zeros:f32[4096] --arg arg2=2 --compare=interpreter
// RUN: tigon run %s --strips=8 --arg arg0=randn:f32[2,16384]:1 --arg arg1=zeros:f32[4096] --arg arg2=2 --compare=interpreter
// RUN: tigon run %s --strips=each --arg arg0=randn:f32[2,16384]:1 --arg arg1=zeros:f32[4096] --arg arg2=2 --compare=interpreter

tt.func public @bug1(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sz = arith.constant 16384 : i32
  %zero = arith.constant dense<0.0> : tensor<4096xf32>
  %r = tt.make_range {start = 0 : i32, end = 16384 : i32} : tensor<16384xi32>
  %r2 = tt.reshape %r : tensor<16384xi32> -> tensor<4x4096xi32>
  %q = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<4096xf32>) : i32 {
    %o = arith.muli %i, %sz : i32
    %xr = tt.addptr %x, %o : !tt.ptr<f32>, i32
    %xs = tt.splat %xr : !tt.ptr<f32> -> tensor<4x4096x!tt.ptr<f32>>
    %p = tt.addptr %xs, %r2 : tensor<4x4096x!tt.ptr<f32>>, tensor<4x4096xi32>
    %v = tt.load %p : tensor<4x4096x!tt.ptr<f32>>
    %s = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %a, %b : f32
      tt.reduce.return %t : f32
    }) : (tensor<4x4096xf32>) -> tensor<4096xf32>
    %next = arith.addf %acc, %s : tensor<4096xf32>
    scf.yield %next : tensor<4096xf32>
  }
  %m = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %m : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
  tt.store %yp, %q : tensor<4096x!tt.ptr<f32>>
  tt.return
}
