// SPDX-License-Identifier: Apache-2.0
//
// Random tile programs. A program is a list of statements whose operands are not names but choices: "the third of the
// values that fit here". So any statement may be taken out, and what is left is a program still: that is how failures
// are shrunk.
//
// All floats that feed a decision or a sum hold small integers, so results do not depend on the order of evaluation and
// must be equal to the last bit. Functions with a permitted error are marked, and only stored.
#pragma once

#include "tigon/HostTensor.h"
#include "tigon/Module.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tigon::fuzz {

struct Statement {
  uint32_t kind = 0;
  /// Choices, taken modulo what there is to choose from.
  uint32_t a = 0, b = 0, c = 0, d = 0;
  std::vector<Statement> body, other;
};

struct Program {
  uint64_t seed = 0;
  /// The tile has rows * columns elements, viewed as one axis or as two; log2.
  unsigned rows = 0, columns = 5;
  unsigned grid = 1;
  /// How many elements of a tile the masks let through.
  int32_t length = 1;
  std::vector<Statement> statements;
};

Program randomProgram(uint64_t seed);
size_t countStatements(const std::vector<Statement> &statements);

/// An argument of the kernel: a buffer with its contents, or the length.
struct BufferArgument {
  DType dtype = DType::F32;
  int64_t elements = 0;
  /// An output whose values may be off by this share of themselves.
  double tolerance = 0;
};

struct Built {
  Module module;
  /// All arguments but the last, which is the length.
  std::vector<BufferArgument> buffers;
};

/// The kernel that a program stands for.
Result<Built> build(const Program &program);

/// What a buffer holds at first: small integers, some negative, some zero.
HostTensor initialContents(const BufferArgument &buffer, uint64_t seed);

} // namespace tigon::fuzz
