// RUN: tigon-opt %s -split-input-file -verify-diagnostics
// Refusals of functions, calls, returns and prints.

// func_c1
// expected-error @below {{found an empty name}}
tt.func @""() {
  tt.return
}

// -----
// return_c1
tt.func @result() -> f32 {
  %0 = arith.constant 0 : i32
  // expected-error @below {{found operands 'i32', expected 'f32'}}
  tt.return %0 : i32
}

// -----
// return_c1: every return
tt.func @results(%c: i1, %x: f32) -> f32 {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  tt.return %x : f32
^bb2:
  // expected-error @below {{found operands , expected 'f32'}}
  tt.return
}

// -----
// call_c1
tt.func @caller() {
  // expected-error @below {{found no tt.func named @callee}}
  tt.call @callee() : () -> ()
  tt.return
}

// -----
// call_c1: a symbol that is no function
module @callee {
}
tt.func @caller() {
  // expected-error @below {{found no tt.func named @callee}}
  tt.call @callee() : () -> ()
  tt.return
}

// -----
// call_c2: operands
tt.func private @callee(%x: f32) {
  tt.return
}
tt.func @caller(%n: i32) {
  // expected-error @below {{found 'i32' -> , expected '(f32) -> ()' of @callee}}
  tt.call @callee(%n) : (i32) -> ()
  tt.return
}

// -----
// call_c2: results
tt.func private @callee(%x: f32) {
  tt.return
}
tt.func @caller(%x: f32) {
  // expected-error @below {{found 'f32' -> 'f32', expected '(f32) -> ()' of @callee}}
  %0 = tt.call @callee(%x) : (f32) -> f32
  tt.return
}

// -----
// print_c1
tt.func @print(%n: i32) {
  // expected-error @below {{found 0 entries of isSigned for 1 values}}
  tt.print " n " {hex = false, isSigned = array<i32>} : %n : i32
  tt.return
}
