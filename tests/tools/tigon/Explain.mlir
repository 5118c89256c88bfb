// --explain prints the passes in order, then the plan; --timing what each phase took.
// RUN: tigon compile %S/../kernels/row-sum.ttir --target=sm_90 --plan=warps=2 --explain --timing 2>&1 | FileCheck %s
// RUN: tigon compile %S/../kernels/row-sum.ttir --target=cpu --explain --emit=tile | FileCheck %s --check-prefix=CPU
// RUN: tigon compile %S/../kernels/row-sum.ttir --target=interpreter --explain | FileCheck %s --check-prefix=NONE

// CHECK-DAG: {{[0-9.]+}} ms  passes
// CHECK-DAG: tile     tigon-plan-tiles {{.*}}once tiles are what they will be
// CHECK-DAG: layout   tigon-place-barriers
// CHECK: row_sum for sm_90: 64 threads
// CHECK: plan: {{.*}} registers a thread
// CPU: tile     tigon-strip-mine
// CPU-NOT: tigon-place-barriers
// CPU: row_sum for cpu:{{.*}}: 1 threads
// NONE: no pass: the interpreter runs what was written
