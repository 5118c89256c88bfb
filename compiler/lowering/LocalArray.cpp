// SPDX-License-Identifier: Apache-2.0
#include "compiler/lowering/LocalArray.h"

using namespace mlir;

namespace tigon {

LocalArray::LocalArray(Lowering &lowering, Value base, int64_t offset, Type element)
    : l(lowering), element(element) {
  this->base = offset ? Value(LLVM::GEPOp::create(l.b, base.getType(), l.b.getI8Type(), base,
                                                  ArrayRef<LLVM::GEPArg>{int32_t(offset)}))
                      : base;
}

Value LocalArray::pointer(Value index) {
  Type bytes = IntegerType::get(l.b.getContext(), Machine::memoryBytes(element) * 8);
  Type type = base.getType();
  if (auto vector = dyn_cast<VectorType>(index.getType()))
    type = vector.clone(base.getType());
  return LLVM::GEPOp::create(l.b, type, bytes, base, ArrayRef<LLVM::GEPArg>{index});
}

AccessShape LocalArray::shape(unsigned vector, bool lanesConsecutive) const {
  AccessShape shape;
  shape.vector = vector;
  shape.lanesConsecutive = lanesConsecutive;
  shape.alignment = Machine::memoryBytes(element) * vector;
  return shape;
}

Lowering::Registers LocalArray::load(Value index, unsigned vector, bool lanesConsecutive) {
  Value at = pointer(index);
  return l.machine.load({element, at, {}, shape(vector, lanesConsecutive), {}}, {});
}

void LocalArray::store(Value index, ArrayRef<Value> values, Value mask, bool lanesConsecutive) {
  Value at = pointer(index);
  ArrayRef<Value> masks = mask ? ArrayRef<Value>(mask) : ArrayRef<Value>();
  l.machine.store({element, at, masks, shape(values.size(), lanesConsecutive), {}}, values);
}

Value coordinateOf(const LinearLayout &layout, uint32_t r, Lowering &l) {
  Value thread = l.machine.threadCoordinate(layout);
  uint32_t image = layout.apply(Index::Register, r);
  if (!image)
    return thread;
  return arith::XOrIOp::create(l.b, thread, l.machine.constant(thread.getType(), image));
}

bool lanesAreConsecutive(const LinearLayout &layout) {
  return llvm::all_of(llvm::enumerate(layout.getImages(Index::Lane)),
                      [](auto lane) { return lane.value() == uint32_t(1) << lane.index(); });
}

} // namespace tigon
