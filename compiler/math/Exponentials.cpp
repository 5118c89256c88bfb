// SPDX-License-Identifier: Apache-2.0
//
// exp, exp2, exp10, expm1.
//
// Where the target has no 2^x (a CPU, and f64 everywhere): b^x = s p(r) s with s = 2^k, x = 2 k log_b(2) + r. Splitting 2^2k
// evenly costs a longer polynomial and saves all special cases: s is a normal number for every x that has a result, p s
// is exact, and the last multiplication rounds to a denormal or to infinity by itself. f32 is 16 vector instructions.
//
// Where it has one (PTX ISA, "ex2": 2 ulp): x log2(b) as one f32 is off by up to 2^-18 at the ends, 63 ulp of e^x. So its
// integer n is taken off first, by multiply-adds that round once: b^x = 2^n ex2(x log2(b) - n): 9 PTX instructions, one of
// them on the special function unit.
//
// Polynomials: Sollya 8, fpminimax(FUNCTION, [|DEGREES|], [|SG...|] or [|D...|], INTERVAL, relative, FIXED TERMS).
#include "compiler/math/Formulas.h"

namespace tigon::formulas {
namespace {

constexpr double log2e = 0x1.71547652b82fep0;
constexpr double log2of10 = 0x1.a934f0979a371p1;

// x = 2 k unit + rest with |rest| <= unit, scale = 2^k. `perUnit` is 1 / (2 unit); high + low is 2 unit, where high is
// short enough for k high to be exact.
struct Reduced {
  Real rest, scale;
};

Reduced reduce(Real x, double perUnit, double high, double low) {
  // Adding 1.5 2^52 leaves the integer in the low bits; adding the exponent's bias as well makes 2^k of a shift.
  double magic = x.isDouble() ? 0x1.8p52 + 1023 : 0x1.8p23 + 127;
  Real shifted = mad(x, perUnit, magic);
  Real k = shifted - magic;
  Real rest = mad(k, -high, x);
  if (low != 0)
    rest = mad(k, -low, rest);
  return {rest, powerOfTwo(bitsOf(shifted), x)};
}

Real scaled(Real p, Real scale) { return p * scale * scale; }

// high + low is log2(b). Beyond the bounds n stands still and the rest runs on to where ex2 gives 0 or infinity.
struct HardwarePower {
  Real rest, scale;
  Real value() const { return approximate(tg::Approximation::Ex2Flush, rest) * scale; }
};

HardwarePower reduceForHardware(Real x, double lowest, double highest, double high, double low,
                                int bias = 127) {
  double magic = 0x1.8p23 + bias;
  Real shifted = mad(least(greatest(x, lowest), highest), high, magic);
  Real rest = mad(x, low, mad(x, high, magic - shifted));
  return {rest, powerOfTwo(bitsOf(shifted), x)};
}

HardwarePower expOfHardware(Real x, int bias = 127) {
  return reduceForHardware(x, -87, 88, 0x1.715476p0, 0x1.4ae0cp-26, bias);
}

// e^r for |r| <= log(2): exp(x), 2 to 13, D or 2 to 7, SG, [-log(2); log(2)], 1 + x: 0.1 ulp
Real expOfRest(Real r) {
  return r.isDouble()
             ? horner(r, {0x1.5e718bb9156cbp-33, 0x1.217a5a61d2ab8p-29, 0x1.ae7124df568d3p-26,
                          0x1.27e1caaa2b406p-22, 0x1.71de2a12e9d4cp-19, 0x1.a01a0580c9cf3p-16,
                          0x1.a01a01b2216e5p-13, 0x1.6c16c169c0ee5p-10, 0x1.1111111108318p-7,
                          0x1.5555555556946p-5, 0x1.55555555555b6p-3, 0x1.ffffffffffff3p-2, 1, 1})
             : horner(r, {0x1.9ba676p-13, 0x1.71c2c8p-10, 0x1.112732p-7, 0x1.5549e2p-5,
                          0x1.555512p-3, 0x1.00000cp-1, 1, 1});
}

Reduced reduceForExp(Real x) {
  return x.isDouble() ? reduce(x, 0.5 * log2e, 0x1.62e42fefa4p0, -0x1.8432a1b0e2634p-42)
                      : reduce(x, 0.5 * log2e, 0x1.62e4p0, 0x1.7f7d1cp-19);
}

// x where e^x is neither 0 nor infinite, and its ends.
Real boundedForExp(Real x) { return x.isDouble() ? clamp(x, -746, 710) : clamp(x, -104, 89); }

} // namespace

Real exp(Real x) {
  if (approximates(x)) {
    if (x.at->fastMath)
      return fastExp(x);
    return expOfHardware(x).value();
  }
  auto [r, s] = reduceForExp(boundedForExp(x));
  return scaled(expOfRest(r), s);
}

Real halfExp(Real x) {
  if (approximates(x))
    return expOfHardware(x, /*bias=*/126).value();
  auto [r, s] = reduceForExp(clamp(x, 0, x.isDouble() ? 711 : 90));
  return expOfRest(r) * s * (s * 0.5);
}

Real expOfSum(Real high, Real low) {
  if (approximates(high)) {
    HardwarePower power = expOfHardware(high);
    power.rest = mad(low, log2e, power.rest);
    return power.value();
  }
  auto [r, s] = reduceForExp(boundedForExp(high));
  return scaled(expOfRest(r + low), s);
}

Real exp2(Real x) {
  if (approximates(x))
    return approximate(tg::Approximation::Ex2, x);
  if (x.isDouble()) {
    // 2^x, 1 to 13, D, [-1; 1], 1: 0.06 ulp
    auto [r, s] = reduce(clamp(x, -1077, 1024), 0.5, 2, 0);
    return scaled(horner(r, {0x1.7f2297d15e8a7p-40, 0x1.c7d4a49863d2ep-36, 0x1.e8d765bed556ap-32,
                             0x1.e4c9db00e7d7fp-28, 0x1.b5252bd2f8ec9p-24, 0x1.62c025ce726e3p-20,
                             0x1.ffcbfc6d8d75bp-17, 0x1.430912f60eef2p-13, 0x1.5d87fe789ad81p-10,
                             0x1.3b2ab6fba6572p-7, 0x1.c6b08d704a15fp-5, 0x1.ebfbdff82c57cp-3,
                             0x1.62e42fefa39efp-1, 1}),
                  s);
  }
  // 2^x, 1 to 7, SG, [-1; 1], 1: 0.12 ulp
  auto [r, s] = reduce(clamp(x, -151, 128), 0.5, 2, 0);
  return scaled(horner(r, {0x1.f36802p-17, 0x1.483a58p-13, 0x1.5dc28p-10, 0x1.3b1f36p-7,
                           0x1.c6af9p-5, 0x1.ebfbfcp-3, 0x1.62e432p-1, 1}),
                s);
}

Real exp10(Real x) {
  if (approximates(x)) {
    if (x.at->fastMath)
      return fastExp10(x);
    return reduceForHardware(x, -37.5, 38, 0x1.a934fp1, 0x1.2f346ep-24).value();
  }
  if (x.isDouble()) {
    // 10^x, 1 to 13, D, [-log10(2); log10(2)], 1: 0.05 ulp
    auto [r, s] =
        reduce(clamp(x, -325, 309), 0.5 * log2of10, 0x1.34413509f8p-1, -0x1.80433b83b532ap-43);
    return scaled(horner(r, {0x1.10da3226bcbd7p-17, 0x1.887f0b1a3e272p-15, 0x1.fae2946d9a138p-13,
                             0x1.2ea1cd2006a66p-10, 0x1.4897b1c959a2p-8, 0x1.4116b38a73c4dp-6,
                             0x1.16e4dfd3e7b0fp-4, 0x1.a7ed70817f5b6p-3, 0x1.1429ffd1c6988p-1,
                             0x1.2bd7609fdad4dp0, 0x1.0470591de2d48p1, 0x1.53524c73cea5dp1,
                             0x1.26bb1bbb55515p1, 1}),
                  s);
  }
  // 10^x, 1 to 7, SG, [-log10(2); log10(2)], 1: 0.14 ulp
  auto [r, s] = reduce(clamp(x, -46, 39), 0.5 * log2of10, 0x1.3442p-1, -0x1.95ec1p-18);
  return scaled(horner(r, {0x1.157ca4p-4, 0x1.aede7p-3, 0x1.143abap-1, 0x1.2bcbe2p0, 0x1.04702ap1,
                           0x1.535262p1, 0x1.26bb1cp1, 1}),
                s);
}

// e^x - 1 = 2 (s (q + 1) - 1/2) with q = e^r - 1, x = n ln(2) + r, s = 2^(n - 1), which is finite for n = 128. From there on
// r grows instead of n, up to infinity, which the polynomial, all of whose terms are positive, turns into the right result.
Real expm1(Real x) {
  bool isDouble = x.isDouble();
  double magic = isDouble ? 0x1.8p52 + 1022 : 0x1.8p23 + 126;
  Real bounded = clamp(x, isDouble ? -40 : -20, HUGE_VAL);
  Real shifted = mad(least(bounded, isDouble ? 710 : 89), log2e, magic);
  Real n = shifted - magic, scale = powerOfTwo(bitsOf(shifted), x);
  Real r = mad(n, isDouble ? -0x1.62e42fefa4p-1 : -0x1.62e4p-1, bounded);
  r = mad(n, isDouble ? 0x1.8432a1b0e2634p-43 : -0x1.7f7d1cp-20, r);
  // exp(x) - 1, from 2 to 12 or 7, absolute, [-0.3466; 0.3466], x: 0.01 ulp
  Real p = isDouble
               ? horner(r, {0x1.1f86f0b035526p-29, 0x1.af4ecab92d52fp-26, 0x1.27e4cfaf0e60fp-22,
                            0x1.71de01acf7607p-19, 0x1.a01a01ab9882bp-16, 0x1.a01a01ac1de81p-13,
                            0x1.6c16c16c156a5p-10, 0x1.1111111110051p-7, 0x1.5555555555557p-5,
                            0x1.5555555555557p-3, 0x1p-1})
               : horner(r, {0x1.a27418p-13, 0x1.6d514cp-10, 0x1.110feep-7, 0x1.5554e4p-5,
                            0x1.555556p-3, 0x1p-1});
  Real q = mad(r * r, p, r);
  Real half = mad(scale, q, scale - 0.5);
  return select(x == 0.0, x, half + half);
}

Real exp2Flush(Real x) {
  return approximates(x) ? approximate(tg::Approximation::Ex2Flush, x) : exp2(x);
}

Real fastExp(Real x) {
  return approximates(x) ? approximate(tg::Approximation::Ex2, x * log2e) : exp(x);
}

Real fastExp10(Real x) {
  return approximates(x) ? approximate(tg::Approximation::Ex2, x * log2of10) : exp10(x);
}

} // namespace tigon::formulas
