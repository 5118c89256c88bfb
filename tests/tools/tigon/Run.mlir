// A kernel runs on the CPU and on the interpreter, on values of all kinds, and is compared.
// RUN: split-file %s %t && cd %t
// RUN: tigon run scale.ttir --grid=4 --arg x=randn:f32[4,64]:7 --arg y=zeros:f32[4,64] --arg a=0.5 --arg n=64 \
// RUN:   --compare=interpreter --out y=y.npy --out x=x.safetensors | FileCheck %s --check-prefix=CPU --match-full-lines
// RUN: not tigon run scale.ttir --grid=5 --device=interpreter --arg x=@x.safetensors:x --arg y=@y.npy --arg a=0.5 --arg n=64 \
// RUN:   2>&1 | FileCheck %s --check-prefix=OUTSIDE --match-full-lines
// RUN: tigon run scale.ttir --device=interpreter:wide --arg x=@x.safetensors:x --arg y==x --arg a=nan --arg n=-1 \
// RUN:   --compare=interpreter | FileCheck %s --check-prefix=SHARED
// RUN: tigon run scale.ttir --grid=0 --arg x=zeros:f32[] --arg y=zeros:f32[0] --arg a=1e-3 --arg n=4294967295 \
// RUN:   --compare=interpreter | FileCheck %s --check-prefix=EMPTY --match-full-lines
// RUN: not tigon run scale.ttir --arg x=@x.safetensors:y --arg y==x --arg a=1 --arg n=1 2>&1 | FileCheck %s --check-prefix=NAME

//      CPU: scale: 4 x 1 x 1 programs on cpu took {{[0-9.]+}} ms
// CPU-NEXT:   x: 256 elements of f32 agree, worst is element {{.*}}
// CPU-NEXT:   y: 256 elements of f32 agree, worst is element {{.*}}
// SHARED: scale: 1 x 1 x 1 programs on interpreter:wide took
// SHARED-NEXT: x: 256 elements of f32 agree
// EMPTY: scale: 0 x 1 x 1 programs on cpu took {{[0-9.]+}} ms
// EMPTY-NEXT:   x: 1 elements of f32 agree, worst is element 0: found 0, wide 0, apart by 0 of 5.61e-45 allowed
// EMPTY-NEXT:   y: 0 elements of f32 agree
// OUTSIDE: tigon: scale.ttir:11:8: tt.load: lane 0: found an access of 4 bytes at %x + 1024 bytes, expected 0 to 1024 (program 4, 0, 0)
// NAME: tigon: argument 'x': x.safetensors: found no tensor 'y'

//--- scale.ttir
tt.func public @scale(%x: !tt.ptr<f32> loc("x"), %y: !tt.ptr<f32> loc("y"), %a: f32 loc("a"), %n: i32 loc("n")) {
  %row = tt.get_program_id x : i32
  %width = arith.constant 64 : i32
  %start = arith.muli %row, %width : i32
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %limit = tt.splat %n : i32 -> tensor<64xi32>
  %mask = arith.cmpi slt, %range, %limit : tensor<64xi32>
  %xr = tt.addptr %x, %start : !tt.ptr<f32>, i32
  %xs = tt.splat %xr : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %range : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %xp, %mask : tensor<64x!tt.ptr<f32>>
  %as = tt.splat %a : f32 -> tensor<64xf32>
  %scaled = arith.mulf %v, %as : tensor<64xf32>
  %yr = tt.addptr %y, %start : !tt.ptr<f32>, i32
  %ys = tt.splat %yr : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %range : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %yp, %scaled, %mask : tensor<64x!tt.ptr<f32>>
  tt.return
}
