// RUN: tigon-opt %s -split-input-file -verify-diagnostics -tigon-verify-tile
// The border of the tile phase refuses what the layout phase does not expect.

tt.func public @calls(%v: f32) -> f32 attributes {tg.plan = #tg.plan<warps = 4>} {
  // expected-error @+1 {{found a call after inlining}}
  %0 = tt.call @same(%v) : (f32) -> f32
  tt.return %0 : f32
}
tt.func private @same(%v: f32) -> f32 {
  tt.return %v : f32
}

// -----

// expected-error @+1 {{found branches between blocks after lifting}}
tt.func public @branches(%c: i1) attributes {tg.plan = #tg.plan<warps = 4>} {
  cf.br ^end
^end:
  tt.return
}

// -----

tt.func public @layouts(%v: f32) {
  // expected-error @+1 {{found a layout before layouts are assigned: 'tensor<32xf32, #tg.layout<32, register = [], lane = [1, 2, 4, 8, 16], warp = []>>'}}
  %0 = tt.splat %v : f32 -> tensor<32xf32, #tg.layout<32, lane = [1, 2, 4, 8, 16]>>
  tt.return
}

// -----

module attributes {tg.target = "sm_90"} {
  tt.func public @large(%v: f32) attributes {tg.plan = #tg.plan<strip = 1024>} {
    // expected-error @+1 {{found 'tt.splat' of 'tensor<32768xf32>', which cannot be done strip by strip; expected at most 16384 elements}}
    %0 = tt.splat %v : f32 -> tensor<32768xf32>
    tt.return
  }
}

// -----

module attributes {tg.target = "cpu:x86-64-v3"} {
  tt.func public @large_without_strips(%v: f32) attributes {tg.plan = #tg.plan<strip = 32>, tg.strips = "off"} {
    // expected-error @+1 {{found 'tt.splat' of 'tensor<4096xf32>', which is too large without strips; expected at most 2048 elements}}
    %0 = tt.splat %v : f32 -> tensor<4096xf32>
    tt.return
  }
}
