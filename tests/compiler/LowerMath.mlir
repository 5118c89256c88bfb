// RUN: sed s/TARGET/sm_90/ %s | tigon-opt -tigon-lower-math | FileCheck %s --check-prefixes=CHECK,GPU
// RUN: sed s/TARGET/cpu:x86-64-v3/ %s | tigon-opt -tigon-lower-math | FileCheck %s --check-prefixes=CHECK,CPU --implicit-check-not=math.exp
// RUN: sed s/TARGET/sm_80/ %s | tigon-opt -tigon-lower-math | FileCheck %s --check-prefix=AMPERE
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

// Floats of 8 bits are bits; where the target has an instruction for what is asked, it stays.
// CHECK-LABEL: tt.func public @bytes(
// CHECK-SAME: %[[X:.*]]: tensor<4xf8E4M3FN>)
// GPU-NEXT: %[[WIDE:.*]] = arith.extf %[[X]] : tensor<4xf8E4M3FN> to tensor<4xf32>
// GPU-NEXT: arith.truncf %[[WIDE]] : tensor<4xf32> to tensor<4xf8E5M2>
// CPU-NEXT: %[[BITS:.*]] = arith.bitcast %[[X]] : tensor<4xf8E4M3FN> to tensor<4xi8>
// CPU-NOT: {{arith.(extf|truncf)}}
// CPU: arith.bitcast %{{.*}} : tensor<4xi8> to tensor<4xf8E5M2>
// CHECK: arith.bitcast %{{.*}} : tensor<4xi8> to tensor<4xf8E4M3FNUZ>
tt.func public @bytes(%x: tensor<4xf8E4M3FN>) -> (tensor<4xf8E5M2>, tensor<4xf8E4M3FNUZ>) {
  %a = tt.fp_to_fp %x, rounding = rtne : tensor<4xf8E4M3FN> -> tensor<4xf8E5M2>
  %b = tt.fp_to_fp %a, rounding = rtne : tensor<4xf8E5M2> -> tensor<4xf8E4M3FNUZ>
  tt.return %a, %b : tensor<4xf8E5M2>, tensor<4xf8E4M3FNUZ>
}

// What moves them stays as it is; arithmetic is that of f32.
// CHECK-LABEL: tt.func public @moved(
// CHECK-NEXT: arith.select
// CHECK-NEXT: tt.bitcast
// CHECK: arith.addf %{{.*}} : tensor<4xf32>
tt.func public @moved(%c: i1, %x: tensor<4xf8E5M2>, %y: tensor<4xf8E5M2>) -> (tensor<4xi8>, tensor<4xf8E5M2>) {
  %s = arith.select %c, %x, %y : tensor<4xf8E5M2>
  %b = tt.bitcast %s : tensor<4xf8E5M2> -> tensor<4xi8>
  %a = arith.addf %s, %y : tensor<4xf8E5M2>
  tt.return %b, %a : tensor<4xi8>, tensor<4xf8E5M2>
}

// 64 bits go to f64 with what it cannot hold folded into its last bit, so that the second rounding is the only one.
// CHECK-LABEL: tt.func public @integer(
// CHECK: arith.select
// CHECK-NEXT: arith.sitofp %{{.*}} : tensor<4xi64> to tensor<4xf64>
tt.func public @integer(%x: tensor<4xi64>) -> tensor<4xbf16> {
  %0 = arith.sitofp %x : tensor<4xi64> to tensor<4xbf16>
  tt.return %0 : tensor<4xbf16>
}

// Before sm_90 bf16 is rounded to from f32, whose last bit then says whether anything was lost on the way there.
// AMPERE-LABEL: tt.func public @word(
// AMPERE: arith.sitofp %{{.*}} : tensor<4xi32> to tensor<4xf64>
// AMPERE-NEXT: arith.truncf %{{.*}} : tensor<4xf64> to tensor<4xf32>
// AMPERE: arith.select
// AMPERE: arith.truncf %{{.*}} : tensor<4xf32> to tensor<4xbf16>
tt.func public @word(%x: tensor<4xi32>) -> tensor<4xbf16> {
  %0 = arith.sitofp %x : tensor<4xi32> to tensor<4xbf16>
  tt.return %0 : tensor<4xbf16>
}
}
