// RUN: tigon-opt %s -split-input-file -verify-diagnostics
// Texts that no version of Triton prints; above all those that must not be read as something else.

tt.func @cache(%p: !tt.ptr<f32>) {
  // expected-error @below {{found cacheModifier 'cx', which is none}}
  %0 = tt.load %p cacheModifier = cx : !tt.ptr<f32>
  tt.return
}

// -----
tt.func @format(%a: tensor<16x32xi8>, %b: tensor<32x16xi8>, %c: tensor<16x16xf32>) {
  // expected-error @below {{found element format 'e4m4', which is none}}
  %0 = tt.dot_scaled %a, %b, %c lhs = e4m4 rhs = e4m3 {fastMath = false} : tensor<16x32xi8> * tensor<32x16xi8> -> tensor<16x16xf32>
  tt.return
}

// -----
tt.func @policy(%p: !tt.ptr<f32>) {
  // expected-error @below {{found cachePolicy = "ca", expected #tt.cache_policy<...>}}
  %0 = tt.load %p {cachePolicy = "ca"} : !tt.ptr<f32>
  tt.return
}

// -----
// An attribute of a wrong kind is not dropped.
tt.func @volatile(%p: !tt.ptr<f32>) {
  // expected-error @below {{'tt.load' op attribute 'isVolatile' failed to satisfy constraint: bool attribute}}
  %0 = tt.load %p {isVolatile = 1 : i32} : !tt.ptr<f32>
  tt.return
}

// -----
tt.func @padding(%p: !tt.ptr<tensor<8xf32>>) {
  // expected-error @below {{'tt.load' op attribute 'padding' failed to satisfy constraint}}
  %0 = tt.load %p {padding = 3 : i32} : !tt.ptr<tensor<8xf32>>
  tt.return
}

// -----
tt.func @no_pointer(%x: f32) {
  // expected-error @below {{found an access through 'f32', expected a pointer or a tensor of pointers}}
  %0 = tt.load %x : f32
  tt.return
}

// -----
tt.func @operands(%p: !tt.ptr<f32>, %m: i1, %x: f32) {
  // expected-error @below {{found 4 operands, expected pointer[, mask[, other]]}}
  %0 = tt.load %p, %m, %x, %x : !tt.ptr<f32>
  tt.return
}

// -----
tt.func @store_operands(%p: !tt.ptr<f32>) {
  // expected-error @below {{found 1 operands, expected pointer, value[, mask]}}
  tt.store %p : !tt.ptr<f32>
  tt.return
}

// -----
// expected-error @below {{found address space 'shared', expected "global" or "constant"}}
tt.func private @space(!tt.ptr<f32, "shared">)

// -----
// expected-error @below {{found descriptor of 'f32', expected one of a ranked tensor}}
tt.func private @descriptor(!tt.tensordesc<f32>)

// -----
tt.func @block_pointer(%p: !tt.ptr<f16>) {
  // expected-error @below {{found '!tt.ptr<f16>', expected a pointer to a tensor}}
  %0 = tt.make_tensor_ptr %p, [], [], [] {order = array<i32>} : <f16>
  tt.return
}

// -----
// Four operands are three lists of one, but not these three.
tt.func @lists(%p: !tt.ptr<f16>, %n: i64, %o: i32) {
  // expected-error @below {{found 2 sizes, 0 strides and 1 offsets, expected one each an axis}}
  %0 = tt.make_tensor_ptr %p, [%n, %n], [], [%o] {order = array<i32: 0>} : <tensor<8xf16>>
  tt.return
}

// -----
tt.func @raw_descriptor(%p: !tt.ptr<i8>) {
  // expected-error @below {{found a raw descriptor (Triton 3.2 and 3.3), expected `tt.make_tensor_descriptor` or pointers}}
  tt.experimental_tensormap_create %p
  tt.return
}

// -----
tt.func @descriptor_cast(%d: !tt.tensordesc<8xf32>) {
  // expected-error @below {{'tt.bitcast' op operand #0 must be}}
  %0 = tt.bitcast %d : !tt.tensordesc<8xf32> -> i32
  tt.return
}

// -----
tt.func @product_of_pointers(%a: tensor<16x16x!tt.ptr<f32>>, %c: tensor<16x16xf32>) {
  // expected-error @below {{'tt.dot' op operand #0 must be}}
  %0 = tt.dot %a, %a, %c : tensor<16x16x!tt.ptr<f32>> * tensor<16x16x!tt.ptr<f32>> -> tensor<16x16xf32>
  tt.return
}
