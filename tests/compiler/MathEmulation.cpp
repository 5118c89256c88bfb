// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/MathEmulation.h"

#include "compiler/Passes.h"
#include "compiler/ProgramFacts.h"
#include "dialect/Dialects.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <cmath>
#include <gtest/gtest.h>

namespace tigon {
namespace {

using namespace mlir;

// Beside rounding, as a part of the result: at most one ulp (PTX ISA, "ex2", "lg2", "rcp", ..., promises two, or for rcp and
// sqrt one, of f32), but for the rough ones.
double relativeError(tg::Approximation kind) {
  switch (kind) {
  case tg::Approximation::Rcp:
  case tg::Approximation::Sqrt:
    return 0x1p-25;
  case tg::Approximation::Sin:
  case tg::Approximation::Cos:
    return 0x1p-21;
  case tg::Approximation::Tanh:
    return 0x1p-11;
  default:
    return 0x1p-24;
  }
}

class Emulation {
public:
  explicit Emulation(tg::ApproxOp op) : op(op), b(op.getLoc(), op) {}

  Value value() {
    Value result = inDouble();
    // Up or down by the operand's last bit.
    Value bits = arith::BitcastOp::create(b, withElement(b.getI32Type()), op.getOperand(0));
    Value last = arith::AndIOp::create(b, bits, integer(1));
    Value isOdd = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, last, integer(1));
    double error = relativeError(op.getKind());
    Value factor = arith::SelectOp::create(b, isOdd, real(1 + error), real(1 - error));
    result = arith::MulFOp::create(b, result, factor);
    if (op.getKind() == tg::Approximation::Ex2Flush) {
      Value isDenormal =
          arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, result, real(0x1p-126));
      result = arith::SelectOp::create(b, isDenormal, real(0), result);
    }
    return arith::TruncFOp::create(b, op.getType(), result);
  }

private:
  Value inDouble() {
    SmallVector<Value> x;
    for (Value operand : op.getOperands())
      x.push_back(arith::ExtFOp::create(b, withElement(b.getF64Type()), operand));
    switch (op.getKind()) {
    case tg::Approximation::Ex2:
    case tg::Approximation::Ex2Flush:
      return math::Exp2Op::create(b, x[0]);
    case tg::Approximation::Lg2:
      return math::Log2Op::create(b, x[0]);
    case tg::Approximation::Rcp:
      return arith::DivFOp::create(b, real(1), x[0]);
    case tg::Approximation::Rsqrt:
      return math::RsqrtOp::create(b, x[0]);
    case tg::Approximation::Sqrt:
      return math::SqrtOp::create(b, x[0]);
    case tg::Approximation::Sin:
      return math::SinOp::create(b, x[0]);
    case tg::Approximation::Cos:
      return math::CosOp::create(b, x[0]);
    case tg::Approximation::Tanh:
      return math::TanhOp::create(b, x[0]);
    case tg::Approximation::Div:
      return arith::DivFOp::create(b, x[0], x[1]);
    }
    return {};
  }

  Type withElement(Type element) {
    auto tile = dyn_cast<RankedTensorType>(op.getType());
    return tile ? Type(tile.clone(element)) : element;
  }
  Value constant(Attribute number, Type element) {
    if (auto tile = dyn_cast<RankedTensorType>(withElement(element)))
      return arith::ConstantOp::create(b, SplatElementsAttr::get(tile, number));
    return arith::ConstantOp::create(b, cast<TypedAttr>(number));
  }
  Value real(double number) { return constant(b.getF64FloatAttr(number), b.getF64Type()); }
  Value integer(int32_t number) { return constant(b.getI32IntegerAttr(number), b.getI32Type()); }

  tg::ApproxOp op;
  ImplicitLocOpBuilder b;
};

} // namespace

std::string emulateApproximations(const std::string &program) {
  DialectRegistry registry;
  registerTileDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  auto module = parseSourceString<ModuleOp>(program, &context);
  EXPECT_TRUE(module);
  (*module)->setAttr(targetAttr, StringAttr::get(&context, "sm_90"));
  PassManager passes(&context);
  passes.nest<tt::FuncOp>().addPass(createLowerMath());
  EXPECT_TRUE(succeeded(passes.run(*module)));
  SmallVector<tg::ApproxOp> approximations;
  module->walk([&](tg::ApproxOp op) { approximations.push_back(op); });
  for (tg::ApproxOp op : approximations) {
    op.getResult().replaceAllUsesWith(Emulation(op).value());
    op.erase();
  }
  (*module)->removeAttr(targetAttr);
  std::string text;
  llvm::raw_string_ostream(text) << *module;
  return text;
}

} // namespace tigon
