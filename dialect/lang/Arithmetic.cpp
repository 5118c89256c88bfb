// SPDX-License-Identifier: Apache-2.0
//
// Operators, comparisons and elementwise functions.
#include "dialect/lang/Emission.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tigon::lang {
namespace {

// One op for floats, one for signed, one for unsigned integers.
template <typename FloatOp, typename SignedOp, typename UnsignedOp>
Value choose(Emission &emit, const Value &a, const Value &b) {
  if (isFloat(a.dtype()))
    return emit.like<FloatOp>(a, emit.ir(a), emit.ir(b));
  if (isSigned(a.dtype()))
    return emit.like<SignedOp>(a, emit.ir(a), emit.ir(b));
  return emit.like<UnsignedOp>(a, emit.ir(a), emit.ir(b));
}

template <typename FloatOp, typename SignedOp, typename UnsignedOp>
Value binary(std::string_view what, Value a, Value b, Where where, bool isDivision = false) {
  Emission emit(what, where, {&a, &b});
  if (!emit || !emit.unify(a, b, isDivision))
    return emit.poison();
  return choose<FloatOp, SignedOp, UnsignedOp>(emit, a, b);
}

template <typename SignedOp, typename UnsignedOp = SignedOp>
Value bitwise(std::string_view what, Value a, Value b, Where where) {
  Emission emit(what, where, {&a, &b});
  if (!emit || !emit.unify(a, b))
    return emit.poison();
  if (isFloat(a.dtype()))
    return emit.fail("found {}, expected integers", describe(a));
  return isSigned(a.dtype()) ? emit.like<SignedOp>(a, emit.ir(a), emit.ir(b))
                             : emit.like<UnsignedOp>(a, emit.ir(a), emit.ir(b));
}

template <typename Op> Value logical(std::string_view what, Value a, Value b, Where where) {
  Emission emit(what, where, {&a, &b});
  if (!emit)
    return emit.poison();
  if (a.dtype() != I1 || b.dtype() != I1)
    return emit.fail("found {} and {}, expected i1", describe(a), describe(b));
  if (!emit.unify(a, b))
    return emit.poison();
  return emit.like<Op>(a, emit.ir(a), emit.ir(b));
}

Value compare(std::string_view what, Value a, Value b, arith::CmpFPredicate ofFloats,
              arith::CmpIPredicate ofSigned, arith::CmpIPredicate ofUnsigned, Where where) {
  Emission emit(what, where, {&a, &b});
  if (!emit || !emit.unify(a, b))
    return emit.poison();
  if (isFloat(a.dtype()))
    return emit.wrap(emit.create<arith::CmpFOp>(ofFloats, emit.ir(a), emit.ir(b)), I1);
  return emit.wrap(emit.create<arith::CmpIOp>(isSigned(a.dtype()) ? ofSigned : ofUnsigned,
                                              emit.ir(a), emit.ir(b)),
                   I1);
}

Value subtractFromZero(Emission &emit, const Value &x) {
  if (isFloat(x.dtype())) {
    Value zero = emit.constant(0.0, x.dtype(), shapeOf(x));
    return emit.like<arith::SubFOp>(x, emit.ir(zero), emit.ir(x));
  }
  Value zero = emit.constant(int64_t(0), x.dtype(), shapeOf(x));
  return emit.like<arith::SubIOp>(x, emit.ir(zero), emit.ir(x));
}

// Offsets count elements and are signed, so narrow unsigned ones are widened.
Value move(Emission &emit, Value pointer, Value offset, bool backwards) {
  if (isFloat(offset.dtype()) || offset.isPointer())
    return emit.fail("found {} and {}, expected a pointer and an integer", describe(pointer),
                     describe(offset));
  offset = emit.literal(offset);
  if (!isSigned(offset.dtype()) && bitsOf(offset.dtype()) < 64)
    offset = emit.cast(offset, I64);
  if (!emit.broadcast(pointer, offset))
    return emit.poison();
  if (backwards)
    offset = subtractFromZero(emit, offset);
  return emit.like<tt::AddPtrOp>(pointer, emit.ir(pointer).getType(), emit.ir(pointer),
                                 emit.ir(offset));
}

} // namespace

//===-- Operators ---------------------------------------------------------------------------------===//

Value operator+(Operand a, Operand b) {
  if (a.value.isPointer() || b.value.isPointer()) {
    Emission emit("+", a.where, {&a.value, &b.value});
    if (!emit)
      return emit.poison();
    return a.value.isPointer() ? move(emit, a.value, b.value, false)
                               : move(emit, b.value, a.value, false);
  }
  return binary<arith::AddFOp, arith::AddIOp, arith::AddIOp>("+", a.value, b.value, a.where);
}

Value operator-(Operand a, Operand b) {
  if (a.value.isPointer()) {
    Emission emit("-", a.where, {&a.value, &b.value});
    return emit ? move(emit, a.value, b.value, true) : emit.poison();
  }
  return binary<arith::SubFOp, arith::SubIOp, arith::SubIOp>("-", a.value, b.value, a.where);
}

Value operator*(Operand a, Operand b) {
  return binary<arith::MulFOp, arith::MulIOp, arith::MulIOp>("*", a.value, b.value, a.where);
}

Value operator/(Operand a, Operand b) {
  Emission emit("/", a.where, {&a.value, &b.value});
  if (!emit || !emit.unify(a.value, b.value, /*isDivision=*/true))
    return emit.poison();
  if (isInteger(a.value.dtype())) {
    a.value = emit.cast(a.value, F32);
    b.value = emit.cast(b.value, F32);
  }
  return emit.like<arith::DivFOp>(a.value, emit.ir(a.value), emit.ir(b.value));
}

Value operator%(Operand a, Operand b) {
  return binary<arith::RemFOp, arith::RemSIOp, arith::RemUIOp>("%", a.value, b.value, a.where,
                                                               /*isDivision=*/true);
}

Value operator&(Operand a, Operand b) {
  return bitwise<arith::AndIOp>("&", a.value, b.value, a.where);
}
Value operator|(Operand a, Operand b) {
  return bitwise<arith::OrIOp>("|", a.value, b.value, a.where);
}
Value operator^(Operand a, Operand b) {
  return bitwise<arith::XOrIOp>("^", a.value, b.value, a.where);
}
Value operator<<(Operand a, Operand b) {
  return bitwise<arith::ShLIOp>("<<", a.value, b.value, a.where);
}
Value operator>>(Operand a, Operand b) {
  return bitwise<arith::ShRSIOp, arith::ShRUIOp>(">>", a.value, b.value, a.where);
}

Value operator<(Operand a, Operand b) {
  return compare("<", a.value, b.value, arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt,
                 arith::CmpIPredicate::ult, a.where);
}
Value operator<=(Operand a, Operand b) {
  return compare("<=", a.value, b.value, arith::CmpFPredicate::OLE, arith::CmpIPredicate::sle,
                 arith::CmpIPredicate::ule, a.where);
}
Value operator>(Operand a, Operand b) {
  return compare(">", a.value, b.value, arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt,
                 arith::CmpIPredicate::ugt, a.where);
}
Value operator>=(Operand a, Operand b) {
  return compare(">=", a.value, b.value, arith::CmpFPredicate::OGE, arith::CmpIPredicate::sge,
                 arith::CmpIPredicate::uge, a.where);
}
Value operator==(Operand a, Operand b) {
  return compare("==", a.value, b.value, arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq,
                 arith::CmpIPredicate::eq, a.where);
}
Value operator!=(Operand a, Operand b) {
  return compare("!=", a.value, b.value, arith::CmpFPredicate::UNE, arith::CmpIPredicate::ne,
                 arith::CmpIPredicate::ne, a.where);
}

Value operator&&(Operand a, Operand b) {
  return logical<arith::AndIOp>("and", a.value, b.value, a.where);
}
Value operator||(Operand a, Operand b) {
  return logical<arith::OrIOp>("or", a.value, b.value, a.where);
}
Value operator!(Operand a) { return logical<arith::XOrIOp>("not", a.value, true, a.where); }
Value operator~(Operand a) {
  Emission emit("~", a.where, {&a.value});
  if (!emit)
    return emit.poison();
  if (a.value.isPointer() || isFloat(a.value.dtype()))
    return emit.fail("found {}, expected an integer", describe(a.value));
  Value operand = emit.literal(a.value);
  Value ones = emit.constant(int64_t(-1), operand.dtype(), shapeOf(operand));
  return emit.like<arith::XOrIOp>(operand, emit.ir(operand), emit.ir(ones));
}

Value operator-(Operand a) {
  Emission emit("-", a.where, {&a.value});
  if (!emit)
    return emit.poison();
  if (a.value.isPointer())
    return emit.fail("found {}, expected a number", describe(a.value));
  return subtractFromZero(emit, emit.literal(a.value));
}

Value &Value::operator+=(Operand b) { return *this = Operand(*this, b.where) + b; }
Value &Value::operator-=(Operand b) { return *this = Operand(*this, b.where) - b; }
Value &Value::operator*=(Operand b) { return *this = Operand(*this, b.where) * b; }
Value &Value::operator/=(Operand b) { return *this = Operand(*this, b.where) / b; }
Value &Value::operator&=(Operand b) { return *this = Operand(*this, b.where) & b; }
Value &Value::operator|=(Operand b) { return *this = Operand(*this, b.where) | b; }
Value &Value::operator^=(Operand b) { return *this = Operand(*this, b.where) ^ b; }

//===-- Functions of several operands -------------------------------------------------------------===//

Value where(const Value &condition, const Value &x, const Value &y, Where where) {
  Emission emit("where", where, {&condition, &x, &y});
  Value a = x, b = y;
  if (!emit || !emit.unify(a, b, /*isDivision=*/false, /*allowPointers=*/true))
    return emit.poison();
  if (condition.isPointer())
    return emit.fail("found the condition {}, expected i1", describe(condition));
  Value chosen = emit.cast(condition, I1);
  if (!emit.broadcast(chosen, a) || !emit.broadcast(a, b))
    return emit.poison();
  return emit.like<arith::SelectOp>(a, emit.ir(chosen), emit.ir(a), emit.ir(b));
}

Value floorDiv(const Value &a, const Value &b, Where where) {
  Emission emit("floorDiv", where, {&a, &b});
  Value x = a, y = b;
  if (!emit || !emit.unify(x, y, /*isDivision=*/true))
    return emit.poison();
  if (isFloat(x.dtype()))
    return emit.fail("found {} and {}, expected integers", describe(a), describe(b));
  return isSigned(x.dtype()) ? emit.like<arith::DivSIOp>(x, emit.ir(x), emit.ir(y))
                             : emit.like<arith::DivUIOp>(x, emit.ir(x), emit.ir(y));
}

Value cdiv(const Value &a, const Value &b, Where where) {
  return floorDiv(Operand(a, where) + (Operand(b, where) - 1), b, where);
}

Value minimum(const Value &a, const Value &b, PropagateNan nan, Where where) {
  return nan == PropagateNan::All
             ? binary<arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp>("minimum", a, b, where)
             : binary<arith::MinNumFOp, arith::MinSIOp, arith::MinUIOp>("minimum", a, b, where);
}

Value maximum(const Value &a, const Value &b, PropagateNan nan, Where where) {
  return nan == PropagateNan::All
             ? binary<arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp>("maximum", a, b, where)
             : binary<arith::MaxNumFOp, arith::MaxSIOp, arith::MaxUIOp>("maximum", a, b, where);
}

Value clamp(const Value &x, const Value &low, const Value &high, PropagateNan nan, Where where) {
  Emission emit("clamp", where, {&x, &low, &high});
  Value a = x, least = low, most = high;
  if (!emit || !emit.unify(a, least) || !emit.unify(a, most) || !emit.unify(a, least))
    return emit.poison();
  if (!isFloat(a.dtype()))
    return emit.fail("found {}, expected floats", describe(x));
  return emit.like<tt::ClampFOp>(a, emit.ir(a), emit.ir(least), emit.ir(most),
                                 nan == PropagateNan::All ? tt::PropagateNan::All
                                                          : tt::PropagateNan::None);
}

Value fma(const Value &a, const Value &b, const Value &c, Where where) {
  Emission emit("fma", where, {&a, &b, &c});
  Value x = a, y = b, z = c;
  if (!emit || !emit.unify(x, y) || !emit.unify(z, x) || !emit.unify(z, y))
    return emit.poison();
  if (!isFloat(x.dtype()))
    return emit.fail("found {}, expected floats", describe(a));
  return emit.like<math::FmaOp>(x, emit.ir(x), emit.ir(y), emit.ir(z));
}

Value umulhi(const Value &a, const Value &b, Where where) {
  Emission emit("umulhi", where, {&a, &b});
  Value x = a, y = b;
  if (!emit || !emit.unify(x, y))
    return emit.poison();
  if (isFloat(x.dtype()) || bitsOf(x.dtype()) < 32)
    return emit.fail("found {} and {}, expected integers of 32 or 64 bits", describe(a),
                     describe(b));
  return emit.like<tt::MulhiUIOp>(x, emit.ir(x), emit.ir(y));
}

Value divRn(const Value &a, const Value &b, Where where) {
  Emission emit("divRn", where, {&a, &b});
  Value x = a, y = b;
  if (!emit || !emit.unify(x, y))
    return emit.poison();
  if (x.dtype() != F32)
    return emit.fail("found {} and {}, expected f32", describe(a), describe(b));
  return emit.like<tt::PreciseDivFOp>(x, emit.ir(x), emit.ir(y));
}

//===-- Functions of one operand ------------------------------------------------------------------===//

Value abs(const Value &x, Where where) {
  Emission emit("abs", where, {&x});
  if (!emit)
    return emit.poison();
  if (x.isPointer())
    return emit.fail("found {}, expected a number", describe(x));
  Value operand = emit.literal(x);
  if (isFloat(x.dtype()))
    return emit.like<math::AbsFOp>(operand, emit.ir(operand));
  return isSigned(x.dtype()) ? emit.like<math::AbsIOp>(operand, emit.ir(operand)) : operand;
}

template <typename Op>
static Value function(std::string_view what, const Value &x, Where where, bool allowF64 = true) {
  Emission emit(what, where, {&x});
  if (!emit)
    return emit.poison();
  if (x.isPointer() || (x.dtype() != F32 && !(allowF64 && x.dtype() == F64)))
    return emit.fail("found {}, expected f32{}; cast it with to(F32)", describe(x),
                     allowF64 ? " or f64" : "");
  Value operand = emit.literal(x);
  return emit.like<Op>(operand, emit.ir(operand));
}

Value exp(const Value &x, Where where) { return function<math::ExpOp>("exp", x, where); }
Value exp2(const Value &x, Where where) { return function<math::Exp2Op>("exp2", x, where); }
Value exp2Flush(const Value &x, Where where) {
  Value result = function<math::Exp2Op>("exp2Flush", x, where);
  Emission emit("exp2Flush", where, {&result});
  if (!emit)
    return emit.poison();
  if (auto op = emit.ir(result).getDefiningOp<math::Exp2Op>())
    op.setFastmath(arith::FastMathFlags::afn);
  return result;
}
Value log(const Value &x, Where where) { return function<math::LogOp>("log", x, where); }
Value log2(const Value &x, Where where) { return function<math::Log2Op>("log2", x, where); }
Value sqrt(const Value &x, Where where) { return function<math::SqrtOp>("sqrt", x, where); }
Value rsqrt(const Value &x, Where where) { return function<math::RsqrtOp>("rsqrt", x, where); }
Value sin(const Value &x, Where where) { return function<math::SinOp>("sin", x, where); }
Value cos(const Value &x, Where where) { return function<math::CosOp>("cos", x, where); }
Value tanh(const Value &x, Where where) { return function<math::TanhOp>("tanh", x, where); }
Value erf(const Value &x, Where where) { return function<math::ErfOp>("erf", x, where); }
Value floor(const Value &x, Where where) { return function<math::FloorOp>("floor", x, where); }
Value ceil(const Value &x, Where where) { return function<math::CeilOp>("ceil", x, where); }

Value sqrtRn(const Value &x, Where where) {
  return function<tt::PreciseSqrtOp>("sqrtRn", x, where, /*allowF64=*/false);
}

Value sigmoid(const Value &x, Where where) {
  Value e = exp(-Operand(x, where), where);
  return Operand(1, where) / (Operand(1, where) + e);
}

Value externElementwise(std::string_view symbol, const std::vector<Value> &arguments, DType result,
                        Where where) {
  Emission emit("externElementwise", where, {});
  for (const Value &argument : arguments)
    if (!Emission("externElementwise", where, {&argument}))
      return emit.poison();
  if (!emit)
    return emit.poison();
  if (arguments.empty() || symbol.empty())
    return emit.fail("found {} arguments of '{}', expected at least one", arguments.size(), symbol);
  // All in one shape; types are the function's own.
  Value widest = arguments.front();
  for (const Value &argument : arguments) {
    Value other = argument;
    if (!emit.broadcast(widest, other))
      return emit.poison();
    if (isNumber(widest))
      widest = other;
  }
  SmallVector<mlir::Value> operands;
  for (const Value &argument : arguments)
    operands.push_back(emit.ir(emit.broadcastTo(argument, shapeOf(widest))));
  Type type = emit.tileOf(shapeOf(widest), emit.elementType(result));
  return emit.wrap(emit.create<tt::ExternElementwiseOp>(type, operands, "", "", symbol,
                                                        /*pure=*/true),
                   result);
}

} // namespace tigon::lang
