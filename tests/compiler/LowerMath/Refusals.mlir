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

tt.func public @eight_bits(%x: tensor<4xf8E5M2>) -> tensor<4xf32> {
  // expected-error @+1 {{found a conversion from 'f8E5M2' to 'f32'; conversions of 8-bit floats are not compiled}}
  %0 = tt.fp_to_fp %x : tensor<4xf8E5M2> -> tensor<4xf32>
  tt.return %0 : tensor<4xf32>
}
