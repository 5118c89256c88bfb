// RUN: tigon-opt %s --mlir-print-debuginfo --mlir-use-nameloc-as-prefix -o %t
// RUN: FileCheck %s < %t
// RUN: tigon-opt %t --mlir-print-debuginfo --mlir-use-nameloc-as-prefix | diff %t -
// RUN: tigon-opt %s --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=LOCAL
// Triton 3.5 to 3.9: SSA names live in name locations, dotted ones too; tables of locations may
// stand ahead of the module and behind it.

#loc = loc("kernel.py":12:0)
#loc1 = loc("x_ptr"(#loc))
module {
  // CHECK: tt.func public @named(%x_ptr: !tt.ptr<f32> loc("x_ptr"(#loc)), %ts.p: i32 loc("ts.p"(#loc)))
  tt.func public @named(%x_ptr: !tt.ptr<f32> loc(#loc1), %ts.p: i32 loc("ts.p"(#loc))) {
    // CHECK-NEXT: %pid = tt.get_program_id x : i32 loc(#[[PID:.*]])
    // LOCAL: tt.get_program_id x : i32 loc("pid"("kernel.py":13:8))
    %pid = tt.get_program_id x : i32 loc(#loc3)
    // CHECK-NEXT: %pid_0 = arith.addi %pid, %ts.p : i32 loc(#[[PID]])
    %pid_0 = arith.addi %pid, %ts.p : i32 loc(#loc3)
    // CHECK-NEXT: %0 = arith.addi
    // LOCAL: arith.addi {{.*}} loc(callsite("kernel.py":13:8 at "kernel.py":12:0))
    %0 = arith.addi %pid, %pid_0 : i32 loc(#loc4)
    // CHECK-NEXT: %both = arith.muli
    // LOCAL: arith.muli {{.*}} loc("both"(fused["kernel.py":13:8, "kernel.py":12:0]))
    %both = arith.muli %0, %0 : i32 loc(#loc5)
    // CHECK-NEXT: %1 = arith.subi
    // LOCAL: arith.subi {{.*}} loc(unknown)
    %1 = arith.subi %both, %both : i32 loc(unknown)
    // CHECK-NEXT: %alone = arith.xori
    // LOCAL: arith.xori {{.*}} loc("alone")
    %alone = arith.xori %1, %1 : i32 loc("alone")
    // LOCAL: tt.return loc(callsite("f"("kernel.py":13:8) at callsite("pid"("kernel.py":13:8) at "kernel.py":12:0)))
    tt.return loc(#loc7)
  } loc(#loc)
} loc(#loc)
#loc2 = loc("kernel.py":13:8)
#loc3 = loc("pid"(#loc2))
#loc4 = loc(callsite(#loc2 at #loc))
#loc5 = loc("both"(fused[#loc2, #loc]))
#loc6 = loc(callsite(#loc3 at #loc))
#loc7 = loc(callsite("f"(#loc2) at #loc6))
