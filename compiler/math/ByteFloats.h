// SPDX-License-Identifier: Apache-2.0
//
// Floats of 8 bits are bits to every code generator: here they become f32 and f32 becomes them, in integer arithmetic, which
// serves all four types (f8E4M3FN, f8E5M2 and the FNUZ ones) and both targets. Also what else a conversion needs to round
// but once.
#pragma once

#include "compiler/math/Expansion.h"

namespace tigon {

inline bool isByteFloat(mlir::Type type) {
  auto floating = mlir::dyn_cast<mlir::FloatType>(type);
  return floating && floating.getWidth() == 8;
}

enum class ByteRounding {
  Nearest,    ///< ties to even; infinities become the largest number
  TowardZero, ///< an infinity stays where the type has one
  Choice,     ///< of a number of the type itself: an infinity stays
};

/// The f32 that `byte`, the bits of a float of `type`, stands for: exact. A NaN keeps its sign.
Real fromByte(Int byte, mlir::FloatType type);
/// The bits of f32 or f64 `x` in `type`. What is too large becomes the largest number; a NaN becomes quiet and keeps its sign.
Int toByte(Real x, mlir::FloatType type, ByteRounding rounding);

/// f64 to f32 such that rounding the result again to a type of at most 22 bits of significand is rounding once.
Real roundedToOdd(Real x);
/// a + b of f64 such that rounding the result again to a narrower type is rounding once.
Real sumRoundedToOdd(Real a, Real b);
/// An i64 as one of at most 53 significant bits, in the same sense: f64 holds it.
Int roundedToOdd(Int x, bool isSigned);

} // namespace tigon
