// A strip loop whose strips are too large still is split again, also where each op has a loop of its own.
// RUN: tigon compile %s --target=cpu:x86-64-v2 --strips=each -o %t.o
// RUN: tigon run %s --strips=each --arg arg0=randn:f16[8192]:1 --arg arg1=zeros:f16[4096] --arg arg2=3000 --compare=interpreter

tt.func public @f(%x: !tt.ptr<f16>, %y: !tt.ptr<f16>, %n: i32) {
  %1 = tt.make_range {end = 4096 : i32, start = 0 : i32} : tensor<4096xi32>
  %3 = tt.reshape %1 : tensor<4096xi32> -> tensor<2x2048xi32>
  %cst = arith.constant dense<2048> : tensor<2x2048xi32>
  %7 = arith.remsi %3, %cst : tensor<2x2048xi32>
  %8 = tt.splat %n : i32 -> tensor<2x2048xi32>
  %9 = arith.addi %8, %7 : tensor<2x2048xi32>
  %10 = tt.splat %x : !tt.ptr<f16> -> tensor<2x2048x!tt.ptr<f16>>
  %11 = tt.addptr %10, %9 : tensor<2x2048x!tt.ptr<f16>>, tensor<2x2048xi32>
  %13 = arith.cmpi slt, %3, %8 : tensor<2x2048xi32>
  %14 = tt.load %11, %13 : tensor<2x2048x!tt.ptr<f16>>
  %22 = tt.splat %y : !tt.ptr<f16> -> tensor<2x2048x!tt.ptr<f16>>
  %23 = tt.addptr %22, %3 : tensor<2x2048x!tt.ptr<f16>>, tensor<2x2048xi32>
  tt.store %23, %14, %13 : tensor<2x2048x!tt.ptr<f16>>
  tt.return
}
