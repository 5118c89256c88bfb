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

// A tile over budget that no strip could be cut from is still compiled up to this size: code grows with it.
constexpr int64_t mostUnstripped = 16384;

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
      if (tile.getNumElements() > std::max(rule.getStrip(), mostUnstripped))
        return op->emitError() << "found '" << op->getName() << "' of " << tile
                               << ", which cannot be done strip by strip; expected at most "
                               << std::max(rule.getStrip(), mostUnstripped) << " elements";
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
