// SPDX-License-Identifier: Apache-2.0
#include "runtime/Agreement.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

namespace tigon {
namespace {

using testing::HasSubstr;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

Agreement judgeFloats(std::vector<float> got, std::vector<float> exact, std::vector<double> wide) {
  return judge(DType::F32, got.data(), exact.data(), wide, int64_t(got.size()));
}

TEST(Agreement, FourUlpAreAlwaysAllowed) {
  float ulp = 0x1p-23f;
  EXPECT_TRUE(judgeFloats({1 + 4 * ulp}, {1}, {1}).agrees);
  Agreement off = judgeFloats({1 + 5 * ulp}, {1}, {1});
  EXPECT_FALSE(off.agrees);
  EXPECT_EQ(off.allowed, 4 * ulp);
  // Below the normal numbers an ulp is what it is at the smallest of them.
  EXPECT_TRUE(judgeFloats({4 * 0x1p-149f}, {0}, {0}).agrees);
  EXPECT_FALSE(judgeFloats({5 * 0x1p-149f}, {0}, {0}).agrees);
}

TEST(Agreement, TwiceTheLargestRoundingOfTheBufferIsAllowedEverywhere) {
  EXPECT_TRUE(judgeFloats({1, 8.5f}, {1.25f, 8}, {1, 8}).agrees);
  Agreement off = judgeFloats({1, 8.625f}, {1.25f, 8}, {1, 8});
  EXPECT_FALSE(off.agrees);
  EXPECT_EQ(off.wrong, 1);
  EXPECT_EQ(off.worst, 1);
  EXPECT_EQ(off.spread, 0.25);
  EXPECT_THAT(off.text(), HasSubstr("1 of 2 elements of f32 disagree, worst is element 1: found "
                                    "8.625, expected 8 (exact 8) within 0.5: 2 x 0.25"));
}

TEST(Agreement, InfinitiesAndNaNAreWhereTheExactResultHasThem) {
  EXPECT_TRUE(judgeFloats({nan, infinity, -infinity}, {nan, infinity, -infinity},
                          {nan, 1e40, -double(infinity)})
                  .agrees);
  EXPECT_FALSE(judgeFloats({1}, {nan}, {nan}).agrees);
  EXPECT_FALSE(judgeFloats({nan}, {1}, {1}).agrees);
  EXPECT_FALSE(judgeFloats({infinity}, {1}, {1}).agrees);
  EXPECT_FALSE(judgeFloats({3e38f}, {infinity}, {1e40}).agrees);
  EXPECT_FALSE(judgeFloats({-infinity}, {infinity}, {infinity}).agrees);
  // They have no distance and so widen nothing.
  EXPECT_FALSE(judgeFloats({nan, 2}, {nan, 1}, {nan, 1}).agrees);
}

TEST(Agreement, AnUlpIsOfTheBuffersType) {
  uint16_t one = 0x3f80, fourMore = 0x3f84, fiveMore = 0x3f85;
  double wide = 1;
  EXPECT_TRUE(judge(DType::BF16, &fourMore, &one, {&wide, 1}, 1).agrees);
  EXPECT_FALSE(judge(DType::BF16, &fiveMore, &one, {&wide, 1}, 1).agrees);
}

TEST(Agreement, IntegersAreEqual) {
  int64_t exact[] = {1, int64_t(1) << 60}, got[] = {1, (int64_t(1) << 60) + 1};
  EXPECT_TRUE(judge(DType::I64, exact, exact, {}, 2).agrees);
  Agreement off = judge(DType::I64, got, exact, {}, 2);
  EXPECT_FALSE(off.agrees);
  EXPECT_EQ(off.worst, 1);
  EXPECT_EQ(off.wrong, 1);
}

TEST(Agreement, NothingAgreesWithNothing) {
  EXPECT_EQ(judge(DType::F32, nullptr, nullptr, {}, 0).text(), "0 elements of f32 agree");
}

} // namespace
} // namespace tigon
