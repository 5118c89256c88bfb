// SPDX-License-Identifier: Apache-2.0
//
// The language that formulas are written in. A formula takes a Real (a float tile, vector or scalar of f32 or f64), an Int
// or a Bool and computes another one; its operators emit ops, so it reads as on paper:
//
//     Real sinhOfSmall(Real x) {
//       Real square = x * x;
//       return mad(x * square, horner(square, {0x1.a0ap-13, 0x1.1111p-7, 0x1.5555p-3}), x);
//     }
//
// No op carries fast-math flags: what a formula says is what is computed. Where targets differ, a formula asks the target
// what it has (fusesMultiplyAdd, approximates); it never asks which one it is.
#pragma once

#include "compiler/Target.h"
#include "dialect/tg/TG.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <initializer_list>
#include <utility>
#include <variant>

namespace tigon {

/// Where formulas emit, and for whom.
struct Expansion {
  mlir::ImplicitLocOpBuilder &builder;
  const Target &target;
  /// Triton's cheap forms of exp, log and division.
  bool fastMath;

  /// `number` in the type of `like`, or of its shape with elements of `element`.
  mlir::Value constant(mlir::Value like, double number, mlir::Type element = {});
  mlir::Value constant(mlir::Value like, int64_t number, mlir::Type element = {});
};

/// What the operators of Real, Int and Bool share.
struct Term {
  mlir::Value value;
  Expansion *at;

  const Target &target() const { return at->target; }
  mlir::Type element() const { return mlir::getElementTypeOrSelf(value.getType()); }
  unsigned width() const { return element().getIntOrFloatBitWidth(); }
  /// The type of this one's shape with other elements.
  mlir::Type withElement(mlir::Type element) const;
};

struct Bool : Term {};
struct Real : Term {
  /// f64, or else f32: formulas see no other width.
  bool isDouble() const { return width() == 64; }
  Real constant(double number) const { return {{at->constant(value, number), at}}; }
};
struct Int : Term {
  Int constant(int64_t number) const { return {{at->constant(value, number), at}}; }
};

/// An operand beside a Real or an Int that gives its type: one itself, or a number.
struct RealOrNumber {
  RealOrNumber(Real real) : choice(real) {}
  RealOrNumber(double number) : choice(number) {}
  Real like(Real other) const;
  std::variant<Real, double> choice;
};
struct IntOrNumber {
  IntOrNumber(Int integer) : choice(integer) {}
  IntOrNumber(int64_t number) : choice(number) {}
  IntOrNumber(int number) : choice(int64_t(number)) {}
  Int like(Int other) const;
  std::variant<Int, int64_t> choice;
};

//===-- Reals -------------------------------------------------------------------------------------===//

Real operator+(Real a, RealOrNumber b);
Real operator-(Real a, RealOrNumber b);
Real operator*(Real a, RealOrNumber b);
/// Correctly rounded, but for f32 where the target approximates: 2 ulp.
Real operator/(Real a, RealOrNumber b);
Real operator-(double a, Real b);
Real operator/(double a, Real b);
Real operator-(Real a);
/// Correctly rounded on every target.
Real preciseQuotient(Real a, RealOrNumber b);
Real preciseRoot(Real x);
/// Within an ulp.
Real root(Real x);

/// a * b + c; fused where the target does it in one instruction, else with two roundings.
Real mad(Real a, RealOrNumber b, RealOrNumber c);
/// c[0] x^n + ... + c[n].
Real horner(Real x, std::initializer_list<double> coefficients);
/// a + b and what the sum lost, exactly; a, b and the result below overflow. (Knuth; Dekker where |a| >= |b|.)
std::pair<Real, Real> exactSum(Real a, Real b);
std::pair<Real, Real> exactSumOfOrdered(Real a, RealOrNumber b);
/// a * b and what the product lost, exactly, unless it underflows. (By a fused multiply-add, else Dekker's splitting.)
std::pair<Real, Real> exactProduct(Real a, RealOrNumber b);

Bool operator<(Real a, RealOrNumber b);
Bool operator<=(Real a, RealOrNumber b);
Bool operator>(Real a, RealOrNumber b);
Bool operator>=(Real a, RealOrNumber b);
Bool operator==(Real a, RealOrNumber b);
Bool operator!=(Real a, RealOrNumber b); ///< true if one is NaN
Bool isNaN(Real x);

Real abs(Real x);
/// The magnitude of one with the sign of another.
Real copySign(Real magnitude, Real sign);
/// The lesser, the greater; of a NaN and a number either.
Real least(Real a, RealOrNumber b);
Real greatest(Real a, RealOrNumber b);
/// x between two numbers; NaN stays NaN.
Real clamp(Real x, double low, double high);
Real floor(Real x);
Real ceil(Real x);
Real trunc(Real x);
Real roundEven(Real x);

/// One of the target's approximations (PTX ISA, "ex2", "lg2", "rcp", ...); f32 on targets that approximate.
Real approximate(tg::Approximation kind, Real x);

//===-- Integers ----------------------------------------------------------------------------------===//

Int operator+(Int a, IntOrNumber b);
Int operator-(Int a, IntOrNumber b);
Int operator-(int64_t a, Int b);
Int operator*(Int a, IntOrNumber b);
Int operator&(Int a, IntOrNumber b);
Int operator|(Int a, IntOrNumber b);
Int operator^(Int a, IntOrNumber b);
Int operator<<(Int a, IntOrNumber b);
Int operator>>(Int a, IntOrNumber b); ///< copies of the sign come in
Int shiftRightLogical(Int a, IntOrNumber b);
/// High half of the product.
Int highProductUnsigned(Int a, IntOrNumber b);
Int highProductSigned(Int a, Int b);

Bool operator<(Int a, IntOrNumber b);
Bool operator>(Int a, IntOrNumber b);
Bool operator==(Int a, IntOrNumber b);
Bool operator!=(Int a, IntOrNumber b);
Bool lessUnsigned(Int a, IntOrNumber b);

//===-- Conversions, choice -----------------------------------------------------------------------===//

/// The bits of a float as an integer of its width, and back.
Int bitsOf(Real x);
Real realOf(Int bits);
/// 2^k of Real's type, from k plus the type's bias (127, 1023); only its low bits count.
Real powerOfTwo(Int biased, Real like);
/// To the nearest; the integer's width need not be the float's.
Real toReal(Int x, Real like);
/// An integer that the float is known to hold.
Int toInt(Real x, Int like);
Real toDouble(Real x);
Real toSingle(Real x);
Int signExtended(Int x, unsigned width);
Int zeroExtended(Int x, unsigned width);
Int truncated(Int x, unsigned width);

Bool operator&(Bool a, Bool b);
Bool operator|(Bool a, Bool b);
Bool operator^(Bool a, Bool b);
Bool operator!(Bool a);
Real select(Bool condition, Real yes, RealOrNumber no);
Real select(Bool condition, double yes, Real no);
Int select(Bool condition, Int yes, IntOrNumber no);
Int select(Bool condition, int64_t yes, Int no);
Bool select(Bool condition, Bool yes, Bool no);

} // namespace tigon
