// SPDX-License-Identifier: Apache-2.0
//
// Powers, roots and lengths of vectors.
//
// x^y = e^(y log x) needs log x to twice the precision, as y log x may be 2^10 and more of its last bits count in the result.
// The logarithm is therefore a sum of two floats, high + low, good to 2^-36 (f32) and 2^-65 (f64).
#include "compiler/math/Formulas.h"

#include "llvm/ADT/SmallVector.h"

namespace tigon::formulas {
namespace {

struct Sum {
  Real high, low;
};

// log(x) for positive finite x, 2^n (1 + f) as in Logarithms.cpp: log(1 + f) = 2 atanh(s) = 2 s + s^3 (2/3 + z p(z)) with
// s = f / (2 + f), z = s^2, all but z p(z) in two floats.
Sum extendedLog(Real x) {
  auto [f, n] = decompose(x);
  auto [d, dLow] = exactSumOfOrdered(f.constant(2.0), f);
  Real s = preciseQuotient(f, d);
  auto [back, backLow] = exactProduct(s, d);
  Real sLow = ((f - back) - backLow - s * dLow) / d;
  auto [z, zRest] = exactProduct(s, s);
  Real zLow = mad(s + s, sLow, zRest);
  bool isDouble = x.isDouble();
  // ((2 atanh(s) - 2 s) / s^3 - 2/3) / z in z, Sollya 8, fpminimax, 3 or 8, SG or D, on [0; (3 - 2 sqrt(2))^2], absolute
  Real p = isDouble ? horner(z, {0x1.0985aeab9caf1p-2, 0x1.5e8eb39ba73eep-4, 0x1.e5f93d558567cp-4,
                                 0x1.1102dc0fc33bap-3, 0x1.3b13e997e25f3p-3, 0x1.745d16c6c8756p-3,
                                 0x1.c71c71c7b4698p-3, 0x1.2492492492205p-2, 0x1.999999999999ap-2})
                    : horner(z, {0x1.827e5ap-3, 0x1.c7041p-3, 0x1.24921p-2, 0x1.99999ap-2});
  auto [factor, factorRest] =
      exactSumOfOrdered(x.constant(isDouble ? 0x1.5555555555555p-1 : 0x1.555556p-1), z * p);
  Real factorLow = factorRest + (isDouble ? 0x1.5555555555555p-55 : -0x1.555556p-26);
  auto [cube, cubeRest] = exactProduct(s, z);
  Real cubeLow = cubeRest + mad(s, zLow, sLow * z);
  auto [term, termRest] = exactProduct(cube, factor);
  Real termLow = termRest + mad(cube, factorLow, cubeLow * factor);
  // n log(2) + 2 s + term, largest first; log(2) has a short high part, so that n times it is exact.
  Real ofExponent = n * (isDouble ? 0x1.62e42fefa4p-1 : 0x1.62e4p-1);
  auto [sum, sumRest] = exactSum(ofExponent, s + s);
  auto [total, totalRest] = exactSum(sum, term);
  Real low = mad(n, isDouble ? -0x1.8432a1b0e2634p-43 : 0x1.7f7d1cp-20, sLow + sLow + termLow);
  low = low + (sumRest + totalRest);
  auto [high, rest] = exactSumOfOrdered(total, low);
  return {high, rest};
}

// |x|^y as e^(exponent.high + exponent.low), with the cases that a logarithm does not tell.
Real powerOfMagnitude(Real magnitude, Sum exponent, Bool negativePower) {
  // Far beyond the range only the sign matters, and the low part may be NaN.
  Real high = clamp(exponent.high, -1100, 1100);
  Real low = select(high == exponent.high, exponent.low, 0.0);
  Real power = expOfSum(high, low);
  Bool zero = magnitude == 0.0;
  Real atEnds = select(zero ^ negativePower, 0.0, magnitude.constant(infinity));
  return select(zero | (magnitude == infinity), atEnds, power);
}

Sum productOf(Sum log, Real y) {
  auto [high, rest] = exactProduct(log.high, y);
  return {high, mad(log.low, y, rest)};
}

Real negatedIf(Bool condition, Real x) { return select(condition, -x, x); }

// The length of a vector, scaled by a power of two near its largest component: sqrt(sum) unit. As two factors, as the product
// may overflow where its reciprocal is a number.
struct Length {
  Real sum, unit, perUnit;
  Bool ordinary;
  Real special; // infinity (even beside a NaN), 0, NaN

  Real value() const { return select(ordinary, root(sum) * unit, special); }
  Real reciprocal() const {
    return select(ordinary, formulas::rsqrt(sum) * perUnit, 1.0 / special);
  }
};

Length lengthOf(llvm::ArrayRef<Real> components) {
  Real longest = abs(components[0]), total = longest;
  Bool infinite = longest == infinity;
  for (Real component : components.drop_front()) {
    Real magnitude = abs(component);
    longest = greatest(longest, magnitude);
    total = total + magnitude;
    infinite = infinite | (magnitude == infinity);
  }
  // Both powers are normal numbers.
  int64_t bias = longest.isDouble() ? 1023 : 127;
  Int exponent = shiftRightLogical(bitsOf(longest), longest.isDouble() ? 52 : 23);
  exponent = select(exponent < 1, 1, select(exponent > 2 * bias - 1, 2 * bias - 1, exponent));
  Real unit = powerOfTwo(exponent, longest), perUnit = powerOfTwo(2 * bias - exponent, longest);
  Real sum = longest.constant(0);
  for (Real component : components) {
    Real part = component * perUnit;
    sum = mad(part, part, sum);
  }
  Bool ordinary = (longest > 0.0) & !isNaN(total) & !infinite;
  return {sum, unit, perUnit, ordinary, select(infinite, infinity, total)};
}

} // namespace

Real pow(Real x, Real y) {
  Real magnitude = abs(x);
  Real half = y * 0.5;
  Bool whole = roundEven(y) == y;
  Bool odd = whole & (roundEven(half) != half);
  Bool negativeBase = bitsOf(x) < 0;
  Real power = powerOfMagnitude(magnitude, productOf(extendedLog(magnitude), y), y < 0.0);
  // An infinite power of 1 is 1, of others 0 or infinity.
  Real ofInfinity = select((magnitude > 1.0) ^ (y < 0.0), infinity, x.constant(0.0));
  ofInfinity = select(magnitude == 1.0, 1.0, ofInfinity);
  power = select(abs(y) == infinity, ofInfinity, power);
  power = negatedIf(negativeBase & odd, power);
  Bool undefined = (x < 0.0) & (x > -infinity) & !whole;
  power = select(undefined, notANumber, power);
  power = select(isNaN(x) | isNaN(y), x + y, power);
  return select((x == 1.0) | (y == 0.0), 1.0, power);
}

Real powi(Real x, Int n) {
  Real magnitude = abs(x);
  Sum log = extendedLog(magnitude);
  // In f32 the integer needs two floats.
  Int low = n & int64_t(0xff);
  Sum first = productOf(log, toReal(n - low, x)), second = productOf(log, toReal(low, x));
  auto [high, rest] = exactSum(first.high, second.high);
  Real power = powerOfMagnitude(magnitude, {high, rest + (first.low + second.low)}, n < 0);
  power = negatedIf((bitsOf(x) < 0) & ((n & int64_t(1)) != 0), power);
  return select(n == 0, 1.0, select(isNaN(x), x, power));
}

Real sqrt(Real x) { return root(x); }

Real rsqrt(Real x) {
  return approximates(x) ? approximate(tg::Approximation::Rsqrt, x) : 1.0 / preciseRoot(x);
}

// Dividing a float's bits by 3 divides its exponent; the constant makes up for the bias and gives 3.5% at most. Halley's
// iteration cubes the error; the last one is written as a correction, so that rounding in it does not matter.
Real cbrt(Real x) {
  bool isDouble = x.isDouble();
  Real a = abs(x);
  Bool small = a < 1.0; // scaled away from denormals, others from where a sum would overflow
  Real scaled = a * select(small, isDouble ? 0x1p54 : 0x1p24, x.constant(0x1p-3));
  Int bits = bitsOf(scaled);
  Int head = isDouble ? truncated(shiftRightLogical(bits, 32), 32) : bits;
  head = highProductUnsigned(head, 0x55555556) + (isDouble ? 715094163 : 709958130);
  Real y = realOf(isDouble ? zeroExtended(head, 64) << 32 : head);
  for (int i = 0; i < (isDouble ? 2 : 1); ++i) {
    Real cube = y * y * y;
    y = y * ((scaled + scaled + cube) / (cube + cube + scaled));
  }
  Real cube = y * y * y;
  y = y - y * ((cube - scaled) / (cube + cube + scaled));
  y = y * select(small, isDouble ? 0x1p-18 : 0x1p-8, x.constant(2));
  return select((a > 0.0) & (a < infinity), copySign(y, x), x);
}

Real rcbrt(Real x) { return 1.0 / cbrt(x); }

Real hypot(Real x, Real y) { return lengthOf({x, y}).value(); }
Real rhypot(Real x, Real y) { return lengthOf({x, y}).reciprocal(); }
Real norm3d(Real x, Real y, Real z) { return lengthOf({x, y, z}).value(); }
Real rnorm3d(Real x, Real y, Real z) { return lengthOf({x, y, z}).reciprocal(); }
Real norm4d(Real x, Real y, Real z, Real t) { return lengthOf({x, y, z, t}).value(); }
Real rnorm4d(Real x, Real y, Real z, Real t) { return lengthOf({x, y, z, t}).reciprocal(); }

Real fastPow(Real x, Real y) { return approximates(x) ? exp2(y * fastLog2(x)) : pow(x, y); }

} // namespace tigon::formulas
