// SPDX-License-Identifier: Apache-2.0
//
// sin, cos, tan of all arguments, sin and cos of multiples of pi.
//
// Arguments are reduced by multiplying with 2/pi as an integer (Payne and Hanek, "Radian Reduction for Trigonometric
// Functions", SIGNUM 1983): x = m 2^s with an integer m, so of 2/pi only the bits from weight 2^(1 - s) on matter modulo 4,
// and the three machine words that begin there give the quadrant and a fraction that is good even next to multiples of pi/2
// (at worst 2^-30 from one in f32, 2^-62 in f64). A tile has no branches, so there is this one way for all arguments
// beyond pi/4, about 40 integer instructions in f32.
//
// Polynomials: Sollya 8, fpminimax(FUNCTION, DEGREE, [|SG...|] or [|D...|], INTERVAL, absolute) in z = r^2.
#include "compiler/math/Formulas.h"

#include "llvm/ADT/SmallVector.h"

namespace tigon::formulas {
namespace {

// |x| = quadrant pi/2 + rest, |rest| <= pi/4. Only the quadrant's low two bits count.
struct Reduced {
  Real rest;
  Int quadrant;
};

// 2/pi after its binary point.
constexpr uint32_t twoOverPi[] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
    0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab};

// Word `index` of a word of zeros and 2/pi.
int64_t wordOfTwoOverPi(unsigned index, unsigned width) {
  if (index == 0)
    return 0;
  if (width == 32)
    return int32_t(twoOverPi[index - 1]);
  return int64_t(uint64_t(twoOverPi[2 * index - 2]) << 32 | twoOverPi[2 * index - 1]);
}

// Four words of it from word `index` on, by a tree of selects.
llvm::SmallVector<Int> wordsFrom(Int index, unsigned indexBits, unsigned count) {
  llvm::SmallVector<Int> words;
  for (unsigned i = 0; i < count; ++i)
    words.push_back(index.constant(wordOfTwoOverPi(i, index.width())));
  for (unsigned bit = indexBits; bit-- > 0;) {
    unsigned step = 1u << bit, kept = std::min<size_t>(words.size(), 3 + step);
    Bool on = (index & int64_t(step)) != 0;
    for (unsigned i = 0; i < kept; ++i)
      if (i + step < words.size())
        words[i] = select(on, words[i + step], words[i]);
    words.resize(kept, words[0]);
  }
  return words;
}

Reduced reduceLarge(Real x) {
  bool isDouble = x.isDouble();
  int width = isDouble ? 64 : 32, precision = isDouble ? 53 : 24;
  int64_t hidden = int64_t(1) << (precision - 1);
  Int bits = bitsOf(x);
  Int m = (bits & (hidden - 1)) | hidden;
  // The bit of the zeros and 2/pi that gets the weight 2.
  Int position =
      (bits >> (precision - 1)) - int64_t((isDouble ? 1023 : 127) + precision + 1 - width);
  Int shift = position & int64_t(width - 1), index = position >> (isDouble ? 6 : 5);
  llvm::SmallVector<Int> w = isDouble ? wordsFrom(index, 5, 20) : wordsFrom(index, 3, 8);
  auto window = [&](unsigned i) {
    Int next = shiftRightLogical(shiftRightLogical(w[i + 1], 1), shift ^ int64_t(width - 1));
    return (w[i] << shift) | next;
  };
  Int a = window(0), b = window(1), c = window(2);
  // m (a, b, c) modulo 4, without its last word.
  Int carried = highProductUnsigned(m, c), low = m * b + carried;
  Int carry = select(lessUnsigned(low, carried), 1, m.constant(0));
  Int high = m * a + highProductUnsigned(m, b) + carry;
  // The fraction to the nearest quadrant, as a signed number of two words; in quarters of a turn.
  Int fraction = (high << 2) | shiftRightLogical(low, width - 2), fractionLow = low << 2;
  Int quadrant = shiftRightLogical(high, width - 2) + shiftRightLogical(fraction, width - 1);
  // As two floats: as many bits as one holds exactly, and the next width - 1.
  int rest = width - precision - 1; // of `fraction`
  int64_t restMask = (int64_t(1) << rest) - 1;
  int taken = width - 1 - rest; // of `fractionLow`
  Int lowBits = ((fraction & restMask) << taken) | shiftRightLogical(fractionLow, width - taken);
  Real first = toReal(fraction & ~restMask, x) * std::ldexp(1.0, -width);
  Real second = toReal(lowBits, x) * std::ldexp(1.0, width - taken - 2 * width);
  double high_ = isDouble ? 0x1.921fb54442d18p0 : 0x1.921fb6p0; // pi/2
  double low_ = isDouble ? 0x1.1a62633145c07p-54 : -0x1.777a5cp-25;
  Real small = mad(first, low_, second * high_);
  if (x.target().fusesMultiplyAdd)
    return {mad(first, high_, small), quadrant};
  auto [product, lost] = exactProduct(first, high_);
  return {product + (lost + small), quadrant};
}

Reduced reduce(Real magnitude) {
  auto [rest, quadrant] = reduceLarge(magnitude);
  Bool small = magnitude < 0.785398185253143310546875; // pi/4 as f32
  return {select(small, magnitude, rest), select(small, 0, quadrant)};
}

// sin(r) and cos(r) for |r| <= pi/4.
Real sinOfSmall(Real r) {
  Real z = r * r;
  // (sin(r) - r) / r^3: 0.01 ulp
  Real p = r.isDouble()
               ? horner(z, {-0x1.8d4cdee925f4bp-41, 0x1.60e5c482722d2p-33, -0x1.ae63f7f70fd6cp-26,
                            0x1.71de3a1033625p-19, -0x1.a01a019fe884fp-13, 0x1.111111111101ep-7,
                            -0x1.5555555555555p-3})
               : horner(z, {0x1.88264cp-19, -0x1.a08582p-13, 0x1.11119ap-7, -0x1.555556p-3});
  return mad(z * r, p, r);
}

Real cosOfSmall(Real r) {
  Real z = r * r;
  // (cos(r) - 1) / r^2 + 1/2: 0.01 ulp. 1 - z/2 is taken as a sum and what it lost.
  Real p = r.isDouble()
               ? horner(z, {-0x1.900239a0065b6p-37, 0x1.1eea901dd54b5p-29, -0x1.27e4f8ff15a65p-22,
                            0x1.a01a019e08efp-16, -0x1.6c16c16c15f4dp-10, 0x1.5555555555552p-5})
               : horner(z, {0x1.9acf04p-16, -0x1.6c0f8cp-10, 0x1.55555p-5});
  Real half = z * 0.5, first = 1.0 - half;
  return first + mad(z * z, p, (1.0 - first) - half);
}

// sin(r + q pi/2), as sine and cosine of r.
Real turned(Real sine, Real cosine, Int q) {
  Real value = select((q & int64_t(1)) != 0, cosine, sine);
  return realOf(bitsOf(value) ^ ((q & int64_t(2)) << int(q.width() - 2)));
}

Real withSignOf(Real x, Real value) {
  Int sign = bitsOf(x) & std::numeric_limits<int64_t>::min() >> (64 - x.width());
  return realOf(bitsOf(value) ^ sign);
}

Real finiteOnly(Real x, Real value) { return select(abs(x) < infinity, value, x - x); }

// The same for sin(pi x): |x| = q/2 + rest, exactly. From 2^precision on all numbers are even.
Reduced reduceTurns(Real x) {
  Real magnitude = least(abs(x), x.isDouble() ? 0x1p53 : 0x1p24);
  Real halves = roundEven(magnitude * 2.0);
  Real ofTurn = mad(floor(halves * 0.25), -4.0, halves);
  return {mad(halves, -0.5, magnitude), toInt(ofTurn, bitsOf(x))};
}

Real sinPiOfSmall(Real r) {
  Real z = r * r;
  // sin(pi r) / r, less pi rounded: 0.01 ulp
  Real p =
      r.isDouble()
          ? horner(z, {-0x1.6f362b16ada11p-16, 0x1.e8f9561d01715p-12, -0x1.e3075abb01018p-8,
                       0x1.50783491327d3p-4, -0x1.32d2cce633a3bp-1, 0x1.466bc6775ab47p1,
                       -0x1.4abbce625be53p2, 0x1.1ae34827ee39cp-53})
          : horner(z, {0x1.47c738p-4, -0x1.32b98cp-1, 0x1.466b8cp1, -0x1.4abbcep2, -0x1.786f5p-24});
  return mad(r, r.isDouble() ? 0x1.921fb54442d18p1 : 0x1.921fb6p1, r * p);
}

Real cosPiOfSmall(Real r) {
  Real z = r * r;
  // (cos(pi r) - 1) / r^2: 0.03 ulp
  Real p = r.isDouble()
               ? horner(z, {-0x1.6f698783023acp-14, -0x1.5c8fc4eccafe9p-14, 0x1.f94c112bf2916p-10,
                            -0x1.a6d18b26ca84ap-6, 0x1.e1f5063471d21p-3, -0x1.55d3c7e3a870fp0,
                            0x1.03c1f081b59f1p2, -0x1.3bd3cc9be45dep2})
               : horner(z, {0x1.d09344p-3, -0x1.55a5bp0, 0x1.03c19ep2, -0x1.3bd3ccp2});
  return mad(z, p, 1.0);
}

} // namespace

Real sin(Real x) {
  if (approximates(x) && x.at->fastMath)
    return fastSin(x);
  auto [r, q] = reduce(abs(x));
  return finiteOnly(x, withSignOf(x, turned(sinOfSmall(r), cosOfSmall(r), q)));
}

Real cos(Real x) {
  if (approximates(x) && x.at->fastMath)
    return fastCos(x);
  auto [r, q] = reduce(abs(x));
  return finiteOnly(x, turned(sinOfSmall(r), cosOfSmall(r), q + 1));
}

Real tan(Real x) {
  auto [r, q] = reduce(abs(x));
  Real z = r * r;
  // (tan(r) - r) / r^3: 0.03 ulp
  Real p = r.isDouble()
               ? horner(z, {0x1.1944f46ee4b61p-17, -0x1.2b7704907616ap-16, 0x1.2a38610a7feebp-15,
                            -0x1.49c50bf9e4462p-17, 0x1.ca4257d9e701bp-15, 0x1.7badeba9ea24ep-14,
                            0x1.f970c10788559p-13, 0x1.3523a192f91ep-11, 0x1.7da7292ac1bbbp-10,
                            0x1.d6d3a2e85c216p-9, 0x1.226e360b17023p-7, 0x1.664f488017f3cp-6,
                            0x1.ba1ba1ba1eafdp-5, 0x1.111111111114bp-3, 0x1.5555555555555p-2})
               : horner(z, {0x1.fee6e8p-9, 0x1.1babaep-10, 0x1.48d9dep-7, 0x1.61d69ap-6,
                            0x1.ba5a9cp-5, 0x1.111068p-3, 0x1.555556p-2});
  Real t = mad(z * r, p, r);
  Real value = select((q & int64_t(1)) != 0, -1.0 / t, t);
  return finiteOnly(x, withSignOf(x, value));
}

Real sinpi(Real x) {
  auto [r, q] = reduceTurns(x);
  Real value = turned(sinPiOfSmall(r), cosPiOfSmall(r), q) + 0.0; // zeros have the sign of x
  return finiteOnly(x, withSignOf(x, value));
}

Real cospi(Real x) {
  auto [r, q] = reduceTurns(x);
  return finiteOnly(x, turned(sinPiOfSmall(r), cosPiOfSmall(r), q + 1) + 0.0);
}

Real fastSin(Real x) { return approximates(x) ? approximate(tg::Approximation::Sin, x) : sin(x); }

Real fastCos(Real x) { return approximates(x) ? approximate(tg::Approximation::Cos, x) : cos(x); }

} // namespace tigon::formulas
