// RUN: tigon-opt %s -verify-diagnostics -tigon-synchronize-global | FileCheck %s
// Accesses of one memory that meet in different threads have a barrier between them.

#one = #tg.layout<128, register = [1, 2], lane = [4, 8, 16, 32, 64]>
#other = #tg.layout<128, register = [32, 64], lane = [1, 2, 4, 8, 16]>
#warps = #tg.layout<64, register = [], lane = [1, 2, 4, 8, 16], warp = [32]>
#twice = #tg.layout<128, register = [16, 32, 64], lane = [1, 2, 4, 8, 0]>
!p = tensor<128x!tt.ptr<f32>, #one>
!q = tensor<128x!tt.ptr<f32>, #other>
!d = tensor<128x!tt.ptr<f32>, #twice>

module attributes {tg.target = "sm_90"} {
// Each thread reads what it alone writes.
// CHECK-LABEL: tt.func public @same_threads(
// CHECK-NOT: gpu.barrier
// CHECK: tt.return
tt.func public @same_threads(%x: !tt.ptr<f32>) {
  %xs = tt.splat %x : !tt.ptr<f32> -> !p
  %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #one>
  %p = tt.addptr %xs, %i : !p, tensor<128xi32, #one>
  %v = tt.load %p : !p
  tt.store %p, %v : !p
  %w = tt.load %p : !p
  tt.return
}

// CHECK-LABEL: tt.func public @shifted(
// CHECK: tt.load
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tt.store
tt.func public @shifted(%x: !tt.ptr<f32>) {
  %ones = arith.constant dense<1> : tensor<128xi32, #one>
  %xs = tt.splat %x : !tt.ptr<f32> -> !p
  %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #one>
  %p = tt.addptr %xs, %i : !p, tensor<128xi32, #one>
  %next = tt.addptr %p, %ones : !p, tensor<128xi32, #one>
  %v = tt.load %p : !p
  // expected-remark @+1 {{barrier: this access and an earlier one of the same memory meet in different threads}}
  tt.store %next, %v : !p
  tt.return
}

// Two lanes hold each element; one of them writes it, both read it.
// CHECK-LABEL: tt.func public @duplicates(
// CHECK: tt.store
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tt.load
tt.func public @duplicates(%x: !tt.ptr<f32>, %v: tensor<128xf32, #twice>) {
  %xs = tt.splat %x : !tt.ptr<f32> -> !d
  %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #twice>
  %p = tt.addptr %xs, %i : !d, tensor<128xi32, #twice>
  tt.store %p, %v : !d
  // expected-remark @+1 {{barrier}}
  %w = tt.load %p : !d
  tt.return
}

// Two arguments may be one memory, in place: equal lanes are equal threads only if the layouts are equal.
// CHECK-LABEL: tt.func public @in_place(
// CHECK: tt.store
// CHECK-NEXT: tt.load
// CHECK-NEXT: gpu.barrier
// CHECK-NEXT: tt.store
tt.func public @in_place(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %v: tensor<128xf32, #one>, %w: tensor<128xf32, #other>) {
  %xs = tt.splat %x : !tt.ptr<f32> -> !p
  %ys = tt.splat %y : !tt.ptr<f32> -> !p
  %zs = tt.splat %y : !tt.ptr<f32> -> !q
  tt.store %xs, %v : !p
  %0 = tt.load %ys : !p
  // expected-remark @+1 {{barrier}}
  tt.store %zs, %w : !q
  tt.return
}

// Rows that may overlap, by a stride that is not known, want a barrier between them; a sum over warps is one.
// CHECK-LABEL: tt.func public @rows(
// CHECK-NOT: gpu.barrier
// CHECK: tt.return
tt.func public @rows(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %stride: i32, %n: i32) attributes {tg.plan = #tg.plan<warps = 2>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #warps>
  scf.for %row = %c0 to %n step %c1 : i32 {
    %start = arith.muli %row, %stride : i32
    %px = tt.addptr %x, %start : !tt.ptr<f32>, i32
    %xs = tt.splat %px : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #warps>
    %xp = tt.addptr %xs, %i : tensor<64x!tt.ptr<f32>, #warps>, tensor<64xi32, #warps>
    %v = tt.load %xp : tensor<64x!tt.ptr<f32>, #warps>
    %sum = "tt.reduce"(%v) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %0 = arith.addf %a, %b : f32
      tt.reduce.return %0 : f32
    }) : (tensor<64xf32, #warps>) -> f32
    %s = tt.splat %sum : f32 -> tensor<64xf32, #warps>
    %py = tt.addptr %y, %start : !tt.ptr<f32>, i32
    %ys = tt.splat %py : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #warps>
    %yp = tt.addptr %ys, %i : tensor<64x!tt.ptr<f32>, #warps>, tensor<64xi32, #warps>
    tt.store %yp, %s : tensor<64x!tt.ptr<f32>, #warps>
  }
  tt.return
}

// Nor does a row that is walked from its end: no iteration touches what another did.
// CHECK-LABEL: tt.func public @backwards(
// CHECK-NOT: gpu.barrier
// CHECK: tt.return
tt.func public @backwards(%x: !tt.ptr<f32>, %row: i32, %stride: i32, %n: i32, %v: tensor<64xf32, #warps>) attributes {tg.plan = #tg.plan<warps = 2>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %i = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #warps>
  scf.for %k = %c0 to %n step %c1 : i32 {
    %start = arith.muli %row, %stride : i32
    %back = arith.subi %n, %k : i32
    %first = arith.muli %back, %c64 : i32
    %firsts = tt.splat %first : i32 -> tensor<64xi32, #warps>
    %columns = arith.addi %firsts, %i : tensor<64xi32, #warps>
    %px = tt.addptr %x, %start : !tt.ptr<f32>, i32
    %xs = tt.splat %px : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #warps>
    %xp = tt.addptr %xs, %columns : tensor<64x!tt.ptr<f32>, #warps>, tensor<64xi32, #warps>
    tt.store %xp, %v : tensor<64x!tt.ptr<f32>, #warps>
  }
  tt.return
}

// 2^40 steps of an i32 lead back to where they began. A value that another is made of twice is looked at once.
// CHECK-LABEL: tt.func public @doubled(
// CHECK: gpu.barrier
// CHECK: tt.return
tt.func public @doubled(%x: !tt.ptr<f32>, %n: i32, %v: tensor<64xf32, #warps>) attributes {tg.plan = #tg.plan<warps = 2>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %d0 = %c0 to %n step %c1 : i32 {
    %d1 = arith.addi %d0, %d0 : i32
    %d2 = arith.addi %d1, %d1 : i32
    %d3 = arith.addi %d2, %d2 : i32
    %d4 = arith.addi %d3, %d3 : i32
    %d5 = arith.addi %d4, %d4 : i32
    %d6 = arith.addi %d5, %d5 : i32
    %d7 = arith.addi %d6, %d6 : i32
    %d8 = arith.addi %d7, %d7 : i32
    %d9 = arith.addi %d8, %d8 : i32
    %d10 = arith.addi %d9, %d9 : i32
    %d11 = arith.addi %d10, %d10 : i32
    %d12 = arith.addi %d11, %d11 : i32
    %d13 = arith.addi %d12, %d12 : i32
    %d14 = arith.addi %d13, %d13 : i32
    %d15 = arith.addi %d14, %d14 : i32
    %d16 = arith.addi %d15, %d15 : i32
    %d17 = arith.addi %d16, %d16 : i32
    %d18 = arith.addi %d17, %d17 : i32
    %d19 = arith.addi %d18, %d18 : i32
    %d20 = arith.addi %d19, %d19 : i32
    %d21 = arith.addi %d20, %d20 : i32
    %d22 = arith.addi %d21, %d21 : i32
    %d23 = arith.addi %d22, %d22 : i32
    %d24 = arith.addi %d23, %d23 : i32
    %d25 = arith.addi %d24, %d24 : i32
    %d26 = arith.addi %d25, %d25 : i32
    %d27 = arith.addi %d26, %d26 : i32
    %d28 = arith.addi %d27, %d27 : i32
    %d29 = arith.addi %d28, %d28 : i32
    %d30 = arith.addi %d29, %d29 : i32
    %d31 = arith.addi %d30, %d30 : i32
    %d32 = arith.addi %d31, %d31 : i32
    %d33 = arith.addi %d32, %d32 : i32
    %d34 = arith.addi %d33, %d33 : i32
    %d35 = arith.addi %d34, %d34 : i32
    %d36 = arith.addi %d35, %d35 : i32
    %d37 = arith.addi %d36, %d36 : i32
    %d38 = arith.addi %d37, %d37 : i32
    %d39 = arith.addi %d38, %d38 : i32
    %d40 = arith.addi %d39, %d39 : i32
    %px = tt.addptr %x, %d40 : !tt.ptr<f32>, i32
    %xs = tt.splat %px : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #warps>
    // expected-remark @+1 {{barrier}}
    tt.store %xs, %v : tensor<64x!tt.ptr<f32>, #warps>
  }
  tt.return
}
}
