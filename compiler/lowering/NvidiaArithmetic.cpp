// SPDX-License-Identifier: Apache-2.0
#include "compiler/lowering/NvidiaArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <fmt/format.h>

using namespace mlir;

namespace tigon::nvidia {
namespace {

// Pure, so that the code generator may merge, move and drop it.
Value pureAsm(ImplicitLocOpBuilder &b, Type type, ValueRange operands, const std::string &text,
              const std::string &constraints) {
  auto op = LLVM::InlineAsmOp::create(
      b, type, operands, text, constraints, /*has_side_effects=*/false, /*is_align_stack=*/false,
      LLVM::TailCallKind::None, LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
      ArrayAttr());
  return op->getResult(0);
}

// The upper half of a register is one instruction this way; taken out and then converted it is two. What was rounded just
// now is rounded into an upper half: conversions of single values run at an eighth of the rate of those of pairs.
Value fromBFloat(ImplicitLocOpBuilder &b, Value value) {
  if (auto rounded = value.getDefiningOp<LLVM::FPTruncOp>();
      rounded && rounded.getArg().getType().isF32()) {
    Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0));
    Value pair = LLVM::CallIntrinsicOp::create(b, VectorType::get(2, b.getBF16Type()),
                                               b.getStringAttr("llvm.nvvm.ff2bf16x2.rn"),
                                               ValueRange{rounded.getArg(), zero})
                     ->getResult(0);
    return LLVM::BitcastOp::create(b, b.getF32Type(), pair);
  }
  // What was taken out of the upper half is in its place there.
  auto bitcast = value.getDefiningOp<LLVM::BitcastOp>();
  auto trunc = bitcast ? bitcast.getArg().getDefiningOp<arith::TruncIOp>() : arith::TruncIOp();
  auto shifted = trunc ? trunc.getIn().getDefiningOp<arith::ShRUIOp>() : arith::ShRUIOp();
  if (shifted && shifted.getType().isInteger(32) && getConstantIntValue(shifted.getRhs()) == 16) {
    Value upper = arith::AndIOp::create(b, shifted.getLhs(),
                                        arith::ConstantIntOp::create(b, int32_t(0xffff0000), 32));
    return LLVM::BitcastOp::create(b, b.getF32Type(), upper);
  }
  Value bits = LLVM::BitcastOp::create(b, b.getI16Type(), value);
  Value upper = arith::ShLIOp::create(b, arith::ExtUIOp::create(b, b.getI32Type(), bits),
                                      arith::ConstantIntOp::create(b, 16, 32));
  return LLVM::BitcastOp::create(b, b.getF32Type(), upper);
}

const char *pairOf(Type type) { return isa<Float8E5M2Type>(type) ? "e5m2x2" : "e4m3x2"; }

// The instructions convert pairs; half of one goes to waste. LowerMath asks for f32 alone.
Value fromByteFloat(ImplicitLocOpBuilder &b, Value value, Type from) {
  Value pair = arith::ExtUIOp::create(b, b.getI16Type(), value);
  Value halves = pureAsm(b, b.getI32Type(), pair,
                         fmt::format("cvt.rn.f16x2.{} $0, $1;", pairOf(from)), "=r,h");
  Value half = LLVM::BitcastOp::create(b, b.getF16Type(),
                                       arith::TruncIOp::create(b, b.getI16Type(), halves));
  return LLVM::FPExtOp::create(b, b.getF32Type(), half);
}
Value toByteFloat(ImplicitLocOpBuilder &b, Value value, Type to) {
  Value pair =
      pureAsm(b, b.getI16Type(), value,
              fmt::format("cvt.rn.satfinite.{}.f32 $0, 0f00000000, $1;", pairOf(to)), "=h,f");
  return arith::TruncIOp::create(b, b.getI8Type(), pair);
}

const char *instructionOf(tg::Approximation kind) {
  switch (kind) {
  case tg::Approximation::Ex2:
    return "ex2.approx.f32";
  case tg::Approximation::Ex2Flush:
    return "ex2.approx.ftz.f32";
  case tg::Approximation::Lg2:
    return "lg2.approx.f32";
  case tg::Approximation::Rcp:
    return "rcp.approx.f32";
  case tg::Approximation::Rsqrt:
    return "rsqrt.approx.f32";
  case tg::Approximation::Sqrt:
    return "sqrt.approx.f32";
  case tg::Approximation::Sin:
    return "sin.approx.f32";
  case tg::Approximation::Cos:
    return "cos.approx.f32";
  case tg::Approximation::Tanh:
    return "tanh.approx.f32";
  case tg::Approximation::Div:
    return "div.full.f32";
  }
  llvm_unreachable("an instruction for each");
}

} // namespace

Value convertFloat(ImplicitLocOpBuilder &b, Value value, Type from, Type to) {
  if (from == to)
    return value;
  if (from.getIntOrFloatBitWidth() == 8)
    return fromByteFloat(b, value, from);
  if (to.getIntOrFloatBitWidth() == 8)
    return toByteFloat(b, value, to);
  if (from.isBF16() && to.isF32())
    return fromBFloat(b, value);
  if (from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
    return LLVM::FPExtOp::create(b, to, value);
  if (from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth())
    return LLVM::FPTruncOp::create(b, to, value);
  Value wide = LLVM::FPExtOp::create(b, b.getF32Type(), value); // f16 <-> bf16
  return LLVM::FPTruncOp::create(b, to, wide);
}

Value approximate(ImplicitLocOpBuilder &b, tg::Approximation kind, ValueRange operands) {
  const char *name = instructionOf(kind);
  bool binary = operands.size() == 2;
  return pureAsm(b, b.getF32Type(), operands,
                 fmt::format("{} $0, $1{};", name, binary ? ", $2" : ""),
                 binary ? "=f,f,f" : "=f,f");
}

} // namespace tigon::nvidia
