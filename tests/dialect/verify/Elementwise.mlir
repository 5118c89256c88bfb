// RUN: tigon-opt %s -split-input-file -verify-diagnostics
// Refusals of elementwise ops.

// bitcast_c1
tt.func @width(%v: tensor<8xf32>) {
  // expected-error @below {{found a cast of 'f32' to 'i16', expected equal widths}}
  %0 = tt.bitcast %v : tensor<8xf32> -> tensor<8xi16>
  tt.return
}

// -----
// bitcast_c2: a pointer is no number
tt.func @pointer(%p: !tt.ptr<f32>) {
  // expected-error @below {{found a cast of '!tt.ptr<f32>' to 'i64', expected pointers of one address space or none}}
  %0 = tt.bitcast %p : !tt.ptr<f32> -> i64
  tt.return
}

// -----
// bitcast_c2: address spaces
tt.func @space(%p: !tt.ptr<f32>) {
  // expected-error @below {{found a cast of '!tt.ptr<f32>' to '!tt.ptr<f32, 3>', expected pointers of one address space or none}}
  %0 = tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<f32, 3>
  tt.return
}

// -----
// fp_to_fp_c1
tt.func @down(%v: tensor<8xf32>) {
  // expected-error @below {{found no rounding for the down-cast of 'tensor<8xf32>' to 'tensor<8xf16>', expected `rounding = rtne` or `rtz`}}
  %0 = tt.fp_to_fp %v : tensor<8xf32> -> tensor<8xf16>
  tt.return
}

// -----
// fp_to_fp_c2
tt.func @up(%v: tensor<8xf16>) {
  // expected-error @below {{found a rounding for the up-cast of 'tensor<8xf16>' to 'tensor<8xf32>', expected none}}
  %0 = tt.fp_to_fp %v, rounding = rtne : tensor<8xf16> -> tensor<8xf32>
  tt.return
}

// -----
// elementwise_inline_asm_c1
tt.func @packed(%v: tensor<2xi8>) {
  // expected-error @below {{found packed_element = 4 for 'tensor<2xi8>', expected a divisor of its size}}
  %0 = tt.elementwise_inline_asm "" {constraints = "=r,r", packed_element = 4 : i32, pure = true} %v : tensor<2xi8> -> tensor<2xi8>
  tt.return
}

// -----
// elementwise_inline_asm_c1: of scalars
tt.func @packed_scalar(%x: i32) {
  // expected-error @below {{found packed_element = 0, expected at least 1}}
  %0 = tt.elementwise_inline_asm "" {constraints = "=r,r", packed_element = 0 : i32, pure = true} %x : i32 -> i32
  tt.return
}

// -----
// Elementwise ops have tiles of one shape.
tt.func @shapes(%v: tensor<8xi32>) {
  // expected-error @below {{all non-scalar operands/results must have the same shape and base type}}
  %0 = tt.elementwise_inline_asm "" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %v : tensor<8xi32> -> tensor<4xi32>
  tt.return
}

// -----
// map_elementwise_c1: number of block arguments
tt.func @map_arguments(%v: tensor<8xi32>) {
  // expected-error @below {{found 1 block arguments for 1 operands and pack = 2}}
  %0 = "tt.map_elementwise"(%v) <{pack = 2 : i32}> ({
  ^bb0(%x: i32):
    tt.map_elementwise.return %x, %x : i32, i32
  }) : (tensor<8xi32>) -> tensor<8xi32>
  tt.return
}

// -----
// map_elementwise_c1: arguments are grouped by operand
tt.func @map_argument_types(%v: tensor<8xi32>, %w: tensor<8xf32>) {
  // expected-error @below {{found block argument #1 of type 'f32', expected 'i32'}}
  %0 = "tt.map_elementwise"(%v, %w) <{pack = 2 : i32}> ({
  ^bb0(%a: i32, %b: f32, %c: i32, %d: f32):
    tt.map_elementwise.return %a, %c : i32, i32
  }) : (tensor<8xi32>, tensor<8xf32>) -> tensor<8xi32>
  tt.return
}

// -----
// map_elementwise_c2
tt.func @map_memory(%v: tensor<8xi32>, %p: !tt.ptr<i32>) {
  // expected-error @below {{found a memory access in the region, expected pure arithmetic}}
  %0 = "tt.map_elementwise"(%v) <{pack = 1 : i32}> ({
  ^bb0(%x: i32):
    tt.store %p, %x : !tt.ptr<i32>
    tt.map_elementwise.return %x : i32
  }) : (tensor<8xi32>) -> tensor<8xi32>
  tt.return
}

// -----
// map_elementwise_c3: pack
tt.func @map_pack(%v: tensor<2xi32>) {
  // expected-error @below {{found 'tensor<2xi32>' with pack = 4, expected tiles of one shape whose size pack divides}}
  %0 = "tt.map_elementwise"(%v) <{pack = 4 : i32}> ({
  ^bb0(%a: i32, %b: i32, %c: i32, %d: i32):
    tt.map_elementwise.return %a, %b, %c, %d : i32, i32, i32, i32
  }) : (tensor<2xi32>) -> tensor<2xi32>
  tt.return
}

// -----
// map_elementwise_c3: shapes
tt.func @map_shapes(%v: tensor<8xi32>) {
  // expected-error @below {{found 'tensor<4xi32>' with pack = 1, expected tiles of one shape}}
  %0 = "tt.map_elementwise"(%v) <{pack = 1 : i32}> ({
  ^bb0(%x: i32):
    tt.map_elementwise.return %x : i32
  }) : (tensor<8xi32>) -> tensor<4xi32>
  tt.return
}

// -----
// map_elementwise_c4: every return
tt.func @map_return(%v: tensor<8xi32>) {
  %0 = "tt.map_elementwise"(%v) <{pack = 1 : i32}> ({
  ^bb0(%x: i32):
    %c = arith.cmpi eq, %x, %x : i32
    cf.cond_br %c, ^bb1, ^bb2
  ^bb1:
    tt.map_elementwise.return %x : i32
  ^bb2:
    // expected-error @below {{found 'i1', expected 'i32'}}
    tt.map_elementwise.return %c : i1
  }) : (tensor<8xi32>) -> tensor<8xi32>
  tt.return
}
