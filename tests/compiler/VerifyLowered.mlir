// RUN: tigon-opt %s -split-input-file -verify-diagnostics -tigon-verify-lowered
// The border to the code generator refuses what that could not select.

llvm.func @sine(%x: f32) -> f32 {
  // expected-error @+1 {{found 'llvm.intr.sin' after lowering, expected arithmetic that the target has}}
  %0 = llvm.intr.sin(%x) : (f32) -> f32
  llvm.return %0 : f32
}

// -----

llvm.func @libm(f32) -> f32
llvm.func @call(%x: f32) -> f32 {
  // expected-error @+1 {{found 'llvm.call' after lowering, expected arithmetic that the target has}}
  %0 = llvm.call @libm(%x) : (f32) -> f32
  llvm.return %0 : f32
}

// -----

llvm.func @sum(%x: i32) -> i32 {
  // expected-error @+1 {{found 'arith.addi' after lowering, expected the LLVM dialect alone}}
  %0 = arith.addi %x, %x : i32
  llvm.return %0 : i32
}

// -----

tt.func public @tiles(%x: i32) -> i32 {
  // expected-error @+1 {{found 'tt.return' after lowering, expected the LLVM dialect alone}}
  tt.return %x : i32
}

// -----

llvm.func @good(%x: f32) -> f32 {
  %0 = llvm.intr.fma(%x, %x, %x) : (f32, f32, f32) -> f32
  %1 = llvm.intr.sqrt(%0) : (f32) -> f32

  llvm.return %1 : f32
}
