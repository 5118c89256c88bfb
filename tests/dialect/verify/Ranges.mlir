// RUN: tigon-opt %s -split-input-file -verify-diagnostics
// Refusals of ranges and of ops that rename coordinates.

// make_range_c1
tt.func @empty() {
  // expected-error @below {{found start 64 and end 64, expected start < end}}
  %0 = tt.make_range {start = 64 : i32, end = 64 : i32} : tensor<1xi32>
  tt.return
}

// -----
// make_range_c2: too long
tt.func @length() {
  // expected-error @below {{found 'tensor<128xi32>' for 64 numbers, expected tensor<64xi32>}}
  %0 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<128xi32>
  tt.return
}

// -----
// make_range_c2: of two axes
tt.func @rank() {
  // expected-error @below {{found 'tensor<8x8xi32>' for 64 numbers}}
  %0 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<8x8xi32>
  tt.return
}

// -----
// unsplat_c1
tt.func @unsplat(%v: tensor<2xf32>) {
  // expected-error @below {{found 'tensor<2xf32>', expected a tile of one element}}
  %0 = tt.unsplat %v : tensor<2xf32>
  tt.return
}

// -----
// expand_dims_c1
tt.func @axis(%v: tensor<8xf32>) {
  // expected-error @below {{found axis 2, expected 0 to 1}}
  %0 = tt.expand_dims %v {axis = 2 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  tt.return
}

// -----
// expand_dims_c1: negative
tt.func @negative_axis(%v: tensor<8xf32>) {
  // expected-error @below {{found axis -1, expected 0 to 1}}
  %0 = tt.expand_dims %v {axis = -1 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  tt.return
}

// -----
// expand_dims_c2
tt.func @expanded_shape(%v: tensor<8xf32>) {
  // expected-error @below {{found 'tensor<8x1xf32>', expected shape [1, 8]}}
  %0 = tt.expand_dims %v {axis = 0 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  tt.return
}

// -----
// broadcast_c1
tt.func @ranks(%v: tensor<8xf32>) {
  // expected-error @below {{found ranks 1 and 2, expected equal ranks}}
  %0 = tt.broadcast %v : tensor<8xf32> -> tensor<8x8xf32>
  tt.return
}

// -----
// broadcast_c2
tt.func @grow(%v: tensor<1x2xf32>) {
  // expected-error @below {{found axis 1 growing from 2 to 8, expected only axes of size 1 to grow}}
  %0 = tt.broadcast %v : tensor<1x2xf32> -> tensor<4x8xf32>
  tt.return
}

// -----
// reshape_c1
tt.func @elements(%v: tensor<4x8xf32>) {
  // expected-error @below {{found 'tensor<4x8xf32>' and 'tensor<16xf32>', expected equal numbers of elements}}
  %0 = tt.reshape %v allow_reorder : tensor<4x8xf32> -> tensor<16xf32>
  tt.return
}

// -----
// trans_c1: an axis twice
tt.func @order(%v: tensor<4x8xf32>) {
  // expected-error @below {{found order [1, 1], expected a permutation of 2 axes}}
  %0 = tt.trans %v {order = array<i32: 1, 1>} : tensor<4x8xf32> -> tensor<8x8xf32>
  tt.return
}

// -----
// trans_c1: too few axes
tt.func @short_order(%v: tensor<4x8xf32>) {
  // expected-error @below {{found order [0], expected a permutation of 2 axes}}
  %0 = tt.trans %v {order = array<i32: 0>} : tensor<4x8xf32> -> tensor<4x8xf32>
  tt.return
}

// -----
// trans_c2
tt.func @permuted(%v: tensor<4x8xf32>) {
  // expected-error @below {{found 'tensor<4x8xf32>' for order [1, 0] of 'tensor<4x8xf32>'}}
  %0 = tt.trans %v {order = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<4x8xf32>
  tt.return
}

// -----
// trans_c2: rank 0
tt.func @permuted_scalar(%v: tensor<f32>) {
  // expected-error @below {{found 'tensor<1xf32>' for order [] of 'tensor<f32>'}}
  %0 = tt.trans %v {order = array<i32>} : tensor<f32> -> tensor<1xf32>
  tt.return
}

// -----
// join_c1: the fresh axis is the last
tt.func @join(%v: tensor<8xf32>) {
  // expected-error @below {{found 'tensor<2x8xf32>', expected 'tensor<8x2xf32>'}}
  %0 = tt.join %v, %v : tensor<8xf32> -> tensor<2x8xf32>
  tt.return
}

// -----
// join_c1: element type
tt.func @join_elements(%v: tensor<8xf32>) {
  // expected-error @below {{found 'tensor<8x2xf16>', expected 'tensor<8x2xf32>'}}
  %0 = tt.join %v, %v : tensor<8xf32> -> tensor<8x2xf16>
  tt.return
}

// -----
// split_c1
tt.func @split(%v: tensor<2x8xf32>) {
  // expected-error @below {{found 'tensor<2x8xf32>', expected a last axis of size 2}}
  %0, %1 = tt.split %v : tensor<2x8xf32> -> tensor<2xf32>
  tt.return
}

// -----
// split_c1: rank 0
tt.func @split_scalar(%v: tensor<f32>) {
  // expected-error @below {{found 'tensor<f32>', expected a last axis of size 2}}
  %0, %1 = tt.split %v : tensor<f32> -> tensor<f32>
  tt.return
}

// -----
// split_c2
tt.func @halves(%v: tensor<8x2xf32>) {
  // expected-error @below {{found results 'tensor<4xf32>' of 'tensor<8x2xf32>'}}
  %0, %1 = tt.split %v : tensor<8x2xf32> -> tensor<4xf32>
  tt.return
}

// -----
// cat_c1
tt.func @cat(%v: tensor<4x8xf32>) {
  // expected-error @below {{found 'tensor<4x16xf32>', expected shape [8, 8]}}
  %0 = tt.cat %v, %v : tensor<4x8xf32> -> tensor<4x16xf32>
  tt.return
}

// -----
// cat_c1: rank 0
tt.func @cat_scalars(%v: tensor<f32>) {
  // expected-error @below {{found 'tensor<f32>', expected shape []}}
  %0 = tt.cat %v, %v : tensor<f32> -> tensor<f32>
  tt.return
}
