// What a malformed program is told.
// RUN: split-file %s %t && cd %t
// RUN: not tigon compile empty.ttir 2>&1 | FileCheck %s --check-prefix=EMPTY --match-full-lines
// RUN: not tigon compile words.ttir 2>&1 | FileCheck %s --check-prefix=WORDS --match-full-lines
// RUN: not tigon compile unclosed.ttir 2>&1 | FileCheck %s --check-prefix=UNCLOSED --match-full-lines
// RUN: not tigon compile unknown-op.ttir 2>&1 | FileCheck %s --check-prefix=UNKNOWNOP --match-full-lines
// RUN: not tigon compile unknown-value.ttir 2>&1 | FileCheck %s --check-prefix=UNKNOWNVALUE --match-full-lines
// RUN: not tigon compile type.ttir 2>&1 | FileCheck %s --check-prefix=TYPE --match-full-lines
// RUN: not tigon compile not-a-power.ttir 2>&1 | FileCheck %s --check-prefix=NOTAPOWER --match-full-lines
// RUN: not tigon compile range-size.ttir 2>&1 | FileCheck %s --check-prefix=RANGESIZE --match-full-lines
// RUN: not tigon compile too-large.ttir 2>&1 | FileCheck %s --check-prefix=TOOLARGE --match-full-lines
// RUN: not tigon compile splat-type.ttir 2>&1 | FileCheck %s --check-prefix=SPLATTYPE --match-full-lines
// RUN: not tigon compile mask.ttir 2>&1 | FileCheck %s --check-prefix=MASK --match-full-lines
// RUN: not tigon compile axis.ttir 2>&1 | FileCheck %s --check-prefix=AXIS --match-full-lines
// RUN: not tigon compile encoding.ttir 2>&1 | FileCheck %s --check-prefix=ENCODING --match-full-lines
// RUN: not tigon compile private.ttir 2>&1 | FileCheck %s --check-prefix=PRIVATE --match-full-lines
// RUN: not tigon compile no-function.ttir 2>&1 | FileCheck %s --check-prefix=NOFUNCTION --match-full-lines
// RUN: not tigon compile two.ttir 2>&1 | FileCheck %s --check-prefix=TWO --match-full-lines
// RUN: not tigon compile recursion.ttir 2>&1 | FileCheck %s --check-prefix=RECURSION --match-full-lines

// EMPTY: tigon: empty.ttir: found no tt.func, expected a kernel
// WORDS: tigon: words.ttir:1:1: custom op 'once' is unknown (tried 'builtin.once' as well)
// UNCLOSED: tigon: unclosed.ttir:2:12: expected operation name in quotes
// UNKNOWNOP: tigon: unknown-op.ttir:2:3: custom op 'tt.sort' is unknown
// UNKNOWNVALUE: tigon: unknown-value.ttir:2:23: use of undeclared SSA value name
// TYPE: tigon: type.ttir:2:8: 'arith.addf' op operand #0 must be floating-point-like, but got 'i32'
// NOTAPOWER: tigon: not-a-power.ttir:2:8: 'tt.make_range' op result #0 has type 'tensor<48xi32>', expected a power of two of elements of at most 1048576
// RANGESIZE: tigon: range-size.ttir:2:8: 'tt.make_range' op found 'tensor<64xi32>' for 32 numbers, expected tensor<32xi32>
// TOOLARGE: tigon: too-large.ttir:2:8: 'tt.splat' op result #0 has type 'tensor<2097152xi32>', expected a power of two of elements of at most 1048576
// SPLATTYPE: tigon: splat-type.ttir:2:8: 'tt.splat' op requires the same element type for all operands and results
// MASK: tigon: mask.ttir:5:20: use of value '%r' expects different type than prior uses: 'tensor<64xi1>' vs 'tensor<64xi32>'
// AXIS: tigon: axis.ttir:3:8: 'tt.reduce' op found axis 1 of 'tensor<64xi32>', expected less than its rank
// ENCODING: tigon: encoding.ttir:1:17: found a layout attribute of 'ttg', which is TTGIR (Triton's form after layouts are assigned); expected TTIR: give the `.ttir` file of the same kernel, from the same folder of Triton's cache
// PRIVATE: tigon: private.ttir: found no public tt.func with a body, expected a kernel
// NOFUNCTION: tigon: no-function.ttir: found no tt.func, expected a kernel
// TWO: tigon: found 2 kernels, expected the name of one of: a, b
// RECURSION: tigon: recursion.ttir:2:3: found a recursive call of 'k', expected device functions that do not call themselves

//--- empty.ttir

//--- words.ttir
once upon a time

//--- unclosed.ttir
tt.func public @k(%n: i32) {
  tt.return

//--- unknown-op.ttir
tt.func public @k(%p: !tt.ptr<f32>, %n: i32) {
  tt.sort %n : i32
  tt.return
}

//--- unknown-value.ttir
tt.func public @k(%p: !tt.ptr<f32>, %n: i32) {
  %a = arith.addi %n, %m : i32
  tt.return
}

//--- type.ttir
tt.func public @k(%p: !tt.ptr<f32>, %n: i32) {
  %a = arith.addf %n, %n : i32
  tt.return
}

//--- not-a-power.ttir
tt.func public @k(%p: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 48 : i32} : tensor<48xi32>
  tt.return
}

//--- range-size.ttir
tt.func public @k(%p: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<64xi32>
  tt.return
}

//--- too-large.ttir
tt.func public @k(%p: !tt.ptr<f32>, %n: i32) {
  %r = tt.splat %n : i32 -> tensor<2097152xi32>
  tt.return
}

//--- splat-type.ttir
tt.func public @k(%p: !tt.ptr<f32>, %n: i32) {
  %r = tt.splat %n : i32 -> tensor<64xf32>
  tt.return
}

//--- mask.ttir
tt.func public @k(%p: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %s = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %a = tt.addptr %s, %r : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %a, %r : tensor<64x!tt.ptr<f32>>
  tt.return
}

//--- axis.ttir
tt.func public @k(%p: !tt.ptr<f32>, %n: i32) {
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %s = "tt.reduce"(%r) <{axis = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tt.reduce.return %c : i32
  }) : (tensor<64xi32>) -> i32
  tt.return
}

//--- encoding.ttir
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
tt.func public @k(%n: i32) {
  %r = tt.splat %n : i32 -> tensor<64xi32, #blocked>
  tt.return
}

//--- private.ttir
tt.func private @k(%n: i32) {
  tt.return
}

//--- no-function.ttir
module {
}

//--- two.ttir
tt.func public @a(%n: i32) {
  tt.return
}
tt.func public @b(%n: i32) {
  tt.return
}

//--- recursion.ttir
tt.func public @k(%n: i32) {
  tt.call @k(%n) : (i32) -> ()
  tt.return
}
