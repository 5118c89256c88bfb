// SPDX-License-Identifier: Apache-2.0
#include "dialect/TileMap.h"

#include "dialect/LinearLayout.h"

#include "dialect/Interfaces.cpp.inc"

using namespace mlir;

namespace tigon {

int64_t getTileElements(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getNumElements() : 1;
}

unsigned getTileBits(Type type) { return log2Exact(getTileElements(type)); }

bool hasTileMap(Operation *op) {
  return isa<TileMapOpInterface>(op) || op->hasTrait<OpTrait::Elementwise>();
}

std::optional<unsigned> getOperandBit(Operation *op, unsigned operand, unsigned resultBit) {
  if (auto map = dyn_cast<TileMapOpInterface>(op))
    return map.getOperandBit(operand, resultBit);
  // Elementwise ops may mix tiles and scalars (arith.select with a scalar condition).
  if (!isa<RankedTensorType>(op->getOperand(operand).getType()))
    return std::nullopt;
  return resultBit;
}

std::optional<unsigned> getResultBit(Operation *op, unsigned operand, unsigned operandBit) {
  for (unsigned bit = 0, bits = getTileBits(op->getResult(0).getType()); bit < bits; ++bit)
    if (getOperandBit(op, operand, bit) == operandBit)
      return bit;
  return std::nullopt;
}

} // namespace tigon
