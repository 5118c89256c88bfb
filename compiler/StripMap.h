// SPDX-License-Identifier: Apache-2.0
//
// StripMap: what one step of a strip loop is, for every tile of a block.
//
// A strip fixes some bits of a tile's flat coordinate to the bits of a step number. Chosen for one tile (say the top three
// bits of a row of 16384 columns: 8 steps of 2048), the choice spreads to all tiles that hang together with it, as every
// shape op only renames bits: a [1, 16384] tile fixes the same bits, a [4, 16384] tile the same bits of its columns, and a
// [4] tile of row sums, which lacks these bits, is not split at all.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace tigon {

/// For each bit of the step, lowest first, the bit of the tile's flat coordinate that it fixes, or none.
using StripBits = llvm::SmallVector<int, 4>;
constexpr int noBit = -1;

class StripMap {
public:
  StripMap(mlir::Block &block, unsigned stepBits) : block(block), stepBits(stepBits) {}

  /// Split `seed` by `bits` and let it spread through the block.
  void spread(mlir::Value seed, StripBits bits);

  unsigned getStepBits() const { return stepBits; }
  /// The bits that `value` fixes; all none if it is not split.
  StripBits get(mlir::Value value) const;
  bool isSplit(mlir::Value value) const;
  void set(mlir::Value value, StripBits bits) { known[value] = std::move(bits); }

  /// How `op` is split: the bits of its results, of the value it stores, or, where it combines, of its operands.
  StripBits ofOp(mlir::Operation *op) const;
  /// The bits that `op`, split so, wants its operand to fix.
  StripBits wanted(mlir::Operation *op, mlir::OpOperand &operand) const;

  /// The type of a strip of a tile of `type`.
  static mlir::RankedTensorType stripType(mlir::RankedTensorType type, const StripBits &bits);

private:
  void visit(mlir::Operation *op);

  mlir::Block &block;
  unsigned stepBits;
  llvm::DenseMap<mlir::Value, StripBits> known;
  llvm::SmallVector<mlir::Operation *> worklist;
};

/// The type of a tile; null for scalars.
inline mlir::RankedTensorType tileType(mlir::Value value) {
  return llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
}

/// Whether `op` can be done strip by strip: it moves no data between coordinates, or is a reduction.
bool isStrippable(mlir::Operation *op);

} // namespace tigon
