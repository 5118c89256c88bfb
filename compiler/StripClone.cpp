// SPDX-License-Identifier: Apache-2.0
#include "compiler/StripClone.h"

#include "dialect/tg/TG.h"
#include "dialect/tt/TT.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tigon {

// Bits of a strip, and bits fixed inside that strip, as bits of the whole tile.
static SmallVector<int32_t> composeBits(ArrayRef<int32_t> outer, ArrayRef<int> inner) {
  SmallVector<int32_t> all(outer);
  for (int bit : inner) {
    int whole = 0;
    for (int left = bit;; ++whole)
      if (!llvm::is_contained(outer, int32_t(whole)) && left-- == 0)
        break;
    all.push_back(whole);
  }
  return all;
}

static SmallVector<int32_t> fixedBits(ArrayRef<int> bits) {
  SmallVector<int32_t> fixed;
  for (int bit : bits)
    if (bit != noBit)
      fixed.push_back(bit);
  return fixed;
}

// The bits of the step that a tile with these bits depends on.
static Value stepOf(ArrayRef<int> bits, OpBuilder &builder, Value step) {
  unsigned low = 0, count = fixedBits(bits).size();
  while (low < bits.size() && bits[low] == noBit)
    ++low;
  if (count == bits.size())
    return step;
  Location loc = step.getLoc();
  auto constant = [&](int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, step.getType(), value);
  };
  Value part = step;
  if (low)
    part = arith::ShRUIOp::create(builder, loc, part, constant(low));
  return arith::AndIOp::create(builder, loc, part, constant((int64_t(1) << count) - 1));
}

// The step of a strip of a strip: the outer step's bits are the lower ones.
static Value composeStep(Value outer, ArrayRef<int32_t> outerBits, ArrayRef<int> bits,
                         OpBuilder &builder, Value step) {
  Value inner = stepOf(bits, builder, step);
  if (!outer)
    return inner;
  Location loc = step.getLoc();
  Value shift = arith::ConstantIntOp::create(builder, loc, step.getType(), outerBits.size());
  return arith::OrIOp::create(builder, loc, arith::ShLIOp::create(builder, loc, inner, shift),
                              outer);
}

void StripCloner::clone(Operation *op, OpBuilder &builder, Value step, IRMapping &strips) const {
  builder.setInsertionPoint(builder.getInsertionBlock()->getTerminator());
  if (auto range = dyn_cast<tt::MakeRangeOp>(op))
    return strips.map(range.getResult(), stripOfRange(range, builder, step));
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto value = cast<SplatElementsAttr>(constant.getValue());
    auto strip = arith::ConstantOp::create(
        builder, op->getLoc(),
        SplatElementsAttr::get(stripTypeOf(constant), value.getSplatValue<Attribute>()));
    return strips.map(constant.getResult(), strip.getResult());
  }
  if (auto get = dyn_cast<tg::ScratchGetOp>(op)) {
    StripBits bits = map.get(get.getResult());
    auto strip = tg::ScratchGetOp::create(
        builder, op->getLoc(), stripTypeOf(get.getResult()), get.getScratch(),
        composeStep(get.getStep(), get.getBits(), bits, builder, step),
        composeBits(get.getBits(), fixedBits(bits)));
    return strips.map(get.getResult(), strip.getResult());
  }
  if (auto put = dyn_cast<tg::ScratchPutOp>(op)) {
    StripBits bits = map.get(put.getValue());
    tg::ScratchPutOp::create(builder, op->getLoc(), put.getScratch(),
                             composeStep(put.getStep(), put.getBits(), bits, builder, step),
                             strips.lookupOrDefault(put.getValue()),
                             composeBits(put.getBits(), fixedBits(bits)));
    return;
  }
  Operation *clone = builder.clone(*op, strips);
  for (auto [whole, strip] : llvm::zip(op->getResults(), clone->getResults()))
    if (tileType(whole))
      strip.setType(stripTypeOf(whole));
}

// Numbers of a strip: those of a shorter range, spread around the fixed bits, plus what the step contributes. None of these
// sums overflows, as no tile has more than 2^20 elements.
Value StripCloner::stripOfRange(Operation *op, OpBuilder &builder, Value step) const {
  auto range = cast<tt::MakeRangeOp>(op);
  StripBits bits = map.get(range.getResult());
  RankedTensorType type = stripTypeOf(range.getResult());
  Location loc = range.getLoc();
  SmallVector<int32_t> fixed = fixedBits(bits);
  int32_t start = range.getStart();
  int64_t size = type.getNumElements(), below = int64_t(1) << fixed.front();
  constexpr auto nsw = arith::IntegerOverflowFlags::nsw;
  auto splat = [&](int64_t value) {
    return arith::ConstantOp::create(
        builder, loc, SplatElementsAttr::get(type, builder.getI32IntegerAttr(value)));
  };
  bool onTop = below == size;
  Value numbers = tt::MakeRangeOp::create(builder, loc, type, onTop ? start : 0,
                                          (onTop ? start : 0) + int32_t(size));
  if (!onTop) {
    Value low = arith::AndIOp::create(builder, loc, numbers, splat(below - 1));
    Value high = arith::ShLIOp::create(
        builder, loc, arith::ShRUIOp::create(builder, loc, numbers, splat(fixed.front())),
        splat(fixed.front() + fixed.size()));
    numbers = arith::OrIOp::create(builder, loc, high, low);
    if (start)
      numbers = arith::AddIOp::create(builder, loc, numbers, splat(start), nsw);
  }
  Value scale = arith::ConstantIntOp::create(builder, loc, step.getType(), below);
  Value base = arith::MulIOp::create(builder, loc, stepOf(bits, builder, step), scale, nsw);
  return arith::AddIOp::create(builder, loc, numbers, tt::SplatOp::create(builder, loc, type, base),
                               nsw);
}

Value StripCloner::get(Value value, Value scratch, OpBuilder &builder, Value step) const {
  StripBits bits = map.get(value);
  return tg::ScratchGetOp::create(builder, value.getLoc(), stripTypeOf(value), scratch,
                                  stepOf(bits, builder, step), fixedBits(bits));
}

} // namespace tigon
