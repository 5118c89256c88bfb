// SPDX-License-Identifier: Apache-2.0
#include "compiler/StripBounds.h"

#include "dialect/LinearLayout.h"
#include "dialect/TileMap.h"
#include "dialect/tt/TT.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tigon {
namespace {

// The scalar that fills `tile`; null if it is no splat.
Value splatScalar(Value tile, OpBuilder *builder) {
  if (auto splat = tile.getDefiningOp<tt::SplatOp>())
    return splat.getSrc();
  auto constant = tile.getDefiningOp<arith::ConstantOp>();
  auto elements = constant ? dyn_cast<SplatElementsAttr>(constant.getValue()) : SplatElementsAttr();
  if (!elements || !builder)
    return {};
  return arith::ConstantOp::create(*builder, tile.getLoc(),
                                   cast<TypedAttr>(elements.getSplatValue<Attribute>()));
}

std::optional<int64_t> splatInteger(Value tile) {
  auto constant = tile.getDefiningOp<arith::ConstantOp>();
  auto elements = constant ? dyn_cast<SplatElementsAttr>(constant.getValue()) : SplatElementsAttr();
  if (!elements || !isa<IntegerType>(elements.getElementType()))
    return std::nullopt;
  return elements.getSplatValue<APInt>().getSExtValue();
}

bool isLess(arith::CmpIOp compare) { return compare.getPredicate() == arith::CmpIPredicate::slt; }

} // namespace

StripBounds::StripBounds(const StripMap &map, std::function<bool(Value)> isStrip)
    : map(map), isStrip(std::move(isStrip)) {}

// range + scalar + ..., seen through shape ops: every element is its coordinate in the range plus one scalar.
std::optional<StripBounds::Affine> StripBounds::affine(Value tile) {
  if (!isStrip(tile))
    return std::nullopt;
  Operation *op = tile.getDefiningOp();
  if (auto range = dyn_cast<tt::MakeRangeOp>(op)) {
    // The strips must be intervals of the range.
    StripBits bits = map.get(tile);
    int top = getTileBits(tile.getType());
    for (int bit : llvm::reverse(bits))
      if (bit == noBit || bit != --top)
        return std::nullopt;
    return Affine{tile, {}, int32_t(range.getStart())};
  }
  if (isa<arith::AddIOp, arith::SubIOp>(op)) {
    bool subtract = isa<arith::SubIOp>(op);
    for (unsigned number : {0u, 1u}) {
      if (subtract && number == 1)
        continue;
      Value other = op->getOperand(1 - number);
      std::optional<Affine> found = affine(op->getOperand(number));
      if (!found)
        continue;
      if (std::optional<int64_t> value = splatInteger(other)) {
        found->constant += subtract ? -*value : *value;
        return found;
      }
      if (auto splat = other.getDefiningOp<tt::SplatOp>()) {
        found->terms.push_back({splat.getSrc(), subtract});
        return found;
      }
    }
    return std::nullopt;
  }
  if (isa<arith::ExtSIOp, tt::ExpandDimsOp, tt::BroadcastOp, tt::ReshapeOp>(op))
    return affine(op->getOperand(0));
  return std::nullopt;
}

bool StripBounds::isBound(Value tile) {
  auto compare = tile.getDefiningOp<arith::CmpIOp>();
  return compare && isStrip(tile) && isLess(compare) && affine(compare.getLhs()) &&
         (splatInteger(compare.getRhs()) || compare.getRhs().getDefiningOp<tt::SplatOp>());
}

Value StripBounds::findComparison(ArrayRef<Operation *> ops) {
  for (Operation *op : ops) {
    auto access = dyn_cast<TileAccessOpInterface>(op);
    Value mask = access ? access.getAccessMask() : Value();
    // Through conjunctions and shape ops.
    SmallVector<Value> worklist;
    if (mask)
      worklist.push_back(mask);
    while (!worklist.empty()) {
      Value value = worklist.pop_back_val();
      if (isBound(value))
        return value;
      Operation *definition = value.getDefiningOp();
      if (definition && isStrip(value) &&
          isa<arith::AndIOp, tt::BroadcastOp, tt::ExpandDimsOp, tt::ReshapeOp>(definition))
        llvm::append_range(worklist, definition->getOperands());
    }
  }
  return {};
}

StripBound StripBounds::materialize(Value comparison, OpBuilder &builder) {
  auto compare = comparison.getDefiningOp<arith::CmpIOp>();
  Affine lanes = *affine(compare.getLhs());
  Location loc = compare.getLoc();
  Type i64 = builder.getI64Type(), i32 = builder.getI32Type();
  auto constant = [&](int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, i64, value);
  };
  auto wide = [&](Value value) -> Value {
    return value.getType() == i64 ? value : arith::ExtSIOp::create(builder, loc, i64, value);
  };
  Value limit = wide(splatScalar(compare.getRhs(), &builder));
  limit = arith::SubIOp::create(builder, loc, limit, constant(lanes.constant));
  for (auto [term, subtracted] : lanes.terms)
    limit = subtracted ? Value(arith::AddIOp::create(builder, loc, limit, wide(term)))
                       : Value(arith::SubIOp::create(builder, loc, limit, wide(term)));
  unsigned stepBits = 0;
  for (int bit : map.get(lanes.range))
    stepBits += bit != noBit;
  int64_t steps = int64_t(1) << stepBits, size = getTileElements(lanes.range.getType()) / steps;
  limit = arith::MaxSIOp::create(builder, loc, limit, constant(0));
  auto strips = [&](Value lanes) -> Value {
    Value count = arith::ShRUIOp::create(builder, loc, lanes, constant(log2Exact(size)));
    count = arith::MinUIOp::create(builder, loc, count, constant(steps));
    return arith::TruncIOp::create(builder, loc, i32, count);
  };
  Value full = strips(limit);
  Value end = strips(arith::AddIOp::create(builder, loc, limit, constant(size - 1)));
  return {comparison, full, end};
}

bool StripBounds::implies(Value mask, Value comparison) {
  if (mask == comparison)
    return true;
  Operation *op = mask ? mask.getDefiningOp() : nullptr;
  if (!op || !isa<arith::AndIOp, tt::BroadcastOp, tt::ExpandDimsOp, tt::ReshapeOp>(op))
    return false;
  return llvm::any_of(op->getOperands(),
                      [&](Value operand) { return implies(operand, comparison); });
}

Value StripBounds::scalarOutside(Value tile, Value comparison, OpBuilder &builder) {
  if (!isa<RankedTensorType>(tile.getType()))
    return tile;
  auto known = outside.find({tile, comparison});
  if (known != outside.end() && known->second)
    return known->second;
  auto remember = [&](Value scalar) { return outside[{tile, comparison}] = scalar; };
  if (Value scalar = splatScalar(tile, &builder))
    return remember(scalar);
  Operation *op = tile.getDefiningOp();
  if (!op || !isStrip(tile))
    return {};
  Location loc = op->getLoc();
  Type element = getElementTypeOrSelf(tile.getType());
  if (implies(tile, comparison))
    return remember(arith::ConstantIntOp::create(builder, loc, element, 0));
  if (auto load = dyn_cast<tt::LoadOp>(op)) {
    if (!load.getMask() || !implies(load.getMask(), comparison) || !element.isIntOrFloat())
      return {};
    if (load.getOther())
      return remember(scalarOutside(load.getOther(), comparison, builder));
    return remember(arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element)));
  }
  if (auto select = dyn_cast<arith::SelectOp>(op);
      select && implies(select.getCondition(), comparison))
    return remember(scalarOutside(select.getFalseValue(), comparison, builder));
  bool elementwise = op->hasTrait<OpTrait::Elementwise>() && isMemoryEffectFree(op) &&
                     op->getNumResults() == 1 && op->getNumRegions() == 0;
  if (!elementwise && !isa<tt::BroadcastOp, tt::ExpandDimsOp, tt::ReshapeOp>(op))
    return {};
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    Value scalar = scalarOutside(operand, comparison, builder);
    if (!scalar)
      return {};
    operands.push_back(scalar);
  }
  if (!elementwise)
    return remember(operands[0]);
  Operation *scalar = op->clone();
  scalar->setOperands(operands);
  scalar->getResult(0).setType(element);
  builder.insert(scalar);
  return remember(scalar->getResult(0));
}

} // namespace tigon
