// SPDX-License-Identifier: Apache-2.0
//
// asin, acos, atan, atan2: one odd polynomial each, on the part of the range that the others are reduced to.
//
// Polynomials: Sollya 8, fpminimax(FUNCTION, DEGREE, [|SG...|] or [|D...|], INTERVAL, absolute) in z = x^2.
#include "compiler/math/Formulas.h"

namespace tigon::formulas {
namespace {

// pi/2 as a number of the type and what is left.
double halfPi(Real x) { return x.isDouble() ? 0x1.921fb54442d18p0 : 0x1.921fb6p0; }
double halfPiRest(Real x) { return x.isDouble() ? 0x1.1a62633145c07p-54 : -0x1.777a5cp-25; }

// asin(x) for 0 <= x <= 1/2, z = x^2: (asin(x) - x) / x^3, 0.01 ulp.
Real asinOfSmall(Real x, Real z) {
  Real p = x.isDouble()
               ? horner(z, {0x1.dc181cd5bef71p-6, -0x1.f58c562a8e30cp-7, 0x1.220541765d58fp-6,
                            0x1.5e29168e16942p-8, 0x1.532a913650ec7p-7, 0x1.780102229fbb1p-7,
                            0x1.c9d30ac395d41p-7, 0x1.1c4d112ceeedbp-6, 0x1.6e8bb37521a1dp-6,
                            0x1.f1c71c11deea2p-6, 0x1.6db6db6e48603p-5, 0x1.3333333332da2p-4,
                            0x1.5555555555556p-3})
               : horner(z, {0x1.1ac0e4p-5, 0x1.0fec3ap-6, 0x1.ffbd92p-6, 0x1.6d3e74p-5,
                            0x1.3334cep-4, 0x1.555554p-3});
  return mad(z * x, p, x);
}

// For |x| > 1/2, acos(|x|) = 2 asin(sqrt((1 - |x|) / 2)), else asin(|x|) = asin(|x|).
struct Arc {
  Bool large;
  Real value;
};

Arc arcOf(Real magnitude) {
  Bool large = magnitude > 0.5;
  Real z = select(large, mad(magnitude, -0.5, 0.5), magnitude * magnitude);
  Real arc = asinOfSmall(select(large, root(z), magnitude), z);
  return {large, select(large, arc + arc, arc)};
}

// atan(x) for 0 <= x <= 1: (atan(x) - x) / x^3, 0.1 ulp.
Real atanOfSmall(Real x) {
  Real z = x * x;
  Real p =
      x.isDouble()
          ? horner(z, {-0x1.959e99e5d052fp-17, 0x1.243ad36952315p-13, -0x1.8ff38a61d42edp-11,
                       0x1.5bb4d7ad14518p-9,   -0x1.b28c29c65f0d7p-8, 0x1.a4627f0482f8dp-7,
                       -0x1.4cc40a52ec92fp-6,  0x1.c48a48b49a7f5p-6,  -0x1.14b8a75005098p-5,
                       0x1.3d58552227922p-5,   -0x1.60f31796f9d96p-5, 0x1.854bc4fc0aa7ap-5,
                       -0x1.af00c87163751p-5,  0x1.e1dc016818859p-5,  -0x1.1110be031dcc9p-4,
                       0x1.3b13aaa61eb25p-4,   -0x1.745d16eac7943p-4, 0x1.c71c71c400394p-4,
                       -0x1.249249248aa63p-3,  0x1.9999999999889p-3,  -0x1.5555555555555p-2})
          : horner(z, {-0x1.449a16p-9, 0x1.c62ea6p-7, -0x1.2a759ap-5, 0x1.01e514p-4, -0x1.636df2p-4,
                       0x1.c423eep-4, -0x1.246f74p-3, 0x1.99984cp-3, -0x1.555554p-2});
  return mad(z * x, p, x);
}

// times pi/2 - arc
Real complement(Real arc, double times = 1) {
  return times * halfPi(arc) - (arc - times * halfPiRest(arc));
}

} // namespace

Real asin(Real x) {
  auto [large, arc] = arcOf(abs(x));
  return copySign(select(large, complement(arc), arc), x);
}

Real acos(Real x) {
  auto [large, arc] = arcOf(abs(x));
  // acos(-x) = pi - acos(x)
  Real ofLarge = select(x < 0.0, complement(arc, 2), arc);
  Real ofSmall = complement(copySign(arc, x));
  return select(large, ofLarge, ofSmall);
}

Real atan(Real x) {
  Real a = abs(x);
  Bool large = a > 1.0;
  Real inverse = approximates(x) ? approximate(tg::Approximation::Rcp, a) : 1.0 / a;
  Real arc = atanOfSmall(select(large, inverse, a));
  return copySign(select(large, complement(arc), arc), x);
}

Real atan2(Real y, Real x) {
  Real height = abs(y), width = abs(x);
  Bool steep = height > width;
  Real longer = select(steep, height, width), shorter = select(steep, width, height);
  // Of two zeros the quotient is 0, of two infinities 1.
  Real quotient =
      select(shorter == longer, select(longer == 0.0, 0.0, longer.constant(1.0)), shorter / longer);
  Real arc = atanOfSmall(quotient);
  arc = select(steep, complement(arc), arc);
  arc = select(bitsOf(x) < 0, complement(arc, 2), arc);
  return select(isNaN(x) | isNaN(y), x + y, copySign(arc, y));
}

} // namespace tigon::formulas
