// SPDX-License-Identifier: Apache-2.0
#include "compiler/LocalMemory.h"

#include "compiler/ProgramFacts.h"
#include "compiler/lowering/Machine.h"
#include "dialect/TileMap.h"

using namespace mlir;

namespace tigon {

LinearLayout reducedLayout(tt::ReduceOp reduce) {
  const LinearLayout &source = *tg::getLayout(reduce.getSrcs()[0].getType());
  SmallVector<int64_t> shape(source.getShape());
  shape.erase(shape.begin() + reduce.getAxis());
  return source.mapBits(shape, [&](unsigned bit) { return getOperandBit(reduce, 0, bit); })
      .dropFreeRegisters();
}

uint32_t combinedBits(tt::ReduceOp reduce, Index index) {
  const LinearLayout &source = *tg::getLayout(reduce.getSrcs()[0].getType());
  SmallVector<int64_t> shape(source.getShape());
  shape.erase(shape.begin() + reduce.getAxis());
  LinearLayout kept =
      source.mapBits(shape, [&](unsigned bit) { return getOperandBit(reduce, 0, bit); });
  return kept.getFreeBits(index) & ~source.getFreeBits(index);
}

const LinearLayout *privateLayout(tg::ScratchAllocOp alloc, unsigned *stepBits) {
  for (Operation *user : alloc.getResult().getUsers()) {
    auto put = dyn_cast<tg::ScratchPutOp>(user);
    auto get = dyn_cast<tg::ScratchGetOp>(user);
    if (!put && !get)
      continue;
    if (stepBits)
      *stepBits = put ? put.getBits().size() : get.getBits().size();
    return tg::getLayout(put ? put.getValue().getType() : get.getResult().getType());
  }
  return nullptr;
}

int64_t privateElements(tg::ScratchAllocOp alloc) {
  unsigned stepBits = 0;
  const LinearLayout *layout = privateLayout(alloc, &stepBits);
  if (!layout)
    return 0;
  int64_t strip = layout->getSize(Index::Register) * layout->getSize(Index::Lane) *
                  layout->getSize(Index::Warp);
  auto steps = alloc->getAttrOfType<IntegerAttr>(heldStepsAttr);
  return steps ? strip * steps.getInt() : strip << stepBits;
}

static int64_t bytesOf(Type type) { return Machine::memoryBytes(getElementTypeOrSelf(type)); }

int64_t localBytesOf(Operation *op, const Target &target) {
  if (auto alloc = dyn_cast<tg::ScratchAllocOp>(op)) {
    RankedTensorType tile = alloc.getResult().getType().getTile();
    int64_t elements = alloc.getResidency() == tg::Residency::Private ? privateElements(alloc)
                                                                      : tile.getNumElements();
    return elements * bytesOf(tile);
  }
  if (!target.lanesAreThreads) // lanes of one register reach each other without memory
    return 0;
  if (auto reduce = dyn_cast<tt::ReduceOp>(op)) {
    uint32_t warpBits = combinedBits(reduce, Index::Warp);
    if (!warpBits)
      return 0;
    int64_t bytes = 0;
    for (Type type : reduce.getOperandTypes())
      bytes += llvm::alignTo(reducedLayout(reduce).getNumElements() * bytesOf(type), 16)
               << llvm::popcount(warpBits);
    return reduce->hasAttr(turnsAttr) ? 2 * bytes : bytes;
  }
  if (auto convert = dyn_cast<tg::ConvertLayoutOp>(op)) {
    const LinearLayout &from = *tg::getLayout(convert.getSrc().getType());
    const LinearLayout &to = *tg::getLayout(convert.getResult().getType());
    return from.coversInThread(to) ? 0 : from.getNumElements() * bytesOf(convert.getType());
  }
  return 0;
}

bool isExchange(Operation *op, const Target &target) {
  return target.lanesAreThreads && isa<tt::ReduceOp, tg::ConvertLayoutOp>(op) &&
         localBytesOf(op, target);
}

} // namespace tigon
