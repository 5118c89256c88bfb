// SPDX-License-Identifier: Apache-2.0
#include "dialect/interpreter/FloatFormat.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include "mlir/IR/MLIRContext.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

using llvm::APFloat;

namespace tigon::interpreter {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Every narrow type beside LLVM's own idea of it.
struct Type {
  const FloatFormat *format;
  const llvm::fltSemantics &semantics;

  double decodeByLLVM(uint64_t bits) const {
    APFloat value(semantics, llvm::APInt(format->width, bits));
    bool losesInfo;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
    return value.convertToDouble();
  }
  double roundByLLVM(double from, APFloat::roundingMode mode) const {
    APFloat value(from);
    bool losesInfo;
    value.convert(semantics, mode, &losesInfo);
    return decodeByLLVM(value.bitcastToAPInt().getZExtValue());
  }
};

std::vector<Type> narrowTypes() {
  static mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto type = [](mlir::FloatType type) {
    return Type{getFloatFormat(type), type.getFloatSemantics()};
  };
  return {
      type(mlir::Float16Type::get(&context)),        type(mlir::BFloat16Type::get(&context)),
      type(mlir::Float8E4M3FNType::get(&context)),   type(mlir::Float8E5M2Type::get(&context)),
      type(mlir::Float8E4M3FNUZType::get(&context)), type(mlir::Float8E5M2FNUZType::get(&context))};
}

bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         llvm::bit_cast<uint64_t>(a) == llvm::bit_cast<uint64_t>(b);
}

TEST(FloatFormat, DecodesEveryPatternAsLLVMDoes) {
  for (const Type &type : narrowTypes())
    for (uint64_t bits = 0; bits < uint64_t(1) << type.format->width; ++bits)
      ASSERT_TRUE(same(type.format->decode(bits), type.decodeByLLVM(bits)))
          << type.format->width << " bits, bias " << type.format->bias << ": " << bits;
}

TEST(FloatFormat, EncodesEveryPatternBackNaNPayloadsIncluded) {
  for (const Type &type : narrowTypes())
    for (uint64_t bits = 0; bits < uint64_t(1) << type.format->width; ++bits)
      ASSERT_EQ(type.format->encode(type.format->decode(bits)), bits)
          << type.format->width << " bits, bias " << type.format->bias;
}

// Between each two neighbours: the middle and its neighbours among the doubles, and the quarters.
TEST(FloatFormat, RoundsInEveryIntervalAsLLVMDoes) {
  for (const Type &type : narrowTypes()) {
    for (uint64_t bits = 0; type.format->decode(bits) < type.format->largest(); ++bits) {
      double low = type.format->decode(bits), high = type.format->decode(bits + 1);
      double middle = (low + high) / 2;
      for (double value : {low, std::nextafter(middle, 0), middle, std::nextafter(middle, 1e30),
                           (low + middle) / 2, (middle + high) / 2})
        for (double from : {value, -value}) {
          ASSERT_TRUE(
              same(type.format->round(from), type.roundByLLVM(from, APFloat::rmNearestTiesToEven)))
              << type.format->width << " bits, bias " << type.format->bias << ": " << from;
          ASSERT_TRUE(same(type.format->round(from, Rounding::TowardZero),
                           type.roundByLLVM(from, APFloat::rmTowardZero)))
              << type.format->width << " bits, bias " << type.format->bias << ": " << from;
        }
    }
  }
}

TEST(FloatFormat, RoundsSmallestAndDoubleDenormalsToZeroOfTheSameSign) {
  for (const Type &type : narrowTypes()) {
    bool signedZero = type.format->specials != FloatFormat::Specials::FNUZ;
    for (double tiny : {5e-324, 1e-310, type.format->decode(1) / 2})
      EXPECT_EQ(std::signbit(type.format->round(-tiny)), signedZero);
  }
}

TEST(FloatFormat, SixteenBitsOverflowToInfinityOrTowardZeroToTheLargest) {
  for (const Type &type : narrowTypes()) {
    if (type.format->width != 16)
      continue;
    double largest = type.format->largest(),
           ulp = largest - type.format->decode(type.format->encode(largest) - 1);
    EXPECT_EQ(type.format->round(std::nextafter(largest + ulp / 2, 0)), largest);
    EXPECT_EQ(type.format->round(largest + ulp / 2), infinity);
    EXPECT_EQ(type.format->round(-1e300), -infinity);
    EXPECT_EQ(type.format->round(1e300, Rounding::TowardZero), largest);
    EXPECT_EQ(type.format->round(-infinity, Rounding::TowardZero), -infinity);
  }
}

TEST(FloatFormat, EightBitsSaturateAndKeepNaN) {
  for (const Type &type : narrowTypes()) {
    if (type.format->width != 8)
      continue;
    double largest = type.format->largest();
    EXPECT_EQ(type.format->round(1e5), largest);
    EXPECT_EQ(type.format->round(infinity), largest);
    EXPECT_EQ(type.format->round(-infinity), -largest);
    EXPECT_TRUE(std::isnan(type.format->decode(type.format->encode(std::nan("")))));
  }
}

TEST(FloatFormat, TruncationToE5M2KeepsInfinity) {
  EXPECT_EQ(formatE5M2.round(-infinity, Rounding::TowardZero), -infinity);
  EXPECT_EQ(formatE5M2.round(1e300, Rounding::TowardZero), 57344);
  EXPECT_EQ(formatE4M3FN.round(infinity, Rounding::TowardZero), 448);
}

TEST(FloatFormat, PackedFormatsOfScaledDots) {
  EXPECT_EQ(formatE2M1.decode(1), 0.5);
  EXPECT_EQ(formatE2M1.decode(15), -6);
  EXPECT_EQ(formatE2M3.decode(31), 7.5);
  EXPECT_EQ(formatE3M2.decode(31), 28);
  EXPECT_EQ(decodeE8M0(0), std::ldexp(1.0, -127));
  EXPECT_EQ(decodeE8M0(254), std::ldexp(1.0, 127));
  EXPECT_TRUE(std::isnan(decodeE8M0(255)));
}

// Operands of all magnitudes, denormals and near-cancellations among them.
float randomFloat(std::mt19937 &generator) {
  float value = llvm::bit_cast<float>(uint32_t(generator()));
  return std::isfinite(value) ? value : 1;
}

TEST(FloatFormat, DoubleThenFloatIsFloatArithmetic) {
  std::mt19937 generator(1);
  auto rounded = [](double value) { return double(float(value)); };
  for (int i = 0; i < 1000000; ++i) {
    float a = randomFloat(generator), b = randomFloat(generator);
    if (i % 2)
      b = std::ldexp(b, std::ilogb(a) - std::ilogb(b));
    ASSERT_TRUE(same(rounded(double(a) + b), a + b)) << a << " " << b;
    ASSERT_TRUE(same(rounded(double(a) * b), a * b)) << a << " " << b;
    ASSERT_TRUE(same(rounded(double(a) / b), a / b)) << a << " " << b;
    ASSERT_TRUE(same(rounded(std::sqrt(std::abs(double(a)))), std::sqrt(std::abs(a)))) << a;
  }
}

TEST(FloatFormat, FusedMultiplyAddRoundsOnce) {
  std::mt19937 generator(2);
  for (int i = 0; i < 1000000; ++i) {
    float a = randomFloat(generator), b = randomFloat(generator), c = randomFloat(generator);
    if (i % 2 && std::isfinite(a * b) && a * b != 0)
      c = -std::ldexp(a * b, int(generator() % 50) - 25);
    ASSERT_TRUE(same(float(fusedMultiplyAdd(a, b, c)), std::fma(a, b, c)))
        << a << " " << b << " " << c;
  }
}

TEST(FloatFormat, FusedMultiplyAddOfNarrowTypesRoundsOnce) {
  std::mt19937 generator(3);
  for (const Type &type : narrowTypes()) {
    if (type.format->width != 16)
      continue;
    for (int i = 0; i < 100000; ++i) {
      uint64_t bits[3] = {generator() & 0xFFFF, generator() & 0xFFFF, generator() & 0xFFFF};
      APFloat expected(type.semantics, llvm::APInt(16, bits[0]));
      expected.fusedMultiplyAdd(APFloat(type.semantics, llvm::APInt(16, bits[1])),
                                APFloat(type.semantics, llvm::APInt(16, bits[2])),
                                APFloat::rmNearestTiesToEven);
      double got = type.format->round(fusedMultiplyAdd(type.format->decode(bits[0]),
                                                       type.format->decode(bits[1]),
                                                       type.format->decode(bits[2])));
      ASSERT_TRUE(same(got, type.decodeByLLVM(expected.bitcastToAPInt().getZExtValue())))
          << bits[0] << " " << bits[1] << " " << bits[2];
    }
  }
}

TEST(FloatFormat, IntegersRoundOnceOnTheirWayToFloat) {
  std::mt19937_64 generator(4);
  for (int i = 0; i < 100000; ++i) {
    uint64_t value = generator() >> (generator() % 64);
    ASSERT_EQ(float(toDouble(value, false)), float(value)) << value;
    ASSERT_EQ(float(toDouble(value, true)), -float(value)) << value;
  }
  // A double cannot hold the 1 that breaks the tie.
  uint64_t value = (uint64_t(1) << 60) + (uint64_t(1) << 36) + 1;
  EXPECT_EQ(float(toDouble(value, false)), float(value));
}

TEST(FloatFormat, FloatsSaturateOnTheirWayToIntegers) {
  EXPECT_EQ(toSigned(std::nan(""), 32), 0);
  EXPECT_EQ(toSigned(-1.9, 32), -1);
  EXPECT_EQ(toSigned(1e300, 8), 127);
  EXPECT_EQ(toSigned(-infinity, 64), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(toSigned(9223372036854775808.0, 64), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(toUnsigned(-1.0, 32), 0u);
  EXPECT_EQ(toUnsigned(std::nan(""), 32), 0u);
  EXPECT_EQ(toUnsigned(infinity, 64), ~uint64_t(0));
}

} // namespace
} // namespace tigon::interpreter
