// SPDX-License-Identifier: Apache-2.0
#include "tests/dialect/interpreter/Program.h"

#include <cmath>
#include <gmock/gmock.h>

using testing::ElementsAre;

namespace tigon::interpreter {
namespace {

using Floats = std::vector<float>;

// 2 x 2 matrices, given and returned flat.
Floats dot(const Floats &a, const Floats &b, const std::string &precision) {
  return evaluate<float>("%a = tt.reshape %0 : tensor<4xf32> -> tensor<2x2xf32>\n"
                         "%b = tt.reshape %1 : tensor<4xf32> -> tensor<2x2xf32>\n"
                         "%c = arith.constant dense<100.0> : tensor<2x2xf32>\n"
                         "%d = tt.dot %a, %b, %c" +
                             precision +
                             " : tensor<2x2xf32> * tensor<2x2xf32> -> tensor<2x2xf32>\n"
                             "%r = tt.reshape %d : tensor<2x2xf32> -> tensor<4xf32>",
                         {"f32", "f32"}, "f32", a, b);
}

TEST(Dot, MultipliesRowsByColumnsAndAdds) {
  EXPECT_THAT(dot({1, 2, 3, 4}, {5, 6, 7, 8}, ""), ElementsAre(119, 122, 143, 150));
}

TEST(Dot, PrecisionCutsF32Operands) {
  float x = 1 + 0x1p-12f; // 12 bits after the point; tf32 keeps 10
  auto corner = [&](const std::string &precision) {
    return dot({x, 0, 0, 0}, {1, 0, 0, 0}, precision)[0] - 100;
  };
  EXPECT_EQ(corner(""), float(100 + x) - 100);
  EXPECT_EQ(corner(", inputPrecision = tf32"), 1);
  EXPECT_EQ(corner(", inputPrecision = tf32x3"), float(100 + x) - 100);
  EXPECT_EQ(corner(", inputPrecision = bf16x6"), float(100 + x) - 100);
}

TEST(Dot, SplitPrecisionsKeepInfinities) {
  float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(dot({infinity, 0, 0, 0}, {1, 1, 1, 1}, ", inputPrecision = bf16x3")[0], infinity);
}

TEST(Dot, IntegersAreSignedAndWrap) {
  EXPECT_THAT((evaluate<int32_t>(
                  "%a = arith.constant dense<[[-128, -1], [127, 2]]> : tensor<2x2xi8>\n"
                  "%c = tt.reshape %0 : tensor<4xi32> -> tensor<2x2xi32>\n"
                  "%d = tt.dot %a, %a, %c : tensor<2x2xi8> * tensor<2x2xi8> -> tensor<2x2xi32>\n"
                  "%r = tt.reshape %d : tensor<2x2xi32> -> tensor<4xi32>",
                  {"i32"}, "i32", std::vector<int32_t>{0, 0, INT32_MAX, 0})),
              ElementsAre(16384 - 127, 128 - 2, INT32_MAX - 127 * 128 + 254, -127 + 4));
}

TEST(Dot, BatchesAreIndependent) {
  EXPECT_THAT(
      (evaluate<float>(
          "%a = tt.reshape %0 : tensor<4xf32> -> tensor<2x1x2xf32>\n"
          "%b = tt.reshape %1 : tensor<4xf32> -> tensor<2x2x1xf32>\n"
          "%c = arith.constant dense<0.0> : tensor<2x1x1xf32>\n"
          "%d = tt.dot %a, %b, %c : tensor<2x1x2xf32> * tensor<2x2x1xf32> -> tensor<2x1x1xf32>\n"
          "%e = tt.broadcast %d : tensor<2x1x1xf32> -> tensor<2x2x1xf32>\n"
          "%r = tt.reshape %e : tensor<2x2x1xf32> -> tensor<4xf32>",
          {"f32", "f32"}, "f32", Floats{1, 2, 3, 4}, Floats{5, 6, 7, 8})),
      ElementsAre(17, 17, 53, 53));
}

// K = 64. a: 0.5 and 1 in turn as e2m1, two a byte along K; scales 2 and 1/2 of its halves; b: ones.
TEST(Dot, ScaledOperandsAreUnpackedAndScaled) {
  EXPECT_THAT(
      (evaluate<float>("%a = arith.constant dense<0x21> : tensor<1x32xi8>\n"
                       "%as = arith.constant dense<[[-128, 126]]> : tensor<1x2xi8>\n"
                       "%b = arith.constant dense<1.0> : tensor<64x1xf8E5M2>\n"
                       "%c = tt.reshape %0 : tensor<1xf32> -> tensor<1x1xf32>\n"
                       "%d = tt.dot_scaled %a scale %as, %b, %c lhs = e2m1 rhs = e5m2 {fastMath = "
                       "false} : tensor<1x32xi8>, tensor<1x2xi8> * tensor<64x1xf8E5M2> -> "
                       "tensor<1x1xf32>\n"
                       "%r = tt.reshape %d : tensor<1x1xf32> -> tensor<1xf32>",
                       {"f32"}, "f32", Floats{10})),
      ElementsAre(10 + 2 * 16 * 1.5 + 0.5 * 16 * 1.5));
}

} // namespace
} // namespace tigon::interpreter
