// RUN: tigon-opt %s -canonicalize | FileCheck %s
// Folds of casts and products.

// CHECK-LABEL: tt.func public @casts(
// CHECK-SAME: %[[V:.*]]: tensor<8xf32>, %[[P:.*]]: !tt.ptr<f32>, %[[N:.*]]: i64)
tt.func public @casts(%v: tensor<8xf32>, %p: !tt.ptr<f32>, %n: i64) -> (tensor<8xf32>, tensor<8xf32>, !tt.ptr<f32>, i64) {
  %0 = tt.bitcast %v : tensor<8xf32> -> tensor<8xi32>
  %1 = tt.bitcast %0 : tensor<8xi32> -> tensor<8xf32>
  %2 = tt.fp_to_fp %v : tensor<8xf32> -> tensor<8xf32>
  %3 = tt.ptr_to_int %p : !tt.ptr<f32> -> i64
  %4 = tt.int_to_ptr %3 : i64 -> !tt.ptr<f32>
  %5 = tt.int_to_ptr %n : i64 -> !tt.ptr<f32>
  %6 = tt.ptr_to_int %5 : !tt.ptr<f32> -> i64
  // CHECK-NEXT: tt.return %[[V]], %[[V]], %[[P]], %[[N]]
  tt.return %1, %2, %4, %6 : tensor<8xf32>, tensor<8xf32>, !tt.ptr<f32>, i64
}

// CHECK-LABEL: tt.func public @casts_that_stay(
// CHECK-SAME: %[[P:.*]]: !tt.ptr<f32>, %[[H:.*]]: f16)
tt.func public @casts_that_stay(%p: !tt.ptr<f32>, %h: f16) -> (!tt.ptr<i8>, !tt.ptr<i32>, f16) {
  // CHECK-NEXT: %[[B:.*]] = tt.bitcast %[[P]] : !tt.ptr<f32> -> !tt.ptr<i8>
  %0 = tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<i16>
  %1 = tt.bitcast %0 : !tt.ptr<i16> -> !tt.ptr<i8>
  // CHECK-NEXT: %[[I:.*]] = tt.ptr_to_int %[[P]]
  // CHECK-NEXT: %[[Q:.*]] = tt.int_to_ptr %[[I]] : i64 -> !tt.ptr<i32>
  %2 = tt.ptr_to_int %p : !tt.ptr<f32> -> i64
  %3 = tt.int_to_ptr %2 : i64 -> !tt.ptr<i32>
  // A conversion there and back rounds.
  // CHECK-NEXT: %[[D:.*]] = tt.fp_to_fp %[[H]], rounding = rtne : f16 -> f8E5M2
  // CHECK-NEXT: %[[U:.*]] = tt.fp_to_fp %[[D]] : f8E5M2 -> f16
  %4 = tt.fp_to_fp %h, rounding = rtne : f16 -> f8E5M2
  %5 = tt.fp_to_fp %4 : f8E5M2 -> f16
  // CHECK-NEXT: tt.return %[[B]], %[[Q]], %[[U]]
  tt.return %1, %3, %5 : !tt.ptr<i8>, !tt.ptr<i32>, f16
}

// CHECK-LABEL: tt.func public @products(
tt.func public @products(%v: tensor<8xi32>, %n: i64) -> (tensor<8xi32>, i64, i64) {
  // CHECK-DAG: %[[ZEROS:.*]] = arith.constant dense<0> : tensor<8xi32>
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0 : i64
  // CHECK-DAG: %[[TWO:.*]] = arith.constant 2 : i64
  %zeros = arith.constant dense<0> : tensor<8xi32>
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %0 = tt.mulhiui %v, %zeros : tensor<8xi32>
  %1 = tt.mulhiui %one, %n : i64
  // CHECK: %[[P:.*]] = tt.mulhiui %{{.*}}, %[[TWO]] : i64
  %2 = tt.mulhiui %n, %two : i64
  // CHECK-NEXT: tt.return %[[ZEROS]], %[[ZERO]], %[[P]]
  tt.return %0, %1, %2 : tensor<8xi32>, i64, i64
}

// Code without effects goes if nobody wants its result; foreign code only if it is marked pure.
// CHECK-LABEL: tt.func public @unused(
tt.func public @unused(%v: tensor<8xf32>, %p: !tt.ptr<f32>) {
  %0 = tt.extern_elementwise %v {libname = "", libpath = "", pure = true, symbol = "f"} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = tt.load %p : !tt.ptr<f32>
  // CHECK-NEXT: tt.extern_elementwise %{{.*}} {libname = "", libpath = "", pure = false, symbol = "g"}
  %2 = tt.extern_elementwise %v {libname = "", libpath = "", pure = false, symbol = "g"} : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK-NEXT: tt.load %{{.*}} {isVolatile = true}
  %3 = tt.load %p {isVolatile = true} : !tt.ptr<f32>
  // CHECK-NEXT: tt.return
  tt.return
}
