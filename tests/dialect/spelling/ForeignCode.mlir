// RUN: tigon-opt %s | FileCheck %s
// Triton 3.2 to 3.9: device-library functions and inline assembly.

// CHECK-LABEL: tt.func public @foreign
tt.func public @foreign(%f: tensor<8xf32>, %b: tensor<8xi8>, %i: i32) {
  // CHECK-NEXT: tt.extern_elementwise %{{.*}} {libname = "", libpath = "", pure = true, symbol = "__nv_log1pf"} : (tensor<8xf32>) -> tensor<8xf32>
  %0 = tt.extern_elementwise %f {libname = "", libpath = "", pure = true, symbol = "__nv_log1pf"} : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK-NEXT: tt.extern_elementwise %{{.*}}, %{{.*}} {libname = "", libpath = "", pure = false, symbol = "__nv_powf"} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = tt.extern_elementwise %f, %f {libname = "", libpath = "", pure = false, symbol = "__nv_powf"} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  // CHECK-NEXT: tt.elementwise_inline_asm "shl.b32 $0, $1, 3;" {constraints = "=r,r", packed_element = 4 : i32, pure = true} %{{.*}} : tensor<8xi8> -> tensor<8xi8>
  %2 = tt.elementwise_inline_asm "shl.b32 $0, $1, 3;" {constraints = "=r,r", packed_element = 4 : i32, pure = true} %b : tensor<8xi8> -> tensor<8xi8>
  // CHECK-NEXT: %{{.*}}:2 = tt.elementwise_inline_asm "mov.u32 \22$0\22, $2;\0Amov.u32 $1, $2;" {constraints = "=r,=r,r", packed_element = 1 : i32, pure = true} %{{.*}} : tensor<8xf32> -> tensor<8xi32>, tensor<8xi32>
  %3:2 = tt.elementwise_inline_asm "mov.u32 \22$0\22, $2;\0Amov.u32 $1, $2;" {constraints = "=r,=r,r", packed_element = 1 : i32, pure = true} %f : tensor<8xf32> -> tensor<8xi32>, tensor<8xi32>
  // CHECK-NEXT: tt.elementwise_inline_asm "mov.u64 $0, %globaltimer;" {constraints = "=l", packed_element = 1 : i32, pure = false} -> i64
  %4 = tt.elementwise_inline_asm "mov.u64 $0, %globaltimer;" {constraints = "=l", packed_element = 1 : i32, pure = false} -> i64
  // CHECK-NEXT: tt.elementwise_inline_asm "add.u32 $0, $1, $2;" {constraints = "=r,r,r", packed_element = 1 : i32, pure = true} %{{.*}}, %{{.*}} : i32, i32 -> i32
  %5 = tt.elementwise_inline_asm "add.u32 $0, $1, $2;" {constraints = "=r,r,r", packed_element = 1 : i32, pure = true} %i, %i : i32, i32 -> i32
  tt.return
}
