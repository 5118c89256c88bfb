// RUN: tigon-opt %s | FileCheck %s
// Triton 3.5 to 3.7: padding of a descriptor; zero is the default and is not printed.

// CHECK-LABEL: tt.func public @padding
tt.func public @padding(%p: !tt.ptr<f16>, %n: i32, %s: i64) {
  // CHECK-NEXT: tt.make_tensor_descriptor %{{.*}}, [%{{.*}}], [%{{.*}}] {padding = 2 : i32} : <f16>, <tensor<8xf16>>
  %0 = tt.make_tensor_descriptor %p, [%n], [%s] {padding = 2 : i32} : <f16>, <tensor<8xf16>>
  // CHECK-NEXT: tt.make_tensor_descriptor %{{.*}}, [%{{.*}}], [%{{.*}}] : <f16>, <tensor<8xf16>>
  %1 = tt.make_tensor_descriptor %p, [%n], [%s] {padding = 1 : i32} : <f16>, <tensor<8xf16>>
  tt.return
}
