// SPDX-License-Identifier: Apache-2.0
//
// How a reduction goes through the strips of its operands: it accumulates strip-shaped values, lane by lane.
#pragma once

#include "compiler/StripClone.h"
#include "dialect/tt/TT.h"

namespace tigon {

class StripSums {
public:
  StripSums(const StripCloner &cloner, int64_t steps) : cloner(cloner), steps(steps) {}

  /// How often `reduce` is kept: once, or as sums of a block of strips and as totals of the blocks.
  unsigned levelsOf(tt::ReduceOp reduce) const;
  /// What one level starts from.
  llvm::SmallVector<mlir::Value> startValues(tt::ReduceOp reduce, mlir::OpBuilder &builder) const;
  /// `carried` with the strips of step `step`.
  llvm::SmallVector<mlir::Value> accumulate(tt::ReduceOp reduce, mlir::ValueRange carried,
                                            mlir::Value step, mlir::IRMapping &strips,
                                            mlir::OpBuilder &builder) const;
  /// At the end of a block its sums go into the totals: {sums, totals}.
  llvm::SmallVector<mlir::Value> flush(tt::ReduceOp reduce, mlir::ValueRange sums,
                                       mlir::ValueRange totals, mlir::Value step,
                                       mlir::OpBuilder &builder) const;

private:
  const StripCloner &cloner;
  int64_t steps;
};

/// The combine region applied to tiles, element by element, or to scalars.
llvm::SmallVector<mlir::Value> combineTiles(mlir::Region &region, mlir::ValueRange a,
                                            mlir::ValueRange b, mlir::OpBuilder &builder);

} // namespace tigon
