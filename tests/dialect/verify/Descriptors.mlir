// RUN: tigon-opt %s -split-input-file -verify-diagnostics
// Refusals of descriptors and accesses through them.

// make_tensor_descriptor_c1
tt.func @sizes(%p: !tt.ptr<f16>, %n: i32, %s: i64) {
  // expected-error @below {{found 2 sizes and strides for a block of rank 2, expected 4}}
  %0 = tt.make_tensor_descriptor %p, [%n], [%s] : <f16>, <tensor<8x8xf16>>
  tt.return
}

// -----
// make_tensor_descriptor_c2
tt.func @base(%p: !tt.ptr<f32>, %n: i32, %s: i64) {
  // expected-error @below {{found the base '!tt.ptr<f32>' for a block of 'f16'}}
  %0 = tt.make_tensor_descriptor %p, [%n], [%s] : <f32>, <tensor<8xf16>>
  tt.return
}

// -----
// descriptor_c1
tt.func @indices(%d: !tt.tensordesc<tensor<8x8xf16>>, %n: i32) {
  // expected-error @below {{found 1 indices into 'tensor<8x8xf16>', expected 2}}
  %0 = tt.descriptor_load %d[%n] : !tt.tensordesc<tensor<8x8xf16>> -> tensor<8x8xf16>
  tt.return
}

// -----
// descriptor_c1: a raw descriptor has the tile's rank
tt.func @raw_indices(%d: !tt.ptr<i8>, %n: i32, %v: tensor<8x8xf16>) {
  // expected-error @below {{found 1 indices into 'tensor<8x8xf16>', expected 2}}
  tt.descriptor_store %d[%n], %v : !tt.ptr<i8>, tensor<8x8xf16>
  tt.return
}

// -----
// descriptor_c2: shape
tt.func @tile(%d: !tt.tensordesc<tensor<8x8xf16>>, %n: i32) {
  // expected-error @below {{found the tile 'tensor<8xf16>' of '!tt.tensordesc<tensor<8x8xf16>>'}}
  %0 = tt.descriptor_load %d[%n, %n] : !tt.tensordesc<tensor<8x8xf16>> -> tensor<8xf16>
  tt.return
}

// -----
// descriptor_c2: leading axes of size 1 are not added
tt.func @more_axes(%d: !tt.tensordesc<tensor<8xf16>>, %n: i32, %v: tensor<1x8xf16>) {
  // expected-error @below {{found the tile 'tensor<1x8xf16>' of '!tt.tensordesc<tensor<8xf16>>'}}
  tt.descriptor_store %d[%n], %v : !tt.tensordesc<tensor<8xf16>>, tensor<1x8xf16>
  tt.return
}

// -----
// descriptor_c2: element type
tt.func @element(%d: !tt.tensordesc<tensor<8xsi8>>, %n: i32, %v: tensor<8xi16>) {
  // expected-error @below {{found the tile 'tensor<8xi16>' of '!tt.tensordesc<tensor<8xsi8>>'}}
  tt.descriptor_reduce add, %d[%n], %v : !tt.tensordesc<tensor<8xsi8>>, tensor<8xi16>
  tt.return
}

// -----
// descriptor_gather_c1
tt.func @gather_block(%d: !tt.tensordesc<tensor<2x16xf16>>, %r: tensor<32xi32>, %n: i32) {
  // expected-error @below {{found the block 'tensor<2x16xf16>', expected one of shape 1 x C}}
  %0 = tt.descriptor_gather %d[%r, %n] : (!tt.tensordesc<tensor<2x16xf16>>, tensor<32xi32>, i32) -> tensor<32x16xf16>
  tt.return
}

// -----
// descriptor_gather_c2: as many rows as offsets
tt.func @gather_rows(%d: !tt.tensordesc<tensor<1x16xf16>>, %r: tensor<32xi32>, %n: i32) {
  // expected-error @below {{found the tile 'tensor<16x16xf16>' for offsets 'tensor<32xi32>' into 'tensor<1x16xf16>'}}
  %0 = tt.descriptor_gather %d[%r, %n] : (!tt.tensordesc<tensor<1x16xf16>>, tensor<32xi32>, i32) -> tensor<16x16xf16>
  tt.return
}

// -----
// descriptor_gather_c2: of a scatter, element type
tt.func @scatter_element(%d: !tt.tensordesc<tensor<1x16xf16>>, %r: tensor<32xi32>, %n: i32, %v: tensor<32x16xbf16>) {
  // expected-error @below {{found the tile 'tensor<32x16xbf16>' for offsets 'tensor<32xi32>' into 'tensor<1x16xf16>'}}
  tt.descriptor_scatter %d[%r, %n], %v : !tt.tensordesc<tensor<1x16xf16>>, tensor<32xi32>, i32, tensor<32x16xbf16>
  tt.return
}
