// RUN: tigon-opt %s | FileCheck %s
// Triton 3.2 to 3.6: tl.debug_barrier.

// CHECK-LABEL: tt.func public @barrier
tt.func public @barrier() {
  // CHECK-NEXT: gpu.barrier
  gpu.barrier
  tt.return
}
