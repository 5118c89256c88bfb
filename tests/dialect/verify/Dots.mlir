// RUN: tigon-opt %s -split-input-file -verify-diagnostics
// Refusals of matrix products.

// dot_c1
tt.func @rank(%a: tensor<16xf16>, %c: tensor<16xf32>) {
  // expected-error @below {{found ranks 1, 1 and 1, expected 2, or 3 with a batch}}
  %0 = tt.dot %a, %a, %c : tensor<16xf16> * tensor<16xf16> -> tensor<16xf32>
  tt.return
}

// -----
// dot_c2: K
tt.func @k(%a: tensor<16x32xf16>, %b: tensor<16x16xf16>, %c: tensor<16x16xf32>) {
  // expected-error @below {{found 'tensor<16x32xf16>' * 'tensor<16x16xf16>' -> 'tensor<16x16xf32>', expected M x K, K x N and M x N}}
  %0 = tt.dot %a, %b, %c : tensor<16x32xf16> * tensor<16x16xf16> -> tensor<16x16xf32>
  tt.return
}

// -----
// dot_c2: batch
tt.func @batch(%a: tensor<2x16x16xf16>, %b: tensor<4x16x16xf16>, %c: tensor<2x16x16xf32>) {
  // expected-error @below {{expected M x K, K x N and M x N}}
  %0 = tt.dot %a, %b, %c : tensor<2x16x16xf16> * tensor<4x16x16xf16> -> tensor<2x16x16xf32>
  tt.return
}

// -----
// dot_c3
tt.func @widths(%a: tensor<16x16xf16>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) {
  // expected-error @below {{found operands of 16 and 32 bits, expected equal widths}}
  %0 = tt.dot %a, %b, %c : tensor<16x16xf16> * tensor<16x16xf32> -> tensor<16x16xf32>
  tt.return
}

// -----
// dot_c4: the accumulator
tt.func @accumulator(%a: tensor<16x16xi8>, %c: tensor<16x16xf32>) {
  // expected-error @below {{found 'i8' * 'i8' accumulated in 'f32', expected integers in integers or floats in floats}}
  %0 = tt.dot %a, %a, %c : tensor<16x16xi8> * tensor<16x16xi8> -> tensor<16x16xf32>
  tt.return
}

// -----
// dot_c4: an operand
tt.func @mixed(%a: tensor<16x16xf16>, %b: tensor<16x16xi16>, %c: tensor<16x16xf32>) {
  // expected-error @below {{found 'f16' * 'i16' accumulated in 'f32', expected integers in integers or floats in floats}}
  %0 = tt.dot %a, %b, %c : tensor<16x16xf16> * tensor<16x16xi16> -> tensor<16x16xf32>
  tt.return
}

// -----
// dot_scaled_c1: operands
tt.func @scaled_rank(%a: tensor<16x32xi8>, %b: tensor<1x32x16xi8>, %c: tensor<16x16xf32>) {
  // expected-error @below {{found ranks 2, 3 and 2, expected 2, or 3 with a batch}}
  %0 = tt.dot_scaled %a, %b, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<16x32xi8> * tensor<1x32x16xi8> -> tensor<16x16xf32>
  tt.return
}

// -----
// dot_scaled_c1: scales
tt.func @scale_rank(%a: tensor<16x32xi8>, %s: tensor<16xi8>, %b: tensor<32x16xi8>, %c: tensor<16x16xf32>) {
  // expected-error @below {{found the scale 'tensor<16xi8>', expected rank 2}}
  %0 = tt.dot_scaled %a scale %s, %b, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<16x32xi8>, tensor<16xi8> * tensor<32x16xi8> -> tensor<16x16xf32>
  tt.return
}

// -----
// dot_scaled_c2: two e2m1 elements a byte
tt.func @scaled_k(%a: tensor<16x32xi8>, %b: tensor<32x16xi8>, %c: tensor<16x16xf32>) {
  // expected-error @below {{found elements [16, 64] * [32, 16] -> [16, 16], expected M x K, K x N and M x N}}
  %0 = tt.dot_scaled %a, %b, %c lhs = e2m1 rhs = e4m3 {fastMath = false} : tensor<16x32xi8> * tensor<32x16xi8> -> tensor<16x16xf32>
  tt.return
}

// -----
// dot_scaled_c2: packed along N
tt.func @scaled_n(%a: tensor<16x32xi8>, %b: tensor<32x16xi8>, %c: tensor<16x16xf32>) {
  // expected-error @below {{found elements [16, 32] * [32, 32] -> [16, 16], expected M x K, K x N and M x N}}
  %0 = tt.dot_scaled %a, %b, %c lhs = e4m3 rhs = e2m1 {fastMath = false, rhs_k_pack = false} : tensor<16x32xi8> * tensor<32x16xi8> -> tensor<16x16xf32>
  tt.return
}

// -----
// dot_scaled_c3: blocks of 8
tt.func @scale_blocks(%a: tensor<16x64xi8>, %s: tensor<16x8xi8>, %b: tensor<64x16xi8>, %c: tensor<16x16xf32>) {
  // expected-error @below {{found the scale 'tensor<16x8xi8>' of 16 x 64 elements, expected one for each 32 or 16 along K}}
  %0 = tt.dot_scaled %a scale %s, %b, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<16x64xi8>, tensor<16x8xi8> * tensor<64x16xi8> -> tensor<16x16xf32>
  tt.return
}

// -----
// dot_scaled_c3: b's scales are N x K/32
tt.func @scale_of_b(%a: tensor<16x64xi8>, %b: tensor<64x32xi8>, %s: tensor<2x32xi8>, %c: tensor<16x32xf32>) {
  // expected-error @below {{found the scale 'tensor<2x32xi8>' of 32 x 64 elements}}
  %0 = tt.dot_scaled %a, %b scale %s, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<16x64xi8> * tensor<64x32xi8>, tensor<2x32xi8> -> tensor<16x32xf32>
  tt.return
}

// -----
// dot_scaled_c4: f16 is no bf16
tt.func @format(%a: tensor<16x32xf16>, %b: tensor<32x16xi8>, %c: tensor<16x16xf32>) {
  // expected-error @below {{found bf16 in 'tensor<16x32xf16>'}}
  %0 = tt.dot_scaled %a, %b, %c lhs = bf16 rhs = e4m3 {fastMath = false} : tensor<16x32xf16> * tensor<32x16xi8> -> tensor<16x16xf32>
  tt.return
}

// -----
// dot_scaled_c4: e2m1 in anything but bytes
tt.func @packed_format(%a: tensor<16x32xi8>, %b: tensor<32x16xf8E4M3FN>, %c: tensor<16x16xf32>) {
  // expected-error @below {{found e2m1 in 'tensor<32x16xf8E4M3FN>'}}
  %0 = tt.dot_scaled %a, %b, %c lhs = e2m1 rhs = e2m1 {fastMath = false} : tensor<16x32xi8> * tensor<32x16xf8E4M3FN> -> tensor<16x16xf32>
  tt.return
}
