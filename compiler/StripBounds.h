// SPDX-License-Identifier: Apache-2.0
//
// StripBounds: masks are bounds. A mask `column + c < n` is true in all lanes of the strips below n - c, false in all lanes
// of those above, and mixed in at most one between. So a strip loop needs the mask in one strip only, and the strips above it
// may be left out if they contribute nothing: their stores are masked, and what their lanes give to a reduction is one and
// the same scalar, which is found by running the lane's arithmetic once on what masked loads give (`other`, or 0).
#pragma once

#include "compiler/StripMap.h"

#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/Builders.h"

#include <functional>
#include <optional>

namespace tigon {

struct StripBound {
  /// The i1 tile that is true below the bound.
  mlir::Value comparison;
  /// i32 scalars: strips that are true throughout, and strips that are true in some lane.
  mlir::Value full, end;
};

class StripBounds {
public:
  /// `isStrip` tells whether a tile exists strip by strip in the loops of `map`'s block.
  StripBounds(const StripMap &map, std::function<bool(mlir::Value)> isStrip);

  /// The comparison that bounds the accesses among `ops`; null if there is none.
  mlir::Value findComparison(llvm::ArrayRef<mlir::Operation *> ops);
  /// Compute the bound's strip counts before `builder`'s place.
  StripBound materialize(mlir::Value comparison, mlir::OpBuilder &builder);

  /// Whether `mask` is false wherever `comparison` is.
  static bool implies(mlir::Value mask, mlir::Value comparison);
  /// The scalar that every lane of `tile` holds where `comparison` is false; null if they may differ.
  mlir::Value scalarOutside(mlir::Value tile, mlir::Value comparison, mlir::OpBuilder &builder);

private:
  struct Affine {
    mlir::Value range;                                     // the make_range that the split cuts
    llvm::SmallVector<std::pair<mlir::Value, bool>> terms; // scalars added, or subtracted
    int64_t constant = 0;
  };
  std::optional<Affine> affine(mlir::Value tile);
  bool isBound(mlir::Value tile);

  const StripMap &map;
  std::function<bool(mlir::Value)> isStrip;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Value>, mlir::Value> outside;
};

} // namespace tigon
