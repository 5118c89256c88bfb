// SPDX-License-Identifier: Apache-2.0
#include "compiler/Remake.h"

#include "dialect/TileMap.h"
#include "dialect/tt/TT.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace tigon {

bool isCheap(Operation *op) {
  if (op->getNumRegions() || !isMemoryEffectFree(op))
    return false;
  if (isa<math::MathDialect>(op->getDialect()))
    return isa<math::AbsFOp, math::AbsIOp, math::FmaOp, math::FloorOp, math::CeilOp>(op);
  if (isa<arith::DivFOp, arith::RemFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
          arith::RemUIOp>(op)) {
    // Division of integers by a power of two is a shift.
    auto constant = op->getOperand(1).getDefiningOp<arith::ConstantOp>();
    return constant && isa<IntegerType>(getElementTypeOrSelf(constant.getType()));
  }
  return !isa<tt::PreciseDivFOp, tt::PreciseSqrtOp, tt::ApproxDivFOp, tt::ExternElementwiseOp,
              tt::ElementwiseInlineAsmOp>(op);
}

bool isSharedByPrograms(Operation *load) {
  SmallVector<Operation *> worklist = {load};
  llvm::DenseSet<Operation *> seen;
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (!seen.insert(op).second)
      continue;
    if (isa<tt::GetProgramIdOp>(op) || (op != load && !isMemoryEffectFree(op)))
      return false;
    for (Value operand : op->getOperands()) {
      if (Operation *definition = operand.getDefiningOp())
        worklist.push_back(definition);
      else if (!isa<FunctionOpInterface>(cast<BlockArgument>(operand).getOwner()->getParentOp()))
        return false; // varies with a loop
    }
  }
  return true;
}

} // namespace tigon
