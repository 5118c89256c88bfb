// SPDX-License-Identifier: Apache-2.0
//
// The functions that Math.def names, as formulas of f32 and f64. What each is off by, measured, is in docs/math.md.
#pragma once

#include "compiler/math/Expansion.h"

#include <cmath>
#include <limits>

namespace tigon::formulas {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

/// Whether the target has fast approximations for x's type.
inline bool approximates(Real x) { return !x.isDouble() && x.target().approximates; }

//===-- Exponentials.cpp --------------------------------------------------------------------------===//
Real exp(Real x);
Real exp2(Real x);
Real exp2Flush(Real x);
Real exp10(Real x);
Real expm1(Real x);
/// e^x / 2 for x >= 0, also where e^x overflows.
Real halfExp(Real x);
/// e^(high + low), low being what high leaves of the argument.
Real expOfSum(Real high, Real low);
Real fastExp(Real x);
Real fastExp10(Real x);

//===-- Logarithms.cpp ----------------------------------------------------------------------------===//
Real log(Real x);
Real log2(Real x);
Real log10(Real x);
Real log1p(Real x);
Real fastLog(Real x);
Real fastLog2(Real x);
Real fastLog10(Real x);
/// Positive finite x as 2^exponent (1 + fraction), 1 + fraction in [sqrt(1/2), sqrt(2)).
struct Parts {
  Real fraction, exponent;
};
Parts decompose(Real x);

//===-- Trigonometry.cpp --------------------------------------------------------------------------===//
Real sin(Real x);
Real cos(Real x);
Real tan(Real x);
Real sinpi(Real x);
Real cospi(Real x);
Real fastSin(Real x);
Real fastCos(Real x);

//===-- Hyperbolics.cpp ---------------------------------------------------------------------------===//
Real sinh(Real x);
Real cosh(Real x);
Real tanh(Real x);
Real asinh(Real x);
Real acosh(Real x);
Real atanh(Real x);
Real fastTanh(Real x);

//===-- Arcs.cpp ----------------------------------------------------------------------------------===//
Real asin(Real x);
Real acos(Real x);
Real atan(Real x);
Real atan2(Real y, Real x);

//===-- Powers.cpp --------------------------------------------------------------------------------===//
Real pow(Real x, Real y);
Real powi(Real x, Int n);
Real sqrt(Real x);
Real rsqrt(Real x);
Real cbrt(Real x);
Real rcbrt(Real x);
Real hypot(Real x, Real y);
Real rhypot(Real x, Real y);
Real norm3d(Real x, Real y, Real z);
Real rnorm3d(Real x, Real y, Real z);
Real norm4d(Real x, Real y, Real z, Real t);
Real rnorm4d(Real x, Real y, Real z, Real t);
Real fastPow(Real x, Real y);

//===-- ErrorFunctions.cpp ------------------------------------------------------------------------===//
Real erf(Real x);
Real erfc(Real x);
Real normcdf(Real x);

} // namespace tigon::formulas
