// SPDX-License-Identifier: Apache-2.0
//
// StripRule: which tiles are too large to be in registers whole, and into how many strips they fall. Read off the kernel's
// attributes `tg.plan` (strip = elements of a strip) and `tg.strips` (auto, off, each, or a number of steps).
#pragma once

#include "compiler/ProgramFacts.h"

#include "mlir/IR/BuiltinTypes.h"

namespace tigon {

class StripRule {
public:
  explicit StripRule(mlir::Operation *function);

  /// Whether tiles are split at all.
  bool isOff() const { return off; }
  /// One loop an op, every tile in scratch between them.
  bool isEach() const { return each; }
  /// Whether a number of steps is forced, even of tiles that fit.
  bool isForced() const { return forcedSteps > 0; }
  /// Whether what a load gives is held, where a later stage needs it, rather than loaded again.
  bool holdsLoads() const { return holds; }
  /// Whether an exponential costs less than room for it, which is f32 where its input may be bf16.
  bool remakesExponentials() const { return remakes; }
  /// Elements of a strip.
  int64_t getStrip() const { return strip; }

  /// Whether a tile of `type` is to be split.
  bool isBig(mlir::Type type) const;
  /// Steps that a tile of so many elements should take: a power of two, 1 if it is not big. What is forced is the least:
  /// a strip that is too large to be compiled is cut further.
  int64_t stepsFor(int64_t elements) const;
  /// Elements that a tile may have where it is not split: code grows with it, and the time to compile it faster.
  int64_t getLargestWhole() const { return largestWhole; }

private:
  int64_t strip = 0, forcedSteps = 0, largestWhole = 0;
  bool off = false, each = false, holds = false, remakes = false;
};

} // namespace tigon
