// RUN: tigon-opt %s -tigon-strip-mine -canonicalize -cse | FileCheck %s
// The form of a JSD loss with its gradient: elementwise over blocks of columns, the gradient in place. A block is a loop of
// strips whose bound moves with the block, and stops at it, as all stores are masked. (No target: the CPU's strips.)

// CHECK-LABEL: tt.func public @jsd(
// CHECK-SAME: %{{.*}}, %[[N:.*]]: i32)
// CHECK-NOT: tg.scratch_alloc
// CHECK: scf.for %[[K:.*]] = %c0_i32 to %[[N]] step %c4096_i32
// CHECK: %[[LEFT:.*]] = arith.subi
// CHECK-NEXT: arith.maxsi %[[LEFT]], %c0_i64
// CHECK: %[[FULL:.*]] = arith.trunci
// CHECK: %[[END:.*]] = arith.trunci
// CHECK-NEXT: scf.for %{{.*}} = %c0_i32 to %[[FULL]]
// CHECK-NOT: arith.cmpi
// CHECK-COUNT-2: tt.load %{{[0-9]+}} :
// CHECK-COUNT-2: tt.store %{{[0-9]+}}, %{{[0-9]+}} :
// CHECK-NEXT: } {tg.strip}
// CHECK-NEXT: scf.for %{{.*}} = %[[FULL]] to %[[END]]
// CHECK: %[[MASK:.*]] = arith.cmpi slt
// CHECK-COUNT-2: tt.load %{{[0-9]+}}, %[[MASK]], %{{.*}} :
// CHECK-COUNT-2: tt.store %{{[0-9]+}}, %{{[0-9]+}}, %[[MASK]] :
// CHECK-NEXT: } {tg.strip, tg.strip_rest}
// CHECK-NEXT: }
// CHECK-NEXT: tt.return
tt.func public @jsd(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %loss: !tt.ptr<f32>, %n: i32) attributes {tg.plan = #tg.plan<strip = 1024>} {
  %zero = arith.constant 0 : i32
  %block = arith.constant 4096 : i32
  %i = tt.make_range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32>
  %ns = tt.splat %n : i32 -> tensor<4096xi32>
  %halves = arith.constant dense<0.5> : tensor<4096xf32>
  %low = arith.constant dense<0xFF800000> : tensor<4096xf32>
  scf.for %k = %zero to %n step %block : i32 {
    %ks = tt.splat %k : i32 -> tensor<4096xi32>
    %columns = arith.addi %ks, %i : tensor<4096xi32>
    %mask = arith.cmpi slt, %columns, %ns : tensor<4096xi32>
    %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
    %px = tt.addptr %xs, %columns : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
    %q = tt.load %px, %mask, %low : tensor<4096x!tt.ptr<f32>>
    %ys = tt.splat %y : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
    %py = tt.addptr %ys, %columns : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
    %p = tt.load %py, %mask, %low : tensor<4096x!tt.ptr<f32>>
    %eq = math.exp %q : tensor<4096xf32>
    %ep = math.exp %p : tensor<4096xf32>
    %sum = arith.addf %eq, %ep : tensor<4096xf32>
    %m = arith.mulf %halves, %sum : tensor<4096xf32>
    %log = math.log %m : tensor<4096xf32>
    %diff = arith.subf %q, %log : tensor<4096xf32>
    %l = arith.mulf %eq, %diff : tensor<4096xf32>
    %ls = tt.splat %loss : !tt.ptr<f32> -> tensor<4096x!tt.ptr<f32>>
    %pl = tt.addptr %ls, %columns : tensor<4096x!tt.ptr<f32>>, tensor<4096xi32>
    tt.store %pl, %l, %mask : tensor<4096x!tt.ptr<f32>>
    tt.store %px, %diff, %mask : tensor<4096x!tt.ptr<f32>>
  }
  tt.return
}
