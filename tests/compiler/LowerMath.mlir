// RUN: sed s/TARGET/sm_90/ %s | tigon-opt -tigon-lower-math | FileCheck %s --check-prefixes=CHECK,GPU
// RUN: sed s/TARGET/cpu:x86-64-v3/ %s | tigon-opt -tigon-lower-math | FileCheck %s --check-prefixes=CHECK,CPU --implicit-check-not=math.exp
// What the target lacks is written out in what it has.

module attributes {tg.target = "TARGET", tg.contract} {
// CHECK-LABEL: tt.func public @functions(
// GPU-NEXT: tg.approx ex2
// GPU-NEXT: tg.approx div
// CPU: math.fma
// CPU: arith.divf
tt.func public @functions(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = math.exp2 %x : tensor<4xf32>
  %q = arith.divf %x, %e : tensor<4xf32>
  tt.return %q : tensor<4xf32>
}

// A result below 2^-126 may be 0.
// CHECK-LABEL: tt.func public @flushed(
// GPU-NEXT: tg.approx ex2_flush
// CPU: math.fma
tt.func public @flushed(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = math.exp2 %x fastmath<afn> : tensor<4xf32>
  tt.return %e : tensor<4xf32>
}

// Where a division traps, its divisor is one that does not.
// CHECK-LABEL: tt.func public @division(
// CHECK-SAME: %[[N:.*]]: i32, %[[M:.*]]: i32)
// GPU-NEXT: arith.divsi %[[N]], %[[M]]
// CPU: %[[SAFE:.*]] = arith.select %{{.*}}, %{{.*}}, %[[M]] : i32
// CPU-NEXT: arith.divsi %[[N]], %[[SAFE]]
// CHECK: %[[THREE:.*]] = arith.constant 3 : i32
// CHECK-NEXT: arith.divsi %[[N]], %[[THREE]]
tt.func public @division(%n: i32, %m: i32) -> (i32, i32) {
  %q = arith.divsi %n, %m : i32
  %three = arith.constant 3 : i32
  %r = arith.divsi %n, %three : i32
  tt.return %q, %r : i32, i32
}

// bf16 is a number to one target and bits to the other. Products may be contracted as the program has them.
// CHECK-LABEL: tt.func public @narrow(
// GPU: arith.mulf %{{.*}}, %{{.*}} fastmath<contract> : tensor<4xbf16>
// CPU: arith.extf
// CPU: arith.mulf %{{.*}}, %{{.*}} fastmath<contract> : tensor<4xf32>
// CPU-NEXT: arith.truncf
tt.func public @narrow(%x: tensor<4xbf16>, %y: tensor<4xbf16>) -> tensor<4xbf16> {
  %s = arith.mulf %x, %y : tensor<4xbf16>
  tt.return %s : tensor<4xbf16>
}

// CHECK-LABEL: tt.func public @saturates(
// CHECK: arith.fptosi
// GPU-NEXT: tt.return
// CPU: arith.cmpf oge
// CPU: arith.cmpf uno
tt.func public @saturates(%x: tensor<4xf32>) -> tensor<4xi32> {
  %s = arith.fptosi %x : tensor<4xf32> to tensor<4xi32>
  tt.return %s : tensor<4xi32>
}
}
