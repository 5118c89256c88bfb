// RUN: sed s/TARGET/sm_90/ %s | tigon-opt -tigon-widen-reductions | FileCheck %s --check-prefixes=CHECK,GPU
// RUN: sed s/TARGET/cpu:x86-64-v3/ %s | tigon-opt -tigon-widen-reductions | FileCheck %s --check-prefixes=CHECK,CPU
// A sum of narrow floats is kept in f32 and rounded once. A maximum rounds nothing, so it is widened only where there is no
// narrow arithmetic.

module attributes {tg.target = "TARGET"} {
// CHECK-LABEL: tt.func public @sum(
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %{{.*}} : tensor<128xbf16> to tensor<128xf32>
// CHECK-NEXT: %[[SUM:.*]] = "tt.reduce"(%[[WIDE]])
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32):
// CHECK-NEXT: arith.addf %{{.*}}, %{{.*}} : f32
// CHECK: arith.truncf %[[SUM]] : f32 to bf16
tt.func public @sum(%v: tensor<128xbf16>) -> bf16 {
  %0 = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: bf16, %b: bf16):
    %s = arith.addf %a, %b : bf16
    tt.reduce.return %s : bf16
  }) : (tensor<128xbf16>) -> bf16
  tt.return %0 : bf16
}

// CHECK-LABEL: tt.func public @maximum(
// GPU-NEXT: "tt.reduce"(%{{.*}})
// GPU-NEXT: ^bb0(%{{.*}}: bf16, %{{.*}}: bf16):
// CPU-NEXT: arith.extf
// CPU-NEXT: "tt.reduce"
// CPU-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32):
tt.func public @maximum(%v: tensor<128xbf16>) -> bf16 {
  %0 = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: bf16, %b: bf16):
    %s = arith.maxnumf %a, %b : bf16
    tt.reduce.return %s : bf16
  }) : (tensor<128xbf16>) -> bf16
  tt.return %0 : bf16
}

// f32 is wide enough.
// CHECK-LABEL: tt.func public @of_f32(
// CHECK-NOT: arith.extf
// CHECK: tt.return
tt.func public @of_f32(%v: tensor<128xf32>) -> f32 {
  %0 = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<128xf32>) -> f32
  tt.return %0 : f32
}
}
