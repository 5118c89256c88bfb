// RUN: tigon-opt %s -split-input-file -verify-diagnostics
// TTGIR is refused with a sentence that says what to give instead, however the text begins.

// expected-error @below {{found a layout attribute of 'ttg', which is TTGIR (Triton's form after layouts are assigned); expected TTIR: give the `.ttir` file of the same kernel, from the same folder of Triton's cache}}
#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
}

// -----
// A layout on an op of another dialect.
tt.func @encoding() {
  // expected-error @below {{found a layout attribute of 'ttg', which is TTGIR}}
  %0 = arith.constant dense<0.0> : tensor<8xf32, #ttg.slice<{dim = 0, parent = #blocked}>>
  tt.return
}

// -----
tt.func @op(%x: tensor<8xf32>) {
  // expected-error @below {{found an op of 'ttg', which is TTGIR}}
  %0 = ttg.convert_layout %x : tensor<8xf32> -> tensor<8xf32>
  tt.return
}

// -----
// expected-error @below {{found a type of 'ttg', which is TTGIR}}
tt.func private @type(!ttg.memdesc<128x64xf16, #shared, #smem>)

// -----
tt.func @hopper_op(%x: i32) {
  // expected-error @below {{found an op of 'ttng', which is TTGIR}}
  ttng.fence_async_shared {bCluster = false}
  tt.return
}

// -----
// expected-error @below {{found an attribute of 'ttng', which is TTGIR}}
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, unpacked = true>

// -----
tt.func @warp_group() {
  // expected-error @below {{found an op of 'nvws', which is TTGIR}}
  nvws.aref.create
  tt.return
}

// -----
// expected-error @below {{found an attribute of 'gluon', which is TTGIR}}
#auto = #gluon.auto_encoding

// -----
// expected-error @below {{found an attribute of 'triton_gpu', which is TTGIR}}
#blocked = #triton_gpu.blocked<{sizePerThread = [1]}>

// -----
tt.func @hopper_op_of_3_2() {
  // expected-error @below {{found an op of 'triton_nvidia_gpu', which is TTGIR}}
  triton_nvidia_gpu.fence_async_shared
  tt.return
}
