// SPDX-License-Identifier: Apache-2.0
//
// StripSplit: which tile of a block is split next, and along which of its axes.
#pragma once

#include "compiler/AxisAnalysis.h"
#include "compiler/StripMap.h"
#include "compiler/StripRule.h"

namespace tigon {

/// A tile, and for each bit of the step the bit of the tile's coordinate that it fixes.
struct Split {
  mlir::Value seed;
  StripBits bits;
};

class SplitChooser {
public:
  SplitChooser(mlir::Block &block, const StripRule &rule, const AxisAnalysis &axes)
      : block(block), rule(rule), axes(axes) {}

  /// Tiles of the block that are over budget, largest first.
  llvm::SmallVector<mlir::Value> candidates() const;

  /// Axes in which rows are independent come first, so that a row is done before the next begins; of these the outer ones,
  /// so that a strip stays contiguous. An axis along which a reduction combines needs a stage of its own.
  Split choose(mlir::Value seed);

private:
  void inspect(mlir::Value seed);
  StripBits chooseBits(mlir::Value seed);

  mlir::Block &block;
  const StripRule &rule;
  const AxisAnalysis &axes;
  /// By axis: whether some reduction combines along it; and which one is contiguous in memory.
  llvm::SmallVector<bool> reduced;
  unsigned contiguous = 0;
};

} // namespace tigon
