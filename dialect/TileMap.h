// SPDX-License-Identifier: Apache-2.0
//
// How an op's result coordinates map to its operands', for any op: through TileMapOpInterface where
// the op has it, as the identity where it is elementwise.
#pragma once

#include "dialect/AxisInfo.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Operation.h"

#include <optional>

#include "dialect/Interfaces.h.inc"

namespace tigon {

/// Number of bits of a flat coordinate of `type`; 0 for scalars.
unsigned getTileBits(mlir::Type type);
/// Elements of `type`; 1 for scalars.
int64_t getTileElements(mlir::Type type);

/// Whether `op` has a bit map from its results to its operands at all.
bool hasTileMap(mlir::Operation *op);
/// See TileMapOpInterface; `op` must have a map.
std::optional<unsigned> getOperandBit(mlir::Operation *op, unsigned operand, unsigned resultBit);
/// The inverse: the result bit that equals bit `operandBit` of operand `operand`; none if the op
/// consumes it.
std::optional<unsigned> getResultBit(mlir::Operation *op, unsigned operand, unsigned operandBit);

} // namespace tigon
