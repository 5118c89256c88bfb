// SPDX-License-Identifier: Apache-2.0
//
// Shape ops move no data: each register of the result is a register of the operand, found by the layouts.
#include "compiler/lowering/Lowering.h"
#include "dialect/TileMap.h"
#include "dialect/tg/TG.h"

using namespace mlir;

namespace tigon {
namespace {

LogicalResult lowerMakeRange(Operation *op, Lowering &l) {
  auto range = cast<tt::MakeRangeOp>(op);
  const LinearLayout &layout = *Lowering::layoutOf(range.getResult());
  Value thread = l.machine.threadCoordinate(layout);
  // Images of registers and threads share no bit unless swizzled; then the sum has no carries and no overflow, and
  // LLVM may fold it into addresses.
  constexpr auto flags = arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw;
  Lowering::Registers registers;
  int32_t start = range.getStart();
  uint32_t threadBits = 0, registerBits = 0;
  for (Index index : {Index::Lane, Index::Warp, Index::Block})
    for (uint32_t image : layout.getImages(index))
      threadBits |= image;
  for (uint32_t image : layout.getImages(Index::Register))
    registerBits |= image;
  for (int64_t r = 0; r < layout.getSize(Index::Register); ++r) {
    uint32_t image = layout.apply(Index::Register, r);
    Value coordinate = thread;
    if (threadBits & registerBits) {
      coordinate = arith::XOrIOp::create(l.b, thread, l.machine.constant(thread.getType(), image));
      coordinate =
          arith::AddIOp::create(l.b, coordinate, l.machine.constant(thread.getType(), start));
    } else if (int64_t offset = int64_t(image) + start) {
      coordinate = arith::AddIOp::create(l.b, thread, l.machine.constant(thread.getType(), offset),
                                         start >= 0 ? flags : arith::IntegerOverflowFlags::nsw);
    }
    registers.push_back(coordinate);
  }
  l.set(range.getResult(), registers);
  return success();
}

LogicalResult lowerConstant(Operation *op, Lowering &l) {
  auto constant = cast<arith::ConstantOp>(op);
  auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (!elements || !isa<RankedTensorType>(constant.getType())) {
    l.set(constant, {l.machine.constant(constant.getValue())});
    return success();
  }
  if (!elements.isSplat())
    return op->emitError()
           << "found a constant tile whose elements differ, expected one value for all";
  auto value = cast<TypedAttr>(elements.getSplatValue<Attribute>());
  Value reg = l.machine.broadcast(l.machine.constant(value));
  l.set(constant, Lowering::Registers(Lowering::countRegisters(constant.getType()), reg));
  return success();
}

LogicalResult lowerSplat(Operation *op, Lowering &l) {
  Value reg = l.machine.broadcast(l.getScalar(op->getOperand(0)));
  l.set(op->getResult(0),
        Lowering::Registers(Lowering::countRegisters(op->getResult(0).getType()), reg));
  return success();
}

LogicalResult lowerUnsplat(Operation *op, Lowering &l) {
  l.set(op->getResult(0), {l.machine.first(l.get(op->getOperand(0)).front())});
  return success();
}

// expand_dims, broadcast, reshape, trans: the operand's layout is the result's with bits renamed or dropped, so each thread
// holds what it needs.
LogicalResult lowerRenaming(Operation *op, Lowering &l) {
  const LinearLayout &source = *Lowering::layoutOf(op->getOperand(0));
  const LinearLayout &result = *Lowering::layoutOf(op->getResult(0));
  LinearLayout renamed =
      result.mapBits(source.getShape(), [&](unsigned bit) { return getResultBit(op, 0, bit); });
  ArrayRef<Value> from = l.get(op->getOperand(0));
  Lowering::Registers registers;
  for (int64_t r = 0; r < result.getSize(Index::Register); ++r) {
    auto held = source.findRegister(renamed.apply(Index::Register, r));
    if (!held)
      return op->emitError() << "found layouts that do not fit: " << source.str() << " and "
                             << result.str();
    registers.push_back(from[*held]);
  }
  l.set(op->getResult(0), registers);
  return success();
}

LogicalResult lowerPoison(Operation *op, Lowering &l) {
  Type type = op->getResult(0).getType();
  Value poison = LLVM::PoisonOp::create(l.b, l.registerType(type));
  l.set(op->getResult(0), Lowering::Registers(Lowering::countRegisters(type), poison));
  return success();
}

} // namespace

void addShapeLowerings(LoweringTable &table) {
  table.add<arith::ConstantOp>(lowerConstant);
  table.add<ub::PoisonOp>(lowerPoison);
  table.add<tt::MakeRangeOp>(lowerMakeRange);
  table.add<tt::SplatOp>(lowerSplat);
  table.add<tt::UnsplatOp>(lowerUnsplat);
  table.add<tt::ExpandDimsOp>(lowerRenaming);
  table.add<tt::BroadcastOp>(lowerRenaming);
  table.add<tt::ReshapeOp>(lowerRenaming);
  table.add<tt::TransOp>(lowerRenaming);
}

} // namespace tigon
