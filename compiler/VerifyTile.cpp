// SPDX-License-Identifier: Apache-2.0
//
// VerifyTile: the border of the tile phase. From here on there are no calls and no branches between blocks, no tile has a
// layout yet, and none is larger than a strip, so that what follows may unroll every tile.
#include "compiler/Passes.h"
#include "compiler/StripRule.h"
#include "dialect/TileMap.h"

namespace tigon {
#define GEN_PASS_DEF_VERIFYTILE
#include "compiler/Passes.h.inc"

namespace {

using namespace mlir;

struct VerifyTile : impl::VerifyTileBase<VerifyTile> {
  LogicalResult verify(Operation *op, const StripRule &rule) {
    if (isa<tt::CallOp>(op))
      return op->emitError() << "found a call after inlining";
    for (Region &region : op->getRegions())
      if (!region.empty() && !region.hasOneBlock())
        return op->emitError() << "found branches between blocks after lifting";
    for (Type type : op->getResultTypes()) {
      auto tile = dyn_cast<RankedTensorType>(type);
      if (!tile)
        continue;
      if (tile.getEncoding())
        return op->emitError() << "found a layout before layouts are assigned: " << tile;
      int64_t most =
          rule.isOff() ? rule.getLargestWhole() : std::max(rule.getStrip(), rule.getLargestWhole());
      if (tile.getNumElements() > most)
        return op->emitError() << "found '" << op->getName() << "' of " << tile << ", which "
                               << (rule.isOff() ? "is too large without strips"
                                                : "cannot be done strip by strip")
                               << "; expected at most " << most << " elements";
    }
    return success();
  }

  void runOnOperation() override {
    StripRule rule(getOperation());
    WalkResult result = getOperation().walk([&](Operation *op) {
      return failed(verify(op, rule)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace tigon
