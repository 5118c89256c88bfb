// SPDX-License-Identifier: Apache-2.0
//
// StripCloner: an op of a block as it is on one strip.
#pragma once

#include "compiler/StripMap.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace tigon {

class StripCloner {
public:
  explicit StripCloner(const StripMap &map) : map(map) {}

  mlir::RankedTensorType stripTypeOf(mlir::Value value) const {
    return StripMap::stripType(tileType(value), map.get(value));
  }
  /// `op` on the strip of number `step`, before the terminator of the builder's block; `strips` has the strips of its
  /// operands, and gets those of its results.
  void clone(mlir::Operation *op, mlir::OpBuilder &builder, mlir::Value step,
             mlir::IRMapping &strips) const;
  /// The strip of `value` that lies in `scratch`.
  mlir::Value get(mlir::Value value, mlir::Value scratch, mlir::OpBuilder &builder,
                  mlir::Value step) const;

private:
  mlir::Value stripOfRange(mlir::Operation *range, mlir::OpBuilder &builder,
                           mlir::Value step) const;

  const StripMap &map;
};

} // namespace tigon
