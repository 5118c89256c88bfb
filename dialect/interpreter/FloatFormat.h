// SPDX-License-Identifier: Apache-2.0
//
// The float types of tile programs. Every value of every one of them is a double, so the
// interpreter computes in double and `FloatFormat::round` is the one place where precision is lost.
//
// That is exact: for +, -, *, / and square root of values of at most 25 bits, rounding the double
// result once more gives what one rounding of the exact result gives, because 53 >= 2 * 25 + 2
// (Figueroa, "When is double rounding innocuous?", 1995). Only fma needs care (`fusedMultiplyAdd`).
#pragma once

#include "mlir/IR/BuiltinTypes.h"

#include <cstdint>

namespace tigon::interpreter {

enum class Rounding { NearestEven, TowardZero };

struct FloatFormat {
  /// What the largest exponent means: infinities and NaN (IEEE), numbers but for one NaN a sign
  /// (FN), numbers, and minus zero is the only NaN (FNUZ), numbers only (operands of dot_scaled).
  enum class Specials { IEEE, FN, FNUZ, None };

  unsigned width;    ///< bits in all
  unsigned mantissa; ///< bits stored of it
  int bias;
  Specials specials;

  /// Exact. A NaN keeps its payload, so that moving one through a tile changes no bit.
  double decode(uint64_t bits) const;
  /// The bits of `value`, which is rounded to nearest even first, unless it is infinite and the
  /// format has infinities.
  uint64_t encode(double value) const;
  /// The nearest value of this format. Beyond the largest one, the 8-bit formats saturate, the
  /// others give infinity or, rounding toward zero, their largest (docs/semantics.md).
  double round(double value, Rounding rounding = Rounding::NearestEven) const;
  double largest() const;

private:
  double overflow(double magnitude, Rounding rounding) const;
};

/// The format of f64, f32, f16, bf16 and the four f8 types; null for others.
const FloatFormat *getFloatFormat(mlir::Type type);

extern const FloatFormat formatF16, formatBF16, formatE4M3FN, formatE5M2;
/// Further formats of the operands of scaled dots, and that of their scales: powers of two.
extern const FloatFormat formatE2M1, formatE2M3, formatE3M2;
double decodeE8M0(uint64_t bits);

/// a * b + c, rounded to odd: with 53 bits, the last set where the result is inexact. Rounding that
/// to a format of at most 51 bits gives the correctly rounded fma of operands of at most 26 bits.
double fusedMultiplyAdd(double a, double b, double c);
/// `magnitude`, negated at will, rounded to odd in the same sense.
double toDouble(uint64_t magnitude, bool negative);
/// `value` truncated to an integer of `width` bits: beyond its range the nearest end of it, 0 for
/// NaN.
int64_t toSigned(double value, unsigned width);
uint64_t toUnsigned(double value, unsigned width);

} // namespace tigon::interpreter
