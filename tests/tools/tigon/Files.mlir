// What is written where, and what a file that cannot be written to is told.
// RUN: split-file %s %t && cd %t
// RUN: tigon compile add.ttir --target=sm_90 -o add.ptx && FileCheck %s --check-prefix=PTX < add.ptx
// RUN: tigon compile - --target=sm_90 < add.ttir | FileCheck %s --check-prefix=PTX
// RUN: tigon compile add.ttir --target=interpreter | FileCheck %s --check-prefix=TEXT
// RUN: not tigon compile - < broken.ttir 2>&1 | FileCheck %s --check-prefix=STDIN --match-full-lines
// RUN: not tigon compile add.ttir --target=sm_90 > /dev/full 2> full.txt
// RUN: FileCheck %s --check-prefix=FULL --match-full-lines < full.txt
// RUN: not tigon compile --help > /dev/full 2> help.txt
// RUN: FileCheck %s --check-prefix=HELP --match-full-lines < help.txt

// PTX: .visible .entry add(
// TEXT: tt.func public @add(
// STDIN: tigon: <stdin>:1:1: custom op 'what' is unknown (tried 'builtin.what' as well)
// FULL: tigon: cannot write 'standard output': No space left on device
// HELP: tigon: cannot write to standard output

//--- broken.ttir
what
//--- add.ttir
tt.func public @add(%x: !tt.ptr<i32>, %n: i32) {
  %v = tt.load %x : !tt.ptr<i32>
  %sum = arith.addi %v, %n : i32
  tt.store %x, %sum : !tt.ptr<i32>
  tt.return
}
