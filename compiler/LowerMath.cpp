// SPDX-License-Identifier: Apache-2.0
//
// LowerMath: arithmetic that the target's code generator lacks is written out in what it has. Both targets go through it:
//
//   transcendental functions, and calls of NVIDIA's device library    formulas (compiler/math/), of f32 and f64
//   floats of 8 bits                                                  bits (compiler/math/ByteFloats.h), computed with in f32
//   f16 and bf16 where the target has no arithmetic on them           computed in f32 and rounded
//   division that the machine would trap on                           by a divisor that it does not trap on
//   float to integer                                                  with its ends, and 0 for NaN
//   tt's own arithmetic (clampf, mulhiui, fp_to_fp, precise_*)        arith
//
// From here on arith.divf and math.sqrt are correctly rounded. Products that are added may be contracted where the
// program has them (`tg.contract`), never inside a formula.
#include "compiler/Passes.h"
#include "compiler/ProgramFacts.h"
#include "compiler/math/ByteFloats.h"
#include "compiler/math/Formulas.h"
#include "compiler/math/Library.h"

#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tigon {
#define GEN_PASS_DEF_LOWERMATH
#include "compiler/Passes.h.inc"

namespace {

using namespace mlir;

FloatType floatOf(Type type) { return dyn_cast<FloatType>(getElementTypeOrSelf(type)); }
bool isNarrow(Type type) {
  FloatType floating = floatOf(type);
  return floating && floating.getWidth() < 32;
}
bool isByte(Type type) { return isByteFloat(getElementTypeOrSelf(type)); }

//===-- functions ---------------------------------------------------------------------------------===//

using Formula1 = Real (*)(Real);
using Formula2 = Real (*)(Real, Real);

template <typename Op> bool matches(Operation *op) { return isa<Op>(op); }

// Whose subnormal results may be 0.
bool matchesFlushing(Operation *op) {
  auto exp2 = dyn_cast<math::Exp2Op>(op);
  return exp2 && bitEnumContainsAny(exp2.getFastmath(), arith::FastMathFlags::afn);
}

struct UnaryFunction {
  bool (*matches)(Operation *);
  Formula1 formula;
};
struct BinaryFunction {
  bool (*matches)(Operation *);
  Formula2 formula;
};

const UnaryFunction unaryFunctions[] = {
    {matchesFlushing, formulas::exp2Flush}, // before exp2, which it is
    {matches<math::ExpOp>, formulas::exp},     {matches<math::Exp2Op>, formulas::exp2},
    {matches<math::ExpM1Op>, formulas::expm1}, {matches<math::LogOp>, formulas::log},
    {matches<math::Log2Op>, formulas::log2},   {matches<math::Log10Op>, formulas::log10},
    {matches<math::Log1pOp>, formulas::log1p}, {matches<math::SinOp>, formulas::sin},
    {matches<math::CosOp>, formulas::cos},     {matches<math::TanOp>, formulas::tan},
    {matches<math::SinhOp>, formulas::sinh},   {matches<math::CoshOp>, formulas::cosh},
    {matches<math::TanhOp>, formulas::tanh},   {matches<math::AsinhOp>, formulas::asinh},
    {matches<math::AcoshOp>, formulas::acosh}, {matches<math::AtanhOp>, formulas::atanh},
    {matches<math::AsinOp>, formulas::asin},   {matches<math::AcosOp>, formulas::acos},
    {matches<math::AtanOp>, formulas::atan},   {matches<math::ErfOp>, formulas::erf},
    {matches<math::ErfcOp>, formulas::erfc},   {matches<math::CbrtOp>, formulas::cbrt},
    {matches<math::SqrtOp>, formulas::sqrt},   {matches<math::RsqrtOp>, formulas::rsqrt},
    {matches<tt::PreciseSqrtOp>, preciseRoot},
};

Real quotient(Real x, Real y) { return x / y; }
Real correctQuotient(Real x, Real y) { return preciseQuotient(x, y); }

const BinaryFunction binaryFunctions[] = {
    {matches<arith::DivFOp>, quotient},
    {matches<tt::ApproxDivFOp>, quotient},
    {matches<tt::PreciseDivFOp>, correctQuotient},
    {matches<math::PowFOp>, formulas::pow},
    {matches<math::Atan2Op>, formulas::atan2},
};

bool isFunction(Operation *op) {
  return llvm::any_of(unaryFunctions, [&](auto &f) { return f.matches(op); }) ||
         llvm::any_of(binaryFunctions, [&](auto &f) { return f.matches(op); }) ||
         isa<math::FPowIOp>(op);
}

//===-- one op at a time --------------------------------------------------------------------------===//

class MathLowering {
public:
  MathLowering(const Target &target, bool fastMath, bool contract, MLIRContext *context)
      : b(UnknownLoc::get(context), context), at{b, target, fastMath}, target(target),
        contract(contract) {}

  LogicalResult lower(Operation *op) {
    b.setLoc(op->getLoc());
    b.setInsertionPoint(op);
    if (contract && isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op))
      op->setAttr("fastmath",
                  arith::FastMathFlagsAttr::get(op->getContext(), arith::FastMathFlags::contract));
    if (computesNarrow(op))
      return widen(op);
    return lowerWide(op);
  }

private:
  Real real(Value value) { return {{value, &at}}; }
  Int integer(Value value) { return {{value, &at}}; }

  LogicalResult replace(Operation *op, Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
    return success();
  }

  //===-- narrow floats ----------------------------------------------------------------------------===//

  // Ops that the target has no instruction for in the types of 8 and 16 bits. What moves values has no need of one.
  bool computesNarrow(Operation *op) {
    if (op->getNumResults() != 1 || !op->hasTrait<OpTrait::Elementwise>())
      return false;
    SmallVector<Type> types(op->getOperandTypes());
    types.push_back(op->getResult(0).getType());
    if (llvm::none_of(types, isNarrow) ||
        !isa<arith::ArithDialect, math::MathDialect, tt::TTDialect>(op->getDialect()))
      return false;
    if (isa<arith::SelectOp, arith::BitcastOp, arith::ExtFOp, arith::TruncFOp, tt::BitcastOp,
            tt::FpToFpOp, tt::ExternElementwiseOp>(op))
      return false;
    if (isFunction(op) || isa<arith::SIToFPOp, arith::UIToFPOp>(op) || llvm::any_of(types, isByte))
      return true;
    return target.narrowFloatsAreIntegers ||
           isa<arith::RemFOp, arith::FPToSIOp, arith::FPToUIOp>(op);
  }

  Type wideType(Type type, Operation *op) {
    if (!isNarrow(type))
      return type;
    // What is rounded in between must round to odd, for which f64 has room: integers, and the sum of an fma.
    Type element = isa<arith::SIToFPOp, arith::UIToFPOp, math::FmaOp>(op) ? Type(b.getF64Type())
                                                                          : b.getF32Type();
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped ? Type(shaped.clone(element)) : element;
  }

  LogicalResult widen(Operation *op) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(convert(operand, wideType(operand.getType(), op), ByteRounding::Nearest));
    Type type = op->getResult(0).getType(), wide = wideType(type, op);
    if (isa<math::FmaOp>(op)) {
      Real product = real(operands[0]) * real(operands[1]); // exact
      Real sum = sumRoundedToOdd(product, real(operands[2]));
      return replace(op, convert(sum.value, type, ByteRounding::Nearest));
    }
    if (isa<arith::SIToFPOp, arith::UIToFPOp>(op) && integer(operands[0]).width() == 64)
      operands[0] = roundedToOdd(integer(operands[0]), isa<arith::SIToFPOp>(op)).value;
    OperationState state(op->getLoc(), op->getName(), operands, TypeRange(wide), op->getAttrs());
    Operation *copy = b.create(state);
    // An infinity that is chosen, or whose sign is changed, is not rounded.
    bool chooses = isa<arith::NegFOp, math::AbsFOp, math::CopySignOp, arith::MinNumFOp,
                       arith::MaxNumFOp, arith::MinimumFOp, arith::MaximumFOp, tt::ClampFOp>(op);
    Value result =
        convert(copy->getResult(0), type, chooses ? ByteRounding::Choice : ByteRounding::Nearest);
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
    b.setInsertionPoint(copy);
    return lowerWide(copy);
  }

  // To nearest by conversion, then one step back where that went away from zero.
  Value towardZero(Value x, Type type) {
    Value nearest = convert(x, type, ByteRounding::Nearest);
    Value back = arith::ExtFOp::create(b, x.getType(), nearest);
    unsigned width = floatOf(type).getWidth();
    Type bitsType = real(nearest).withElement(b.getIntegerType(width));
    Int bits = integer(arith::BitcastOp::create(b, bitsType, nearest));
    Bool tooFar = abs(real(back)) > abs(real(x));
    return arith::BitcastOp::create(b, type, select(tooFar, bits - 1, bits).value);
  }

  bool hasConversion(FloatType type) {
    return target.convertsBytes && isa<Float8E4M3FNType, Float8E5M2Type>(type);
  }

  Value fromByteFloat(Value x, Type type) {
    FloatType from = floatOf(x.getType());
    bool isUpperHalf = isa<Float8E5M2Type>(from) && floatOf(type).isF16();
    Type f32 = real(x).withElement(b.getF32Type());
    if (hasConversion(from) && !isUpperHalf)
      return convert(arith::ExtFOp::create(b, f32, x), type, ByteRounding::Nearest);
    Int bits = integer(arith::BitcastOp::create(b, real(x).withElement(b.getI8Type()), x));
    if (isUpperHalf)
      return arith::BitcastOp::create(b, type, (zeroExtended(bits, 16) << int64_t(8)).value);
    return convert(fromByte(bits, from).value, type, ByteRounding::Nearest);
  }

  Value toByteFloat(Value x, Type type, ByteRounding rounding) {
    FloatType to = floatOf(type);
    if (floatOf(x.getType()).getWidth() < 32)
      x = arith::ExtFOp::create(b, real(x).withElement(b.getF32Type()), x);
    if (rounding != ByteRounding::Nearest || !hasConversion(to))
      return arith::BitcastOp::create(b, type, toByte(real(x), to, rounding).value);
    if (floatOf(x.getType()).isF64())
      x = roundedToOdd(real(x)).value;
    return arith::TruncFOp::create(b, type, x);
  }

  // Between any two float types, rounding once.
  Value convert(Value x, Type type, ByteRounding rounding) {
    FloatType from = floatOf(x.getType()), to = floatOf(type);
    if (from == to)
      return x;
    if (isByteFloat(from)) {
      Type f32 = real(x).withElement(b.getF32Type());
      return isByteFloat(to) ? toByteFloat(fromByteFloat(x, f32), type, rounding)
                             : fromByteFloat(x, type);
    }
    if (isByteFloat(to))
      return toByteFloat(x, type, rounding);
    if (from.getWidth() < to.getWidth())
      return arith::ExtFOp::create(b, type, x);
    if (from.getWidth() == to.getWidth())
      x = arith::ExtFOp::create(b, real(x).withElement(b.getF32Type()), x);
    if (rounding == ByteRounding::TowardZero)
      return towardZero(x, type);
    // By way of f32. LLVM would do so for bf16 too, but folds the conversion of an integer before it into one that rounds twice.
    if (from.isF64() &&
        (target.narrowFloatsAreIntegers ? !to.isF32() : to.isBF16() && !target.convertsToBFloat))
      x = roundedToOdd(real(x)).value;
    return arith::TruncFOp::create(b, type, x);
  }

  LogicalResult convert(Operation *op, bool isTowardZero) {
    return replace(op, convert(op->getOperand(0), op->getResult(0).getType(),
                               isTowardZero ? ByteRounding::TowardZero : ByteRounding::Nearest));
  }

  LogicalResult convert(arith::TruncFOp op) {
    arith::RoundingMode mode = op.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even);
    if (mode != arith::RoundingMode::to_nearest_even && mode != arith::RoundingMode::toward_zero)
      return op->emitError() << "found rounding '" << arith::stringifyRoundingMode(mode)
                             << "', expected to_nearest_even or toward_zero";
    return convert(op, mode == arith::RoundingMode::toward_zero);
  }

  //===-- integers ---------------------------------------------------------------------------------===//

  static bool isSafeDivisor(Value value) {
    APInt constant;
    return matchPattern(value, m_ConstantInt(&constant)) && !constant.isZero() &&
           !constant.isAllOnes();
  }

  // x / 0 is whatever x / 1 is; x / -1 is -x.
  template <typename Op> LogicalResult guardSigned(Op op, bool isRemainder) {
    if (!target.divisionTraps || isSafeDivisor(op.getRhs()))
      return success();
    Int x = integer(op.getLhs()), y = integer(op.getRhs());
    Bool minusOne = y == -1;
    Int divisor = select((y == 0) | minusOne, 1, y);
    Int result = integer(Op::create(b, x.value, divisor.value));
    return replace(op, (isRemainder ? result : select(minusOne, 0 - x, result)).value);
  }
  template <typename Op> LogicalResult guardUnsigned(Op op) {
    if (!target.divisionTraps || isSafeDivisor(op.getRhs()))
      return success();
    Int y = integer(op.getRhs());
    return replace(op, Op::create(b, op.getLhs(), select(y == 0, 1, y).value));
  }

  LogicalResult saturate(Operation *op, bool isSigned) {
    Real x = real(op->getOperand(0));
    Type type = op->getResult(0).getType();
    unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    // PTX ISA, "cvt": to 32 bits it saturates, and NaN gives 0.
    if (target.lanesAreThreads && width == 32)
      return success();
    Int converted = isSigned ? integer(arith::FPToSIOp::create(b, type, x.value))
                             : integer(arith::FPToUIOp::create(b, type, x.value));
    double low = isSigned ? -std::ldexp(1.0, int(width) - 1) : 0;
    double high = std::ldexp(1.0, int(isSigned ? width - 1 : width));
    int64_t most = int64_t(isSigned ? llvm::maxIntN(width) : int64_t(llvm::maxUIntN(width)));
    int64_t least = isSigned ? llvm::minIntN(width) : 0;
    converted = select(x >= high, most, converted);
    converted = select(isSigned ? x < low : x <= 0.0, least, converted);
    return replace(op, select(isNaN(x), 0, converted).value);
  }

  //===-- the rest ---------------------------------------------------------------------------------===//

  LogicalResult call(tt::ExternElementwiseOp op) {
    Value value = expandLibraryCall(op.getSymbol(), op.getSrcs(), op.getResult().getType(), at);
    if (value)
      return replace(op, value);
    InFlightDiagnostic error =
        op->emitError() << "found a call of '" << op.getSymbol() << "' on " << op->getOperandTypes()
                        << " giving " << op.getResult().getType()
                        << ", expected a function of NVIDIA's device library that is known, on "
                           "its own types (docs/math.md)";
    std::string near = suggestLibraryFunction(op.getSymbol());
    if (!near.empty() && near != op.getSymbol())
      error << "; did you mean '" << near << "'?";
    return error;
  }

  LogicalResult clampBetween(tt::ClampFOp op) {
    if (op.getPropagateNan() == tt::PropagateNan::None)
      return replace(op, arith::MinNumFOp::create(
                             b, arith::MaxNumFOp::create(b, op.getX(), op.getMin()), op.getMax()));
    return replace(op, arith::MinimumFOp::create(
                           b, arith::MaximumFOp::create(b, op.getX(), op.getMin()), op.getMax()));
  }

  LogicalResult lowerWide(Operation *op) {
    for (const UnaryFunction &function : unaryFunctions)
      if (function.matches(op))
        return replace(op, function.formula(real(op->getOperand(0))).value);
    for (const BinaryFunction &function : binaryFunctions)
      if (function.matches(op))
        return replace(op,
                       function.formula(real(op->getOperand(0)), real(op->getOperand(1))).value);
    if (auto power = dyn_cast<math::FPowIOp>(op))
      return replace(op, formulas::powi(real(power.getLhs()), integer(power.getRhs())).value);
    if (auto clamped = dyn_cast<tt::ClampFOp>(op))
      return clampBetween(clamped);
    if (auto conversion = dyn_cast<tt::FpToFpOp>(op))
      return convert(op, conversion.getRounding() == tt::RoundingMode::RTZ);
    if (auto conversion = dyn_cast<arith::TruncFOp>(op))
      return convert(conversion);
    if (isa<arith::ExtFOp>(op))
      return convert(op, false);
    if (auto called = dyn_cast<tt::ExternElementwiseOp>(op))
      return call(called);
    if (auto product = dyn_cast<tt::MulhiUIOp>(op))
      return replace(op,
                     highProductUnsigned(integer(product.getX()), integer(product.getY())).value);
    if (auto division = dyn_cast<arith::DivSIOp>(op))
      return guardSigned(division, false);
    if (auto remainder = dyn_cast<arith::RemSIOp>(op))
      return guardSigned(remainder, true);
    if (auto division = dyn_cast<arith::DivUIOp>(op))
      return guardUnsigned(division);
    if (auto remainder = dyn_cast<arith::RemUIOp>(op))
      return guardUnsigned(remainder);
    if (isa<arith::FPToSIOp, arith::FPToUIOp>(op))
      return saturate(op, isa<arith::FPToSIOp>(op));
    return success();
  }

  ImplicitLocOpBuilder b;
  Expansion at;
  const Target &target;
  bool contract;
};

struct LowerMath : impl::LowerMathBase<LowerMath> {
  void runOnOperation() override {
    tt::FuncOp function = getOperation();
    auto module = function->getParentOfType<ModuleOp>();
    if (failed(expandRoundedDivisions(function)))
      return signalPassFailure();
    SmallVector<Operation *> ops;
    function.walk([&](Operation *op) {
      if (op->getNumResults() == 1 && op->getNumRegions() == 0)
        ops.push_back(op);
    });
    MathLowering lowering(targetOf(function), module->hasAttr(fastMathAttr),
                          module->hasAttr(contractAttr), &getContext());
    for (Operation *op : ops)
      if (failed(lowering.lower(op)))
        return signalPassFailure();
  }

  // floordivsi and the like, by upstream's patterns, into divisions that are then guarded.
  LogicalResult expandRoundedDivisions(tt::FuncOp function) {
    WalkResult found = function.walk([](Operation *op) {
      return isa<arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(op)
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (!found.wasInterrupted())
      return success();
    RewritePatternSet patterns(&getContext());
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    return applyPatternsGreedily(function, std::move(patterns));
  }
};

} // namespace
} // namespace tigon
