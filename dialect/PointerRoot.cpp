// SPDX-License-Identifier: Apache-2.0
#include "dialect/PointerRoot.h"

#include "dialect/tt/TT.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace tigon {

static bool isPointer(Value value) {
  Type type = getElementTypeOrSelf(value.getType());
  return isa<tt::PointerType>(type);
}

// Walks up through whatever makes pointers of pointers. Where several meet they must share one root.
Value rootOf(Value pointer) {
  SmallVector<Value> worklist = {pointer};
  DenseSet<Value> seen;
  Value root;
  auto meet = [&](Value found) {
    if (root && root != found)
      return false;
    root = found;
    return true;
  };
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      Operation *parent = argument.getOwner()->getParentOp();
      if (isa<FunctionOpInterface>(parent)) {
        if (!meet(argument))
          return {};
        continue;
      }
      auto loop = dyn_cast<LoopLikeOpInterface>(parent);
      OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr;
      OpOperand *yielded = loop ? loop.getTiedLoopYieldedValue(argument) : nullptr;
      if (!init || !yielded)
        return {};
      worklist.append({init->get(), yielded->get()});
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
      OpOperand *init = loop.getTiedLoopInit(cast<OpResult>(value));
      OpOperand *yielded = nullptr;
      if (BlockArgument argument = loop.getTiedLoopRegionIterArg(cast<OpResult>(value)))
        yielded = loop.getTiedLoopYieldedValue(argument);
      if (!init || !yielded)
        return {};
      worklist.append({init->get(), yielded->get()});
      continue;
    }
    if (!isa<tt::AddPtrOp, tt::SplatOp, tt::BroadcastOp, tt::ExpandDimsOp, tt::ReshapeOp,
             tt::TransOp, tt::BitcastOp, tt::UnsplatOp, tt::JoinOp, tt::SplitOp, tt::CatOp,
             arith::SelectOp, scf::IfOp>(op))
      return {};
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      unsigned number = cast<OpResult>(value).getResultNumber();
      for (Region &region : branch->getRegions())
        worklist.push_back(region.front().getTerminator()->getOperand(number));
      continue;
    }
    for (Value operand : op->getOperands())
      if (isPointer(operand))
        worklist.push_back(operand);
  }
  return root;
}

} // namespace tigon
