// SPDX-License-Identifier: Apache-2.0
//
// Which of a loop's loads may be issued iterations before their own, and the values they need there.
//
// A load may go ahead if its address and mask follow from the loop's counter and from carried values that do, and if no
// access of the loop that writes can be one it depends on. Through different roots no two iterations meet (M2), so only
// writes through the load's own root, or an unknown one, hold it back, and whatever orders all memory.
#pragma once

#include "compiler/MemoryDependences.h"
#include "dialect/tt/TT.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace tigon {

/// Loads in `loop`'s own block that no write of the loop holds back.
llvm::SmallVector<tt::LoadOp> findFreeLoads(mlir::scf::ForOp loop, MemoryDependences &dependences);

/// Values of one iteration, computed ahead of it.
class LoopAhead {
public:
  LoopAhead(mlir::scf::ForOp loop, mlir::OpBuilder &builder) : loop(loop), builder(builder) {}

  /// Whether `value` can be computed before its iteration begins. Carried values may depend on each other in a circle, so
  /// of all that `value` hangs on, what cannot be computed is struck out until nothing more is.
  bool canCompute(mlir::Value value);
  /// Whether it can be from the counter alone.
  bool followsFromCounter(mlir::Value value);
  struct Iteration {
    mlir::Value counter, exists;
  };
  /// The loop's i-th iteration, seen from before the loop.
  Iteration nth(int64_t i);
  /// The one so many iterations behind the one it is seen from.
  Iteration behind(int64_t distance);
  /// `value` as it will be in the iteration whose counter and carried values are given.
  mlir::Value compute(mlir::Value value, mlir::IRMapping &iteration);

private:
  bool isInside(mlir::Value value) const;
  bool isComputable(mlir::Value value) const;
  llvm::SmallVector<mlir::Value> sourcesOf(mlir::Value value);
  Iteration from(mlir::Value counter, int64_t distance);

  mlir::scf::ForOp loop;
  mlir::OpBuilder &builder;
  llvm::DenseMap<mlir::Value, bool> known, following;
};

} // namespace tigon
