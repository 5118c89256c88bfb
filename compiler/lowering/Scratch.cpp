// SPDX-License-Identifier: Apache-2.0
//
// Scratch. Private: a slot for each thread, read by the thread that wrote it, in units of one wide access, so that a warp's
// accesses are neighbours and meet no bank twice. In memory: row-major like the tile, read by whoever needs it.
#include "compiler/lowering/Scratch.h"

#include "compiler/LocalMemory.h"

using namespace mlir;

namespace tigon {
namespace {

bool isPrivate(Value scratch) {
  return scratch.getDefiningOp<tg::ScratchAllocOp>().getResidency() == tg::Residency::Private;
}

LocalArray arrayOf(Value scratch, Lowering &l) {
  auto alloc = scratch.getDefiningOp<tg::ScratchAllocOp>();
  bool global = alloc->hasAttr(globalAttr);
  int64_t offset = alloc->getAttrOfType<IntegerAttr>(offsetAttr).getInt();
  Value base = global ? l.machine.globalScratch() : l.machine.localMemory();
  return LocalArray(l, base, offset, alloc.getResult().getType().getTile().getElementType());
}

} // namespace

PrivateSlots::PrivateSlots(Value scratch, const LinearLayout &layout, Value step, Lowering &l)
    : array(arrayOf(scratch, l)), layout(layout), step(step), vector(1), l(l) {
  Type element = cast<tg::ScratchType>(scratch.getType()).getTile().getElementType();
  if (l.machine.getTarget().lanesAreThreads)
    vector = std::min<int64_t>(layout.getSize(Index::Register), 16 / Machine::memoryBytes(element));
}

// (step, r / vector, thread, r % vector).
Value PrivateSlots::index(unsigned r) {
  int64_t threads = layout.getSize(Index::Lane) * layout.getSize(Index::Warp);
  int64_t registers = layout.getSize(Index::Register);
  Value thread = l.machine.threadIndex();
  Type type = thread.getType();
  Value index = arith::MulIOp::create(l.b, thread, l.machine.constant(type, vector));
  if (int64_t first = int64_t(r / vector * vector) * threads + r % vector)
    index = arith::AddIOp::create(l.b, index, l.machine.constant(type, first));
  if (step) {
    Value stride = l.machine.constant(step.getType(), registers * threads);
    index = arith::AddIOp::create(l.b, index,
                                  l.machine.broadcast(arith::MulIOp::create(l.b, step, stride)));
  }
  return index;
}

namespace {

// A strip's layout in the whole tile: its bits are the tile's but for the fixed ones, in order.
LinearLayout inTile(const LinearLayout &strip, RankedTensorType tile, ArrayRef<int32_t> fixed) {
  SmallVector<std::optional<unsigned>> stripBit(getTileBits(tile));
  unsigned next = 0;
  for (unsigned bit = 0; bit < stripBit.size(); ++bit)
    if (!llvm::is_contained(fixed, int32_t(bit)))
      stripBit[bit] = next++;
  return strip.mapBits(tile.getShape(), [&](unsigned bit) { return stripBit[bit]; });
}

// Flat index in the tile of register r, where the fixed bits are the step's.
Value tileIndex(const LinearLayout &whole, unsigned r, ArrayRef<int32_t> fixed, Value step,
                Lowering &l) {
  Value index = coordinateOf(whole, r, l);
  for (auto [number, bit] : llvm::enumerate(fixed)) {
    Value one = l.machine.constant(step.getType(), 1);
    Value taken = arith::AndIOp::create(
        l.b, arith::ShRUIOp::create(l.b, step, l.machine.constant(step.getType(), number)), one);
    Value moved = arith::ShLIOp::create(l.b, taken, l.machine.constant(step.getType(), bit));
    index = arith::AddIOp::create(l.b, index, l.machine.broadcast(moved));
  }
  return index;
}

LogicalResult lowerPut(Operation *op, Lowering &l) {
  auto put = cast<tg::ScratchPutOp>(op);
  const LinearLayout &layout = *Lowering::layoutOf(put.getValue());
  RankedTensorType tile = put.getScratch().getType().getTile();
  Value step = put.getStep() ? l.getScalar(put.getStep()) : Value();
  ArrayRef<Value> values = l.get(put.getValue());
  if (op->hasAttr(barrierBeforeAttr))
    l.machine.barrier();
  if (isPrivate(put.getScratch())) {
    PrivateSlots slots(put.getScratch(), layout, step, l);
    for (unsigned r = 0; r < values.size(); r += slots.getVector())
      slots.array.store(slots.index(r), values.slice(r, slots.getVector()), Value(), true);
    return success();
  }
  LocalArray array = arrayOf(put.getScratch(), l);
  Value owns = l.machine.ownsElements(layout);
  LinearLayout whole = inTile(layout, tile, put.getBits());
  for (unsigned r = 0; r < values.size(); ++r)
    array.store(tileIndex(whole, r, put.getBits(), step, l), values[r], owns,
                lanesAreConsecutive(whole));
  return success();
}

LogicalResult lowerGet(Operation *op, Lowering &l) {
  auto get = cast<tg::ScratchGetOp>(op);
  const LinearLayout &layout = *Lowering::layoutOf(get.getResult());
  RankedTensorType tile = get.getScratch().getType().getTile();
  Value step = get.getStep() ? l.getScalar(get.getStep()) : Value();
  if (op->hasAttr(barrierBeforeAttr))
    l.machine.barrier();
  Lowering::Registers registers;
  unsigned count = layout.getSize(Index::Register);
  if (isPrivate(get.getScratch())) {
    PrivateSlots slots(get.getScratch(), layout, step, l);
    for (unsigned r = 0; r < count; r += slots.getVector())
      llvm::append_range(registers, slots.array.load(slots.index(r), slots.getVector(), true));
  } else {
    LocalArray array = arrayOf(get.getScratch(), l);
    LinearLayout whole = inTile(layout, tile, get.getBits());
    for (unsigned r = 0; r < count; ++r)
      llvm::append_range(registers, array.load(tileIndex(whole, r, get.getBits(), step, l), 1,
                                               lanesAreConsecutive(whole)));
  }
  l.set(get.getResult(), registers);
  return success();
}

LogicalResult lowerAlloc(Operation *, Lowering &) {
  return success();
} // puts and gets know the place

} // namespace

void addScratchLowerings(LoweringTable &table) {
  table.add<tg::ScratchAllocOp>(lowerAlloc);
  table.add<tg::ScratchPutOp>(lowerPut);
  table.add<tg::ScratchGetOp>(lowerGet);
}

} // namespace tigon
