// SPDX-License-Identifier: Apache-2.0
#include "compiler/StripRule.h"

#include "dialect/TileMap.h"
#include "dialect/tt/TT.h"

using namespace mlir;

namespace tigon {

StripRule::StripRule(Operation *function) {
  strip = planOf(function).getStrip();
  if (strip <= 0)
    strip = tt::maxTileElements;
  holds = planOf(function).getHold() > 0;
  auto strips = function->getAttrOfType<StringAttr>(stripsAttr);
  StringRef mode = strips ? strips.getValue() : "auto";
  off = mode == "off";
  each = mode == "each";
  mode.getAsInteger(10, forcedSteps);
  off |= forcedSteps == 1;
  const Target &target = targetOf(function);
  remakes = target.lanesAreThreads;
  largestWhole = target.lanesAreThreads ? 16384 : int64_t(target.lanes) * 256;
}

int64_t StripRule::stepsFor(int64_t elements) const {
  if (off)
    return 1;
  if (forcedSteps > 1)
    return std::min(std::max(forcedSteps, elements * 2 / largestWhole), elements);
  return elements > strip ? elements / strip : 1;
}

bool StripRule::isBig(Type type) const {
  return isa<RankedTensorType>(type) && stepsFor(getTileElements(type)) > 1;
}

} // namespace tigon
