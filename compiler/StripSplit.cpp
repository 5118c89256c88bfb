// SPDX-License-Identifier: Apache-2.0
#include "compiler/StripSplit.h"

#include "dialect/LinearLayout.h"
#include "dialect/TileMap.h"
#include "dialect/tg/TG.h"
#include "dialect/tt/TT.h"

using namespace mlir;

namespace tigon {
namespace {

// Got from scratch for ops that need the whole tile: splitting it would only put it there again.
bool isForWhole(Operation *op) {
  return isa<tg::ScratchGetOp>(op) && llvm::all_of(op->getUsers(), [&](Operation *user) {
           return user->getBlock() != op->getBlock() || !isStrippable(user) ||
                  user->hasTrait<OpTrait::IsTerminator>();
         });
}

unsigned topBit(Value seed, unsigned axis) {
  unsigned bit = 0;
  ArrayRef<int64_t> shape = tileType(seed).getShape();
  for (size_t inner = axis; inner < shape.size(); ++inner)
    bit += log2Exact(shape[inner]);
  return bit - 1;
}

bool hasOther(RankedTensorType type, unsigned axis) {
  for (unsigned other = 0; other < type.getRank(); ++other)
    if (other != axis && type.getDimSize(other) > 1)
      return true;
  return false;
}

} // namespace

SmallVector<Value> SplitChooser::candidates() const {
  SmallVector<Value> tiles;
  for (Operation &op : block)
    if (isStrippable(&op) && !isForWhole(&op))
      llvm::copy_if(op.getResults(), std::back_inserter(tiles),
                    [&](Value value) { return rule.isBig(value.getType()); });
  llvm::stable_sort(tiles, [](Value a, Value b) {
    return getTileElements(a.getType()) > getTileElements(b.getType());
  });
  return tiles;
}

Split SplitChooser::choose(Value seed) { return {seed, chooseBits(seed)}; }

void SplitChooser::inspect(Value seed) {
  unsigned rank = tileType(seed).getRank();
  reduced.assign(rank, false);
  contiguous = rank - 1;
  int64_t longest = 1;
  for (unsigned axis = 0; axis < rank; ++axis) {
    int64_t size = tileType(seed).getDimSize(axis);
    if (size == 1)
      continue;
    StripMap map(block, 1);
    map.spread(seed, {int(topBit(seed, axis))});
    for (Operation &op : block) {
      if (isa<tt::ReduceOp>(op) && map.isSplit(op.getOperand(0)) &&
          !getResultBit(&op, 0, map.get(op.getOperand(0))[0]))
        reduced[axis] = true;
      auto access = dyn_cast<TileAccessOpInterface>(op);
      if (!access ||
          getTileElements(access.getAccessedPointer().getType()) != getTileElements(seed.getType()))
        continue;
      AxisInfo info = axes.get(access.getAccessedPointer());
      if (axis < info.getRank() && info.contiguity[axis] > longest) {
        longest = info.contiguity[axis];
        contiguous = axis;
      }
    }
  }
}

StripBits SplitChooser::chooseBits(Value seed) {
  inspect(seed);
  RankedTensorType type = tileType(seed);
  int64_t wanted = rule.stepsFor(type.getNumElements());
  std::optional<unsigned> best;
  int64_t steps = 1;
  for (bool ofReduced : {false, true})
    for (bool ofContiguous : {false, true})
      for (unsigned axis = 0; axis < type.getRank() && !best; ++axis) {
        if (reduced[axis] != ofReduced || (axis == contiguous) != ofContiguous)
          continue;
        int64_t size = type.getDimSize(axis);
        // Keep a strip's worth of neighbours together while another axis can be split instead.
        bool keep = !rule.isForced() && ofContiguous && !ofReduced && hasOther(type, axis);
        int64_t most = keep ? size / std::min(size, rule.getStrip()) : size;
        if (most < 2)
          continue;
        best = axis;
        steps = std::min(wanted, most);
      }
  unsigned count = log2Exact(steps), top = topBit(seed, *best);
  StripBits bits;
  for (unsigned bit = 0; bit < count; ++bit)
    bits.push_back(int(top - count + 1 + bit));
  return bits;
}

} // namespace tigon
