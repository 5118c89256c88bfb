// RUN: tigon-opt %s -tigon-lower-to-llvm -tigon-verify-lowered | FileCheck %s
// Structured control flow becomes branches, arithmetic LLVM's; what is LLVM's already stays.

// CHECK-LABEL: llvm.func @sum(
// CHECK-SAME: %[[X:.*]]: !llvm.ptr<1>, %[[N:.*]]: i32)
llvm.func @sum(%x: !llvm.ptr<1>, %n: i32) -> f32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %start = ub.poison : f32
  // CHECK: llvm.br ^[[HEAD:.*]](%{{.*}}, %{{.*}} : i32, f32)
  // CHECK: ^[[HEAD]](%[[I:.*]]: i32, %[[ACC:.*]]: f32):
  // CHECK-NEXT: %[[MORE:.*]] = llvm.icmp "slt" %[[I]], %[[N]]
  // CHECK-NEXT: llvm.cond_br %[[MORE]]
  %total = scf.for %i = %zero to %n step %one iter_args(%acc = %start) -> (f32) : i32 {
    // CHECK: %[[P:.*]] = llvm.getelementptr %[[X]][%[[I]]]
    %p = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
    %v = llvm.load %p : !llvm.ptr<1> -> f32
    // CHECK: llvm.intr.fma
    %w = math.fma %v, %v, %acc : f32
    // CHECK: llvm.fadd %{{.*}}, %{{.*}} {fastmathFlags = #llvm.fastmath<contract>} : f32
    %u = arith.addf %w, %v fastmath<contract> : f32
    scf.yield %u : f32
  }
  // CHECK: llvm.return %[[ACC]] : f32
  llvm.return %total : f32
}

// CHECK-LABEL: llvm.func @vectors(
llvm.func @vectors(%v: vector<8xf32>, %c: i1) -> vector<8xf32> {
  // CHECK: llvm.mlir.constant(dense<1.000000e+00> : vector<8xf32>)
  %ones = arith.constant dense<1.0> : vector<8xf32>
  // CHECK: llvm.fadd {{.*}} : vector<8xf32>
  %0 = arith.addf %v, %ones : vector<8xf32>
  // CHECK: llvm.intr.maxnum
  %1 = arith.maxnumf %0, %v : vector<8xf32>
  // CHECK: llvm.intr.sqrt
  %2 = math.sqrt %1 : vector<8xf32>
  // CHECK: llvm.cond_br
  %3 = scf.if %c -> vector<8xf32> {
    scf.yield %2 : vector<8xf32>
  } else {
    scf.yield %v : vector<8xf32>
  }
  llvm.return %3 : vector<8xf32>
}

// CHECK-LABEL: llvm.func @branches(
llvm.func @branches(%c: i1) {
  // CHECK: llvm.cond_br %{{.*}}, ^[[END:.*]], ^[[END]]
  cf.cond_br %c, ^end, ^end
^end:
  llvm.return
}
