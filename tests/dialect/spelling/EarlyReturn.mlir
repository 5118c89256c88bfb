// RUN: tigon-opt %s | FileCheck %s
// Triton 3.2 to 3.9: a return inside a top-level if is a branch; both edges may reach one block.

// CHECK-LABEL: tt.func public @early
tt.func public @early(%p: !tt.ptr<f32>, %a: f32, %b: f32, %c: i1) {
  // CHECK-NEXT: cf.cond_br %{{.*}}, ^bb1(%{{.*}} : f32), ^bb1(%{{.*}} : f32)
  cf.cond_br %c, ^bb1(%a : f32), ^bb1(%b : f32)
// CHECK-NEXT: ^bb1(%[[X:.*]]: f32):
^bb1(%x: f32):
  // CHECK-NEXT: cf.cond_br %{{.*}}, ^bb2, ^bb3
  cf.cond_br %c, ^bb2, ^bb3
^bb2:
  tt.return
^bb3:
  // CHECK: tt.store %{{.*}}, %[[X]] : !tt.ptr<f32>
  tt.store %p, %x : !tt.ptr<f32>
  tt.return
}
