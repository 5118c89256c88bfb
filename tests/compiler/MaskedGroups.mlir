// A CPU without masks for 16-bit elements tests eight registers at a time, and visits lanes in a function of its own: the
// kernel keeps few branches, with which LLVM's time grows.
// RUN: tigon compile %s --target=cpu:x86-64-v3 --emit=lowered --strips=off | FileCheck %s
// RUN: tigon compile %s --target=cpu:x86-64-v4 --emit=lowered --strips=off | FileCheck %s --check-prefix=NATIVE

// CHECK-LABEL: llvm.func @copy
// CHECK: llvm.icmp "eq" {{.*}} : i8
// CHECK: llvm.cond_br
// CHECK-COUNT-8: llvm.load {{.*}} -> vector<8xi16>
// CHECK-NOT: llvm.load
// CHECK: llvm.br
// CHECK-COUNT-8: llvm.call @tigon.load.neighbours.i16
// CHECK: llvm.cond_br
// CHECK-COUNT-8: llvm.load {{.*}} -> vector<8xi16>
// CHECK: llvm.cond_br
// CHECK-COUNT-8: llvm.store {{.*}} : vector<8xi16>
// CHECK: llvm.br
// CHECK-COUNT-8: llvm.call @tigon.store.neighbours.i16
// CHECK-LABEL: llvm.func internal @tigon.load.neighbours.i16
// CHECK-SAME: passthrough = ["cold", "noinline", "nounwind"]
// CHECK-LABEL: llvm.func internal @tigon.store.neighbours.i16

// NATIVE: llvm.intr.masked.load
// NATIVE-NOT: llvm.call

tt.func public @copy(%x: !tt.ptr<bf16>, %y: !tt.ptr<bf16>, %n: i32) {
  %i = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %limit = tt.splat %n : i32 -> tensor<128xi32>
  %mask = arith.cmpi slt, %i, %limit : tensor<128xi32>
  %xs = tt.splat %x : !tt.ptr<bf16> -> tensor<128x!tt.ptr<bf16>>
  %xp = tt.addptr %xs, %i : tensor<128x!tt.ptr<bf16>>, tensor<128xi32>
  %v = tt.load %xp, %mask : tensor<128x!tt.ptr<bf16>>
  %ys = tt.splat %y : !tt.ptr<bf16> -> tensor<128x!tt.ptr<bf16>>
  %yp = tt.addptr %ys, %i : tensor<128x!tt.ptr<bf16>>, tensor<128xi32>
  tt.store %yp, %v, %mask : tensor<128x!tt.ptr<bf16>>
  tt.return
}
