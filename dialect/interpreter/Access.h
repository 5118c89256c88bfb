// SPDX-License-Identifier: Apache-2.0
//
// What all accesses to memory have in common. A lane whose mask is false touches no memory; where
// lanes of one op meet at an address they act in ascending order.
#pragma once

#include "dialect/interpreter/Evaluator.h"

#include <algorithm>

namespace tigon::interpreter {

/// The element that `pointer`, or each element of it, points to.
inline Element getPointee(mlir::Type pointer) {
  auto type = llvm::cast<tt::PointerType>(mlir::getElementTypeOrSelf(pointer));
  return getElement(type.getPointeeType());
}

/// How many lanes `op` acts on: the size of its largest operand.
inline size_t countLanes(const Evaluator &evaluator, mlir::Operation *op) {
  size_t lanes = 1;
  for (mlir::Value operand : op->getOperands())
    lanes = std::max(lanes, evaluator.get(operand).size());
  return lanes;
}

/// Call `visit(lane, address)` for the lanes of `access` that touch memory, which holds an element
/// there.
template <typename Visit>
llvm::LogicalResult forEachAccess(Evaluator &evaluator, TileAccessOpInterface access, Visit visit) {
  const Tile &pointers = evaluator.get(access.getAccessedPointer());
  const Tile *mask = access.getAccessMask() ? &evaluator.get(access.getAccessMask()) : nullptr;
  Element element = getPointee(access.getAccessedPointer().getType());
  size_t lanes = countLanes(evaluator, access);
  for (size_t lane = 0; lane < lanes; ++lane) {
    if (mask && !mask->words[mask->size() > 1 ? lane : 0])
      continue;
    uint64_t address = pointers.words[pointers.size() > 1 ? lane : 0];
    if (failed(evaluator.checkAccess(access, lane, address, element)))
      return mlir::failure();
    visit(lane, address);
  }
  return mlir::success();
}

/// What an atomic leaves in memory that held `old`.
Lane combineAtomically(const Evaluator &evaluator, tt::RMWOp kind, const Element &element, Lane old,
                       Lane value);

/// Accesses through block pointers (Blocks.cpp).
llvm::LogicalResult loadBlock(Evaluator &evaluator, tt::LoadOp op);
llvm::LogicalResult storeBlock(Evaluator &evaluator, tt::StoreOp op);

} // namespace tigon::interpreter
