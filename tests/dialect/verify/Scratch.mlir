// RUN: tigon-opt %s -split-input-file -verify-diagnostics
// Refusals of scratch and of layouts' texts.

// scratch_c1: size
tt.func @size(%s: !tg.scratch<tensor<64xf32>>, %v: tensor<16xf32>, %i: i32) {
  // expected-error @below {{found a strip 'tensor<16xf32>' with 1 bits fixed, of '!tg.scratch<tensor<64xf32>>'}}
  tg.scratch_put %v, %s[%i] strip [5] : tensor<16xf32>, !tg.scratch<tensor<64xf32>>
  tt.return
}

// -----
// scratch_c1: element type
tt.func @element(%s: !tg.scratch<tensor<64xf32>>) {
  // expected-error @below {{found a strip 'tensor<64xf16>' with 0 bits fixed, of '!tg.scratch<tensor<64xf32>>'}}
  %0 = tg.scratch_get %s strip [] : !tg.scratch<tensor<64xf32>> -> tensor<64xf16>
  tt.return
}

// -----
// scratch_c1: unknown size
tt.func @dynamic(%s: !tg.scratch<tensor<64xf32>>) {
  // expected-error @below {{found a strip 'tensor<?xf32>' with 0 bits fixed}}
  %0 = tg.scratch_get %s strip [] : !tg.scratch<tensor<64xf32>> -> tensor<?xf32>
  tt.return
}

// -----
// scratch_c2: a strip without a step
tt.func @no_step(%s: !tg.scratch<tensor<64xf32>>) {
  // expected-error @below {{found 1 strip bits and no step, expected a step exactly if bits are fixed}}
  %0 = tg.scratch_get %s strip [5] : !tg.scratch<tensor<64xf32>> -> tensor<32xf32>
  tt.return
}

// -----
// scratch_c2: a step of the whole
tt.func @step(%s: !tg.scratch<tensor<64xf32>>, %i: i32) {
  // expected-error @below {{found 0 strip bits and a step, expected a step exactly if bits are fixed}}
  %0 = tg.scratch_get %s[%i] strip [] : !tg.scratch<tensor<64xf32>> -> tensor<64xf32>
  tt.return
}

// -----
// scratch_c3: a bit that the tile lacks
tt.func @bit(%s: !tg.scratch<tensor<64xf32>>, %i: i32) {
  // expected-error @below {{found the strip bits [6], expected different ones of the 6 of '!tg.scratch<tensor<64xf32>>'}}
  %0 = tg.scratch_get %s[%i] strip [6] : !tg.scratch<tensor<64xf32>> -> tensor<32xf32>
  tt.return
}

// -----
// scratch_c3: a bit twice
tt.func @bit_twice(%s: !tg.scratch<tensor<64xf32>>, %i: i32) {
  // expected-error @below {{found the strip bits [5, 5], expected different ones of the 6}}
  %0 = tg.scratch_get %s[%i] strip [5, 5] : !tg.scratch<tensor<64xf32>> -> tensor<16xf32>
  tt.return
}

// -----
// scratch_c4
// expected-error @below {{found scratch for 'tensor<?x4xf32>', expected a tile of a power of two of elements}}
tt.func private @tile(!tg.scratch<tensor<?x4xf32>>)

// -----
// expected-error @below {{found a layout of size 12, expected powers of two up to 2^30 in all}}
tt.func private @shape(tensor<12xf32, #tg.layout<12, register = [1]>>)

// -----
// expected-error @below {{found a layout of size 4611686018427387904, expected powers of two up to 2^30 in all}}
tt.func private @overflow(tensor<4xf32, #tg.layout<4x4611686018427387904, register = [1]>>)

// -----
// expected-error @below {{found the image 8 outside a tile of 8 elements}}
tt.func private @image(tensor<8xf32, #tg.layout<8, register = [8]>>)

// -----
// expected-error @below {{found the index 'thread' of 1 bits, expected register, lane, warp, block, step or offset of at most 20}}
tt.func private @index(tensor<8xf32, #tg.layout<8, thread = [1]>>)

// -----
// expected-error @below {{found the index 'lane' twice}}
tt.func private @index_twice(tensor<8xf32, #tg.layout<8, lane = [1], lane = [2]>>)
