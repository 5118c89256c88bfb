// SPDX-License-Identifier: Apache-2.0
//
// Hyperbolic functions and their inverses, of the exponentials and log1p. Each is odd or even, so they work on |x|.
//
// Polynomials: Sollya 8, fpminimax(FUNCTION, DEGREE, [|SG...|] or [|D...|], INTERVAL, absolute) in z = x^2.
#include "compiler/math/Formulas.h"

namespace tigon::formulas {
namespace {

// An argument from which on x + 1 is x.
double largeFor(Real x) { return x.isDouble() ? 0x1p56 : 0x1p28; }

// log(a + ...) as log1p(y), where y is a itself if a is large, for which a square would overflow, and log(2) is added.
Real logOfSum(Bool large, Real y) {
  return log1p(y) + select(large, 0x1.62e42fefa39efp-1, y.constant(0.0));
}

} // namespace

Real sinh(Real x) {
  Real a = abs(x), z = a * a;
  // (sinh(x) - x) / x^3 on [0; 1]: 0.01 ulp
  Real p = x.isDouble()
               ? horner(z, {0x1.d1d6914417fefp-47, 0x1.992cdcdf46304p-41, 0x1.6144585cbba6ap-33,
                            0x1.ae6425abe539cp-26, 0x1.71de3a7d5ee0ep-19, 0x1.a01a019ff8728p-13,
                            0x1.11111111111d8p-7, 0x1.5555555555555p-3})
               : horner(z, {0x1.725236p-19, 0x1.a03554p-13, 0x1.1110c6p-7, 0x1.555556p-3});
  Real half = halfExp(a);
  return copySign(select(a < 1.0, mad(z * a, p, a), half - 0.25 / half), x);
}

Real cosh(Real x) {
  Real half = halfExp(abs(x));
  return half + 0.25 / half;
}

Real tanh(Real x) {
  Real a = abs(x);
  if (approximates(x)) {
    if (x.at->fastMath)
      return fastTanh(x);
    // (tanh(x) - x) / x^3 on [0; 0.55]: 0.03 ulp. Beyond, an error of e^2a matters by a / sinh(2a): no correction is needed.
    Real z = a * a;
    Real p =
        horner(z, {-0x1.b05946p-8, 0x1.5cf902p-6, -0x1.b99b0ep-5, 0x1.110fcap-3, -0x1.555554p-2});
    Real power = approximate(tg::Approximation::Ex2Flush, a * 0x1.71547652b82fep1);
    Real large = mad(approximate(tg::Approximation::Rcp, power + 1.0), -2.0, 1.0);
    return copySign(select(a < 0.55, mad(z * a, p, a), large), x);
  }
  // With t = e^2a - 1: t / (t + 2), or where that would lose, 1 - 2 / (t + 2).
  Real t = expm1(a + a);
  Bool small = a < 1.0;
  Real quotient = select(small, t, 2.0) / (t + 2.0);
  return copySign(select(small, quotient, 1.0 - quotient), x);
}

// log(a + sqrt(a^2 + 1))
Real asinh(Real x) {
  Real a = abs(x), square = a * a;
  Bool large = a > largeFor(x);
  Real y = select(large, a, a + square / (root(square + 1.0) + 1.0));
  return copySign(logOfSum(large, y), x);
}

// log(x + sqrt(x^2 - 1)), with t = x - 1
Real acosh(Real x) {
  Real t = x - 1.0;
  Bool large = x > largeFor(x);
  Real y = select(large, x, t + root(mad(t, t, t + t)));
  return select(x < 1.0, notANumber, logOfSum(large, y));
}

// log((1 + a) / (1 - a)) / 2
Real atanh(Real x) {
  Real a = abs(x), twice = a + a;
  Real y = mad(twice, a / (1.0 - a), twice);
  return copySign(select(a > 1.0, notANumber, log1p(y) * 0.5), x);
}

Real fastTanh(Real x) {
  return approximates(x) ? approximate(tg::Approximation::Tanh, x) : tanh(x);
}

} // namespace tigon::formulas
