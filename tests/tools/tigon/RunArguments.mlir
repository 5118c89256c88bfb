// What wrong arguments of `tigon run` are told.
// RUN: split-file %s %t && cd %t
// RUN: tigon run twins.ttir --arg x=zeros:f32[1] --arg x=zeros:i8[2] | FileCheck %s --check-prefix=TWINS
// RUN: not tigon run two.ttir --arg x=zeros:f32[1] 2>&1 | FileCheck %s --check-prefix=TWO --match-full-lines
// RUN: not tigon run add.ttir --arg x=randn:f32[64]:1 --arg n=64 --arg a=1.5 2>&1 | FileCheck %s --check-prefix=M1 --match-full-lines
// RUN: not tigon run add.ttir --arg x=randn:f32[64]:1 --arg n=64 --arg a=1.5 --arg y=zeros:f32[64] --arg z=1 2>&1 | FileCheck %s --check-prefix=M2 --match-full-lines
// RUN: not tigon run add.ttir --arg x=randn:f32[64]:1 --arg n=64 --arg a=1.5 --arg y=zeros:f32[64] --arg n=5 2>&1 | FileCheck %s --check-prefix=M3 --match-full-lines
// RUN: not tigon run add.ttir --arg x=randn:f32[64]:1 --arg n=64 --arg a=1.5 --arg y 2>&1 | FileCheck %s --check-prefix=M4 --match-full-lines
// RUN: not tigon run add.ttir --arg x=randn:f32[64]:1 --arg n=64 --arg a=1.5 --arg y=5 2>&1 | FileCheck %s --check-prefix=M5 --match-full-lines
// RUN: not tigon run add.ttir --arg x=randn:f32[64]:1 --arg n=64 --arg a=1.5 --arg y=zeros:bf16[64] 2>&1 | FileCheck %s --check-prefix=M6 --match-full-lines
// RUN: not tigon run add.ttir --arg x=randn:f32[64]:1 --arg n=64 --arg a=1.5 --arg y=zeros:float32[64] 2>&1 | FileCheck %s --check-prefix=M7 --match-full-lines
// RUN: not tigon run add.ttir --arg x=randn:f32[64]:1 --arg n=64 --arg a=1.5 --arg y=zeros:f32[64 2>&1 | FileCheck %s --check-prefix=M8 --match-full-lines
// RUN: not tigon run add.ttir --arg x=randn:f32[64]:1 --arg n=64 --arg a=1.5 --arg y=zeros:f32[-1] 2>&1 | FileCheck %s --check-prefix=M9 --match-full-lines
// RUN: not tigon run add.ttir --arg x=randn:f32[64]:1 --arg n=64 --arg a=1.5 --arg y=zeros:f32[9223372036854775807,9223372036854775807] 2>&1 | FileCheck %s --check-prefix=M10 --match-full-lines
// RUN: not tigon run add.ttir --arg x=randn:f32[64]:1 --arg n=64 --arg a=1.5 --arg y=randn:f32[64]:x 2>&1 | FileCheck %s --check-prefix=M11 --match-full-lines
// RUN: not tigon run add.ttir --arg x=randn:f32[64]:1 --arg n=64 --arg a=1.5 --arg y==w 2>&1 | FileCheck %s --check-prefix=M12 --match-full-lines
// RUN: not tigon run add.ttir --arg x=randn:f32[64]:1 --arg n=64 --arg a=1.5 --arg y==y 2>&1 | FileCheck %s --check-prefix=M13 --match-full-lines
// RUN: not tigon run add.ttir --arg x=randn:f32[64]:1 --arg n=64 --arg a=1.5 --arg y=@missing.npy 2>&1 | FileCheck %s --check-prefix=M14 --match-full-lines
// RUN: not tigon run add.ttir --arg x=randn:f32[64]:1 --arg n=64 --arg a=1.5 --arg y=@add.ttir 2>&1 | FileCheck %s --check-prefix=M15 --match-full-lines
// RUN: not tigon run add.ttir --arg x=randn:f32[64]:1 --arg n=64 --arg a=1.5 --arg y=@junk.npy 2>&1 | FileCheck %s --check-prefix=M16 --match-full-lines
// RUN: not tigon run add.ttir --arg x=randn:f32[64]:1 --arg n=64 --arg a=1.5 --arg y=@junk.safetensors:w 2>&1 | FileCheck %s --check-prefix=M17 --match-full-lines
// RUN: not tigon run add.ttir --arg x=randn:f32[64] --arg y==x --arg n=1.5 --arg a=1 2>&1 | FileCheck %s --check-prefix=M18 --match-full-lines
// RUN: not tigon run add.ttir --arg x=randn:f32[64] --arg y==x --arg n=4294967296 --arg a=1 2>&1 | FileCheck %s --check-prefix=M19 --match-full-lines
// RUN: not tigon run add.ttir --arg x=randn:f32[64] --arg y==x --arg n=1 --arg a=one 2>&1 | FileCheck %s --check-prefix=M20 --match-full-lines
// RUN: not tigon run add.ttir --arg x=randn:f32[64]:1 --arg n=64 --arg a=1.5 --arg y==x --grid=4,4,4,4 2>&1 | FileCheck %s --check-prefix=M21 --match-full-lines
// RUN: not tigon run add.ttir --arg x=randn:f32[64]:1 --arg n=64 --arg a=1.5 --arg y==x --grid=1,x 2>&1 | FileCheck %s --check-prefix=M22 --match-full-lines
// RUN: not tigon run add.ttir --arg x=randn:f32[64]:1 --arg n=64 --arg a=1.5 --arg y==x --grid=-1 2>&1 | FileCheck %s --check-prefix=M23 --match-full-lines
// RUN: not tigon run add.ttir --arg x=randn:f32[64]:1 --arg n=64 --arg a=1.5 --arg y==x --grid=1,65536 2>&1 | FileCheck %s --check-prefix=M24 --match-full-lines
// RUN: not tigon run add.ttir --arg x=randn:f32[64]:1 --arg n=64 --arg a=1.5 --arg y==x --device=tpu 2>&1 | FileCheck %s --check-prefix=M25 --match-full-lines
// RUN: not tigon run add.ttir --arg x=randn:f32[64]:1 --arg n=64 --arg a=1.5 --arg y==x --compare=cpu 2>&1 | FileCheck %s --check-prefix=M26 --match-full-lines
// RUN: not tigon run add.ttir --arg x=randn:f32[64]:1 --arg n=64 --arg a=1.5 --arg y==x --out n=n.npy 2>&1 | FileCheck %s --check-prefix=M27 --match-full-lines
// RUN: not tigon run add.ttir --arg x=randn:f32[64]:1 --arg n=64 --arg a=1.5 --arg y==x --out y=y.txt 2>&1 | FileCheck %s --check-prefix=M28 --match-full-lines
// RUN: not tigon run add.ttir --arg x=randn:f32[64]:1 --arg n=64 --arg a=1.5 --arg y==x --out y=missing-folder/y.npy 2>&1 | FileCheck %s --check-prefix=M29 --match-full-lines
// RUN: not tigon run add.ttir --device=interpreter --arg x=randn:f32[32] --arg y=zeros:f32[64] --arg n=64 --arg a=1 2>&1 | FileCheck %s --check-prefix=M30 --match-full-lines
// RUN: not tigon run add.ttir --compare=interpreter --arg x=randn:f32[64] --arg y=zeros:f32[1] --arg n=64 --arg a=1 2>&1 | FileCheck %s --check-prefix=M31 --match-full-lines
// RUN: not tigon run far.ttir --arg x=zeros:f32[1] 2>&1 | FileCheck %s --check-prefix=FAR --match-full-lines

// M1: tigon: found no value for argument 'y' of type *f32; pass --arg y=VALUE
// M2: tigon: --arg: found no argument 'z', expected one of: x, y, n, a
// M3: tigon: --arg: found 'n' twice
// M4: tigon: --arg: found 'y', expected NAME=VALUE
// M5: tigon: argument 'y': found '5', expected @x.npy, @x.safetensors:NAME, zeros:f32[4,1024], randn:f32[4,1024]:SEED or =OTHER
// M6: tigon: argument 'y': found bf16[64], expected elements of f32
// M7: tigon: argument 'y': found the type 'float32', expected i1, i8, i16, i32, i64, f8E4M3FN, f8E5M2, f16, bf16, f32 or f64
// M8: tigon: argument 'y': found 'f32[64', expected a type and a shape like f32[4,1024]
// M9: tigon: argument 'y': found the extent '-1' in 'f32[-1]', expected a number from 0
// M10: tigon: argument 'y': found 'f32[9223372036854775807,9223372036854775807]', which takes 17179869183 GB, expected at most {{[0-9]+}} GB, three quarters of the memory, for all tensors
// M11: tigon: argument 'y': found the seed 'x', expected a number from 0
// M12: tigon: argument 'y': found '=w', expected the name of a pointer argument that has a tensor of its own
// M13: tigon: argument 'y': found '=y', expected the name of a pointer argument that has a tensor of its own
// M14: tigon: argument 'y': missing.npy: cannot open: No such file or directory
// M15: tigon: argument 'y': found the file 'add.ttir', expected x.npy or x.safetensors:NAME
// M16: tigon: argument 'y': junk.npy: found no .npy magic '\x93NUMPY' at its start
// M17: tigon: argument 'y': junk.safetensors: found a header of 8030883942550761326 bytes, expected at most {{[34]}}: the file is cut short or no .safetensors file
// M18: tigon: argument 'n': found '1.5', expected an integer of 32 bits
// M19: tigon: argument 'n': found '4294967296', expected an integer of 32 bits
// M20: tigon: argument 'a': found 'one', expected a number
// M21: tigon: --grid: found '4,4,4,4', expected X, X,Y or X,Y,Z
// M22: tigon: --grid: found '1,x', expected X, X,Y or X,Y,Z
// M23: tigon: kernel 'add': found -1 programs along grid axis x, expected 0 to 2147483647
// M24: tigon: kernel 'add': found 65536 programs along grid axis y, expected 0 to 65535; put the longest axis on x
// M25: tigon: found device 'tpu', expected cpu, cuda, cuda:N, interpreter or interpreter:wide
// M26: tigon: --compare: found 'cpu', expected interpreter
// M27: tigon: --out: found 'n=n.npy', expected NAME=FILE, with the name of a pointer argument of: x, y, n, a
// M28: tigon: --out: found the file 'y.txt', expected x.npy or x.safetensors
// M29: add: 1 x 1 x 1 programs on cpu took {{[0-9.]+}} ms
// M29-NEXT: tigon: missing-folder/y.npy: cannot create: No such file or directory
// M30: tigon: add.ttir:7:8: tt.load: lane 32: found an access of 4 bytes at %x + 128 bytes, expected 0 to 128 (program 0, 0, 0)
// M31: tigon: add.ttir:12:3: tt.store: lane 1: found an access of 4 bytes at %y + 4 bytes, expected 0 to 4 (program 0, 0, 0)
// FAR: tigon: the kernel accessed memory outside of its buffers; run it with --device=interpreter to see where
// TWINS: twins: 1 x 1 x 1 programs on cpu took
// TWO: tigon: found 2 kernels, expected the name of one of: one, other

//--- add.ttir
tt.func public @add(%x: !tt.ptr<f32> loc("x"), %y: !tt.ptr<f32> loc("y"), %n: i32 loc("n"), %a: f32 loc("a")) {
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %limit = tt.splat %n : i32 -> tensor<64xi32>
  %mask = arith.cmpi slt, %range, %limit : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %range : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %v = tt.load %xp, %mask : tensor<64x!tt.ptr<f32>>
  %as = tt.splat %a : f32 -> tensor<64xf32>
  %sum = arith.addf %v, %as : tensor<64xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %range : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.store %yp, %sum, %mask : tensor<64x!tt.ptr<f32>>
  tt.return
}

//--- junk.npy
no array

//--- junk.safetensors
no tensors

//--- far.ttir
tt.func public @far(%x: !tt.ptr<f32> loc("x")) {
  %far = arith.constant 1000000000000 : i64
  %p = tt.addptr %x, %far : !tt.ptr<f32>, i64
  %v = tt.load %p : !tt.ptr<f32>
  tt.store %x, %v : !tt.ptr<f32>
  tt.return
}

//--- twins.ttir
tt.func public @twins(%x: !tt.ptr<f32> loc("x"), %y: !tt.ptr<i8> loc("x")) {
  tt.return
}

//--- two.ttir
tt.func public @one(%x: !tt.ptr<f32> loc("x")) {
  tt.return
}
tt.func public @other(%x: !tt.ptr<f32> loc("x")) {
  tt.return
}
