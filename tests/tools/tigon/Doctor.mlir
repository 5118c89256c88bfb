// The doctor finds the CPU, and says why there is no GPU if there is none.
// RUN: tigon doctor | FileCheck %s

// CHECK: tigon, with LLVM 22.
// CHECK: cpu: {{.*}}, target cpu:{{.*}} threads
// CHECK-NEXT: features:
// CHECK-NEXT: a kernel compiles, runs and is right
// CHECK: cuda{{(: none|:0: )}}
// CHECK: interpreter: works
