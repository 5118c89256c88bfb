// SPDX-License-Identifier: Apache-2.0
//
// log, log2, log10, log1p. x = 2^n (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)], so that f and n do not cancel, and a polynomial
// in f (f32) or fdlibm's in s = f / (2 + f) (f64). No use of "lg2", whose error near 1 has no bound in ulp.
//
// Polynomials: Sollya 8, fpminimax with [|SG...|] or [|D...|] on [sqrt(1/2) - 1; sqrt(2) - 1].
#include "compiler/math/Formulas.h"

namespace tigon::formulas {
namespace {

int mantissaBits(Real x) { return x.isDouble() ? 52 : 23; }

// The exponent of a normal number, such that its mantissa lies in [sqrt(1/2), sqrt(2)).
Int exponentOf(Int bits, Real x) {
  return (bits - (x.isDouble() ? 0x3fe6a09e667f3bcd : 0x3f3504f3)) >> mantissaBits(x);
}

// The logarithm of an infinity, a NaN, a zero or a negative number, or else `ordinary`.
Real withSpecials(Real x, Real ordinary) {
  Real special = select(x == 0.0, -infinity, select(x < 0.0, notANumber, x));
  return select((x > 0.0) & (x < infinity), ordinary, special);
}

// log(1 + f) of f64 as f - square/2 + rest (fdlibm, e_log.c).
struct Series {
  Real halfSquare, rest;
};

Series seriesOf(Real f) {
  // (2 atanh(s) - 2 s) / s in z = s^2, on [0; (3 - 2 sqrt(2))^2]: 0.1 of 2^-53
  Real s = f / (f + 2.0), z = s * s;
  Real r = z * horner(z, {0x1.2b5c824eb9ff6p-3, 0x1.39fe05dd81adbp-3, 0x1.7462b76fd5e16p-3,
                          0x1.c71c62dc17c4ap-3, 0x1.2492492df75b2p-2, 0x1.99999999952d9p-2,
                          0x1.5555555555558p-1});
  Real halfSquare = f * f * 0.5;
  return {halfSquare, s * (halfSquare + r)};
}

// n log(2) + log(1 + f)
Real naturalLog(Parts x) {
  auto [f, n] = x;
  if (f.isDouble()) {
    auto [halfSquare, rest] = seriesOf(f);
    return mad(n, 0x1.62e42ffp-1, f - (halfSquare - mad(n, -0x1.718432a1b0e26p-35, rest)));
  }
  // log(1 + x), 2 to 10, SG, relative, x: 0.04 ulp
  Real p = horner(f, {-0x1.38472ap-4, 0x1.0860cep-3, -0x1.0f3fa6p-3, 0x1.226dfcp-3, -0x1.5425c4p-3,
                      0x1.99a41ap-3, -0x1.000432p-2, 0x1.55555p-2, -0x1.fffff8p-2});
  Real ofFraction = mad(f * f, p, f);
  return mad(n, 0x1.62e4p-1, mad(n, 0x1.7f7d1cp-20, ofFraction));
}

// n unit + log(1 + f) per, where per = perHigh + perLow is log_b(e) and unit is log_b(2).
Real logOfDouble(Parts x, double perHigh, double perLow, double unitHigh, double unitLow) {
  auto [f, n] = x;
  auto [halfSquare, rest] = seriesOf(f);
  auto [high, lost] = exactSumOfOrdered(f, -halfSquare);
  auto [product, lostToo] = exactProduct(high, perHigh);
  Real low = mad(lost + rest, perHigh, mad(high, perLow, lostToo));
  auto [sum, lostLast] = exactSum(n * unitHigh, product);
  return sum + (lostLast + mad(n, unitLow, low));
}

} // namespace

Parts decompose(Real x) {
  double scale = x.isDouble() ? 0x1p52 : 0x1p23;
  Bool denormal = x < (x.isDouble() ? 0x1p-1022 : 0x1p-126);
  Int bits = bitsOf(select(denormal, x * scale, x));
  Int exponent = exponentOf(bits, x);
  Real mantissa = realOf(bits - (exponent << mantissaBits(x)));
  exponent = exponent - select(denormal, int64_t(mantissaBits(x)), bits.constant(0));
  return {mantissa - 1.0, toReal(exponent, x)};
}

Real log(Real x) {
  if (approximates(x) && x.at->fastMath)
    return fastLog(x);
  return withSpecials(x, naturalLog(decompose(x)));
}

Real log2(Real x) {
  if (approximates(x) && x.at->fastMath)
    return fastLog2(x);
  auto [f, n] = decompose(x);
  if (x.isDouble())
    return withSpecials(x, logOfDouble({f, n}, 0x1.71547652b82fep0, 0x1.777d0ffda0d24p-56, 1, 0));
  // log2(1 + x) / x - 0x1.715476p0, 0 to 9, SG, absolute: 0.04 ulp. The constant term is the rest of log2(e).
  Real p = horner(f, {-0x1.ce4138p-4, 0x1.81048cp-3, -0x1.86acccp-3, 0x1.a25ac6p-3, -0x1.eaba3p-3,
                      0x1.27830cp-2, -0x1.715abcp-2, 0x1.ec708p-2, -0x1.71547p-1, 0x1.5adf8p-26});
  return withSpecials(x, n + mad(f, 0x1.715476p0, f * p));
}

Real log10(Real x) {
  if (approximates(x) && x.at->fastMath)
    return fastLog10(x);
  auto [f, n] = decompose(x);
  if (x.isDouble())
    return withSpecials(x, logOfDouble({f, n}, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57,
                                       0x1.34413509f8p-2, -0x1.80433b83b532ap-44));
  // log10(1 + x) / x - 0x1.bcb7b2p-2, 0 to 9, SG, absolute: 0.04 ulp
  Real p =
      horner(f, {-0x1.1680eep-5, 0x1.cf832p-5, -0x1.d646d2p-5, 0x1.f7c1dap-5, -0x1.27753ep-4,
                 0x1.63d4f6p-4, -0x1.bcbf1ap-4, 0x1.287a64p-3, -0x1.bcb7aap-3, -0x1.511f5ep-27});
  Real ofFraction = mad(f, 0x1.bcb7b2p-2, f * p);
  return withSpecials(x, mad(n, 0x1.344p-2, mad(n, 0x1.3509f8p-18, ofFraction)));
}

// With u = 1 + x rounded only choosing the exponent n, f = (1 + x) 2^-n - 1 = x 2^-n + (2^-n - 1) has one rounding.
Real log1p(Real x) {
  Int one = bitsOf(x.constant(1.0));
  Int bits = bitsOf(x + 1.0);
  Int n = exponentOf(bits, x);
  Real scale = realOf(one - (n << mantissaBits(x)));
  Real mantissa = realOf(bits - (n << mantissaBits(x)));
  // Beyond 2^54 the 1 is nothing, and the scale would leave the range at the end.
  Real f = select(x > 0x1p54, mantissa - 1.0, mad(x, scale, scale - 1.0));
  Real special = select(x == -1.0, -infinity, select(x < -1.0, notANumber, x));
  Real ordinary = copySign(naturalLog({f, toReal(n, x)}), x); // -0 stays
  return select((x > -1.0) & (x < infinity), ordinary, special);
}

Real fastLog(Real x) { return approximates(x) ? fastLog2(x) * 0x1.62e43p-1 : log(x); }

Real fastLog2(Real x) { return approximates(x) ? approximate(tg::Approximation::Lg2, x) : log2(x); }

Real fastLog10(Real x) { return approximates(x) ? fastLog2(x) * 0x1.344136p-2 : log10(x); }

} // namespace tigon::formulas
