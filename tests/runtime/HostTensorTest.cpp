// SPDX-License-Identifier: Apache-2.0
#include "runtime/HostTensor.h"

#include "llvm/ADT/APFloat.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace tigon {
namespace {

using testing::HasSubstr;

struct NarrowType {
  DType dtype;
  const llvm::fltSemantics &semantics;
};

const NarrowType narrowTypes[] = {{DType::F8E4M3, llvm::APFloat::Float8E4M3FN()},
                                  {DType::F8E5M2, llvm::APFloat::Float8E5M2()},
                                  {DType::F16, llvm::APFloat::IEEEhalf()},
                                  {DType::BF16, llvm::APFloat::BFloat()}};

// Where LLVM's conversion goes beyond the largest number, ours to 8 bits saturates, but for an infinity that there is.
uint64_t encodeByLlvm(const NarrowType &type, double value) {
  llvm::APFloat number(value);
  bool losesInfo;
  number.convert(type.semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  bool keeps = std::isinf(value) && number.isInfinity();
  if (dtypeBytes(type.dtype) == 1 && !number.isFinite() && !keeps)
    number = llvm::APFloat::getLargest(type.semantics, std::signbit(value));
  return number.bitcastToAPInt().getZExtValue();
}

TEST(ElementBits, EveryNarrowFloatDecodesAsInLlvmAndComesBack) {
  for (const NarrowType &type : narrowTypes) {
    unsigned bits = 8 * unsigned(dtypeBytes(type.dtype));
    for (uint64_t pattern = 0; pattern < uint64_t(1) << bits; ++pattern) {
      double value = decodeElement(type.dtype, pattern);
      llvm::APFloat expected(type.semantics, llvm::APInt(bits, pattern));
      bool losesInfo;
      expected.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
      if (expected.isNaN())
        ASSERT_TRUE(std::isnan(value)) << dtypeName(type.dtype) << " " << pattern;
      else
        ASSERT_EQ(std::bit_cast<uint64_t>(value),
                  std::bit_cast<uint64_t>(expected.convertToDouble()))
            << dtypeName(type.dtype) << " " << pattern;
      ASSERT_EQ(encodeElement(type.dtype, value), pattern) << dtypeName(type.dtype);
    }
  }
}

TEST(ElementBits, RoundingAgreesWithLlvmAtAndAroundEveryTie) {
  for (const NarrowType &type : narrowTypes) {
    uint64_t half = uint64_t(1) << (8 * dtypeBytes(type.dtype) - 1);
    for (uint64_t pattern = 0; pattern + 1 < half; ++pattern) {
      double low = decodeElement(type.dtype, pattern),
             high = decodeElement(type.dtype, pattern + 1);
      if (!std::isfinite(low) || !std::isfinite(high))
        continue;
      double tie = low + (high - low) / 2;
      for (double value : {tie, std::nextafter(tie, 0.0), std::nextafter(tie, high)})
        for (double sign : {1.0, -1.0})
          ASSERT_EQ(encodeElement(type.dtype, sign * value), encodeByLlvm(type, sign * value))
              << dtypeName(type.dtype) << " " << sign * value;
    }
  }
}

TEST(ElementBits, RandomAndExtremeDoublesAgreeWithLlvm) {
  std::mt19937_64 random(1);
  for (const NarrowType &type : narrowTypes) {
    for (double value :
         {0.0, 5e-324, 1e-310, 448.0, 463.9, 464.0, 464.1, 480.0, 57344.0, 61439.9, 61440.0,
          65504.0, 65519.99, 65520.0, 3.3895e38, 3.4e38, 1e308, double(INFINITY)})
      for (double sign : {1.0, -1.0})
        EXPECT_EQ(encodeElement(type.dtype, sign * value), encodeByLlvm(type, sign * value))
            << dtypeName(type.dtype) << " " << sign * value;
    for (int i = 0; i < 100000; ++i) {
      double value = std::bit_cast<double>(random());
      if (!std::isnan(value))
        ASSERT_EQ(encodeElement(type.dtype, value), encodeByLlvm(type, value)) << value;
    }
  }
}

TEST(ElementBits, IntegersTruncateAndSaturate) {
  EXPECT_EQ(int8_t(encodeElement(DType::I8, -3.9)), -3);
  EXPECT_EQ(int8_t(encodeElement(DType::I8, 1000)), 127);
  EXPECT_EQ(int8_t(encodeElement(DType::I8, -1000)), -128);
  EXPECT_EQ(int32_t(encodeElement(DType::I32, 2147483647.0)), INT32_MAX);
  EXPECT_EQ(int64_t(encodeElement(DType::I64, 1e30)), INT64_MAX);
  EXPECT_EQ(int64_t(encodeElement(DType::I64, -1e30)), INT64_MIN);
  EXPECT_EQ(encodeElement(DType::I32, NAN), 0u);
  EXPECT_EQ(encodeElement(DType::I1, 0.5), 1u);
  EXPECT_EQ(encodeElement(DType::I1, -0.0), 0u);
  EXPECT_EQ(decodeElement(DType::I16, 0xffff), -1);
  EXPECT_EQ(decodeElement(DType::I1, 0xff), 1);
}

TEST(HostTensor, NamesRoundTrip) {
  for (DType dtype : {DType::I1, DType::I8, DType::I16, DType::I32, DType::I64, DType::F8E4M3,
                      DType::F8E5M2, DType::F16, DType::BF16, DType::F32, DType::F64})
    EXPECT_EQ(parseDType(dtypeName(dtype)), dtype);
  EXPECT_EQ(parseDType("f8e4m3"), DType::F8E4M3);
  EXPECT_EQ(parseDType("float"), std::nullopt);
  EXPECT_EQ(parseDType(""), std::nullopt);
}

TEST(HostTensor, ZerosAreAlignedAndScalarsHaveOneElement) {
  auto tensor = HostTensor::zeros(DType::BF16, {3, 5});
  ASSERT_TRUE(tensor);
  EXPECT_EQ(tensor->elements(), 15);
  EXPECT_EQ(tensor->bytes(), 30u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor->data()) % 64, 0u);
  EXPECT_EQ(tensor->description(), "bf16[3,5]");
  tensor->set(14, 1.5);
  EXPECT_EQ(tensor->get(14), 1.5);
  EXPECT_EQ(tensor->get(13), 0);
  EXPECT_EQ(HostTensor::zeros(DType::F64, {})->elements(), 1);
  EXPECT_EQ(HostTensor::zeros(DType::F64, {4, 0})->elements(), 0);
}

TEST(HostTensor, ImpossibleShapesAreErrors) {
  EXPECT_FALSE(HostTensor::zeros(DType::F32, {-1}));
  auto huge = HostTensor::zeros(DType::F32, {int64_t(1) << 40, int64_t(1) << 40});
  ASSERT_FALSE(huge);
  EXPECT_THAT(huge.error().message, HasSubstr("found shape [1099511627776,1099511627776]"));
  EXPECT_FALSE(HostTensor::zeros(DType::F64, {int64_t(1) << 60}));
}

TEST(HostTensor, NormalNumbersAreTheSameEverywhere) {
  auto tensor = HostTensor::randn(DType::F64, {4}, 7);
  ASSERT_TRUE(tensor);
  // Written down once: a change here changes every test that draws its inputs so.
  EXPECT_EQ(std::bit_cast<uint64_t>(tensor->get(0)), 0x3fe006f2ab4f549dull);
  EXPECT_EQ(std::bit_cast<uint64_t>(tensor->get(3)), 0xbff6ebf26f6021e3ull);
  auto longer = HostTensor::randn(DType::F64, {2, 3}, 7);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(longer->get(i), tensor->get(i));
  auto other = HostTensor::randn(DType::F64, {4}, 8);
  EXPECT_NE(other->get(0), tensor->get(0));
  auto narrow = HostTensor::randn(DType::BF16, {4}, 7);
  EXPECT_EQ(narrow->get(1), decodeElement(DType::BF16, encodeElement(DType::BF16, tensor->get(1))));
  EXPECT_FALSE(HostTensor::randn(DType::I32, {4}, 7));
}

TEST(HostTensor, NormalNumbersAreNormal) {
  constexpr int n = 200000;
  auto tensor = HostTensor::randn(DType::F64, {n}, 1);
  double sum = 0, squares = 0, fourth = 0, pairs = 0;
  int beyondTwo = 0;
  for (int i = 0; i < n; ++i) {
    double x = tensor->get(i);
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
    pairs += i ? x * tensor->get(i - 1) : 0;
    beyondTwo += std::fabs(x) > 2;
  }
  EXPECT_NEAR(sum / n, 0, 0.01);
  EXPECT_NEAR(squares / n, 1, 0.015);
  EXPECT_NEAR(fourth / n, 3, 0.1);
  EXPECT_NEAR(pairs / n, 0, 0.01);
  EXPECT_NEAR(beyondTwo / double(n), 0.0455, 0.002);
}

} // namespace
} // namespace tigon
