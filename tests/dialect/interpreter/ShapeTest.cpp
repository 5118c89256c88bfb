// SPDX-License-Identifier: Apache-2.0
#include "tests/dialect/interpreter/Program.h"

#include <gmock/gmock.h>

using testing::ElementsAre;
using testing::HasSubstr;

namespace tigon::interpreter {
namespace {

using Ints = std::vector<int32_t>;

// The 8 numbers 0 to 7, or as many others, through `body`.
Ints move(const std::string &body, Ints values = {0, 1, 2, 3, 4, 5, 6, 7}) {
  return evaluate<int32_t>(body, {"i32"}, "i32", values);
}

TEST(Shape, TransPermutesAxes) {
  EXPECT_THAT(
      move("%m = tt.reshape %0 : tensor<8xi32> -> tensor<2x4xi32>\n"
           "%t = tt.trans %m {order = array<i32: 1, 0>} : tensor<2x4xi32> -> tensor<4x2xi32>\n"
           "%r = tt.reshape %t : tensor<4x2xi32> -> tensor<8xi32>"),
      ElementsAre(0, 4, 1, 5, 2, 6, 3, 7));
  EXPECT_THAT(move("%m = tt.reshape %0 : tensor<8xi32> -> tensor<2x2x2xi32>\n"
                   "%t = tt.trans %m {order = array<i32: 2, 0, 1>} : tensor<2x2x2xi32> -> "
                   "tensor<2x2x2xi32>\n"
                   "%r = tt.reshape %t allow_reorder : tensor<2x2x2xi32> -> tensor<8xi32>"),
              ElementsAre(0, 2, 4, 6, 1, 3, 5, 7));
}

TEST(Shape, BroadcastRepeatsAxesOfSizeOne) {
  EXPECT_THAT(move("%c = arith.constant dense<[10, 20]> : tensor<2xi32>\n"
                   "%e = tt.expand_dims %c {axis = 1 : i32} : tensor<2xi32> -> tensor<2x1xi32>\n"
                   "%b = tt.broadcast %e : tensor<2x1xi32> -> tensor<2x4xi32>\n"
                   "%f = tt.reshape %b : tensor<2x4xi32> -> tensor<8xi32>\n"
                   "%r = arith.addi %f, %0 : tensor<8xi32>"),
              ElementsAre(10, 11, 12, 13, 24, 25, 26, 27));
}

TEST(Shape, JoinAndSplitInterleave) {
  EXPECT_THAT(move("%m = tt.reshape %0 : tensor<8xi32> -> tensor<4x2xi32>\n"
                   "%a, %b = tt.split %m : tensor<4x2xi32> -> tensor<4xi32>\n"
                   "%j = tt.join %b, %a : tensor<4xi32> -> tensor<4x2xi32>\n"
                   "%r = tt.reshape %j : tensor<4x2xi32> -> tensor<8xi32>"),
              ElementsAre(1, 0, 3, 2, 5, 4, 7, 6));
}

TEST(Shape, CatKeepsTheOrder) {
  EXPECT_THAT(move("%m = tt.reshape %0 : tensor<8xi32> -> tensor<4x2xi32>\n"
                   "%a, %b = tt.split %m : tensor<4x2xi32> -> tensor<4xi32>\n"
                   "%r = tt.cat %a, %b : tensor<4xi32> -> tensor<8xi32>"),
              ElementsAre(0, 2, 4, 6, 1, 3, 5, 7));
}

TEST(Shape, SplatAndUnsplat) {
  EXPECT_THAT(move("%c = arith.constant dense<7> : tensor<1x1xi32>\n"
                   "%u = tt.unsplat %c : tensor<1x1xi32>\n"
                   "%r = tt.splat %u : i32 -> tensor<8xi32>"),
              testing::Each(7));
}

TEST(Shape, GatherTakesAlongAnAxisAndStaysInside) {
  EXPECT_THAT(
      move("%m = tt.reshape %0 : tensor<8xi32> -> tensor<4x2xi32>\n"
           "%i = arith.constant dense<[[3, 0], [0, 1], [-1, 9], [1, 1]]> : tensor<4x2xi32>\n"
           "%g = tt.gather %m[%i] {axis = 0 : i32} : (tensor<4x2xi32>, tensor<4x2xi32>) -> "
           "tensor<4x2xi32>\n"
           "%r = tt.reshape %g : tensor<4x2xi32> -> tensor<8xi32>"),
      ElementsAre(6, 1, 0, 3, testing::_, testing::_, 2, 3));
}

TEST(Shape, HistogramCountsUnmaskedElementsInRange) {
  EXPECT_THAT(move("%m = arith.constant dense<[true, true, true, true, true, true, false, true]> : "
                   "tensor<8xi1>\n"
                   "%h = tt.histogram %0, %m : tensor<8xi32> -> tensor<4xi32>\n"
                   "%c = tt.cat %h, %h : tensor<4xi32> -> tensor<8xi32>\n"
                   "%r = arith.addi %c, %c : tensor<8xi32>",
                   {0, 1, 1, 3, -1, 4, 1, 3}),
              ElementsAre(2, 4, 0, 4, 2, 4, 0, 4));
}

// Bits 0 and 2 of a tile of 8 are fixed: strip step 0b10 has bit 0 clear and bit 2 set.
TEST(Scratch, AStripIsTheElementsWithItsBits) {
  EXPECT_THAT(
      move(
          "%s = tg.scratch_alloc in private : !tg.scratch<tensor<8xi32>>\n"
          "tg.scratch_put %0, %s strip [] : tensor<8xi32>, !tg.scratch<tensor<8xi32>>\n"
          "%step = arith.constant 2 : i32\n"
          "%g = tg.scratch_get %s[%step] strip [0, 2] : !tg.scratch<tensor<8xi32>> -> "
          "tensor<2xi32>\n"
          "%n = arith.constant dense<[-1, -2]> : tensor<2xi32>\n"
          "%one = arith.constant 1 : i32\n"
          "tg.scratch_put %n, %s[%one] strip [0, 2] : tensor<2xi32>, !tg.scratch<tensor<8xi32>>\n"
          "%three = arith.constant 3 : i32\n"
          "tg.scratch_put %g, %s[%three] strip [0, 2] : tensor<2xi32>, !tg.scratch<tensor<8xi32>>\n"
          "%r = tg.scratch_get %s strip [] : !tg.scratch<tensor<8xi32>> -> tensor<8xi32>"),
      ElementsAre(0, -1, 2, -2, 4, 4, 6, 6));
}

TEST(Scratch, AStepThatTheBitsDoNotHoldIsAnError) {
  Program program("tt.func public @k() {\n"
                  "%s = tg.scratch_alloc : !tg.scratch<tensor<8xi32>>\n"
                  "%two = arith.constant 2 : i32\n"
                  "%g = tg.scratch_get %s[%two] strip [0] : !tg.scratch<tensor<8xi32>> -> "
                  "tensor<4xi32>\ntt.return\n}");
  EXPECT_THAT(program.run({}), HasSubstr("found step 2, expected less than 2"));
}

} // namespace
} // namespace tigon::interpreter
