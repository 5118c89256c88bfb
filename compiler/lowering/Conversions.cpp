// SPDX-License-Identifier: Apache-2.0
//
// Conversions of layouts: a renaming of registers where every thread holds what it needs; permutations of vectors where
// lanes are not threads; else through local memory.
#include "compiler/LocalMemory.h"
#include "compiler/lowering/LocalArray.h"

using namespace mlir;

namespace tigon {
namespace {

LogicalResult convertThroughMemory(tg::ConvertLayoutOp op, const LinearLayout &from,
                                   const LinearLayout &to, Lowering &l) {
  Type element = op.getType().getElementType();
  LocalArray array(l, l.machine.localMemory(), op->getAttrOfType<IntegerAttr>(offsetAttr).getInt(),
                   element);
  if (op->hasAttr(barrierBeforeAttr))
    l.machine.barrier();
  Value owns = l.machine.ownsElements(from);
  ArrayRef<Value> values = l.get(op.getSrc());
  for (unsigned r = 0; r < values.size(); ++r)
    array.store(coordinateOf(from, r, l), values[r], owns, false);
  l.machine.barrier();
  Lowering::Registers registers;
  for (unsigned r = 0; r < to.getSize(Index::Register); ++r)
    llvm::append_range(registers, array.load(coordinateOf(to, r, l), 1, false));
  l.set(op.getResult(), registers);
  return success();
}

LogicalResult lowerConvertLayout(Operation *operation, Lowering &l) {
  auto op = cast<tg::ConvertLayoutOp>(operation);
  const LinearLayout &from = *Lowering::layoutOf(op.getSrc()),
                     &to = *Lowering::layoutOf(op.getResult());
  ArrayRef<Value> values = l.get(op.getSrc());
  Lowering::Registers registers;
  unsigned count = to.getSize(Index::Register);
  if (from.coversInThread(to)) {
    for (unsigned r = 0; r < count; ++r)
      registers.push_back(values[*from.findRegister(to.apply(Index::Register, r))]);
  } else if (!l.machine.getTarget().lanesAreThreads) {
    for (unsigned r = 0; r < count; ++r) {
      SmallVector<std::pair<unsigned, unsigned>> sources;
      for (int lane = 0; lane < l.machine.getTarget().lanes; ++lane) {
        auto held = from.find(to.apply(Index::Register, r) ^ to.apply(Index::Lane, lane));
        sources.push_back({(*held)[unsigned(Index::Register)], (*held)[unsigned(Index::Lane)]});
      }
      registers.push_back(l.machine.pick(values, sources));
    }
  } else {
    return convertThroughMemory(op, from, to, l);
  }
  l.set(op.getResult(), registers);
  return success();
}

} // namespace

void addConversionLowerings(LoweringTable &table) {
  table.add<tg::ConvertLayoutOp>(lowerConvertLayout);
}

} // namespace tigon
