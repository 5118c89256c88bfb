// SPDX-License-Identifier: Apache-2.0
#include "dialect/Combiner.h"

#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tigon {
namespace {

TypedAttr identityOf(Operation *op) {
  Type type = op->getResult(0).getType();
  Builder builder(op->getContext());
  auto integer = [&](const APInt &value) -> TypedAttr {
    return builder.getIntegerAttr(type, value);
  };
  auto floating = [&](const APFloat &value) -> TypedAttr {
    return builder.getFloatAttr(type, value);
  };
  if (auto integerType = dyn_cast<IntegerType>(type)) {
    unsigned width = integerType.getWidth();
    return llvm::TypeSwitch<Operation *, TypedAttr>(op)
        .Case<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(
            [&](auto) { return integer(APInt::getZero(width)); })
        .Case<arith::MulIOp>([&](auto) { return integer(APInt(width, 1)); })
        .Case<arith::AndIOp, arith::MinUIOp>(
            [&](auto) { return integer(APInt::getAllOnes(width)); })
        .Case<arith::MaxSIOp>([&](auto) { return integer(APInt::getSignedMinValue(width)); })
        .Case<arith::MinSIOp>([&](auto) { return integer(APInt::getSignedMaxValue(width)); })
        .Default([](Operation *) { return TypedAttr(); });
  }
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType)
    return {};
  const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
  // Some types of 8 bits have no infinity; LLVM makes it a NaN there.
  auto extreme = [&](bool negative) {
    return APFloat::semanticsHasInf(semantics) ? APFloat::getInf(semantics, negative)
                                               : APFloat::getLargest(semantics, negative);
  };
  return llvm::TypeSwitch<Operation *, TypedAttr>(op)
      .Case<arith::AddFOp>(
          [&](auto) { return floating(APFloat::getZero(semantics, /*Negative=*/true)); })
      .Case<arith::MulFOp>([&](auto) { return floating(APFloat(semantics, 1)); })
      .Case<arith::MaxNumFOp, arith::MinNumFOp>(
          [&](auto) { return floating(APFloat::getNaN(semantics)); })
      .Case<arith::MaximumFOp>([&](auto) { return floating(extreme(/*negative=*/true)); })
      .Case<arith::MinimumFOp>([&](auto) { return floating(extreme(/*negative=*/false)); })
      .Default([](Operation *) { return TypedAttr(); });
}

} // namespace

// Result i must be one op of the i-th elements of both tuples and of nothing else.
std::optional<SmallVector<TypedAttr>> identityOf(Region &combine) {
  Block &block = combine.front();
  unsigned operands = block.getNumArguments() / 2;
  SmallVector<TypedAttr> identities;
  for (auto [number, value] : llvm::enumerate(block.getTerminator()->getOperands())) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != &block || op->getNumOperands() != 2 || op->getNumResults() != 1)
      return std::nullopt;
    Value a = block.getArgument(number), b = block.getArgument(operands + number);
    bool ofBoth = (op->getOperand(0) == a && op->getOperand(1) == b) ||
                  (op->getOperand(0) == b && op->getOperand(1) == a);
    TypedAttr identity = ofBoth ? identityOf(op) : TypedAttr();
    if (!identity)
      return std::nullopt;
    identities.push_back(identity);
  }
  return identities;
}

} // namespace tigon
