// SPDX-License-Identifier: Apache-2.0
//
// VerifyLayout: the border of the layout phase. Every tile has a layout of its own shape in which each element is somewhere,
// the layouts of an op's tiles fit as the lowerings take for granted, and every op that needs local memory has a place.
#include "compiler/LocalMemory.h"
#include "compiler/Passes.h"
#include "compiler/ProgramFacts.h"
#include "compiler/TileLayouts.h"

namespace tigon {
#define GEN_PASS_DEF_VERIFYLAYOUT
#include "compiler/Passes.h.inc"

namespace {

using namespace mlir;

struct VerifyLayout : impl::VerifyLayoutBase<VerifyLayout> {
  static LogicalResult verifyTile(Operation *op, Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    if (!tile)
      return success();
    const LinearLayout *layout = tg::getLayout(tile);
    if (!layout)
      return op->emitError() << "found " << tile << " without a layout";
    if (layout->getShape() != tile.getShape())
      return op->emitError() << "found a layout of another shape: " << tile;
    if (!layout->isSurjective())
      return op->emitError() << "found a layout that leaves elements out: " << tile;
    return success();
  }

  static LogicalResult verifyOneLayout(Operation *op) {
    if (!wantsOneLayout(op))
      return success();
    const LinearLayout *first = nullptr;
    for (Type type : llvm::concat<const Type>(op->getResultTypes(), op->getOperandTypes())) {
      const LinearLayout *layout = tg::getLayout(type);
      if (layout && first && *layout != *first)
        return op->emitError() << "found tiles in different layouts, expected one: "
                               << layout->str() << " and " << first->str();
      first = layout ? layout : first;
    }
    return success();
  }

  static LogicalResult verifyReduce(tt::ReduceOp reduce) {
    LinearLayout expected = reducedLayout(reduce);
    for (Value operand : reduce.getSrcs())
      if (*tg::getLayout(operand.getType()) != *tg::getLayout(reduce.getSrcs()[0].getType()))
        return reduce.emitError() << "found operands in different layouts";
    for (Value result : reduce.getResults())
      if (const LinearLayout *layout = tg::getLayout(result.getType());
          layout && *layout != expected)
        return reduce.emitError() << "found a result in the layout " << layout->str()
                                  << ", expected " << expected.str();
    return success();
  }

  LogicalResult verify(Operation *op, const Target &target) {
    for (Type type : llvm::concat<const Type>(op->getResultTypes(), op->getOperandTypes()))
      if (failed(verifyTile(op, type)))
        return failure();
    if (failed(verifyOneLayout(op)))
      return failure();
    if (auto reduce = dyn_cast<tt::ReduceOp>(op); reduce && failed(verifyReduce(reduce)))
      return failure();
    if (localBytesOf(op, target) && !op->hasAttr(offsetAttr))
      return op->emitError() << "found '" << op->getName() << "' without a place in local memory";
    return success();
  }

  void runOnOperation() override {
    const Target &target = targetOf(getOperation());
    WalkResult result = getOperation().walk([&](Operation *op) {
      if (isa<tt::ReduceOp>(op->getParentOp()))
        return WalkResult::advance();
      return failed(verify(op, target)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace tigon
