// SPDX-License-Identifier: Apache-2.0
#include "compiler/StripMap.h"

#include "dialect/LinearLayout.h"
#include "dialect/TileMap.h"
#include "dialect/tg/TG.h"
#include "dialect/tt/TT.h"

using namespace mlir;

namespace tigon {

// Ranges and constants have no tile operands; accesses and scratch are elementwise in lanes.
bool isStrippable(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  return isa<tt::MakeRangeOp, ub::PoisonOp, tg::ScratchPutOp, tg::ScratchGetOp,
             TileAccessOpInterface>(op) ||
         hasTileMap(op);
}

static bool isAnySet(const StripBits &bits) {
  return llvm::any_of(bits, [](int bit) { return bit != noBit; });
}

StripBits StripMap::get(Value value) const {
  auto found = known.find(value);
  return found == known.end() ? StripBits(stepBits, noBit) : found->second;
}

bool StripMap::isSplit(Value value) const {
  auto found = known.find(value);
  return found != known.end() && isAnySet(found->second);
}

// The value whose coordinates the op works in.
static Value leadingValue(Operation *op) {
  if (isa<tt::ReduceOp>(op))
    return op->getOperand(0);
  if (op->getNumResults())
    return op->getResult(0);
  if (auto put = dyn_cast<tg::ScratchPutOp>(op))
    return put.getValue();
  if (auto access = dyn_cast<TileAccessOpInterface>(op))
    return access.getAccessedPointer();
  return {};
}

StripBits StripMap::ofOp(Operation *op) const {
  Value leading = leadingValue(op);
  return leading ? get(leading) : StripBits(stepBits, noBit);
}

StripBits StripMap::wanted(Operation *op, OpOperand &operand) const {
  StripBits ours = ofOp(op);
  if (!isa<RankedTensorType>(operand.get().getType()))
    return StripBits(stepBits, noBit);
  if (isa<tt::ReduceOp>(op) || !isa<TileMapOpInterface>(op))
    return ours;
  for (int &bit : ours)
    if (bit != noBit)
      bit = getOperandBit(op, operand.getOperandNumber(), bit).value_or(unsigned(noBit));
  return ours;
}

void StripMap::spread(Value seed, StripBits bits) {
  set(seed, bits);
  auto enqueue = [&](Value value) {
    if (Operation *op = value.getDefiningOp(); op && op->getBlock() == &block)
      worklist.push_back(op);
    for (Operation *user : value.getUsers())
      if (user->getBlock() == &block)
        worklist.push_back(user);
  };
  enqueue(seed);
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    SmallVector<Value> before;
    auto unknown = [&](Value value) {
      return isa<RankedTensorType>(value.getType()) && !known.contains(value);
    };
    llvm::copy_if(op->getOperands(), std::back_inserter(before), unknown);
    llvm::copy_if(op->getResults(), std::back_inserter(before), unknown);
    if (before.empty() || !isStrippable(op))
      continue;
    visit(op);
    for (Value value : before)
      if (isSplit(value))
        enqueue(value);
  }
}

// Give all tiles of `op` that have no bits yet the bits that follow from those that have.
void StripMap::visit(Operation *op) {
  auto give = [&](Value value, const StripBits &bits) {
    if (isa<RankedTensorType>(value.getType()) && !known.contains(value) && isAnySet(bits))
      known[value] = bits;
  };
  if (isa<tg::ScratchPutOp, tg::ScratchGetOp>(op))
    return;
  if (!isa<TileMapOpInterface>(op)) { // all tiles alike
    SmallVector<Value> tiles(op->getOperands());
    llvm::append_range(tiles, op->getResults());
    for (Value from : tiles)
      if (isSplit(from) && isa<RankedTensorType>(from.getType())) {
        StripBits bits = get(from);
        for (Value to : tiles)
          if (getTileElements(to.getType()) == getTileElements(from.getType()))
            give(to, bits);
        return;
      }
    return;
  }
  for (Value result : op->getResults()) {
    if (!isSplit(result))
      continue;
    for (OpOperand &operand : op->getOpOperands()) {
      StripBits bits = get(result);
      for (int &bit : bits)
        if (bit != noBit)
          bit = getOperandBit(op, operand.getOperandNumber(), bit).value_or(unsigned(noBit));
      give(operand.get(), bits);
    }
    for (Value other : op->getResults())
      give(other, get(result));
    return;
  }
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isSplit(operand.get()))
      continue;
    StripBits bits = get(operand.get());
    for (OpOperand &other : op->getOpOperands())
      if (getTileElements(other.get().getType()) == getTileElements(operand.get().getType()))
        give(other.get(), bits);
    for (int &bit : bits)
      if (bit != noBit)
        bit = getResultBit(op, operand.getOperandNumber(), bit).value_or(unsigned(noBit));
    for (Value result : op->getResults())
      give(result, bits);
    return;
  }
}

RankedTensorType StripMap::stripType(RankedTensorType type, const StripBits &bits) {
  SmallVector<int64_t> shape(type.getShape());
  for (int bit : bits) {
    if (bit == noBit)
      continue;
    int below = 0;
    for (size_t axis = shape.size(); axis-- > 0;) {
      int width = log2Exact(type.getShape()[axis]);
      if (bit < below + width) {
        shape[axis] /= 2;
        break;
      }
      below += width;
    }
  }
  return type.clone(shape);
}

} // namespace tigon
