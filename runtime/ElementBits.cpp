// SPDX-License-Identifier: Apache-2.0
//
// Elements to and from doubles, for every type, by one description of the narrow floats. A double
// holds each of their values, so decoding is exact, and encoding rounds once.
#include "runtime/HostTensor.h"

#include <bit>
#include <cmath>
#include <limits>

namespace tigon {
namespace {

struct NarrowFloat {
  int exponentBits, mantissaBits;
  /// The highest exponent is kept for infinities and NaNs; else (OCP's E4M3) only the pattern of
  /// all ones is a NaN.
  bool hasInfinity;

  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  int minExponent() const { return 1 - bias(); }
  uint64_t mantissaMask() const { return (uint64_t(1) << mantissaBits) - 1; }
  uint64_t exponentMask() const { return (uint64_t(1) << exponentBits) - 1; }
  uint64_t infinity() const { return exponentMask() << mantissaBits; }
  uint64_t sign() const { return uint64_t(1) << (exponentBits + mantissaBits); }
};

constexpr NarrowFloat e4m3 = {4, 3, false}, e5m2 = {5, 2, true}, half = {5, 10, true},
                      bfloat = {8, 7, true};

constexpr int doubleMantissa = 52, doubleBias = 1023;
constexpr uint64_t doubleInfinity = uint64_t(0x7ff) << doubleMantissa;
constexpr uint64_t doubleFraction = (uint64_t(1) << doubleMantissa) - 1;

double decode(const NarrowFloat &format, uint64_t bits) {
  double sign = bits & format.sign() ? -1.0 : 1.0;
  uint64_t exponent = bits >> format.mantissaBits & format.exponentMask();
  uint64_t mantissa = bits & format.mantissaMask();
  bool isSpecial = exponent == format.exponentMask() &&
                   (format.hasInfinity || mantissa == format.mantissaMask());
  if (isSpecial) { // by bits, so that a NaN keeps its payload
    uint64_t fraction = mantissa << (doubleMantissa - format.mantissaBits);
    return std::copysign(std::bit_cast<double>(doubleInfinity | fraction), sign);
  }
  if (!exponent)
    return sign * std::ldexp(double(mantissa), format.minExponent() - format.mantissaBits);
  return sign * std::ldexp(double(mantissa | (format.mantissaMask() + 1)),
                           int(exponent) - format.bias() - format.mantissaBits);
}

/// A right shift that rounds to nearest, ties to even.
uint64_t roundShift(uint64_t value, int shift) {
  if (shift > 54) // less than half of the last place
    return 0;
  uint64_t half = uint64_t(1) << (shift - 1), rest = value & (2 * half - 1);
  uint64_t whole = value >> shift;
  return whole + (rest > half || (rest == half && (whole & 1)));
}

uint64_t encode(const NarrowFloat &format, double value) {
  uint64_t bits = std::bit_cast<uint64_t>(value);
  uint64_t sign = std::signbit(value) ? format.sign() : 0;
  uint64_t nan = format.hasInfinity ? 0 : format.infinity() | format.mantissaMask();
  if (std::isnan(value)) {
    if (!format.hasInfinity)
      return sign | nan;
    uint64_t payload = (bits & doubleFraction) >> (doubleMantissa - format.mantissaBits);
    uint64_t quiet = uint64_t(1) << (format.mantissaBits - 1);
    return sign | format.infinity() | (payload ? payload : quiet);
  }
  uint64_t tooLarge = sign | (format.hasInfinity ? format.infinity() : nan);
  if (std::isinf(value))
    return tooLarge;
  int exponent = int(bits >> doubleMantissa & 0x7ff) - doubleBias;
  if (exponent == -doubleBias) // zero, or a double's denormal, far below all others
    return sign;
  uint64_t significand = (bits & doubleFraction) | (doubleFraction + 1);
  int shift = doubleMantissa - format.mantissaBits;
  uint64_t result;
  if (exponent < format.minExponent())
    result = roundShift(significand, shift + format.minExponent() - exponent);
  else // the leading one of the significand counts the exponent up by one, as does a carry
    result = (uint64_t(exponent - format.minExponent()) << format.mantissaBits) +
             roundShift(significand, shift);
  uint64_t largest = format.hasInfinity ? format.infinity() - 1 : nan - 1;
  return result > largest ? tooLarge : sign | result;
}

template <typename Integer> uint64_t encodeInteger(double value) {
  constexpr int bits = std::numeric_limits<Integer>::digits;
  const double bound = std::ldexp(1.0, bits);
  Integer whole = 0;
  if (value >= bound)
    whole = std::numeric_limits<Integer>::max();
  else if (value < -bound)
    whole = std::numeric_limits<Integer>::min();
  else if (value == value)
    whole = Integer(value);
  return uint64_t(std::make_unsigned_t<Integer>(whole));
}

} // namespace

uint64_t encodeElement(DType dtype, double value) {
  switch (dtype) {
  case DType::I1:
    return value != 0;
  case DType::I8:
    return encodeInteger<int8_t>(value);
  case DType::I16:
    return encodeInteger<int16_t>(value);
  case DType::I32:
    return encodeInteger<int32_t>(value);
  case DType::I64:
    return encodeInteger<int64_t>(value);
  case DType::F8E4M3:
    return encode(e4m3, value);
  case DType::F8E5M2:
    return encode(e5m2, value);
  case DType::F16:
    return encode(half, value);
  case DType::BF16:
    return encode(bfloat, value);
  case DType::F32:
    return std::bit_cast<uint32_t>(float(value));
  case DType::F64:
    return std::bit_cast<uint64_t>(value);
  }
  return 0;
}

double decodeElement(DType dtype, uint64_t bits) {
  switch (dtype) {
  case DType::I1:
    return (bits & 0xff) != 0;
  case DType::I8:
    return int8_t(bits);
  case DType::I16:
    return int16_t(bits);
  case DType::I32:
    return int32_t(bits);
  case DType::I64:
    return double(int64_t(bits));
  case DType::F8E4M3:
    return decode(e4m3, bits);
  case DType::F8E5M2:
    return decode(e5m2, bits);
  case DType::F16:
    return decode(half, bits);
  case DType::BF16:
    return decode(bfloat, bits);
  case DType::F32:
    return std::bit_cast<float>(uint32_t(bits));
  case DType::F64:
    return std::bit_cast<double>(bits);
  }
  return 0;
}

} // namespace tigon
