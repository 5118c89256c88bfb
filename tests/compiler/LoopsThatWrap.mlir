// A loop ends though its variable cannot pass the upper bound: it would wrap first.
// RUN: tigon run %s --kernel=signed --compare=interpreter --arg arg0=zeros:i32[2] --arg arg1=2147483600 --arg arg2=2147483647 --arg arg3=40 | FileCheck %s
// RUN: tigon run %s --kernel=signed --compare=interpreter --arg arg0=zeros:i32[2] --arg arg1=-2147483648 --arg arg2=2147483647 --arg arg3=2147483647 | FileCheck %s
// RUN: tigon run %s --kernel=signed --compare=interpreter --arg arg0=zeros:i32[2] --arg arg1=5 --arg arg2=-5 --arg arg3=3 | FileCheck %s
// RUN: tigon run %s --kernel=unsigned --compare=interpreter --arg arg0=zeros:i32[2] --arg arg1=-100 --arg arg2=-1 --arg arg3=60 | FileCheck %s
// RUN: tigon run %s --kernel=constant --compare=interpreter --arg arg0=zeros:i64[2] | FileCheck %s
// RUN: tigon compile %s --kernel=signed --target=sm_90 | FileCheck %s --check-prefix=PTX
// RUN: tigon compile %s --kernel=ones --target=sm_90 | FileCheck %s --check-prefix=ONES

// CHECK: 2 elements of i{{32|64}} agree

// What is left to go is compared with the step.
// PTX-LABEL: .entry signed
// PTX: sub.s32
// PTX: setp.{{gt|le}}.u32
tt.func public @signed(%y: !tt.ptr<i32>, %from: i32, %to: i32, %step: i32) {
  %zero = arith.constant 0 : i32
  %sum = scf.for %i = %from to %to step %step iter_args(%s = %zero) -> i32 : i32 {
    %t = arith.xori %s, %i : i32
    scf.yield %t : i32
  }
  tt.store %y, %sum : !tt.ptr<i32>
  tt.return
}
tt.func public @unsigned(%y: !tt.ptr<i32>, %from: i32, %to: i32, %step: i32) {
  %one = arith.constant 1 : i32
  scf.for unsigned %i = %from to %to step %step : i32 {
    %v = tt.load %y : !tt.ptr<i32>
    %w = arith.addi %v, %one : i32
    tt.store %y, %w : !tt.ptr<i32>
  }
  tt.return
}
tt.func public @constant(%y: !tt.ptr<i64>) {
  %from = arith.constant 9223372036854775000 : i64
  %to = arith.constant 9223372036854775807 : i64
  %step = arith.constant 500 : i64
  scf.for %i = %from to %to step %step : i64 {
    %v = tt.load %y : !tt.ptr<i64>
    %w = arith.addi %v, %i : i64
    tt.store %y, %w : !tt.ptr<i64>
  }
  tt.return
}
// By steps of one nothing wraps.
// ONES-LABEL: .entry ones
// ONES-NOT: setp.{{gt|le}}.u32
tt.func public @ones(%y: !tt.ptr<i32>, %to: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %to step %one : i32 {
    %v = tt.load %y : !tt.ptr<i32>
    %w = arith.xori %v, %i : i32
    tt.store %y, %w : !tt.ptr<i32>
  }
  tt.return
}
