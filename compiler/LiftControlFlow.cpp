// SPDX-License-Identifier: Apache-2.0
//
// LiftControlFlow: an early `return` in Triton's source is a conditional branch between blocks in TTIR. Upstream's
// lifting turns it into an scf.if around the rest, and loops of blocks into scf.while, so that every later pass sees one
// block a region and needs no dominance.
#include "compiler/Passes.h"
#include "dialect/tt/TT.h"

#include "mlir/Conversion/ControlFlowToSCF/ControlFlowToSCF.h"
#include "mlir/IR/Dominance.h"

namespace tigon {
#define GEN_PASS_DEF_LIFTCONTROLFLOW
#include "compiler/Passes.h.inc"

namespace {

using namespace mlir;

// After a loop without an exit nothing runs, but a function needs its return.
struct TileLifting : ControlFlowToSCFTransformation {
  FailureOr<Operation *> createUnreachableTerminator(Location loc, OpBuilder &builder,
                                                     Region &region) override {
    auto function = cast<tt::FuncOp>(region.getParentOp());
    SmallVector<Value> results;
    for (Type type : function.getResultTypes())
      results.push_back(getUndefValue(loc, builder, type));
    return tt::ReturnOp::create(builder, loc, results).getOperation();
  }
};

struct LiftControlFlow : impl::LiftControlFlowBase<LiftControlFlow> {
  void runOnOperation() override {
    TileLifting lifting;
    WalkResult lifted = getOperation().walk([&](tt::FuncOp function) {
      if (function.isExternal())
        return WalkResult::advance();
      if (!function.getBody().hasOneBlock()) {
        DominanceInfo dominance(function);
        if (failed(transformCFGToSCF(function.getBody(), lifting, dominance))) {
          function.emitError() << "found branches that no structured loop or condition has";
          return WalkResult::interrupt();
        }
      }
      return WalkResult::advance();
    });
    if (lifted.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace tigon
