// RUN: tigon-opt %s -split-input-file -verify-diagnostics -tigon-verify-layout
// The border of the layout phase: a layout for every tile, a place for every byte.

module attributes {tg.target = "sm_90"} {
tt.func public @without(%v: f32) {
  // expected-error @+1 {{found 'tensor<32xf32>' without a layout}}
  %0 = tt.splat %v : f32 -> tensor<32xf32>
  tt.return
}
}

// -----

#lanes = #tg.layout<64, register = [32], lane = [1, 2, 4, 8, 16]>
#pairs = #tg.layout<64, register = [1], lane = [2, 4, 8, 16, 32]>
module attributes {tg.target = "sm_90"} {
tt.func public @mixed(%v: tensor<64xf32, #lanes>) {
  // expected-error @+1 {{found tiles in different layouts, expected one}}
  %0 = tt.extern_elementwise %v {libname = "", libpath = "", pure = true, symbol = "__nv_float_as_int"} : (tensor<64xf32, #lanes>) -> tensor<64xi32, #pairs>
  tt.return
}
}

// -----

#row = #tg.layout<64, register = [], lane = [1, 2, 4, 8, 16], warp = [32]>
module attributes {tg.target = "sm_90"} {
tt.func public @nowhere(%v: tensor<64xf32, #row>) attributes {tg.plan = #tg.plan<warps = 2>} {
  // expected-error @+1 {{found 'tt.reduce' without a place in local memory}}
  %0 = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<64xf32, #row>) -> f32
  tt.return
}
}
