// SPDX-License-Identifier: Apache-2.0
//
// Marsaglia's polar method over SplitMix64. The logarithm is our own: libraries differ in the last
// bit, and a test's inputs should not depend on the C library. Only +, -, *, / and sqrt are used,
// which IEEE 754 defines to the bit, and contraction is off.
#include "runtime/RandomNormal.h"

#include <cmath>

#pragma STDC FP_CONTRACT OFF

namespace tigon {
namespace {

/// SplitMix64's output function (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
/// Generators, 2014).
uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

constexpr uint64_t golden = 0x9e3779b97f4a7c15;

/// In (-1, 1), never 0: an odd multiple of 2^-53.
double uniform(uint64_t bits) {
  return double(int64_t(bits >> 11) * 2 + 1 - (int64_t(1) << 53)) * 0x1p-53;
}

/// ln(x) for 0 < x < 1, to a few ulp: x = m * 2^e with m in [1/2, 1), and ln(m) is twice
/// artanh((m - 1) / (m + 1)).
double logarithm(double x) {
  int exponent;
  double m = std::frexp(x, &exponent);
  double t = (m - 1) / (m + 1), square = t * t; // square <= 1/9
  double sum = 0;
  for (int k = 33; k >= 1; k -= 2)
    sum = sum * square + 1.0 / k;
  return 2 * t * sum + exponent * 0.69314718055994530942;
}

} // namespace

std::pair<double, double> randomNormalPair(uint64_t seed, uint64_t index) {
  uint64_t state = mix(mix(seed + golden) + index * golden);
  for (;;) { // 1.27 rounds on average
    double u = uniform(mix(state += golden));
    double v = uniform(mix(state += golden));
    double s = u * u + v * v;
    if (s >= 1)
      continue;
    double scale = std::sqrt(-2 * logarithm(s) / s);
    return {u * scale, v * scale};
  }
}

} // namespace tigon
