// RUN: tigon-opt %s -split-input-file -verify-diagnostics
// Refusals of reductions, scans, gathers and histograms.

// reduce_c1: no operand
tt.func @reduce_nothing() {
  // expected-error @below {{found no operand, expected at least one}}
  "tt.reduce"() <{axis = 0 : i32}> ({
    "tt.reduce.return"() : () -> ()
  }) : () -> ()
  tt.return
}

// -----
// reduce_c1: shapes
tt.func @reduce_shapes(%v: tensor<8xf32>, %w: tensor<4xf32>) {
  // expected-error @below {{found operands 'tensor<8xf32>' and 'tensor<4xf32>', expected one shape}}
  %0:2 = "tt.reduce"(%v, %w) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tt.reduce.return %a, %b : f32, f32
  }) : (tensor<8xf32>, tensor<4xf32>) -> (f32, f32)
  tt.return
}

// -----
// reduce_c2
tt.func @reduce_axis(%v: tensor<8xf32>) {
  // expected-error @below {{found axis 1 of 'tensor<8xf32>', expected less than its rank}}
  %0 = "tt.reduce"(%v) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.reduce.return %a : f32
  }) : (tensor<8xf32>) -> f32
  tt.return
}

// -----
// reduce_c2: rank 0
tt.func @reduce_scalar(%v: tensor<f32>) {
  // expected-error @below {{found axis 0 of 'tensor<f32>', expected less than its rank}}
  %0 = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.reduce.return %a : f32
  }) : (tensor<f32>) -> f32
  tt.return
}

// -----
// reduce_c3: number of block arguments
tt.func @reduce_arguments(%v: tensor<8xf32>) {
  // expected-error @below {{found 1 block arguments, expected 2}}
  %0 = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32):
    tt.reduce.return %a : f32
  }) : (tensor<8xf32>) -> f32
  tt.return
}

// -----
// reduce_c3: types of block arguments
tt.func @reduce_argument_types(%v: tensor<8xf32>, %w: tensor<8xi32>) {
  // expected-error @below {{found block argument #1 of type 'f32', expected 'i32'}}
  %0:2 = "tt.reduce"(%v, %w) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32, %c: i32, %d: i32):
    tt.reduce.return %a, %c : f32, i32
  }) : (tensor<8xf32>, tensor<8xi32>) -> (f32, i32)
  tt.return
}

// -----
// reduce_c3: number of values returned
tt.func @reduce_returns(%v: tensor<8xf32>) {
  // expected-error @below {{found the terminator 'tt.reduce.return' with 2 values, expected 1}}
  %0 = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.reduce.return %a, %b : f32, f32
  }) : (tensor<8xf32>) -> f32
  tt.return
}

// -----
// reduce_c3: types returned
tt.func @reduce_return_types(%v: tensor<8xf32>) {
  // expected-error @below {{found 'i1' returned, expected 'f32'}}
  %0 = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ogt, %a, %b : f32
    tt.reduce.return %c : i1
  }) : (tensor<8xf32>) -> f32
  tt.return
}

// -----
// reduce_c4
tt.func @reduce_result(%v: tensor<4x8xf32>) {
  // expected-error @below {{found results 'tensor<8xf32>', expected 'tensor<4xf32>'}}
  %0 = "tt.reduce"(%v) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.reduce.return %a : f32
  }) : (tensor<4x8xf32>) -> tensor<8xf32>
  tt.return
}

// -----
// reduce_c4: a scalar, no tile of rank 0
tt.func @reduce_to_tile(%v: tensor<8xf32>) {
  // expected-error @below {{found results 'tensor<f32>', expected 'f32'}}
  %0 = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.reduce.return %a : f32
  }) : (tensor<8xf32>) -> tensor<f32>
  tt.return
}

// -----
// scan_c1
tt.func @scan_shapes(%v: tensor<8xf32>, %w: tensor<8x1xf32>) {
  // expected-error @below {{found operands 'tensor<8xf32>' and 'tensor<8x1xf32>', expected one shape}}
  %0:2 = "tt.scan"(%v, %w) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tt.scan.return %a, %b : f32, f32
  }) : (tensor<8xf32>, tensor<8x1xf32>) -> (tensor<8xf32>, tensor<8x1xf32>)
  tt.return
}

// -----
// scan_c2
tt.func @scan_axis(%v: tensor<8xf32>) {
  // expected-error @below {{found axis -1 of 'tensor<8xf32>', expected less than its rank}}
  %0 = "tt.scan"(%v) <{axis = -1 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    tt.scan.return %a : f32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tt.return
}

// -----
// scan_c3
tt.func @scan_arguments(%v: tensor<8xf32>) {
  // expected-error @below {{found block argument #1 of type 'i32', expected 'f32'}}
  %0 = "tt.scan"(%v) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: i32):
    tt.scan.return %a : f32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tt.return
}

// -----
// scan_c4
tt.func @scan_result(%v: tensor<8xf32>) {
  // expected-error @below {{found results 'tensor<8xf16>', expected 'tensor<8xf32>'}}
  %0 = "tt.scan"(%v) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    tt.scan.return %a : f32
  }) : (tensor<8xf32>) -> tensor<8xf16>
  tt.return
}

// -----
// gather_c1
tt.func @gather_ranks(%v: tensor<8xf32>, %i: tensor<8x1xi32>) {
  // expected-error @below {{found ranks 1 and 2, expected equal ranks}}
  %0 = tt.gather %v[%i] {axis = 0 : i32} : (tensor<8xf32>, tensor<8x1xi32>) -> tensor<8x1xf32>
  tt.return
}

// -----
// gather_c2
tt.func @gather_sizes(%v: tensor<8x4xf32>, %i: tensor<8x2xi32>) {
  // expected-error @below {{found sizes 4 and 2 along axis 1, expected equal sizes but along axis 0}}
  %0 = tt.gather %v[%i] {axis = 0 : i32} : (tensor<8x4xf32>, tensor<8x2xi32>) -> tensor<8x2xf32>
  tt.return
}

// -----
// gather_c3
tt.func @gather_axis(%v: tensor<8xf32>, %i: tensor<8xi32>) {
  // expected-error @below {{found axis -1, expected 0 to 0}}
  %0 = tt.gather %v[%i] {axis = -1 : i32} : (tensor<8xf32>, tensor<8xi32>) -> tensor<8xf32>
  tt.return
}

// -----
// gather_c4
tt.func @gather_result(%v: tensor<8xf32>, %i: tensor<4xi32>) {
  // expected-error @below {{found 'tensor<8xf32>', expected shape [4] of 'f32'}}
  %0 = tt.gather %v[%i] {axis = 0 : i32} : (tensor<8xf32>, tensor<4xi32>) -> tensor<8xf32>
  tt.return
}

// -----
// histogram_c1
tt.func @histogram_rank(%v: tensor<8x8xi32>) {
  // expected-error @below {{found 'tensor<8x8xi32>' and 'tensor<16xi32>', expected 1-D tiles}}
  %0 = tt.histogram %v : tensor<8x8xi32> -> tensor<16xi32>
  tt.return
}

// -----
// histogram_c2
tt.func @histogram_mask(%v: tensor<8xi32>, %m: tensor<4xi1>) {
  // expected-error @below {{found a mask 'tensor<4xi1>' for 'tensor<8xi32>'}}
  %0 = "tt.histogram"(%v, %m) : (tensor<8xi32>, tensor<4xi1>) -> tensor<16xi32>
  tt.return
}
