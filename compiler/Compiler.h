// SPDX-License-Identifier: Apache-2.0
//
// The compiler: tile programs in, PTX or host code out. It needs no GPU and no toolkit, starts no
// process and reads no environment; everything that changes code is in CompileOptions.
//
//     auto module = tigon::Module::parse(text, "softmax.ttir");
//     auto compiled = tigon::compile(*module, {.target = "sm_90"});
//     fputs(compiled->artifact.code.c_str(), stdout);      // PTX
#pragma once

#include "tigon/Artifact.h"
#include "tigon/Module.h"
#include "tigon/Result.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tigon {

/// What PlanTiles would decide (docs/compiler.md); 0 leaves a field to it.
struct PlanOptions {
  int warps = 0;   ///< warps of a program, a power of two up to 32
  int cluster = 0; ///< programs of a cluster: 1, until clusters come
  int strip = 0;   ///< elements of a strip, a power of two
  /// Programs of a processor at once: registers are left for so many, and, if it is given, shared memory for no more.
  int ctas = 0;
  /// Iterations of a loop whose loads are under way: 1; 2: the next one's too, in registers; 4, 8
  /// or 16: in shared memory, by asynchronous copies.
  int stages = 0;
  /// 1: what strips load of a row is held in shared memory, as far as it fits; -1: it is loaded again.
  int hold = 0;
};

/// How far the compiler goes, and what it gives back as text.
enum class Emit {
  Tile,    ///< tile programs after strip-mining
  Layout,  ///< with layouts
  Lowered, ///< LLVM dialect
  Llvm,    ///< LLVM IR
  Code,    ///< PTX, or a host object
};

/// A fact about an argument that the code may rely on, beyond what the program's text promises; a
/// launch checks it.
struct ArgumentFact {
  unsigned argument = 0;
  int64_t divisibility = 1;      ///< bytes for pointers, value for integers
  std::optional<int64_t> equals; ///< the integer's value
};

struct CompileOptions {
  /// "cpu" (this host), "cpu:x86-64-v3", "sm_80" to "sm_121", "interpreter" (the text, as it is).
  std::string target = "cpu";
  /// The kernel to compile; empty if the module has just one.
  std::string kernel = {};
  PlanOptions plan = {};
  /// "auto"; "off": no strip loops; a number: that many steps for every tile that can be split so;
  /// "each": one loop an op, all values in scratch (legal for every program, slow; for tests).
  std::string strips = "auto";
  /// Fuse a multiply and an add into one rounding, as Triton does by default up to 3.9.
  bool contract = true;
  /// Triton's forms of exp and division where they are less exact than ours.
  bool fastMath = false;
  /// PTX ISA version times ten (85), as the driver takes it; 0: the lowest that has what the code
  /// uses.
  int ptxVersion = 0;
  std::vector<ArgumentFact> facts = {};
  /// Verify the IR after every pass; phase borders are always checked.
  bool verifyEach = false;
};

struct PhaseTime {
  std::string name;
  double milliseconds = 0;
};

struct Compilation {
  Artifact artifact;
  /// The text of the stage asked for; empty for Emit::Code.
  std::string text;
  /// The plan, then each decision with the numbers it compared.
  std::vector<std::string> remarks;
  std::vector<PhaseTime> times;
};

/// Compile one kernel. Thread-safe. A failure of LLVM's code generator is an error like any other.
TIGON_API Result<Compilation> compile(const Module &module, const CompileOptions &options,
                                      Emit emit = Emit::Code);

/// The LLVM that this library was built with: "22.1.0".
TIGON_API std::string llvmVersion();

/// The passes that `compile` runs for a target, one a line with why it stands there.
TIGON_API Result<std::string> describePipeline(std::string_view target);

} // namespace tigon
