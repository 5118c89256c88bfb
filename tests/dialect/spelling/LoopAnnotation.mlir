// RUN: tigon-opt %s | FileCheck %s
// Triton 3.5 to 3.9: disable_licm, by aliases ahead of the module.

// CHECK: #[[LICM:.*]] = #llvm.loop_licm<disable = true, versioningDisable = true>
#loop_licm = #llvm.loop_licm<disable = true, versioningDisable = true>
// CHECK: #[[ANNOTATION:.*]] = #llvm.loop_annotation<licm = #[[LICM]]>
#loop_annotation = #llvm.loop_annotation<licm = #loop_licm>
module {
  tt.func public @loop(%n: i32) {
    // CHECK: scf.for
    scf.for %i = %n to %n step %n  : i32 {
    // CHECK: } {llvm.loop_annotation = #[[ANNOTATION]], tt.num_stages = 2 : i32}
    } {llvm.loop_annotation = #loop_annotation, tt.num_stages = 2 : i32}
    // CHECK: scf.while
    scf.while : () -> () {
      %t = arith.constant true
      scf.condition(%t)
    } do {
      scf.yield
    // CHECK: } attributes {llvm.loop_annotation = #[[ANNOTATION]]}
    } attributes {llvm.loop_annotation = #loop_annotation}
    tt.return
  }
}
