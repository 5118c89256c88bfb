// SPDX-License-Identifier: Apache-2.0
#include "compiler/math/Expansion.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tigon {
namespace {

Type sameShape(Type like, Type element) {
  auto shaped = dyn_cast<ShapedType>(like);
  return shaped ? Type(shaped.clone(element)) : element;
}

Value constantOf(ImplicitLocOpBuilder &b, Type type, TypedAttr element) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    element = DenseElementsAttr::get(shaped, Attribute(element));
  return arith::ConstantOp::create(b, element);
}

template <typename Op, typename T, typename U> T binary(T a, U b) {
  return {{Op::create(a.at->builder, a.value, b.like(a).value), a.at}};
}
template <typename Op> Real unary(Real x) { return {{Op::create(x.at->builder, x.value), x.at}}; }

Bool compare(arith::CmpFPredicate predicate, Real a, RealOrNumber b) {
  return {{arith::CmpFOp::create(a.at->builder, predicate, a.value, b.like(a).value), a.at}};
}
Bool compare(arith::CmpIPredicate predicate, Int a, IntOrNumber b) {
  return {{arith::CmpIOp::create(a.at->builder, predicate, a.value, b.like(a).value), a.at}};
}

template <typename T> T choose(Bool condition, T yes, T no) {
  return {{arith::SelectOp::create(yes.at->builder, condition.value, yes.value, no.value), yes.at}};
}

template <typename Op> Value cast(Term x, Type element) {
  return Op::create(x.at->builder, x.withElement(element), x.value);
}

Type integerOf(Term x, unsigned width) { return IntegerType::get(x.value.getContext(), width); }

} // namespace

Value Expansion::constant(Value like, double number, Type element) {
  element = element ? element : getElementTypeOrSelf(like.getType());
  return constantOf(builder, sameShape(like.getType(), element),
                    builder.getFloatAttr(element, number));
}

Value Expansion::constant(Value like, int64_t number, Type element) {
  element = element ? element : getElementTypeOrSelf(like.getType());
  auto bits = APInt(element.getIntOrFloatBitWidth(), uint64_t(number), /*isSigned=*/false,
                    /*implicitTrunc=*/true);
  return constantOf(builder, sameShape(like.getType(), element),
                    builder.getIntegerAttr(element, bits));
}

Type Term::withElement(Type element) const { return sameShape(value.getType(), element); }

Real RealOrNumber::like(Real other) const {
  if (const Real *real = std::get_if<Real>(&choice))
    return *real;
  return other.constant(std::get<double>(choice));
}
Int IntOrNumber::like(Int other) const {
  if (const Int *integer = std::get_if<Int>(&choice))
    return *integer;
  return other.constant(std::get<int64_t>(choice));
}

//===-- Reals -------------------------------------------------------------------------------------===//

Real operator+(Real a, RealOrNumber b) { return binary<arith::AddFOp>(a, b); }
Real operator-(Real a, RealOrNumber b) { return binary<arith::SubFOp>(a, b); }
Real operator*(Real a, RealOrNumber b) { return binary<arith::MulFOp>(a, b); }
Real operator-(double a, Real b) { return b.constant(a) - b; }
Real operator/(double a, Real b) { return b.constant(a) / b; }
Real operator-(Real a) { return unary<arith::NegFOp>(a); }

Real operator/(Real a, RealOrNumber b) {
  if (!a.target().approximates || a.isDouble())
    return preciseQuotient(a, b);
  return {{tg::ApproxOp::create(a.at->builder, a.value.getType(), tg::Approximation::Div,
                                ValueRange{a.value, b.like(a).value}),
           a.at}};
}
Real preciseQuotient(Real a, RealOrNumber b) { return binary<arith::DivFOp>(a, b); }
Real preciseRoot(Real x) { return unary<math::SqrtOp>(x); }
Real root(Real x) {
  return x.target().approximates && !x.isDouble() ? approximate(tg::Approximation::Sqrt, x)
                                                  : preciseRoot(x);
}

Real mad(Real a, RealOrNumber b, RealOrNumber c) {
  if (!a.target().fusesMultiplyAdd)
    return a * b + c;
  return {{math::FmaOp::create(a.at->builder, a.value, b.like(a).value, c.like(a).value), a.at}};
}

Real horner(Real x, std::initializer_list<double> coefficients) {
  Real sum = x.constant(*coefficients.begin());
  for (double coefficient : llvm::drop_begin(coefficients))
    sum = mad(sum, x, coefficient);
  return sum;
}

std::pair<Real, Real> exactSum(Real a, Real b) {
  Real sum = a + b, other = sum - a;
  return {sum, (a - (sum - other)) + (b - other)};
}

std::pair<Real, Real> exactSumOfOrdered(Real a, RealOrNumber b) {
  Real second = b.like(a), sum = a + second;
  return {sum, second - (sum - a)};
}

std::pair<Real, Real> exactProduct(Real a, RealOrNumber b) {
  Real second = b.like(a), product = a * second;
  if (a.target().fusesMultiplyAdd)
    return {product, mad(a, second, -product)};
  double splitter = a.isDouble() ? 0x1p27 + 1 : 0x1p12 + 1;
  auto split = [&](Real x) {
    Real scaled = x * splitter, high = scaled - (scaled - x);
    return std::pair(high, x - high);
  };
  auto [aHigh, aLow] = split(a);
  auto [bHigh, bLow] = split(second);
  return {product, ((aHigh * bHigh - product) + aHigh * bLow + aLow * bHigh) + aLow * bLow};
}

Bool operator<(Real a, RealOrNumber b) { return compare(arith::CmpFPredicate::OLT, a, b); }
Bool operator<=(Real a, RealOrNumber b) { return compare(arith::CmpFPredicate::OLE, a, b); }
Bool operator>(Real a, RealOrNumber b) { return compare(arith::CmpFPredicate::OGT, a, b); }
Bool operator>=(Real a, RealOrNumber b) { return compare(arith::CmpFPredicate::OGE, a, b); }
Bool operator==(Real a, RealOrNumber b) { return compare(arith::CmpFPredicate::OEQ, a, b); }
Bool operator!=(Real a, RealOrNumber b) { return compare(arith::CmpFPredicate::UNE, a, b); }
Bool isNaN(Real x) { return compare(arith::CmpFPredicate::UNO, x, x); }

Real abs(Real x) { return unary<math::AbsFOp>(x); }
Real copySign(Real magnitude, Real sign) {
  return {
      {math::CopySignOp::create(magnitude.at->builder, magnitude.value, sign.value), magnitude.at}};
}

// As compares and selects a CPU does it in one instruction, with the second operand for a NaN; minnum costs it three.
Real least(Real a, RealOrNumber b) {
  if (a.target().lanesAreThreads)
    return binary<arith::MinNumFOp>(a, b);
  Real second = b.like(a);
  return select(a < second, a, second);
}
Real greatest(Real a, RealOrNumber b) {
  if (a.target().lanesAreThreads)
    return binary<arith::MaxNumFOp>(a, b);
  Real second = b.like(a);
  return select(a > second, a, second);
}

// The number first, so that a compare with NaN, which is false, chooses x.
Real clamp(Real x, double low, double high) {
  Real least = x.constant(low), greatest = x.constant(high);
  Real bounded = select(least > x, least, x);
  return select(greatest < bounded, greatest, bounded);
}

Real floor(Real x) { return unary<math::FloorOp>(x); }
Real ceil(Real x) { return unary<math::CeilOp>(x); }
Real trunc(Real x) { return unary<math::TruncOp>(x); }
Real roundEven(Real x) { return unary<math::RoundEvenOp>(x); }

Real approximate(tg::Approximation kind, Real x) {
  return {{tg::ApproxOp::create(x.at->builder, x.value.getType(), kind, x.value), x.at}};
}

//===-- Integers ----------------------------------------------------------------------------------===//

Int operator+(Int a, IntOrNumber b) { return binary<arith::AddIOp>(a, b); }
Int operator-(Int a, IntOrNumber b) { return binary<arith::SubIOp>(a, b); }
Int operator-(int64_t a, Int b) { return b.constant(a) - b; }
Int operator*(Int a, IntOrNumber b) { return binary<arith::MulIOp>(a, b); }
Int operator&(Int a, IntOrNumber b) { return binary<arith::AndIOp>(a, b); }
Int operator|(Int a, IntOrNumber b) { return binary<arith::OrIOp>(a, b); }
Int operator^(Int a, IntOrNumber b) { return binary<arith::XOrIOp>(a, b); }
Int operator<<(Int a, IntOrNumber b) { return binary<arith::ShLIOp>(a, b); }
Int operator>>(Int a, IntOrNumber b) { return binary<arith::ShRSIOp>(a, b); }
Int shiftRightLogical(Int a, IntOrNumber b) { return binary<arith::ShRUIOp>(a, b); }

// 32 bits by way of 64, which every target multiplies; 64 bits as the code generator likes.
static Int highProduct(Int a, Int b, bool isSigned) {
  // Of 128 bits the code generators keep what is asked for: mul.hi, or mulq's upper half.
  unsigned width = a.width(), doubled = width > 32 ? 128 : 64;
  auto wide = [&](Int x) { return isSigned ? signExtended(x, doubled) : zeroExtended(x, doubled); };
  return truncated(shiftRightLogical(wide(a) * wide(b), int64_t(width)), width);
}
Int highProductUnsigned(Int a, IntOrNumber b) { return highProduct(a, b.like(a), false); }
Int highProductSigned(Int a, Int b) { return highProduct(a, b, true); }

Bool operator<(Int a, IntOrNumber b) { return compare(arith::CmpIPredicate::slt, a, b); }
Bool operator>(Int a, IntOrNumber b) { return compare(arith::CmpIPredicate::sgt, a, b); }
Bool operator==(Int a, IntOrNumber b) { return compare(arith::CmpIPredicate::eq, a, b); }
Bool operator!=(Int a, IntOrNumber b) { return compare(arith::CmpIPredicate::ne, a, b); }
Bool lessUnsigned(Int a, IntOrNumber b) { return compare(arith::CmpIPredicate::ult, a, b); }

//===-- Conversions, choice -----------------------------------------------------------------------===//

Int bitsOf(Real x) { return {{cast<arith::BitcastOp>(x, integerOf(x, x.width())), x.at}}; }
Real realOf(Int bits) {
  Builder &b = bits.at->builder;
  Type type = bits.width() == 64 ? Type(b.getF64Type()) : b.getF32Type();
  return {{cast<arith::BitcastOp>(bits, type), bits.at}};
}
Real powerOfTwo(Int biased, Real like) {
  return realOf(biased << int64_t(like.isDouble() ? 52 : 23));
}
Real toReal(Int x, Real like) { return {{cast<arith::SIToFPOp>(x, like.element()), x.at}}; }
Int toInt(Real x, Int like) { return {{cast<arith::FPToSIOp>(x, like.element()), x.at}}; }

Real toDouble(Real x) {
  return x.isDouble() ? x : Real{{cast<arith::ExtFOp>(x, x.at->builder.getF64Type()), x.at}};
}
Real toSingle(Real x) {
  return x.isDouble() ? Real{{cast<arith::TruncFOp>(x, x.at->builder.getF32Type()), x.at}} : x;
}
Int signExtended(Int x, unsigned width) {
  return x.width() == width ? x : Int{{cast<arith::ExtSIOp>(x, integerOf(x, width)), x.at}};
}
Int zeroExtended(Int x, unsigned width) {
  return x.width() == width ? x : Int{{cast<arith::ExtUIOp>(x, integerOf(x, width)), x.at}};
}
Int truncated(Int x, unsigned width) {
  return x.width() == width ? x : Int{{cast<arith::TruncIOp>(x, integerOf(x, width)), x.at}};
}

Bool operator&(Bool a, Bool b) {
  return {{arith::AndIOp::create(a.at->builder, a.value, b.value), a.at}};
}
Bool operator|(Bool a, Bool b) {
  return {{arith::OrIOp::create(a.at->builder, a.value, b.value), a.at}};
}
Bool operator^(Bool a, Bool b) {
  return {{arith::XOrIOp::create(a.at->builder, a.value, b.value), a.at}};
}
Bool operator!(Bool a) {
  Value yes = a.at->constant(a.value, int64_t(1));
  return {{arith::XOrIOp::create(a.at->builder, a.value, yes), a.at}};
}

Real select(Bool condition, Real yes, RealOrNumber no) {
  return choose(condition, yes, no.like(yes));
}
Real select(Bool condition, double yes, Real no) { return choose(condition, no.constant(yes), no); }
Int select(Bool condition, Int yes, IntOrNumber no) { return choose(condition, yes, no.like(yes)); }
Int select(Bool condition, int64_t yes, Int no) { return choose(condition, no.constant(yes), no); }
Bool select(Bool condition, Bool yes, Bool no) { return choose(condition, yes, no); }

} // namespace tigon
