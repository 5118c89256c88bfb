// SPDX-License-Identifier: Apache-2.0
//
// AxisAnalysis: AxisInfo (dialect/AxisInfo.h) of every value of a function, by one walk in program order; loops are
// walked until their carried values stop losing knowledge.
#pragma once

#include "dialect/AxisInfo.h"

#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

namespace tigon {

class AxisAnalysis {
public:
  explicit AxisAnalysis(mlir::Operation *function);

  /// What is known of `value`; nothing for values that came after the analysis ran.
  AxisInfo get(mlir::Value value) const;

private:
  void visitBlock(mlir::Block &block);
  void visitOp(mlir::Operation *op);
  /// Loops: give the region's arguments the join of what enters and what comes back, until nothing changes.
  void visitLoop(mlir::Operation *op);
  void set(mlir::Value value, AxisInfo info);
  llvm::SmallVector<AxisInfo> getAll(mlir::ValueRange values) const;

  llvm::DenseMap<mlir::Value, AxisInfo> infos;
};

/// How many neighbours along an axis of a tile of addresses, of elements of so many bytes, are known to stand one after the
/// other and aligned as a whole.
int64_t alignedNeighbours(const AxisInfo &addresses, unsigned axis, int64_t elementBytes);

} // namespace tigon
