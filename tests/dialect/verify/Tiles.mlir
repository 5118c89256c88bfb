// RUN: tigon-opt %s -split-input-file -verify-diagnostics
// Refusals of types, layouts and hints.

// tile_c1: 3 elements
tt.func @three(%x: f32) {
  // expected-error @below {{result #0 has type 'tensor<3xf32>', expected a power of two of elements of at most 1048576}}
  %0 = tt.splat %x : f32 -> tensor<3xf32>
  tt.return
}

// -----
// tile_c1: 2^21 elements
tt.func @large(%x: f32) {
  // expected-error @below {{result #0 has type 'tensor<2048x1024xf32>', expected a power of two}}
  %0 = tt.splat %x : f32 -> tensor<2048x1024xf32>
  tt.return
}

// -----
// tile_c1: no elements
tt.func @none(%x: f32) {
  // expected-error @below {{result #0 has type 'tensor<0xf32>', expected a power of two}}
  %0 = tt.splat %x : f32 -> tensor<0xf32>
  tt.return
}

// -----
// tile_c1: unknown size
tt.func @dynamic(%x: f32) {
  // expected-error @below {{result #0 has type 'tensor<?xf32>', expected a power of two}}
  %0 = tt.splat %x : f32 -> tensor<?xf32>
  tt.return
}

// -----
// tile_c1: 4 elements modulo 2^64
tt.func @overflow(%x: f32) {
  // expected-error @below {{result #0 has type 'tensor<3x6148914691236517206xf32>', expected a power of two}}
  %0 = tt.splat %x : f32 -> tensor<3x6148914691236517206xf32>
  tt.return
}

// -----
// tile_c1: an operand
tt.func @operand(%v: tensor<8xf32>, %w: tensor<6xf32>) {
  // expected-error @below {{operand #0 has type 'tensor<6xf32>', expected a power of two}}
  %0 = tt.reshape %w : tensor<6xf32> -> tensor<8xf32>
  tt.return
}

// -----
// tile_c1: an argument
// expected-error @below {{block argument #1 has type 'tensor<12xf32>', expected a power of two}}
tt.func @argument(%x: f32, %v: tensor<12xf32>) {
  tt.return
}

// -----
// tile_c1: an argument of a loop's body
tt.func @loop_argument(%n: i32) {
  %v = arith.constant dense<0.0> : tensor<8xf32>
  // expected-error @below {{'arith.constant' op result #0 has type 'tensor<5xf32>', expected a power of two}}
  %w = arith.constant dense<0.0> : tensor<5xf32>
  tt.return
}

// -----
// tile_c1: the tile of a block pointer
// expected-error @below {{block argument #0 has type '!tt.ptr<tensor<3x4xf32>>', expected a power of two}}
tt.func @block_pointer(%p: !tt.ptr<tensor<3x4xf32>>) {
  tt.return
}

// -----
// tile_c1: the block of a descriptor
// expected-error @below {{block argument #0 has type '!tt.tensordesc<tensor<3x4xf32>>', expected a power of two}}
tt.func @descriptor(%p: !tt.tensordesc<3x4xf32>) {
  tt.return
}

// -----
// tile_c2
tt.func @encoding(%x: f32) {
  // expected-error @below {{result #0 has the encoding "blocked", expected TTIR, whose tensors carry none}}
  %0 = tt.splat %x : f32 -> tensor<8xf32, "blocked">
  tt.return
}

// -----
// tile_c2: in an op of another dialect
tt.func @foreign_encoding() {
  // expected-error @below {{'arith.constant' op result #0 has the encoding 1 : i64, expected TTIR}}
  %0 = arith.constant dense<0.0> : tensor<8xf32, 1>
  tt.return
}

// -----
// tile_c3: another shape
tt.func @layout_shape(%x: f32) {
  // expected-error @below {{expected a layout of its shape that reaches all elements}}
  %0 = tt.splat %x : f32 -> tensor<8xf32, #tg.layout<4, register = [1, 2], lane = [], warp = []>>
  tt.return
}

// -----
// tile_c3: elements 4 to 7 are nowhere
tt.func @layout_misses(%x: f32) {
  // expected-error @below {{expected a layout of its shape that reaches all elements}}
  %0 = tt.splat %x : f32 -> tensor<8xf32, #tg.layout<8, register = [1, 2], lane = [3], warp = []>>
  tt.return
}

// -----
// pointer_c1: no element of memory
// expected-error @below {{found a pointer to 'index', expected one to a float, a signless integer, a pointer or a tile}}
tt.func private @pointer(!tt.ptr<index>)

// -----
// pointer_c1: a signed integer
// expected-error @below {{found a pointer to 'si8', expected one to a float}}
tt.func private @signed(!tt.ptr<si8>)

// -----
// tensordesc_c1
// expected-error @below {{found a descriptor of 'tensor<8x!tt.ptr<f32>>', expected one of floats or integers}}
tt.func private @descriptor_of_pointers(!tt.tensordesc<tensor<8x!tt.ptr<f32>>>)

// -----
// hint_c1
tt.func @hint(%x: i32) {
  // expected-error @below {{hint 'tt.divisibility': found "16", expected an integer or one integer an axis}}
  %0 = arith.addi %x, %x {tt.divisibility = "16"} : i32
  tt.return
}

// -----
// hint_c1: of an argument
// expected-error @below {{hint 'tt.contiguity': found 1.600000e+01 : f32, expected an integer}}
tt.func @argument_hint(%x: i32 {tt.contiguity = 16.0 : f32}) {
  tt.return
}

// -----
// hint_c2
tt.func @negative_hint(%x: i32) {
  // expected-error @below {{hint 'tt.constancy': found dense<[4, 0]> : tensor<2xi32>, expected it to be positive}}
  %0 = arith.addi %x, %x {tt.constancy = dense<[4, 0]> : tensor<2xi32>} : i32
  tt.return
}
