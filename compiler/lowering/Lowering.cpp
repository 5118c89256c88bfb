// SPDX-License-Identifier: Apache-2.0
#include "compiler/lowering/Lowering.h"

#include "dialect/tg/TG.h"

using namespace mlir;

namespace tigon {

const LoweringTable &LoweringTable::all() {
  static const LoweringTable table = [] {
    LoweringTable all;
    addControlLowerings(all);
    addConversionLowerings(all);
    addElementwiseLowerings(all);
    addMemoryLowerings(all);
    addReduceLowerings(all);
    addScratchLowerings(all);
    addShapeLowerings(all);
    return all;
  }();
  return table;
}

LogicalResult Lowering::lowerBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(lowerOp(&op)))
      return failure();
  return success();
}

LogicalResult Lowering::lowerOp(Operation *op) {
  b.setLoc(op->getLoc());
  if (LowerOp lower = LoweringTable::all().find(op))
    return lower(op, *this);
  if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumResults() != 1)
    return op->emitError() << "found '" << op->getName() << "', which is not compiled for '"
                           << machine.getTarget().name << "'";
  // Elementwise ops are themselves, register by register.
  Registers results;
  Type type = registerType(op->getResult(0).getType());
  uint32_t repeats = isa<arith::CmpIOp>(op) ? repeatedBits(op->getResult(0)) : 0;
  for (unsigned r = 0; r < countRegisters(op->getResult(0).getType()); ++r) {
    if (r & repeats) {
      results.push_back(results[r & ~repeats]);
      continue;
    }
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      if (isa<RankedTensorType>(operand.getType()))
        operands.push_back(get(operand)[r]);
      else // a scalar condition of a select between tiles
        operands.push_back(getScalar(operand));
    }
    results.push_back(cloneOnRegisters(op, operands, type, b)->getResult(0));
  }
  set(op->getResult(0), results);
  return success();
}

// Bits of a register's index that lead to an element which is known to be equal: masks of rows whose length is a multiple
// of what a thread accesses at once.
uint32_t Lowering::repeatedBits(Value value) const {
  const LinearLayout *layout = layoutOf(value);
  if (!layout)
    return 0;
  AxisInfo info = axes.get(value);
  uint32_t equal = 0;
  unsigned place = 0;
  for (unsigned axis = layout->getRank(); axis-- > 0;) {
    auto extent = uint32_t(layout->getShape()[axis]);
    auto run = uint32_t(std::min<int64_t>(info.constancy[axis], extent));
    equal |= (llvm::bit_floor(run) - 1) << place;
    place += llvm::Log2_32(extent);
  }
  uint32_t repeats = 0;
  for (auto [bit, image] : llvm::enumerate(layout->getImages(Index::Register)))
    if (!(image & ~equal))
      repeats |= 1u << bit;
  return repeats;
}

ArrayRef<Value> Lowering::get(Value value) const {
  auto found = lowered.find(value);
  assert(found != lowered.end() && "used before it was lowered");
  return found->second;
}

Value Lowering::getScalar(Value value) const { return get(value).front(); }

void Lowering::set(Value value, Registers registers) {
  assert(registers.size() == countRegisters(value.getType()) && "one entry a register");
  lowered[value] = std::move(registers);
}

// A thread's registers of 8 or 16 bits cross control flow in words of 32: each would otherwise be a register of its own.
unsigned Lowering::registersPerWord(Type type) const {
  Type element = registerType(type);
  if (!machine.getTarget().lanesAreThreads || !isa<RankedTensorType>(type) ||
      !element.isIntOrFloat())
    return 1;
  unsigned bits = element.getIntOrFloatBitWidth(), count = bits >= 8 ? 32 / std::min(bits, 32u) : 1;
  return countRegisters(type) % count == 0 ? count : 1;
}

Lowering::Registers Lowering::flatten(ValueRange values) const {
  Registers flat;
  for (Value value : values) {
    ArrayRef<Value> registers = get(value);
    unsigned count = registersPerWord(value.getType());
    if (count == 1) {
      llvm::append_range(flat, registers);
      continue;
    }
    auto vector = VectorType::get(count, registerType(value.getType()));
    for (unsigned r = 0; r < registers.size(); r += count) {
      Value parts = LLVM::PoisonOp::create(b, vector);
      for (unsigned i = 0; i < count; ++i)
        parts = LLVM::InsertElementOp::create(b, parts, registers[r + i],
                                              machine.constant(b.getI32Type(), i));
      flat.push_back(LLVM::BitcastOp::create(b, b.getI32Type(), parts));
    }
  }
  return flat;
}

SmallVector<Type> Lowering::flattenTypes(TypeRange types) const {
  SmallVector<Type> flat;
  for (Type type : types) {
    unsigned count = registersPerWord(type);
    flat.append(countRegisters(type) / count, count == 1 ? registerType(type) : b.getI32Type());
  }
  return flat;
}

void Lowering::setFlat(ValueRange values, ValueRange registers) {
  for (Value value : values) {
    unsigned count = registersPerWord(value.getType());
    unsigned words = countRegisters(value.getType()) / count;
    Registers unpacked;
    for (Value word : registers.take_front(words)) {
      if (count == 1) {
        unpacked.push_back(word);
        continue;
      }
      auto vector = VectorType::get(count, registerType(value.getType()));
      Value parts = LLVM::BitcastOp::create(b, vector, word);
      for (unsigned i = 0; i < count; ++i)
        unpacked.push_back(
            LLVM::ExtractElementOp::create(b, parts, machine.constant(b.getI32Type(), i)));
    }
    set(value, unpacked);
    registers = registers.drop_front(words);
  }
}

const LinearLayout *Lowering::layoutOf(Value value) { return tg::getLayout(value.getType()); }

Type Lowering::registerType(Type type) const {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return machine.registerType(tensor.getElementType());
  return machine.scalarType(type);
}

unsigned Lowering::countRegisters(Type type) {
  const LinearLayout *layout = tg::getLayout(type);
  return layout ? layout->getSize(Index::Register) : 1;
}

FailureOr<Lowering::Registers> Lowering::combine(Region &region, ArrayRef<Value> a,
                                                 ArrayRef<Value> c) {
  Block &block = region.front();
  DenseMap<Value, Value> map;
  for (auto [argument, value] : llvm::zip(block.getArguments(), llvm::concat<const Value>(a, c)))
    map[argument] = value;
  // What is defined outside the region is a scalar, the same for all lanes.
  auto lookup = [&](Value value) {
    Value mapped = map.lookup(value);
    return mapped ? mapped : machine.broadcast(getScalar(value));
  };
  for (Operation &op : block.without_terminator()) {
    if (op.getNumRegions() || op.getNumResults() != 1)
      return op.emitError() << "found '" << op.getName()
                            << "' in a combine region, expected arithmetic on scalars";
    Value result = op.getResult(0);
    SmallVector<Value> operands = llvm::map_to_vector(op.getOperands(), lookup);
    Type type = machine.registerType(result.getType());
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      map[result] = machine.broadcast(machine.constant(constant.getValue()));
    else if (isa<arith::ExtFOp, arith::TruncFOp>(op))
      map[result] = machine.convertFloat(operands[0], op.getOperand(0).getType(), result.getType());
    else
      map[result] = cloneOnRegisters(&op, operands, type, b)->getResult(0);
  }
  return llvm::map_to_vector(block.getTerminator()->getOperands(), lookup);
}

Operation *cloneOnRegisters(Operation *op, ValueRange operands, TypeRange results,
                            OpBuilder &builder) {
  Operation *clone = op->cloneWithoutRegions();
  clone->setOperands(operands);
  for (auto [result, type] : llvm::zip(clone->getResults(), results))
    result.setType(type);
  builder.insert(clone);
  return clone;
}

} // namespace tigon
