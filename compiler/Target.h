// SPDX-License-Identifier: Apache-2.0
//
// Target: what a machine is, as data. Passes read fields of it and never ask which machine it is;
// what differs in kind (how a lane's index is had, how lanes exchange values) is behind
// compiler/lowering/Machine.h.
#pragma once

#include "dialect/Result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace tigon {

struct Target {
  /// As spelled in options, metadata and cache keys: "cpu:x86-64-v3", "sm_90".
  std::string name;
  /// For LLVM's code generator.
  std::string triple, cpu, features;

  /// Lanes are threads of a warp, each with registers of its own (GPU), or lanes of one SIMD
  /// register (CPU).
  bool lanesAreThreads = false;
  /// Threads of a warp, or 32-bit lanes of a SIMD register.
  int lanes = 1;
  int maxWarps = 1;
  /// Widest single access of a lane's registers, in bytes: a thread's, or a SIMD register's.
  int accessBytes = 16;
  /// SIMD registers that a strip's live values may take (three quarters of the file).
  int liveVectors = 0;
  /// Shared memory that a program may use, in bytes; 0: it has an arena instead.
  int64_t sharedBytes = 0;
  int processors = 1;
  int64_t cacheBytes = 0;

  /// f32 functions in hardware, good to a few ulp (PTX ISA, "ex2", "lg2", "rcp", "rsqrt", "sqrt", "div.full", "tanh").
  bool approximates = false;
  /// a * b + c in one instruction, rounded once.
  bool fusesMultiplyAdd = false;
  /// An integer division by zero, or of the least integer by -1, ends the process.
  bool divisionTraps = false;

  /// bf16 and f16 are integers to the code generator, as floats of 8 bits are on every target; it
  /// converts them by lists of instructions (LLVM's own way with them on a CPU are calls of
  /// functions that not every libgcc has).
  bool narrowFloatsAreIntegers = false;
  /// f16 <-> f32 in hardware (F16C).
  bool convertsHalf = false;
  /// Integers and f64 to bf16 in hardware (PTX ISA, "cvt": .bf16 from sm_90 on).
  bool convertsToBFloat = false;
  /// f8E4M3FN, f8E5M2 <-> f32 in hardware (PTX ISA, "cvt": .e4m3x2, .e5m2x2).
  bool convertsBytes = false;
  /// Masked vector accesses of 32 and 64 bits, and of 8 and 16 bits.
  bool masksWords = false, masksBytes = false;

  /// PTX ISA version times ten (83), the lowest that has what we use; raised by
  /// CompileOptions::ptxVersion.
  int ptxVersion = 0;
  int computeCapability = 0;

  /// Parse "cpu", "cpu:x86-64-v3", "cpu:native", "sm_90", "sm_90a", "cuda:90". "cpu" is the host's
  /// own CPU.
  static Result<Target> parse(std::string_view name);
};

} // namespace tigon
