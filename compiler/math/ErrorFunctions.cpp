// SPDX-License-Identifier: Apache-2.0
//
// erf, erfc and the normal distribution.
//
// Polynomials: Sollya 8; fpminimax or remez with rounded coefficients, on the interval that is named.
#include "compiler/math/Formulas.h"

#include <optional>

namespace tigon::formulas {
namespace {

// erf(a) for 0 <= a <= 1: fpminimax(erf(sqrt(x)) / sqrt(x) - 1, 6 or 12, SG or D, [0; 1], absolute), 0.05 ulp
Real erfOfSmall(Real a) {
  Real z = a * a;
  Real p = a.isDouble()
               ? horner(z, {0x1.29783040ef603p-34, -0x1.46794feaba6f6p-30, 0x1.fc78cbcce41e3p-27,
                            -0x1.5f9828c55cc92p-23, 0x1.b9ee95850f651p-20, -0x1.f4d333884b5c7p-17,
                            0x1.f9a335388d2f5p-14, -0x1.c02db49b09506p-11, 0x1.565bcd12991cp-8,
                            -0x1.b82ce312abf08p-6, 0x1.ce2f21a04362dp-4, -0x1.812746b0379fdp-2,
                            0x1.06eba8214db69p-3})
               : horner(z, {0x1.4c5cb4p-14, -0x1.a5197ap-11, 0x1.542fecp-8, -0x1.b7fec4p-6,
                            0x1.ce2d52p-4, -0x1.81274p-2, 0x1.06eba8p-3});
  return mad(a, p, a);
}

// erfc(a) for a >= 0, as e^(-a^2) f(q) / (1 + 2 a) with q = (a - k) / (a + k): M. Shepherd and J. Laframboise, "Chebyshev
// Approximation of (1 + 2x) exp(x^2) erfc x", Mathematics of Computation 36, 1981.
// `lost` is what a lacks of the argument, less than an ulp; it counts in the exponential alone.
Real erfcOfPositive(Real a, std::optional<Real> lost = {}) {
  double k = a.isDouble() ? 4 : 2;
  Real q = preciseQuotient(a - k, a + k);
  // remez or fpminimax((1 + 2 a) e^(a^2) erfc(a) in q, 22 or 9, D or SG, a in [0; 27.3] or [0; 10.06], relative): 0.3 ulp
  Real f = a.isDouble()
               ? horner(q, {-0x1.eed1e74a8a586p-30, -0x1.d501fe283238dp-27, -0x1.0d7363a48305fp-27,
                            0x1.ee9bcdab6a751p-24,  0x1.0e1a65e96dbfap-24,  -0x1.c0295332ab189p-21,
                            0x1.437d5f1d0a455p-22,  0x1.7fb1deed2b652p-18,  -0x1.78a47b8315bf1p-17,
                            -0x1.9969e352806dbp-16, 0x1.3be0b9ee6cbadp-13,  -0x1.a1de86559546cp-13,
                            -0x1.8d4a9e70eb016p-11, 0x1.49c671996aa4fp-8,   -0x1.09623882326p-6,
                            0x1.3079edf9d120fp-5,   -0x1.0fb06dfe4f8fep-4,  0x1.7fee004df844ap-4,
                            -0x1.9ddb23c3e909ap-4,  0x1.16ecefcfa5f67p-4,   0x1.f7f5df66fd7f6p-7,
                            -0x1.1df1ad154a29bp-3,  0x1.3ba5916e9fd7fp0})
               : horner(q, {-0x1.adea2cp-12, -0x1.45abdep-10, 0x1.5a5f0ap-10, 0x1.1b4498p-7,
                            -0x1.082b66p-7, -0x1.bc142ep-5, 0x1.4ffc54p-3, -0x1.5407fap-3,
                            -0x1.7bf616p-4, 0x1.46e80ep0});
  auto [square, rest] = exactProduct(a, a);
  if (lost)
    rest = mad(a + a, *lost, rest);
  return expOfSum(-square, -rest) * preciseQuotient(f, mad(a, 2.0, 1.0));
}

} // namespace

Real erf(Real x) {
  Real a = abs(x);
  if (x.isDouble())
    return copySign(select(a >= 1.0, 1.0 - erfcOfPositive(least(a, 7)), erfOfSmall(a)), x);
  // -log2(erfc(a)) in a, remez of degree 6 on [1; 4] with weight erfc(a) / erf(a): 0.05 ulp. From 3.9 on the result is 1.
  Real p = horner(least(a, 4), {-0x1.19f328p-12, 0x1.16b25p-8, -0x1.02182cp-5, 0x1.30a4aep-3,
                                0x1.d75f3ap-1, 0x1.a0448cp0, 0x1.0252f2p-11});
  return copySign(select(a >= 1.0, 1.0 - exp2(-p), erfOfSmall(a)), x);
}

// erfc(-a) = 2 - erfc(a). Beyond the bound the result is 0, and a square could overflow.
static Real complement(Real x, std::optional<Real> lost) {
  Real a = abs(x);
  double bound = x.isDouble() ? 28 : 11;
  if (lost)
    lost = select(a < bound, select(x < 0.0, -*lost, *lost), 0.0);
  Real value = erfcOfPositive(clamp(a, 0, bound), lost);
  Real large = select(x < 0.0, 2.0 - value, value);
  return select(a < 0.5, 1.0 - erfOfSmall(x), large);
}

Real erfc(Real x) { return complement(x, {}); }

// erfc(-x / sqrt(2)) / 2. An ulp of the quotient would be a^2 ulp of the result.
Real normcdf(Real x) {
  double high = x.isDouble() ? 0x1.6a09e667f3bcdp-1 : 0x1.6a09e6p-1;
  double low = x.isDouble() ? -0x1.bdd3413b26456p-55 : 0x1.9fcef4p-27;
  auto [quotient, lost] = exactProduct(x, -high);
  return complement(quotient, mad(x, -low, lost)) * 0.5;
}

} // namespace tigon::formulas
