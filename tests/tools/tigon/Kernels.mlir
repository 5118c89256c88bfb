// Of several kernels the one that is named is compiled, with what it calls: other kernels too.
// RUN: tigon compile %s --kernel=outer --target=sm_90 | FileCheck %s --check-prefix=OUTER
// RUN: tigon run %s --kernel=outer --arg arg0=zeros:f32[1] --compare=interpreter | FileCheck %s --check-prefix=RAN
// RUN: tigon compile %s --kernel=other --target=sm_90 | FileCheck %s --check-prefix=OTHER

// OUTER-NOT: .entry
// OUTER: .entry outer
// OUTER-NOT: .entry
// RAN: outer: 1 x 1 x 1 programs on cpu took
// OTHER-NOT: .entry
// OTHER: .entry other
// OTHER-NOT: .entry
tt.func public @outer(%x: !tt.ptr<f32>) {
  tt.call @inner(%x) : (!tt.ptr<f32>) -> ()
  tt.return
}
tt.func public @inner(%x: !tt.ptr<f32>) {
  %v = tt.load %x : !tt.ptr<f32>
  %w = arith.addf %v, %v : f32
  tt.store %x, %w : !tt.ptr<f32>
  tt.return
}
tt.func public @other(%x: !tt.ptr<f32>) {
  tt.return
}
