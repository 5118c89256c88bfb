// SPDX-License-Identifier: Apache-2.0
//
// The interpreter: evaluates a tile program op by op, whole tiles at a time, in host memory. It is
// the executable form of docs/semantics.md and the oracle that compiled code is judged by, so it
// runs no pass, shares no analysis with the compiler and is written to be read, not to be fast (a
// 65536-wide elementwise op takes a fraction of a millisecond).
//
// What a tile program leaves open the interpreter decides the simplest way; docs/semantics.md lists
// such places. Errors of the program (an access outside the buffers, a failed assert, a broken
// tl.assume, recursion, an op it does not know) come back as an llvm::Error that says where.
#pragma once

#include "dialect/tt/TT.h"

#include "llvm/Support/Error.h"

#include <limits>
#include <optional>

namespace tigon::interpreter {

enum class Mode {
  /// Every op rounds to its type, reductions and dots combine as a balanced tree, dots round
  /// operands as their precision says.
  Exact,
  /// Floats are kept in double from the load to the store, where they are rounded once.
  Wide
};

struct Grid {
  uint32_t x = 1, y = 1, z = 1;
};

/// Memory that a program may touch. Buffers do not overlap; two arguments may point into one.
struct Buffer {
  void *data;
  int64_t bytes;
  /// The type of the elements in it; needed only with `wide`.
  mlir::Type element;
  /// In Wide mode: for each element of the buffer the unrounded value last stored there. Loads read
  /// it back as long as it rounds to what the memory holds, so it also works across launches. It
  /// needs no initial contents: elements that no program stores keep what the caller put there. A
  /// value too large for the element's type stays as it is here, and is infinite in memory.
  double *wide = nullptr;
};

/// What a `!tt.tensordesc` argument points to: a strided tensor of the rank of the type's block.
struct TensorDescriptor {
  void *base;
  int64_t shape[5];
  int64_t strides[5]; ///< in elements
  bool padWithNaN;    ///< what is read outside; else zeros
};

struct Options {
  Mode mode = Mode::Exact;
  /// If given, an access outside all of them is an error; else any address is touched.
  std::optional<llvm::ArrayRef<Buffer>> buffers;
  /// The programs to run, by linear id (z * grid.y + y) * grid.x + x.
  uint64_t firstProgram = 0, endProgram = std::numeric_limits<uint64_t>::max();
  /// Where tt.print goes; dropped if null.
  llvm::raw_ostream *output = nullptr;
  /// Give up with an error after as many ops, for programs that may never end.
  uint64_t maxOps = std::numeric_limits<uint64_t>::max();
};

/// Run `kernel` for all programs of `grid`, in ascending order of the linear id, one after the
/// other. `arguments[i]` points to the value of the kernel's i-th argument, as for cuLaunchKernel:
/// to a 64-bit address, to a scalar of the argument's width (i1: a byte), to a TensorDescriptor.
///
///     float *x = ..., *y = ...; int32_t n = 1000;
///     const void *arguments[] = {&x, &y, &n};
///     if (llvm::Error error = interpret(kernel, arguments, {.x = 4}))
///       ... // add.ttir:12:5: tt.load: found ...
llvm::Error interpret(tt::FuncOp kernel, llvm::ArrayRef<const void *> arguments, Grid grid,
                      const Options &options = {});

} // namespace tigon::interpreter
