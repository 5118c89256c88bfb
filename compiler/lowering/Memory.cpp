// SPDX-License-Identifier: Apache-2.0
//
// Loads and stores: registers whose elements are neighbours in memory are moved by one access.
#include "compiler/LocalMemory.h"
#include "compiler/lowering/Scratch.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tigon {
namespace {

// The axis along which the low bits of `images` walk one element after the other, and how many bits do.
struct Run {
  std::optional<unsigned> axis;
  unsigned bits = 0;
};

Run findRun(ArrayRef<int64_t> shape, ArrayRef<uint32_t> images) {
  Run run;
  if (images.empty() || !images[0])
    return run;
  uint32_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0; stride *= shape[axis])
    if (images[0] == stride && shape[axis] > 1) {
      run.axis = axis;
      break;
    }
  if (!run.axis)
    return run;
  while (run.bits < images.size() && images[run.bits] == stride << run.bits &&
         (int64_t(1) << run.bits) < shape[*run.axis])
    ++run.bits;
  return run;
}

AccessShape shapeOf(Value pointer, Value mask, Type element, Lowering &l) {
  const LinearLayout &layout = *Lowering::layoutOf(pointer);
  const Target &target = l.machine.getTarget();
  AxisInfo info = l.axes.get(pointer);
  int64_t bytes = Machine::memoryBytes(element);
  AccessShape shape;
  shape.alignment = bytes;
  auto maskConstancy = [&](unsigned axis) {
    return mask ? l.axes.get(mask).constancy[axis] : anyPowerOfTwo;
  };
  ArrayRef<uint32_t> inLane = layout.getImages(Index::Register);
  ArrayRef<uint32_t> lanes = layout.getImages(Index::Lane);
  if (target.lanesAreThreads) {
    Run run = findRun(layout.getShape(), inLane);
    if (!run.axis)
      return shape;
    int64_t vector = std::min({int64_t(1) << run.bits, alignedNeighbours(info, *run.axis, bytes),
                               target.accessBytes / bytes, maskConstancy(*run.axis)});
    shape.vector = vector;
    shape.alignment = bytes * vector;
    return shape;
  }
  Run run = findRun(layout.getShape(), lanes);
  shape.lanesConsecutive =
      run.axis && run.bits == lanes.size() && info.contiguity[*run.axis] >= int64_t(1) << run.bits;
  if (shape.lanesConsecutive)
    shape.alignment =
        bytes * std::min(int64_t(1) << run.bits, alignedNeighbours(info, *run.axis, bytes));
  shape.lanesEqual = llvm::all_of(llvm::enumerate(lanes), [&](auto lane) {
    if (!lane.value())
      return true;
    return run.axis && lane.index() < run.bits &&
           info.constancy[*run.axis] >= int64_t(2) << lane.index();
  });
  return shape;
}

// The accesses that move the registers of `pointer`.
class Accesses {
public:
  Accesses(Value pointer, Value mask, Type element, const CacheHints &hints, Lowering &l)
      : access{element, {}, {}, shapeOf(pointer, mask, element, l), hints} {
    ArrayRef<Value> all = l.get(pointer);
    for (unsigned r = 0; r < all.size(); r += access.shape.vector) {
      pointers.push_back(all[r]);
      if (mask)
        masks.push_back(l.get(mask)[r]);
    }
  }

  // Only lanes where `owns` holds act; null: all.
  void restrictTo(Value owns, Lowering &l) {
    if (owns && masks.empty())
      masks.assign(pointers.size(), owns);
    else if (owns)
      for (Value &mask : masks)
        mask = arith::AndIOp::create(l.b, mask, owns);
  }

  TileAccess get() const {
    TileAccess result = access;
    result.pointers = pointers;
    result.masks = masks;
    return result;
  }

private:
  TileAccess access;
  SmallVector<Value> pointers, masks;
};

LogicalResult lowerLoad(Operation *op, Lowering &l) {
  auto load = cast<tt::LoadOp>(op);
  CacheHints hints{load.getCache(), load.getEvict(), load.getIsVolatile()};
  Type element = getElementTypeOrSelf(load.getType());
  if (tt::isTensorPointer(load.getPtr().getType()))
    return op->emitError() << "found a load through a block pointer, which is not compiled yet";
  Value zero;
  if (load.getMask() && !load.getOther())
    zero = LLVM::ZeroOp::create(l.b, l.registerType(load.getType()));
  if (!isa<RankedTensorType>(load.getType())) {
    Value mask = load.getMask() ? l.getScalar(load.getMask()) : Value();
    Value other = load.getOther() ? l.getScalar(load.getOther()) : zero;
    l.set(load, {l.machine.loadScalar(l.getScalar(load.getPtr()), element, mask, other, hints)});
    return success();
  }
  Accesses accesses(load.getPtr(), load.getMask(), element, hints, l);
  Lowering::Registers others;
  if (load.getOther())
    llvm::append_range(others, l.get(load.getOther()));
  else if (load.getMask())
    others.assign(l.get(load.getPtr()).size(), zero);
  l.set(load, l.machine.load(accesses.get(), others));
  return success();
}

// Masked lanes are filled at once. Pieces that are too small for an asynchronous copy are loaded and stored.
LogicalResult lowerAsyncCopy(Operation *op, Lowering &l) {
  auto copy = cast<tg::AsyncCopyOp>(op);
  Type element = copy.getScratch().getType().getTile().getElementType();
  const LinearLayout &layout = *Lowering::layoutOf(copy.getPtr());
  Value runs = l.getScalar(copy.getRuns());
  Accesses accesses(copy.getPtr(), copy.getMask(), element, {}, l);
  TileAccess access = accesses.get();
  PrivateSlots slots(copy.getScratch(), layout,
                     copy.getStep() ? l.getScalar(copy.getStep()) : Value(), l);
  if (op->hasAttr(barrierBeforeAttr))
    l.machine.barrier();
  unsigned vector = std::min(access.shape.vector, slots.getVector());
  unsigned bytes = vector * unsigned(Machine::memoryBytes(element));
  Value zero = LLVM::ZeroOp::create(l.b, l.machine.registerType(element));
  bool isAsync = bytes >= 4;
  bool fillsZeros = isAsync && (!copy.getOther() || matchPattern(copy.getOther(), m_Zero()) ||
                                matchPattern(copy.getOther(), m_PosZeroFloat()));
  for (unsigned r = 0; r < l.get(copy.getPtr()).size(); r += vector) {
    Value on = runs, off, mask;
    if (copy.getMask())
      mask = l.get(copy.getMask())[r];
    if (mask && !fillsZeros) {
      Value yes = l.machine.constant(mask.getType(), 1);
      on = arith::AndIOp::create(l.b, runs, mask);
      off = arith::AndIOp::create(l.b, runs, arith::XOrIOp::create(l.b, mask, yes));
    }
    Lowering::Registers others(vector, zero);
    if (copy.getOther())
      others.assign(l.get(copy.getOther()).slice(r, vector).begin(),
                    l.get(copy.getOther()).slice(r, vector).end());
    Value slot = slots.index(r), from = l.get(copy.getPtr())[r];
    if (isAsync) {
      l.machine.copyAsync(slots.array.pointer(slot), from, bytes, on, fillsZeros ? mask : Value());
    } else {
      AccessShape shape = access.shape;
      shape.vector = vector;
      shape.alignment = bytes;
      slots.array.store(slot, l.machine.load({element, from, on, shape, {}}, others), on, true);
    }
    if (off)
      slots.array.store(slot, others, off, true);
  }
  return success();
}

LogicalResult lowerAsyncCommit(Operation *, Lowering &l) {
  l.machine.commitCopies();
  return success();
}

LogicalResult lowerAsyncWait(Operation *op, Lowering &l) {
  l.machine.waitForCopies(cast<tg::AsyncWaitOp>(op).getPending());
  return success();
}

LogicalResult lowerStore(Operation *op, Lowering &l) {
  auto store = cast<tt::StoreOp>(op);
  CacheHints hints{store.getCache(), store.getEvict(), false};
  Type element = getElementTypeOrSelf(store.getValue().getType());
  if (tt::isTensorPointer(store.getPtr().getType()))
    return op->emitError() << "found a store through a block pointer, which is not compiled yet";
  if (!isa<RankedTensorType>(store.getValue().getType())) {
    Value mask = store.getMask() ? l.getScalar(store.getMask()) : Value();
    l.machine.storeScalar(l.getScalar(store.getPtr()), l.getScalar(store.getValue()), element, mask,
                          hints);
    return success();
  }
  Accesses accesses(store.getPtr(), store.getMask(), element, hints, l);
  accesses.restrictTo(l.machine.ownsElements(*Lowering::layoutOf(store.getValue())), l);
  l.machine.store(accesses.get(), l.get(store.getValue()));
  return success();
}

} // namespace

void addMemoryLowerings(LoweringTable &table) {
  table.add<tt::LoadOp>(lowerLoad);
  table.add<tt::StoreOp>(lowerStore);
  table.add<tg::AsyncCopyOp>(lowerAsyncCopy);
  table.add<tg::AsyncCommitOp>(lowerAsyncCommit);
  table.add<tg::AsyncWaitOp>(lowerAsyncWait);
}

} // namespace tigon
