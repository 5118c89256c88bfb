// SPDX-License-Identifier: Apache-2.0
//
// Loads and stores: registers whose elements are neighbours in memory are moved by one access.
#include "compiler/lowering/Lowering.h"

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
  shape.lanesEqual = llvm::all_of(llvm::enumerate(lanes), [&](auto lane) {
    if (!lane.value())
      return true;
    return run.axis && lane.index() < run.bits &&
           info.constancy[*run.axis] >= int64_t(2) << lane.index();
  });
  return shape;
}

Value both(Value a, Value c, Lowering &l) {
  if (!a || !c)
    return a ? a : c;
  return arith::AndIOp::create(l.b, a, c);
}

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
  AccessShape shape = shapeOf(load.getPtr(), load.getMask(), element, l);
  ArrayRef<Value> pointers = l.get(load.getPtr());
  Lowering::Registers registers;
  for (unsigned r = 0; r < pointers.size(); r += shape.vector) {
    Value mask = load.getMask() ? l.get(load.getMask())[r] : Value();
    SmallVector<Value> others;
    for (unsigned i = 0; mask && i < shape.vector; ++i)
      others.push_back(load.getOther() ? l.get(load.getOther())[r + i] : zero);
    llvm::append_range(registers, l.machine.load(pointers.slice(r, shape.vector), element, mask,
                                                 others, shape, hints));
  }
  l.set(load, registers);
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
  AccessShape shape = shapeOf(store.getPtr(), store.getMask(), element, l);
  Value owns = l.machine.ownsElements(*Lowering::layoutOf(store.getValue()));
  ArrayRef<Value> pointers = l.get(store.getPtr()), values = l.get(store.getValue());
  for (unsigned r = 0; r < pointers.size(); r += shape.vector) {
    Value mask = both(store.getMask() ? l.get(store.getMask())[r] : Value(), owns, l);
    l.machine.store(pointers.slice(r, shape.vector), values.slice(r, shape.vector), element, mask,
                    shape, hints);
  }
  return success();
}

} // namespace

void addMemoryLowerings(LoweringTable &table) {
  table.add<tt::LoadOp>(lowerLoad);
  table.add<tt::StoreOp>(lowerStore);
}

} // namespace tigon
