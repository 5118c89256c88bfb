// RUN: tigon-opt %s | FileCheck %s
// Triton 3.7 to 3.9: tl.debug_barrier is an op of ttg, the only one that TTIR holds.

// CHECK-LABEL: tt.func public @barrier
tt.func public @barrier() {
  // CHECK-NEXT: ttg.barrier all
  ttg.barrier all
  // CHECK-NEXT: ttg.barrier local
  ttg.barrier local
  tt.return
}
