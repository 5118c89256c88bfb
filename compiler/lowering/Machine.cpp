// SPDX-License-Identifier: Apache-2.0
#include "compiler/lowering/Machine.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tigon {

std::unique_ptr<Machine> createNvidiaMachine(const Target &target, ImplicitLocOpBuilder &builder);
std::unique_ptr<Machine> createCpuMachine(const Target &target, ImplicitLocOpBuilder &builder);

std::unique_ptr<Machine> Machine::create(const Target &target, ImplicitLocOpBuilder &builder) {
  return target.lanesAreThreads ? createNvidiaMachine(target, builder)
                                : createCpuMachine(target, builder);
}

Type Machine::scalarType(Type type) const {
  MLIRContext *context = type.getContext();
  if (isa<tt::PointerType>(type))
    return LLVM::LLVMPointerType::get(context, target.lanesAreThreads ? 1 : 0);
  auto floating = dyn_cast<FloatType>(type);
  if (!floating || floating.getWidth() >= 32)
    return type;
  if (target.narrowFloatsAreIntegers || floating.getWidth() < 16)
    return IntegerType::get(context, floating.getWidth());
  return type;
}

Type Machine::memoryType(Type element) const {
  return element.isInteger(1) ? Type(IntegerType::get(element.getContext(), 8))
                              : scalarType(element);
}

int64_t Machine::memoryBytes(Type element) {
  return element.isIntOrFloat() ? (element.getIntOrFloatBitWidth() + 7) / 8 : 8;
}

Value Machine::constant(Type type, int64_t value) {
  TypedAttr attribute;
  if (auto vector = dyn_cast<VectorType>(type))
    attribute =
        DenseElementsAttr::get(vector, b.getIntegerAttr(vector.getElementType(), value).getValue());
  else
    attribute = b.getIntegerAttr(type, value);
  return arith::ConstantOp::create(b, attribute);
}

Value Machine::constant(TypedAttr value) {
  Type type = scalarType(value.getType());
  if (auto floating = dyn_cast<FloatAttr>(value); floating && type != value.getType())
    value = b.getIntegerAttr(type, floating.getValue().bitcastToAPInt());
  return arith::ConstantOp::create(b, value);
}

void Machine::onlyIf(Value condition, llvm::function_ref<void()> emit) {
  if (!condition)
    return emit();
  auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  emit();
}

Value Machine::loadScalar(Value pointer, Type element, Value mask, Value other,
                          const CacheHints &hints) {
  Type type = memoryType(element);
  auto access = [&] {
    Value value = LLVM::LoadOp::create(b, type, pointer, memoryBytes(element), hints.isVolatile);
    if (element.isInteger(1))
      value = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, value, constant(type, 0));
    return value;
  };
  if (!mask)
    return access();
  auto branch = scf::IfOp::create(b, scalarType(element), mask, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, access());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, other);
  return branch.getResult(0);
}

void Machine::storeScalar(Value pointer, Value value, Type element, Value mask,
                          const CacheHints &hints) {
  if (Value acts = actsForProgram())
    mask = mask ? Value(arith::AndIOp::create(b, mask, acts)) : acts;
  onlyIf(mask, [&] {
    Value stored = value;
    if (element.isInteger(1))
      stored = arith::ExtUIOp::create(b, memoryType(element), value);
    LLVM::StoreOp::create(b, stored, pointer, memoryBytes(element), hints.isVolatile);
  });
}

} // namespace tigon
