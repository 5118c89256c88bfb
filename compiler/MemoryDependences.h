// SPDX-License-Identifier: Apache-2.0
//
// MemoryDependences: which two ops of a block must keep their order, and how strictly (docs/semantics.md, M1 to M3).
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

namespace tigon {

enum class Dependence {
  None,
  /// Equal addresses only in equal lanes: order matters within a lane, so strips may interleave.
  LaneLocal,
  /// The earlier op must be done in all lanes before the later one begins in any.
  Full,
};

/// What a memory access goes through.
struct MemoryAccess {
  mlir::Operation *op = nullptr;
  /// The kernel argument or scratch that the address comes from; null: unknown, which may be any.
  mlir::Value root;
  /// The pointer (or scratch) itself: accesses through one value touch equal addresses in equal lanes.
  mlir::Value address;
  bool reads = false, writes = false;
  /// Orders all memory: a barrier, an atomic, a volatile access, inline assembly.
  bool ordered = false;
};

class MemoryDependences {
public:
  /// Between `first` and `second`, ops of one block with `first` before `second`. Ops with regions stand for all that is
  /// inside them.
  Dependence between(mlir::Operation *first, mlir::Operation *second);
  /// All accesses of `op`, inside its regions too. Empty: it touches no memory.
  llvm::ArrayRef<MemoryAccess> accesses(mlir::Operation *op);
  bool touchesMemory(mlir::Operation *op) { return !accesses(op).empty(); }

private:
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<MemoryAccess, 1>> known;
};

} // namespace tigon
