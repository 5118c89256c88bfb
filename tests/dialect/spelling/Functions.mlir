// RUN: tigon-opt %s | FileCheck %s
// Triton 3.2 to 3.9: kernels, device functions, and the promises of arguments.

module {
  // CHECK: tt.func public @kernel(%[[A:.*]]: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %[[N:.*]]: i32 {tt.constancy = 2 : i32, tt.contiguity = 4 : i32, tt.pointer_range = 32 : i32}) attributes {noinline = false} {
  tt.func public @kernel(%a: !tt.ptr<f32> {tt.divisibility = 16 : i32},
                         %n: i32 {tt.contiguity = 4 : i32, tt.constancy = 2 : i32, tt.pointer_range = 32 : i32}) attributes {noinline = false} {
    // CHECK-NEXT: %[[X:.*]] = tt.load %[[A]]
    %x = tt.load %a : !tt.ptr<f32>
    // CHECK-NEXT: %[[R:.*]]:2 = tt.call @pair(%[[X]], %[[N]]) : (f32, i32) -> (i32, f32)
    %r:2 = tt.call @pair(%x, %n) : (f32, i32) -> (i32, f32)
    // CHECK-NEXT: tt.call @"ni__fp32__(1,)cconstexpr_3_d_0_, x"(%[[R]]#1) : (f32) -> ()
    tt.call @"ni__fp32__(1,)cconstexpr_3_d_0_, x"(%r#1) : (f32) -> ()
    // CHECK-NEXT: tt.call @__main__._ni__fp32_c3.0() : () -> ()
    tt.call @__main__._ni__fp32_c3.0() : () -> ()
    tt.return
  }
  // CHECK: tt.func private @pair(%[[X:.*]]: f32, %[[N:.*]]: i32) -> (i32, f32) attributes {noinline = true} {
  tt.func private @pair(%x: f32, %n: i32) -> (i32, f32) attributes {noinline = true} {
    // CHECK-NEXT: tt.return %[[N]], %[[X]] : i32, f32
    tt.return %n, %x : i32, f32
  }
  // CHECK: tt.func private @"ni__fp32__(1,)cconstexpr_3_d_0_, x"(%{{.*}}: f32) attributes {noinline = true}
  tt.func private @"ni__fp32__(1,)cconstexpr_3_d_0_, x"(%x: f32) attributes {noinline = true} {
    tt.return
  }
  // CHECK: tt.func private @__main__._ni__fp32_c3.0() attributes {noinline = true}
  tt.func private @__main__._ni__fp32_c3.0() attributes {noinline = true} {
    tt.return
  }
}
