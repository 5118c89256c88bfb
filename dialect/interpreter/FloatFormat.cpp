// SPDX-License-Identifier: Apache-2.0
#include "dialect/interpreter/FloatFormat.h"

#include "llvm/ADT/bit.h"

#include <algorithm>
#include <cmath>
#include <limits>

// `round` and `fusedMultiplyAdd` are about single roundings; none may be contracted away.
#pragma STDC FP_CONTRACT OFF

namespace tigon::interpreter {
namespace {

using Specials = FloatFormat::Specials;

const FloatFormat formatF64 = {64, 52, 1023, Specials::IEEE};
const FloatFormat formatF32 = {32, 23, 127, Specials::IEEE};
const FloatFormat formatE4M3FNUZ = {8, 3, 8, Specials::FNUZ};
const FloatFormat formatE5M2FNUZ = {8, 2, 16, Specials::FNUZ};

constexpr unsigned doubleMantissa = 52;
constexpr int doubleBias = 1023;

// 2^exponent, for exponents of normal doubles.
double power(int exponent) {
  return llvm::bit_cast<double>(uint64_t(exponent + doubleBias) << doubleMantissa);
}

// The exponent of the leading bit; for zero and denormal doubles something lower than any format's.
int exponentOf(double magnitude) {
  return int(llvm::bit_cast<uint64_t>(magnitude) >> doubleMantissa) - doubleBias;
}

uint64_t lowBits(unsigned count) { return (uint64_t(1) << count) - 1; }

} // namespace

const FloatFormat formatF16 = {16, 10, 15, Specials::IEEE};
const FloatFormat formatBF16 = {16, 7, 127, Specials::IEEE};
const FloatFormat formatE2M1 = {4, 1, 1, Specials::None};
const FloatFormat formatE2M3 = {6, 3, 1, Specials::None};
const FloatFormat formatE3M2 = {6, 2, 3, Specials::None};
const FloatFormat formatE4M3FN = {8, 3, 7, Specials::FN};
const FloatFormat formatE5M2 = {8, 2, 15, Specials::IEEE};

double FloatFormat::decode(uint64_t bits) const {
  if (width == 64)
    return llvm::bit_cast<double>(bits);
  uint64_t fraction = bits & lowBits(mantissa);
  uint64_t exponent = (bits >> mantissa) & lowBits(width - 1 - mantissa);
  uint64_t sign = (bits >> (width - 1)) << 63;
  bool lastExponent = exponent == lowBits(width - 1 - mantissa);
  uint64_t doubleFraction = fraction << (doubleMantissa - mantissa);
  bool isNaN = (specials == Specials::FN && lastExponent && fraction == lowBits(mantissa)) ||
               (specials == Specials::FNUZ && sign && !exponent && !fraction);
  if (isNaN)
    return llvm::bit_cast<double>(sign | uint64_t(0x7FF8) << 48);
  if (specials == Specials::IEEE && lastExponent)
    return llvm::bit_cast<double>(sign | uint64_t(0x7FF) << doubleMantissa | doubleFraction);
  if (exponent == 0)
    return (sign ? -1.0 : 1.0) * double(fraction) * power(1 - bias - int(mantissa));
  return llvm::bit_cast<double>(sign | (exponent + doubleBias - bias) << doubleMantissa |
                                doubleFraction);
}

uint64_t FloatFormat::encode(double value) const {
  uint64_t bits = llvm::bit_cast<uint64_t>(value);
  if (width == 64)
    return bits;
  uint64_t sign = (bits >> 63) << (width - 1);
  uint64_t lastExponent = lowBits(width - 1 - mantissa) << mantissa;
  if (std::isnan(value)) {
    if (specials == Specials::FNUZ)
      return uint64_t(1) << (width - 1);
    if (specials == Specials::FN)
      return sign | lastExponent | lowBits(mantissa);
    uint64_t payload = (bits & lowBits(doubleMantissa)) >> (doubleMantissa - mantissa);
    return sign | lastExponent | (payload ? payload : uint64_t(1) << (mantissa - 1));
  }
  // An infinity that is there stays, even where rounding to it would saturate.
  if (!std::isinf(value) || specials != Specials::IEEE)
    value = round(value);
  bits = llvm::bit_cast<uint64_t>(value);
  double magnitude = std::abs(value);
  if (std::isinf(magnitude))
    return sign | lastExponent;
  if (magnitude == 0)
    return specials == Specials::FNUZ ? 0 : sign;
  int exponent = exponentOf(magnitude);
  if (exponent < 1 - bias)
    return sign | uint64_t(magnitude * power(bias - 1 + int(mantissa)));
  return sign | uint64_t(exponent + bias) << mantissa |
         (bits & lowBits(doubleMantissa)) >> (doubleMantissa - mantissa);
}

double FloatFormat::largest() const {
  uint64_t bits = lowBits(width - 1); // all ones but the sign
  if (specials == Specials::IEEE)
    bits -= uint64_t(1) << mantissa;
  if (specials == Specials::FN)
    bits -= 1;
  return decode(bits);
}

double FloatFormat::overflow(double magnitude, Rounding rounding) const {
  bool hasInfinity = specials == Specials::IEEE;
  if (rounding == Rounding::TowardZero)
    return std::isinf(magnitude) && hasInfinity ? magnitude : largest();
  // NVIDIA's conversions to 8 bits exist with .satfinite only, which maps infinity to the largest.
  return width == 8 || !hasInfinity ? largest() : std::numeric_limits<double>::infinity();
}

double FloatFormat::round(double value, Rounding rounding) const {
  if (width == 64 || std::isnan(value))
    return value;
  if (width == 32 && rounding == Rounding::NearestEven)
    return double(float(value)); // the hardware's, which is the same and faster
  double magnitude = std::abs(value), largest = this->largest(), rounded;
  if (magnitude >= 2 * largest) {
    rounded = overflow(magnitude, rounding);
  } else {
    double quantum = power(std::max(exponentOf(magnitude), 1 - bias) - int(mantissa));
    // The sum has no bit below the quantum, and the hardware rounds it to nearest even.
    double shift = 0x1.8p52 * quantum;
    rounded = (magnitude + shift) - shift;
    if (rounding == Rounding::TowardZero && rounded > magnitude)
      rounded -= quantum;
    if (rounded > largest)
      rounded = overflow(magnitude, rounding);
  }
  if (rounded == 0 && specials == Specials::FNUZ)
    return 0;
  return std::copysign(rounded, value);
}

const FloatFormat *getFloatFormat(mlir::Type type) {
  if (type.isF64())
    return &formatF64;
  if (type.isF32())
    return &formatF32;
  if (type.isF16())
    return &formatF16;
  if (type.isBF16())
    return &formatBF16;
  if (llvm::isa<mlir::Float8E4M3FNType>(type))
    return &formatE4M3FN;
  if (llvm::isa<mlir::Float8E5M2Type>(type))
    return &formatE5M2;
  if (llvm::isa<mlir::Float8E4M3FNUZType>(type))
    return &formatE4M3FNUZ;
  if (llvm::isa<mlir::Float8E5M2FNUZType>(type))
    return &formatE5M2FNUZ;
  return nullptr;
}

double decodeE8M0(uint64_t bits) {
  return bits == 255 ? std::numeric_limits<double>::quiet_NaN() : power(int(bits) - 127);
}

double fusedMultiplyAdd(double a, double b, double c) {
  double product = a * b; // exact: at most 52 bits
  double sum = product + c;
  if (!std::isfinite(sum))
    return sum;
  // Knuth's two-sum: what the addition lost, exactly.
  double c0 = sum - product, product0 = sum - c0;
  double lost = (product - product0) + (c - c0);
  if (lost == 0 || llvm::bit_cast<uint64_t>(sum) & 1)
    return sum;
  return std::nextafter(sum, lost > 0 ? std::numeric_limits<double>::infinity()
                                      : -std::numeric_limits<double>::infinity());
}

double toDouble(uint64_t magnitude, bool negative) {
  if (unsigned excess = 64 - std::min(64, llvm::countl_zero(magnitude) + 53); excess) {
    bool inexact = magnitude & lowBits(excess);
    magnitude = (magnitude >> excess | inexact) << excess;
  }
  double value = double(magnitude);
  return negative ? -value : value;
}

int64_t toSigned(double value, unsigned width) {
  double limit = std::ldexp(1.0, width - 1);
  int64_t least = int64_t(~uint64_t(0) << (width - 1));
  if (std::isnan(value))
    return 0;
  if (value >= limit)
    return ~least;
  return value <= -limit ? least : int64_t(value);
}

uint64_t toUnsigned(double value, unsigned width) {
  if (!(value > 0))
    return 0;
  return value >= std::ldexp(1.0, width) ? ~uint64_t(0) : uint64_t(value);
}

} // namespace tigon::interpreter
