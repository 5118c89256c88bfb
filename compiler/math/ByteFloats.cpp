// SPDX-License-Identifier: Apache-2.0
#include "compiler/math/ByteFloats.h"

#include <bit>
#include <cmath>

using namespace mlir;

namespace tigon {
namespace {

constexpr int singleMantissa = 23, singleBias = 127;
constexpr int64_t singleInfinity = 0x7f800000, singleNaN = 0x7fc00000;

int64_t patternOf(double number) { return std::bit_cast<int32_t>(float(number)); }

// A type's numbers, from LLVM's description of it.
struct ByteFormat {
  explicit ByteFormat(FloatType type) : semantics(type.getFloatSemantics()) {
    mantissa = int(llvm::APFloat::semanticsPrecision(semantics)) - 1;
    bias = 1 - llvm::APFloat::semanticsMinExponent(semantics);
    largest = patternOf(llvm::APFloat::getLargest(semantics));
    notANumber = patternOf(llvm::APFloat::getNaN(semantics));
    hasInfinity = llvm::APFloat::semanticsHasInf(semantics);
    // In the FNUZ types the pattern of -0 is the NaN.
    hasNegativeZero = notANumber != 0x80;
  }

  static int64_t patternOf(const llvm::APFloat &number) {
    return int64_t(number.bitcastToAPInt().getZExtValue());
  }
  /// Bits that f32's mantissa has more.
  int64_t dropped() const { return singleMantissa - mantissa; }
  double leastNormal() const { return std::ldexp(1.0, 1 - bias); }
  int64_t infinity() const { return largest + 1; }

  const llvm::fltSemantics &semantics;
  int mantissa, bias;
  int64_t largest, notANumber;
  bool hasInfinity, hasNegativeZero;
};

} // namespace

Real fromByte(Int byte, FloatType type) {
  ByteFormat format(type);
  Int bits = zeroExtended(byte, 32);
  Int magnitude = (bits & 0x7f) << format.dropped();
  Int normal = magnitude + (int64_t(singleBias - format.bias) << singleMantissa);
  // A denormal is what subtracting the least normal number from the number with that exponent leaves.
  Real tiny = realOf(normal + (int64_t(1) << singleMantissa)) - format.leastNormal();
  Int result = select(magnitude < (int64_t(1) << singleMantissa), bitsOf(tiny), normal);
  if (format.hasInfinity)
    result = select(magnitude > ((format.infinity() << format.dropped()) - 1),
                    magnitude | singleInfinity, result);
  else if (format.hasNegativeZero)
    result = select(magnitude == (format.notANumber << format.dropped()), singleNaN, result);
  else
    result = select(bits == format.notANumber, singleNaN, result);
  return realOf(result | ((bits & 0x80) << int64_t(24)));
}

Int toByte(Real x, FloatType type, ByteRounding rounding) {
  ByteFormat format(type);
  if (x.isDouble())
    x = roundedToOdd(x);
  Int bits = bitsOf(x), magnitude = bits & 0x7fffffff;
  Int rebased = magnitude - (int64_t(singleBias - format.bias) << singleMantissa);
  Int normal, tiny;
  if (rounding == ByteRounding::TowardZero) {
    normal = rebased;
    tiny = toInt(abs(x) * std::ldexp(1.0, format.bias - 1 + format.mantissa), bits);
  } else {
    // Half an ulp less one, and one more if the kept part is odd.
    Int odd = shiftRightLogical(magnitude, format.dropped()) & 1;
    normal = rebased + ((int64_t(1) << (format.dropped() - 1)) - 1) + odd;
    // The sum's last bit is worth the least denormal, and the addition rounds to nearest even.
    double shift = std::ldexp(1.0, 1 - format.bias - format.mantissa + singleMantissa);
    tiny = bitsOf(abs(x) + shift) - patternOf(shift);
  }
  normal = shiftRightLogical(normal, format.dropped());
  Int result = select(magnitude < patternOf(format.leastNormal()), tiny, normal);
  result = select(result > format.largest, format.largest, result);
  if (format.hasInfinity && rounding != ByteRounding::Nearest)
    result = select(magnitude == singleInfinity, format.infinity(), result);
  result = select(magnitude > singleInfinity, format.notANumber, result);
  Int sign = shiftRightLogical(bits, 24) & 0x80;
  Int withSign = result | sign;
  if (!format.hasNegativeZero)
    withSign = select(result == 0, 0, withSign);
  return truncated(withSign, 8);
}

//===-- rounding to odd ---------------------------------------------------------------------------===//
// Toward zero, with the last bit set where that is inexact (Boldo and Melquiond, "Emulation of FMA and correctly rounded
// sums: proved algorithms using rounding to odd").

Real roundedToOdd(Real x) {
  Real nearest = toSingle(x), back = toDouble(nearest);
  Int bits = bitsOf(nearest);
  Int down = select(abs(back) > abs(x), bits - 1, bits);
  return realOf(select(back != x, down | 1, bits)); // a NaN stays one
}

Real sumRoundedToOdd(Real a, Real b) {
  auto [sum, lost] = exactSum(a, b);
  Int bits = bitsOf(sum);
  Bool tooFar = (sum > 0.0) ^ (lost > 0.0);
  Int odd = select(tooFar, bits - 1, bits) | 1;
  // An infinite or NaN sum leaves a NaN as what it lost.
  return select((lost < 0.0) | (lost > 0.0), realOf(odd), sum);
}

Int roundedToOdd(Int x, bool isSigned) {
  constexpr int64_t limit = int64_t(1) << 53, below = (int64_t(1) << 11) - 1;
  // The lowest eleven bits are folded into the twelfth.
  Int folded = (x | ((x & below) + below)) & ~below;
  Bool fits = isSigned ? lessUnsigned(x + limit, 2 * limit) : lessUnsigned(x, limit);
  return select(fits, x, folded);
}

} // namespace tigon
