// RUN: tigon-opt %s | FileCheck %s
// Triton 3.2 to 3.9: a file written by hand may carry the module attributes of TTGIR.

// CHECK: module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-NEXT: tt.func public @empty() {
  tt.func public @empty() {
    tt.return
  }
}
