// RUN: tigon-opt %s -tigon-lift-control-flow | FileCheck %s --implicit-check-not=" cf."
// Branches between blocks become structured: one block a region, in callees too.

// What follows an early return is the other branch of one condition.
// CHECK-LABEL: tt.func public @early_return(
// CHECK: %[[OUT:.*]] = arith.cmpi sge
// CHECK-NEXT: scf.if %[[OUT]] {
// CHECK-NEXT: } else {
// CHECK: tt.load
// CHECK: tt.store
// CHECK-NEXT: }
// CHECK-NEXT: tt.return
tt.func public @early_return(%x: !tt.ptr<f32>, %n: i32) {
  %pid = tt.get_program_id x : i32
  %out = arith.cmpi sge, %pid, %n : i32
  cf.cond_br %out, ^done, ^work
^done:
  tt.return
^work:
  %p = tt.addptr %x, %pid : !tt.ptr<f32>, i32
  %v = tt.load %p : !tt.ptr<f32>
  tt.store %p, %v : !tt.ptr<f32>
  tt.return
}

// CHECK-LABEL: tt.func private @factorial(
// CHECK: %[[R:.*]]:3 = scf.while
// CHECK: arith.muli
// CHECK: scf.condition
// CHECK: tt.return %[[R]]#2 : i32
tt.func private @factorial(%n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cf.br ^head(%zero, %one : i32, i32)
^head(%i: i32, %product: i32):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^body, ^done
^body:
  %next = arith.addi %i, %one : i32
  %p = arith.muli %product, %next : i32
  cf.br ^head(%next, %p : i32, i32)
^done:
  tt.return %product : i32
}

// CHECK-LABEL: tt.func public @choice(
// CHECK: %[[R:.*]] = scf.index_switch %{{.*}} -> i32
// CHECK-NEXT: case 1 {
// CHECK: case 7 {
// CHECK: default {
// CHECK: tt.return %[[R]] : i32
tt.func public @choice(%n: i32) -> i32 {
  %a = arith.constant 10 : i32
  %b = arith.constant 20 : i32
  cf.switch %n : i32, [ default: ^end(%n : i32), 1: ^end(%a : i32), 7: ^end(%b : i32) ]
^end(%r: i32):
  tt.return %r : i32
}
