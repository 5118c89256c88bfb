// RUN: tigon-opt %s -split-input-file -verify-diagnostics
// Refusals of accesses by pointer. The custom forms derive most types, so generic ones break them.

// load_c1
tt.func @load_mask(%p: tensor<8x!tt.ptr<f32>>, %m: tensor<4xi1>) {
  // expected-error @below {{found mask or other of type 'tensor<4xi1>' for 'tensor<8x!tt.ptr<f32>>', expected equal shapes}}
  %0 = "tt.load"(%p, %m) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<8x!tt.ptr<f32>>, tensor<4xi1>) -> tensor<8xf32>
  tt.return
}

// -----
// load_c1: a scalar mask
tt.func @load_scalar_mask(%p: tensor<8x!tt.ptr<f32>>, %m: i1) {
  // expected-error @below {{found mask or other of type 'i1' for 'tensor<8x!tt.ptr<f32>>', expected equal shapes}}
  %0 = "tt.load"(%p, %m) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<8x!tt.ptr<f32>>, i1) -> tensor<8xf32>
  tt.return
}

// -----
// load_c2
tt.func @other(%p: !tt.ptr<f32>, %x: f32) {
  // expected-error @below {{found other without a mask, expected both or neither}}
  %0 = "tt.load"(%p, %x) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (!tt.ptr<f32>, f32) -> f32
  tt.return
}

// -----
// load_c3
tt.func @pointee(%p: !tt.ptr<f32>) {
  // expected-error @below {{found a load of 'f16' from '!tt.ptr<f32>', expected 'f32'}}
  %0 = "tt.load"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tt.ptr<f32>) -> f16
  tt.return
}

// -----
// load_c3: other
tt.func @other_type(%p: !tt.ptr<f32>, %m: i1, %x: f16) {
  // expected-error @below {{found other of type 'f16' for '!tt.ptr<f32>', expected 'f32'}}
  %0 = "tt.load"(%p, %m, %x) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (!tt.ptr<f32>, i1, f16) -> f32
  tt.return
}

// -----
// load_c4: a mask with a block pointer
tt.func @block_mask(%p: !tt.ptr<tensor<8xf32>>, %m: i1) {
  // expected-error @below {{found a mask with the block pointer '!tt.ptr<tensor<8xf32>>', expected boundaryCheck}}
  %0 = "tt.load"(%p, %m) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (!tt.ptr<tensor<8xf32>>, i1) -> tensor<8xf32>
  tt.return
}

// -----
// load_c4: an axis that the tile lacks
tt.func @boundary(%p: !tt.ptr<tensor<8xf32>>) {
  // expected-error @below {{found boundaryCheck of axis 1, expected 0 to 0}}
  %0 = tt.load %p {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<8xf32>>
  tt.return
}

// -----
// load_c4: padding without a block pointer
tt.func @padding(%p: tensor<8x!tt.ptr<f32>>) {
  // expected-error @below {{found boundaryCheck or padding with 'tensor<8x!tt.ptr<f32>>', expected a block pointer}}
  %0 = tt.load %p {padding = 1 : i32} : tensor<8x!tt.ptr<f32>>
  tt.return
}

// -----
// store_c1
tt.func @value(%p: !tt.ptr<f32>, %x: f16) {
  // expected-error @below {{found a store of 'f16' to '!tt.ptr<f32>', expected 'f32'}}
  "tt.store"(%p, %x) : (!tt.ptr<f32>, f16) -> ()
  tt.return
}

// -----
// store_c2
tt.func @store_mask(%p: tensor<8x!tt.ptr<f32>>, %v: tensor<8xf32>, %m: tensor<2x4xi1>) {
  // expected-error @below {{found a mask of type 'tensor<2x4xi1>' for 'tensor<8x!tt.ptr<f32>>', expected equal shapes}}
  "tt.store"(%p, %v, %m) : (tensor<8x!tt.ptr<f32>>, tensor<8xf32>, tensor<2x4xi1>) -> ()
  tt.return
}

// -----
// store_c3: boundaryCheck without a block pointer
tt.func @store_boundary(%p: tensor<8x!tt.ptr<f32>>, %v: tensor<8xf32>) {
  // expected-error @below {{found boundaryCheck or padding with 'tensor<8x!tt.ptr<f32>>', expected a block pointer}}
  tt.store %p, %v {boundaryCheck = array<i32: 0>} : tensor<8x!tt.ptr<f32>>
  tt.return
}

// -----
// store_c3: a negative axis
tt.func @store_axis(%p: !tt.ptr<tensor<8xf32>>, %v: tensor<8xf32>) {
  // expected-error @below {{found boundaryCheck of axis -1, expected 0 to 0}}
  tt.store %p, %v {boundaryCheck = array<i32: -1>} : !tt.ptr<tensor<8xf32>>
  tt.return
}

// -----
// make_tensor_ptr_c1: two sizes and strides for one axis
tt.func @sizes(%p: !tt.ptr<f16>, %n: i64, %o: i32) {
  // expected-error @below {{found 6 sizes, strides and offsets for a tile of rank 1, expected 3}}
  %0 = tt.make_tensor_ptr %p, [%n, %n], [%n, %n], [%o, %o] {order = array<i32: 0>} : <tensor<8xf16>>
  tt.return
}

// -----
// make_tensor_ptr_c2
tt.func @order(%p: !tt.ptr<f16>, %n: i64, %o: i32) {
  // expected-error @below {{found order [0, 2], expected a permutation of 2 axes}}
  %0 = tt.make_tensor_ptr %p, [%n, %n], [%n, %n], [%o, %o] {order = array<i32: 0, 2>} : <tensor<8x8xf16>>
  tt.return
}

// -----
// make_tensor_ptr_c3
tt.func @base(%p: !tt.ptr<f16>, %n: i64, %o: i32) {
  // expected-error @below {{found the base '!tt.ptr<f16>', expected '!tt.ptr<f32>'}}
  %0 = "tt.make_tensor_ptr"(%p, %n, %n, %o) <{order = array<i32: 0>}> : (!tt.ptr<f16>, i64, i64, i32) -> !tt.ptr<tensor<8xf32>>
  tt.return
}

// -----
// advance_c1
tt.func @advance(%p: !tt.ptr<tensor<8x8xf16>>, %o: i32) {
  // expected-error @below {{found 1 offsets for a tile of rank 2}}
  %0 = tt.advance %p, [%o] : <tensor<8x8xf16>>
  tt.return
}
