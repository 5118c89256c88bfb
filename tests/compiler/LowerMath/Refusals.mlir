// RUN: tigon-opt %s -split-input-file -verify-diagnostics -tigon-lower-math
// What is not known is refused by name.

tt.func public @misspelt(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error-re @+1 {{{{found a call of '__nv_erff2' on .*, expected a function of NVIDIA's device library that is known, on its own types \(docs/math.md\); did you mean '__nv_erf}}}}
  %0 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_erff2"} : (tensor<4xf32>) -> tensor<4xf32>
  tt.return %0 : tensor<4xf32>
}

// -----

tt.func public @of_another_type(%x: tensor<4xi32>) -> tensor<4xf32> {
  // expected-error-re @+1 {{{{found a call of '__nv_expf' on .*, expected a function of NVIDIA's device library that is known, on its own types \(docs/math.md\)$}}}}
  %0 = tt.extern_elementwise %x {libname = "", libpath = "", pure = true, symbol = "__nv_expf"} : (tensor<4xi32>) -> tensor<4xf32>
  tt.return %0 : tensor<4xf32>
}

// -----

tt.func public @rounding(%x: tensor<4xf32>) -> tensor<4xf8E5M2> {
  // expected-error @+1 {{found rounding 'upward', expected to_nearest_even or toward_zero}}
  %0 = arith.truncf %x upward : tensor<4xf32> to tensor<4xf8E5M2>
  tt.return %0 : tensor<4xf8E5M2>
}
