// What a wrong option of `tigon compile` is told.
// RUN: split-file %s %t && cd %t
// RUN: not tigon compile add.ttir --target=sm_42 2>&1 | FileCheck %s --check-prefix=M1 --match-full-lines
// RUN: not tigon compile add.ttir --target=cpu:abacus 2>&1 | FileCheck %s --check-prefix=M2 --match-full-lines
// RUN: not tigon compile add.ttir --target= 2>&1 | FileCheck %s --check-prefix=M3 --match-full-lines
// RUN: not tigon compile add.ttir --kernel=sub 2>&1 | FileCheck %s --check-prefix=M4 --match-full-lines
// RUN: not tigon compile add.ttir --plan=warps=3 --target=sm_90 2>&1 | FileCheck %s --check-prefix=M5 --match-full-lines
// RUN: not tigon compile add.ttir --plan=warps=64 --target=sm_90 2>&1 | FileCheck %s --check-prefix=M6 --match-full-lines
// RUN: not tigon compile add.ttir --plan=strip=100 2>&1 | FileCheck %s --check-prefix=M7 --match-full-lines
// RUN: not tigon compile add.ttir --plan=cluster=2 --target=sm_90 2>&1 | FileCheck %s --check-prefix=M8 --match-full-lines
// RUN: not tigon compile add.ttir --plan=ctas=-1 2>&1 | FileCheck %s --check-prefix=M9 --match-full-lines
// RUN: not tigon compile add.ttir --plan=stages=3 --target=sm_90 2>&1 | FileCheck %s --check-prefix=STAGES --match-full-lines
// RUN: not tigon compile add.ttir --plan=warp=8 2>&1 | FileCheck %s --check-prefix=M10 --match-full-lines
// RUN: not tigon compile add.ttir --plan=warps=8,strip 2>&1 | FileCheck %s --check-prefix=M11 --match-full-lines
// RUN: not tigon compile add.ttir --strips=3 2>&1 | FileCheck %s --check-prefix=M12 --match-full-lines
// RUN: not tigon compile add.ttir --strips=many 2>&1 | FileCheck %s --check-prefix=M13 --match-full-lines
// RUN: not tigon compile add.ttir --contract=maybe 2>&1 | FileCheck %s --check-prefix=M14 --match-full-lines
// RUN: not tigon compile add.ttir --ptx-version=10 --target=sm_90 2>&1 | FileCheck %s --check-prefix=M15 --match-full-lines
// RUN: not tigon compile add.ttir --ptx-version=70 --target=sm_90 2>&1 | FileCheck %s --check-prefix=M16 --match-full-lines
// RUN: not tigon compile add.ttir --ptx-version=new 2>&1 | FileCheck %s --check-prefix=M17 --match-full-lines
// RUN: not tigon compile add.ttir --emit=sass 2>&1 | FileCheck %s --check-prefix=M18 --match-full-lines
// RUN: not tigon compile add.ttir --emit=ptx 2>&1 | FileCheck %s --check-prefix=M19 --match-full-lines
// RUN: not tigon compile add.ttir --emit=object --target=sm_90 2>&1 | FileCheck %s --check-prefix=M20 --match-full-lines
// RUN: not tigon compile add.ttir --emit=layout --target=interpreter 2>&1 | FileCheck %s --check-prefix=M21 --match-full-lines
// RUN: not tigon compile add.ttir --optimize 2>&1 | FileCheck %s --check-prefix=M22 --match-full-lines
// RUN: not tigon compile add.ttir -o missing-folder/add.o 2>&1 | FileCheck %s --check-prefix=M23 --match-full-lines
// RUN: not tigon compile 2>&1 | FileCheck %s --check-prefix=M24 --match-full-lines
// RUN: not tigon compile nothing.ttir 2>&1 | FileCheck %s --check-prefix=M25 --match-full-lines
// RUN: not tigon compile . 2>&1 | FileCheck %s --check-prefix=M26 --match-full-lines
// RUN: not tigon frobnicate 2>&1 | FileCheck %s --check-prefix=M27 --match-full-lines

// M1: tigon: found target 'sm_42', expected cpu, cpu:NAME, interpreter or one of sm_80, sm_86, sm_87, sm_88, sm_89, sm_90, sm_100, sm_103, sm_110, sm_120, sm_121
// M2: tigon: found CPU 'abacus', expected native, x86-64, x86-64-v2, x86-64-v3, x86-64-v4 or a processor that LLVM knows (znver4, sapphirerapids, ...)
// M3: tigon: --target: 1 required TEXT missing; see tigon compile --help
// M4: tigon: found no kernel 'sub', expected one of: add
// M5: tigon: found warps = 3, expected a power of two from 1 to 32, or 0 to leave it open
// M6: tigon: found warps = 64, expected a power of two from 1 to 32, or 0 to leave it open
// M7: tigon: found strip = 100, expected a power of two from 1 to 1048576, or 0 to leave it open
// M8: tigon: found cluster = 2, expected 1: clusters are not compiled yet
// M9: tigon: found ctas = -1, expected 1 to 32, or 0 to leave it open
// STAGES: tigon: found stages = 3, expected a power of two from 1 to 16, or 0 to leave it open
// M10: tigon: --plan: found 'warp=8', expected warps=N, strip=N, cluster=N, ctas=N, stages=N or hold=N, with commas between
// M11: tigon: --plan: found 'strip', expected warps=N, strip=N, cluster=N, ctas=N, stages=N or hold=N, with commas between
// M12: tigon: found strips = '3', expected auto, off, each or a power of two
// M13: tigon: found strips = 'many', expected auto, off, each or a power of two
// M14: tigon: --contract: found 'maybe', expected on or off
// M15: tigon: found PTX version 10, expected 70 to 90 (7.0 to 9.0)
// M16: tigon: found PTX version 70, expected at least 78 for 'sm_90'
// M17: tigon: Could not convert: --ptx-version = new; see tigon compile --help
// M18: tigon: --emit: found 'sass', expected tile, layout, lowered, llvm, ptx or object
// M19: tigon: --emit: found 'ptx' for target 'cpu', expected object
// M20: tigon: --emit: found 'object' for target 'sm_90', expected ptx
// M21: tigon: found a stage of compilation for target 'interpreter', which has none; ask for the code, which is the tile program
// M22: tigon: The following argument was not expected: --optimize; see tigon compile --help
// M23: tigon: cannot write 'missing-folder/add.o': No such file or directory
// M24: tigon: FILE is required; see tigon compile --help
// M25: tigon: cannot read 'nothing.ttir': No such file or directory
// M26: tigon: cannot read '.': Is a directory
// M27: tigon: found 'frobnicate', expected one of: compile, run, bench, doctor; see tigon --help

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
