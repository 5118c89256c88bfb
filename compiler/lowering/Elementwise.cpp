// SPDX-License-Identifier: Apache-2.0
//
// Elementwise ops that are not simply themselves on registers: pointers, casts between types that registers hold alike,
// and conversions of floats that the target keeps as integers.
#include "compiler/lowering/Lowering.h"

using namespace mlir;

namespace tigon {
namespace {

using LowerRegister = llvm::function_ref<Value(ValueRange)>;

// Apply `lower` to the r-th register of all operands, for all r.
LogicalResult forRegisters(Operation *op, Lowering &l, LowerRegister lower) {
  Lowering::Registers results;
  for (unsigned r = 0; r < Lowering::countRegisters(op->getResult(0).getType()); ++r) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(l.get(operand)[r]);
    results.push_back(lower(operands));
  }
  l.set(op->getResult(0), results);
  return success();
}

Type elementOf(Value value) { return getElementTypeOrSelf(value.getType()); }

// An i1 takes a byte in memory.
LogicalResult lowerAddPtr(Operation *op, Lowering &l) {
  Type pointee = cast<tt::PointerType>(elementOf(op->getOperand(0))).getPointeeType();
  Type element = IntegerType::get(op->getContext(), Machine::memoryBytes(pointee) * 8);
  return forRegisters(op, l, [&](ValueRange operands) -> Value {
    return LLVM::GEPOp::create(l.b, operands[0].getType(), element, operands[0],
                               ArrayRef<LLVM::GEPArg>{operands[1]});
  });
}

LogicalResult lowerBitcast(Operation *op, Lowering &l) {
  Type type = l.registerType(op->getResult(0).getType());
  return forRegisters(op, l, [&](ValueRange operands) -> Value {
    return operands[0].getType() == type ? operands[0]
                                         : Value(LLVM::BitcastOp::create(l.b, type, operands[0]));
  });
}

LogicalResult lowerIntToPtr(Operation *op, Lowering &l) {
  Type type = l.registerType(op->getResult(0).getType());
  return forRegisters(op, l, [&](ValueRange operands) -> Value {
    return LLVM::IntToPtrOp::create(l.b, type, operands[0]);
  });
}

LogicalResult lowerPtrToInt(Operation *op, Lowering &l) {
  Type type = l.registerType(op->getResult(0).getType());
  return forRegisters(op, l, [&](ValueRange operands) -> Value {
    return LLVM::PtrToIntOp::create(l.b, type, operands[0]);
  });
}

LogicalResult lowerFloatConversion(Operation *op, Lowering &l) {
  Type from = elementOf(op->getOperand(0)), to = elementOf(op->getResult(0));
  return forRegisters(
      op, l, [&](ValueRange operands) { return l.machine.convertFloat(operands[0], from, to); });
}

LogicalResult lowerApprox(Operation *op, Lowering &l) {
  tg::Approximation kind = cast<tg::ApproxOp>(op).getKind();
  return forRegisters(op, l,
                      [&](ValueRange operands) { return l.machine.approximate(kind, operands); });
}

} // namespace

void addElementwiseLowerings(LoweringTable &table) {
  table.add<tt::AddPtrOp>(lowerAddPtr);
  table.add<tt::BitcastOp>(lowerBitcast);
  table.add<arith::BitcastOp>(lowerBitcast);
  table.add<tt::IntToPtrOp>(lowerIntToPtr);
  table.add<tt::PtrToIntOp>(lowerPtrToInt);
  table.add<arith::ExtFOp>(lowerFloatConversion);
  table.add<arith::TruncFOp>(lowerFloatConversion);
  table.add<tg::ApproxOp>(lowerApprox);
}

} // namespace tigon
