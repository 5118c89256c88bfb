// RUN: tigon-opt %s | FileCheck %s
// Triton 3.9: dependent launches.

// CHECK-LABEL: tt.func public @dependent
tt.func public @dependent() {
  // CHECK-NEXT: tt.grid_dependency_wait
  tt.grid_dependency_wait
  // CHECK-NEXT: tt.grid_dependency_launch_dependents
  tt.grid_dependency_launch_dependents
  tt.return
}
