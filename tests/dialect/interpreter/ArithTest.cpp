// SPDX-License-Identifier: Apache-2.0
#include "tests/dialect/interpreter/Program.h"

#include "llvm/ADT/bit.h"

#include <cmath>
#include <gmock/gmock.h>

using testing::ElementsAre;

namespace tigon::interpreter {
namespace {

constexpr int32_t intMin = std::numeric_limits<int32_t>::min();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();
using Ints = std::vector<int32_t>;
using Floats = std::vector<float>;

// `%r = OP %0, %1 : tensor<..xTYPE>` for i32 and f32.
Ints ints(const std::string &op, const Ints &a, const Ints &b) {
  std::string type = "tensor<" + std::to_string(a.size()) + "xi32>";
  return evaluate<int32_t>("%r = " + op + " %0, %1 : " + type, {"i32", "i32"}, "i32", a, b);
}
Floats floats(const std::string &op, const Floats &a, const Floats &b) {
  std::string type = "tensor<" + std::to_string(a.size()) + "xf32>";
  return evaluate<float>("%r = " + op + " %0, %1 : " + type, {"f32", "f32"}, "f32", a, b);
}

TEST(Arith, IntegersWrap) {
  EXPECT_THAT(ints("arith.addi", {INT32_MAX, -1}, {1, 1}), ElementsAre(intMin, 0));
  EXPECT_THAT(ints("arith.muli", {65536, -3}, {65536, 5}), ElementsAre(0, -15));
  EXPECT_THAT(ints("arith.subi", {intMin, 2}, {1, 3}), ElementsAre(INT32_MAX, -1));
}

TEST(Arith, DivisionTruncatesAndNeverTraps) {
  EXPECT_THAT(ints("arith.divsi", {-7, 7, intMin, 5}, {2, -2, -1, 0}),
              ElementsAre(-3, -3, intMin, testing::_));
  EXPECT_THAT(ints("arith.remsi", {-7, 7, intMin, 5}, {2, -2, -1, 0}),
              ElementsAre(-1, 1, 0, testing::_));
  EXPECT_THAT(ints("arith.floordivsi", {-7, 7, -8, 5}, {2, -2, 2, 0}),
              ElementsAre(-4, -4, -4, testing::_));
  EXPECT_THAT(ints("arith.ceildivsi", {-7, 7, 8, 5}, {2, 2, 2, 0}),
              ElementsAre(-3, 4, 4, testing::_));
  EXPECT_THAT(ints("arith.divui", {-1, 7}, {2, 0}), ElementsAre(INT32_MAX, testing::_));
}

TEST(Arith, SixtyFourBitsDivideAtTheEndOfTheRange) {
  int64_t least = std::numeric_limits<int64_t>::min();
  EXPECT_THAT((evaluate<int64_t>("%r = arith.divsi %0, %1 : tensor<2xi64>", {"i64", "i64"}, "i64",
                                 std::vector<int64_t>{least, -9}, std::vector<int64_t>{-1, 2})),
              ElementsAre(least, -4));
}

TEST(Arith, ShiftsKeepTheirWidth) {
  EXPECT_THAT(ints("arith.shli", {1, 3}, {31, 31}), ElementsAre(intMin, intMin));
  EXPECT_THAT(ints("arith.shrsi", {-8, intMin}, {1, 31}), ElementsAre(-4, -1));
  EXPECT_THAT(ints("arith.shrui", {-8, -1}, {1, 31}), ElementsAre(0x7FFFFFFC, 1));
}

TEST(Arith, HighHalvesAndCarries) {
  EXPECT_THAT(ints("tt.mulhiui", {-1, 65536}, {-1, 65536}), ElementsAre(-2, 1));
  EXPECT_THAT((evaluate<int32_t>("%l, %r = arith.mulsi_extended %0, %1 : tensor<2xi32>",
                                 {"i32", "i32"}, "i32", Ints{-1, 65536}, Ints{5, 65536})),
              ElementsAre(-1, 1));
  EXPECT_THAT(
      (evaluate<uint8_t>("%s, %r = arith.addui_extended %0, %1 : tensor<2xi32>, tensor<2xi1>",
                         {"i32", "i32"}, "i1", Ints{-1, 1}, Ints{1, 1})),
      ElementsAre(1, 0));
}

TEST(Arith, ComparisonsKnowSignedFromUnsigned) {
  auto compare = [](const std::string &predicate) {
    return evaluate<uint8_t>("%r = arith.cmpi " + predicate + ", %0, %1 : tensor<2xi32>",
                             {"i32", "i32"}, "i1", Ints{-1, 1}, Ints{1, 1});
  };
  EXPECT_THAT(compare("slt"), ElementsAre(1, 0));
  EXPECT_THAT(compare("ult"), ElementsAre(0, 0));
  EXPECT_THAT(compare("uge"), ElementsAre(1, 1));
  EXPECT_THAT(compare("sle"), ElementsAre(1, 1));
}

// One bit each: equal, greater, less, unordered.
TEST(Arith, FloatComparisonsKnowOrderedFromUnordered) {
  const std::pair<const char *, int> predicates[] = {
      {"false", 0}, {"oeq", 1},  {"ogt", 2}, {"oge", 3},  {"olt", 4},  {"ole", 5},
      {"one", 6},   {"ord", 7},  {"ueq", 9}, {"ugt", 10}, {"uge", 11}, {"ult", 12},
      {"ule", 13},  {"une", 14}, {"uno", 8}, {"true", 15}};
  for (auto [predicate, relations] : predicates)
    EXPECT_THAT(
        (evaluate<uint8_t>(std::string("%r = arith.cmpf ") + predicate + ", %0, %1 : tensor<4xf32>",
                           {"f32", "f32"}, "i1", Floats{0, 2, 1, nan}, Floats{-0.f, 1, 2, 1})),
        ElementsAre(relations & 1, relations >> 1 & 1, relations >> 2 & 1, relations >> 3))
        << predicate;
}

TEST(Arith, MinNumAndMaxNumIgnoreNaN) {
  EXPECT_THAT(floats("arith.maxnumf", {nan, 1, 3, -1}, {2, nan, 2, -2}), ElementsAre(2, 1, 3, -1));
  EXPECT_THAT(floats("arith.minnumf", {nan, 1, 3, -1}, {2, nan, 2, -2}), ElementsAre(2, 1, 2, -2));
  EXPECT_TRUE(std::isnan(floats("arith.maxnumf", {nan}, {nan})[0]));
}

TEST(Arith, MinimumAndMaximumPropagateNaNAndOrderZeros) {
  Floats most = floats("arith.maximumf", {nan, 1, -0.f, 0.f}, {2, nan, 0.f, -0.f});
  EXPECT_TRUE(std::isnan(most[0]) && std::isnan(most[1]));
  EXPECT_FALSE(std::signbit(most[2]) || std::signbit(most[3]));
  Floats least = floats("arith.minimumf", {nan, 1, -0.f, 0.f}, {2, nan, 0.f, -0.f});
  EXPECT_TRUE(std::isnan(least[0]) && std::isnan(least[1]));
  EXPECT_TRUE(std::signbit(least[2]) && std::signbit(least[3]));
}

TEST(Arith, ClampFIgnoresOrPropagatesNaN) {
  auto clamp = [](const std::string &mode) {
    return evaluate<float>("%l = arith.constant dense<-1.0> : tensor<4xf32>\n"
                           "%h = arith.constant dense<1.0> : tensor<4xf32>\n"
                           "%r = tt.clampf %0, %l, %h, propagateNan = " +
                               mode + " : tensor<4xf32>",
                           {"f32"}, "f32", Floats{nan, -infinity, 0.5, 3});
  };
  EXPECT_THAT(clamp("none"), ElementsAre(-1, -1, 0.5, 1));
  EXPECT_THAT(clamp("all"), ElementsAre(testing::IsNan(), -1, 0.5, 1));
}

TEST(Arith, NegationAndRemainderKeepTheSignOfZero) {
  Floats negated =
      evaluate<float>("%r = arith.negf %0 : tensor<2xf32>", {"f32"}, "f32", Floats{0, -1});
  EXPECT_TRUE(std::signbit(negated[0]));
  EXPECT_THAT(floats("arith.remf", {-7.5, 7.5}, {2, -2}), ElementsAre(-1.5, 1.5));
}

TEST(Arith, NarrowArithmeticRoundsOnce) {
  // 256 + 1 has no bf16; 1 + 2^-11 is half way to the next f16 after 1.
  EXPECT_THAT(
      (evaluate<uint16_t>("%r = arith.addf %0, %1 : tensor<1xbf16>", {"bf16", "bf16"}, "bf16",
                          std::vector<uint16_t>{0x4380}, std::vector<uint16_t>{0x3F80})),
      ElementsAre(0x4380));
  EXPECT_THAT((evaluate<uint16_t>("%r = arith.addf %0, %1 : tensor<1xf16>", {"f16", "f16"}, "f16",
                                  std::vector<uint16_t>{0x3C01}, std::vector<uint16_t>{0x1000})),
              ElementsAre(0x3C02));
}

TEST(Arith, ConversionsToIntegersSaturate) {
  EXPECT_THAT((evaluate<int32_t>("%r = arith.fptosi %0 : tensor<4xf32> to tensor<4xi32>", {"f32"},
                                 "i32", Floats{nan, 3e9, -3e9, -1.5})),
              ElementsAre(0, INT32_MAX, intMin, -1));
  EXPECT_THAT((evaluate<uint8_t>("%r = arith.fptoui %0 : tensor<4xf32> to tensor<4xi8>", {"f32"},
                                 "i8", Floats{-1, 300, 254.9f, infinity})),
              ElementsAre(0, 255, 254, 255));
}

TEST(Arith, ConversionsToFp8SaturateAndTruncateAsAsked) {
  auto convert = [](const std::string &rounding, const std::string &type, const Floats &values) {
    std::string n = std::to_string(values.size());
    return evaluate<uint8_t>("%r = tt.fp_to_fp %0, rounding = " + rounding + " : tensor<" + n +
                                 "xf32> -> tensor<" + n + "x" + type + ">",
                             {"f32"}, type, values);
  };
  EXPECT_THAT(convert("rtne", "f8E4M3FN", {1e9, -infinity, nan, 464}),
              ElementsAre(0x7E, 0xFE, 0x7F, 0x7E));
  EXPECT_THAT(convert("rtne", "f8E5M2", {1e9, -infinity, 1.125f, 1.375f}),
              ElementsAre(0x7B, 0xFB, 0x3C, 0x3E));
  EXPECT_THAT(convert("rtz", "f8E5M2", {1e9, -infinity, 1.24f, -1.24f}),
              ElementsAre(0x7B, 0xFC, 0x3C, 0xBC));
}

// An infinity that is chosen or negated stays; one that is computed saturates.
TEST(Arith, Fp8InfinitiesSaturateInArithmeticOnly) {
  using Bytes = std::vector<uint8_t>;
  auto apply = [](const std::string &op) {
    return evaluate<uint8_t>("%r = " + op + " : tensor<1xf8E5M2>", {"f8E5M2", "f8E5M2"}, "f8E5M2",
                             Bytes{0x7C}, Bytes{0x3C});
  };
  EXPECT_THAT(apply("arith.negf %0"), ElementsAre(0xFC));
  EXPECT_THAT(apply("arith.maxnumf %0, %1"), ElementsAre(0x7C));
  EXPECT_THAT(apply("arith.addf %0, %1"), ElementsAre(0x7B));
  EXPECT_THAT((evaluate<uint8_t>("%r = arith.negf %0 : tensor<2xf8E5M2FNUZ>", {"f8E5M2FNUZ"},
                                 "f8E5M2FNUZ", Bytes{0x00, 0x40})),
              ElementsAre(0x00, 0xC0));
}

TEST(Arith, BitcastKeepsSignallingNaNs) {
  EXPECT_THAT((evaluate<uint32_t>("%f = tt.bitcast %0 : tensor<2xi32> -> tensor<2xf32>\n"
                                  "%r = arith.bitcast %f : tensor<2xf32> to tensor<2xi32>",
                                  {"i32"}, "i32", std::vector<uint32_t>{0x7F800001, 0xFFC12345})),
              ElementsAre(0x7F800001, 0xFFC12345));
}

TEST(Arith, ExtensionsAndIntegerConversions) {
  EXPECT_THAT((evaluate<int32_t>("%r = arith.extsi %0 : tensor<2xi8> to tensor<2xi32>", {"i8"},
                                 "i32", std::vector<int8_t>{-1, 127})),
              ElementsAre(-1, 127));
  EXPECT_THAT((evaluate<int32_t>("%r = arith.extui %0 : tensor<2xi8> to tensor<2xi32>", {"i8"},
                                 "i32", std::vector<int8_t>{-1, 127})),
              ElementsAre(255, 127));
  EXPECT_THAT((evaluate<float>("%r = arith.uitofp %0 : tensor<2xi32> to tensor<2xf32>", {"i32"},
                               "f32", Ints{-1, 16777217})),
              ElementsAre(4294967296.f, 16777216.f));
  EXPECT_THAT((evaluate<float>("%r = arith.sitofp %0 : tensor<2xi1> to tensor<2xf32>", {"i1"},
                               "f32", std::vector<uint8_t>{1, 0})),
              ElementsAre(-1, 0));
}

TEST(Arith, ConstantsAreSplatOrEachTheirOwn) {
  EXPECT_THAT(
      (evaluate<float>("%c = arith.constant dense<[1.0, 2.0, 0xFF800000, -0.0]> : tensor<4xf32>\n"
                       "%d = arith.constant dense<0.5> : tensor<4xf32>\n"
                       "%s = arith.addf %c, %d : tensor<4xf32>\n"
                       "%r = arith.mulf %s, %0 : tensor<4xf32>",
                       {"f32"}, "f32", Floats{1, 1, 1, 1})),
      ElementsAre(1.5, 2.5, -infinity, 0.5));
}

TEST(Arith, SelectTakesOneConditionForAllLanes) {
  EXPECT_THAT((evaluate<int32_t>("%c = arith.constant true\n"
                                 "%r = arith.select %c, %0, %1 : tensor<2xi32>",
                                 {"i32", "i32"}, "i32", Ints{1, 2}, Ints{3, 4})),
              ElementsAre(1, 2));
}

} // namespace
} // namespace tigon::interpreter
