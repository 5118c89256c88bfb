// SPDX-License-Identifier: Apache-2.0
//
// StripStages: which ops of a block run strip by strip, in which stage, and what later stages need of earlier ones.
//
// Ops of one stage share a loop. What needs the result of a whole reduction, or must not begin before all lanes of an
// earlier access are done, is in a later stage. What a stage needs of an earlier one runs there again if it is cheap or a
// load that may be repeated (M4); else it is parked: put into scratch where it is made.
#pragma once

#include "compiler/MemoryDependences.h"
#include "compiler/StripMap.h"
#include "compiler/StripRule.h"
#include "dialect/tg/TG.h"
#include "dialect/tt/TT.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace tigon {

class StripStages {
public:
  StripStages(mlir::Block &block, StripMap &map, const StripRule &rule, tt::FuncOp function)
      : block(block), map(map), rule(rule), function(function) {}

  /// Whether `op` can run inside a strip loop.
  bool canStream(mlir::Operation *op) const;
  /// Find the stages, and put what they hand on into scratch.
  void run();

  int getLast() const { return last; }
  int stageOf(mlir::Operation *op) const { return stage.lookup(op); }
  /// Whether the op runs inside a strip loop.
  bool isStreamed(mlir::Operation *op) const { return streamed.contains(op); }
  /// A reduction along the split: what it gives is whole, after the loop.
  bool closes(mlir::Operation *op) const;
  /// Whether `value` exists strip by strip, inside a loop.
  bool isStripValue(mlir::Value value) const;
  /// Ops that run for their effect; loads run for their value, unless volatile.
  static bool isRoot(mlir::Operation *op);

  /// The ops of a stage's loop, in no order.
  llvm::ArrayRef<mlir::Operation *> opsOf(int at) { return needed[at].getArrayRef(); }
  /// Whether a stage gets `value` from where it is parked.
  bool isGotIn(int at, mlir::Value value) { return need[at].contains(value); }
  /// The scratch in which `value` is parked.
  mlir::Value scratchFor(mlir::Value value) const { return parked.lookup(value); }
  /// The value that is parked in `scratch`; null: none is.
  mlir::Value parkedIn(mlir::Value scratch) const;

private:
  static bool isReadOnly(mlir::Operation *op);
  bool putsTheSameAgain(mlir::Operation *op) const;
  mlir::Value allocate(mlir::Type tile, tg::ResidencyAttr residency);
  tg::ScratchPutOp putAfter(mlir::Value value, mlir::Value scratch);
  tg::ScratchGetOp getBefore(mlir::Operation *op, mlir::Value scratch);
  void moveThroughMemory();
  StripBits uncut() const { return StripBits(map.getStepBits(), noBit); }
  void moveOperand(mlir::Operation *op, mlir::OpOperand &operand, const StripBits &wanted);
  Dependence dependence(mlir::Operation *first, mlir::Operation *second);
  void assignStages();
  void parkBetweenStages();
  void needOperands(mlir::Operation *op, int at);
  bool canRemake(mlir::Value value, int at);
  bool decideRemake(mlir::Operation *op, mlir::Value value, int at);
  bool mayAccessAgain(mlir::Operation *access, int at);
  void park(mlir::Value value);

  mlir::Block &block;
  StripMap &map;
  const StripRule &rule;
  tt::FuncOp function;
  MemoryDependences dependences;
  llvm::DenseSet<mlir::Operation *> streamed;
  llvm::DenseMap<mlir::Operation *, int> stage;
  int last = 0;
  llvm::DenseMap<int, llvm::SmallVector<mlir::Operation *>> roots;
  llvm::DenseMap<int, llvm::SetVector<mlir::Operation *>> needed; // ops cloned into a stage's loop
  llvm::DenseMap<int, llvm::SetVector<mlir::Value>> need;         // parked values that it gets
  llvm::DenseMap<std::pair<mlir::Value, int>, bool> remakable;
  llvm::DenseMap<mlir::Value, mlir::Value> scratchOf; // of tiles that change their cut
  llvm::DenseMap<mlir::Value, mlir::Value> parked;
  llvm::DenseSet<mlir::Value> unrepeatable; // of those, what a stage that gets it could not load
};

} // namespace tigon
