// SPDX-License-Identifier: Apache-2.0
#include "tests/dialect/interpreter/Program.h"

#include <gmock/gmock.h>
#include <numeric>

using testing::ElementsAre;

namespace tigon::interpreter {
namespace {

using Ints = std::vector<int32_t>;
using Floats = std::vector<float>;

// `(value, index)` of the greatest value, the least index among equals.
const std::string argmaxRegion = R"(({
  ^bb0(%va: f32, %ia: i32, %vb: f32, %ib: i32):
    %greater = arith.cmpf ogt, %va, %vb : f32
    %equal = arith.cmpf oeq, %va, %vb : f32
    %less = arith.cmpi slt, %ia, %ib : i32
    %tie = arith.andi %equal, %less : i1
    %first = arith.ori %greater, %tie : i1
    %v = arith.select %first, %va, %vb : f32
    %i = arith.select %first, %ia, %ib : i32
    tt.reduce.return %v, %i : f32, i32
  }))";

TEST(Combine, ArgmaxTiesGiveTheFirst) {
  EXPECT_THAT(
      (evaluate<int32_t>("%j = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>\n"
                         "%v, %n = \"tt.reduce\"(%0, %j) <{axis = 0 : i32}> " +
                             argmaxRegion +
                             " : (tensor<8xf32>, tensor<8xi32>) -> (f32, i32)\n"
                             "%r = tt.splat %n : i32 -> tensor<8xi32>",
                         {"f32"}, "i32", Floats{1, 5, 2, 5, 5, 0, -1, 5})),
      testing::Each(1));
}

const std::string addRegion = R"(({
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tt.reduce.return %c : i32
  }))";

TEST(Combine, ReductionsTakeAnyAxis) {
  auto reduce = [](int axis, const std::string &result) {
    return evaluate<int32_t>("%m = tt.reshape %0 : tensor<8xi32> -> tensor<2x2x2xi32>\n"
                             "%s = \"tt.reduce\"(%m) <{axis = " +
                                 std::to_string(axis) + " : i32}> " + addRegion +
                                 " : (tensor<2x2x2xi32>) -> tensor<2x2xi32>\n"
                                 "%f = tt.reshape %s : tensor<2x2xi32> -> tensor<4xi32>\n"
                                 "%r = tt.cat %f, %f : tensor<4xi32> -> tensor<8xi32>",
                             {"i32"}, "i32", Ints{0, 1, 2, 3, 4, 5, 6, 7});
  };
  EXPECT_THAT(reduce(0, ""), ElementsAre(4, 6, 8, 10, 4, 6, 8, 10));
  EXPECT_THAT(reduce(1, ""), ElementsAre(2, 4, 10, 12, 2, 4, 10, 12));
  EXPECT_THAT(reduce(2, ""), ElementsAre(1, 5, 9, 13, 1, 5, 9, 13));
}

// Regions with control flow are evaluated lane by lane, the others all lanes at once.
TEST(Combine, ARegionMayBranch) {
  EXPECT_THAT((evaluate<int32_t>(R"(
      %s = "tt.reduce"(%0) <{axis = 0 : i32}> ({
      ^bb0(%a: i32, %b: i32):
        %less = arith.cmpi slt, %a, %b : i32
        %m = scf.if %less -> i32 {
          scf.yield %b : i32
        } else {
          scf.yield %a : i32
        }
        tt.reduce.return %m : i32
      }) : (tensor<4xi32>) -> i32
      %r = tt.splat %s : i32 -> tensor<4xi32>)",
                                 {"i32"}, "i32", Ints{3, 9, -2, 4})),
              testing::Each(9));
}

TEST(Combine, ARegionThatReturnsAConstant) {
  EXPECT_THAT((evaluate<int32_t>(R"(
      %m = tt.reshape %0 : tensor<8xi32> -> tensor<4x2xi32>
      %s = "tt.reduce"(%m) <{axis = 1 : i32}> ({
      ^bb0(%a: i32, %b: i32):
        %c = arith.constant 5 : i32
        tt.reduce.return %c : i32
      }) : (tensor<4x2xi32>) -> tensor<4xi32>
      %r = tt.cat %s, %s : tensor<4xi32> -> tensor<8xi32>)",
                                 {"i32"}, "i32", Ints(8))),
              testing::Each(5));
}

std::string scan(bool reverse, const std::string &region, const std::string &type) {
  return "%r = \"tt.scan\"(%0) <{axis = 0 : i32, reverse = " +
         std::string(reverse ? "true" : "false") + "}> " + region + " : (tensor<" + type +
         ">) -> tensor<" + type + ">";
}

TEST(Combine, ScansRunForwardsAndBackwards) {
  std::string region = "({\n^bb0(%a: i32, %b: i32):\n%c = arith.addi %a, %b : i32\n"
                       "tt.scan.return %c : i32\n})";
  EXPECT_THAT((evaluate<int32_t>(scan(false, region, "8xi32"), {"i32"}, "i32",
                                 Ints{1, 2, 3, 4, 5, 6, 7, 8})),
              ElementsAre(1, 3, 6, 10, 15, 21, 28, 36));
  EXPECT_THAT((evaluate<int32_t>(scan(true, region, "8xi32"), {"i32"}, "i32",
                                 Ints{1, 2, 3, 4, 5, 6, 7, 8})),
              ElementsAre(36, 35, 33, 30, 26, 21, 15, 8));
}

// a then b is `a * 10 + b` with lengths: associative, but not commutative.
TEST(Combine, ScansKeepTheOrderOfOperands) {
  std::string region =
      "({\n^bb0(%a: i32, %la: i32, %b: i32, %lb: i32):\n%s = arith.muli %a, %lb : i32\n"
      "%c = arith.addi %s, %b : i32\n%l = arith.muli %la, %lb : i32\n"
      "tt.scan.return %c, %l : i32, i32\n})";
  auto digits = [&](const std::string &reverse) {
    return evaluate<int32_t>(
        "%t = arith.constant dense<10> : tensor<4xi32>\n"
        "%r, %l = \"tt.scan\"(%0, %t) <{axis = 0 : i32, reverse = " +
            reverse + "}> " + region +
            " : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>)",
        {"i32"}, "i32", Ints{1, 2, 3, 4});
  };
  EXPECT_THAT(digits("false"), ElementsAre(1, 12, 123, 1234));
  EXPECT_THAT(digits("true"), ElementsAre(4321, 432, 43, 4));
}

TEST(Combine, ScansOfOuterAxesGoColumnByColumn) {
  EXPECT_THAT(
      (evaluate<int32_t>("%m = tt.reshape %0 : tensor<8xi32> -> tensor<4x2xi32>\n"
                         "%s = \"tt.scan\"(%m) <{axis = 0 : i32, reverse = false}> ({\n"
                         "^bb0(%a: i32, %b: i32):\n%c = arith.maxsi %a, %b : i32\n"
                         "tt.scan.return %c : i32\n}) : (tensor<4x2xi32>) -> tensor<4x2xi32>\n"
                         "%r = tt.reshape %s : tensor<4x2xi32> -> tensor<8xi32>",
                         {"i32"}, "i32", Ints{3, 0, 1, 5, 4, 2, 0, 9})),
      ElementsAre(3, 0, 3, 5, 4, 5, 4, 9));
}

TEST(Combine, MapElementwisePacksNeighbours) {
  EXPECT_THAT((evaluate<int32_t>(R"(
      %r = "tt.map_elementwise"(%0, %1) <{pack = 2 : i32}> ({
      ^bb0(%x0: i32, %x1: i32, %y0: i32, %y1: i32):
        %a = arith.subi %x0, %y1 : i32
        %b = arith.addi %x1, %y0 : i32
        tt.map_elementwise.return %a, %b : i32, i32
      }) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>)",
                                 {"i32", "i32"}, "i32", Ints{1, 2, 3, 4}, Ints{10, 20, 30, 40})),
              ElementsAre(-19, 12, -37, 34));
}

TEST(Combine, MapElementwiseMayBranchBetweenBlocks) {
  EXPECT_THAT((evaluate<int32_t>(R"(
      %r = "tt.map_elementwise"(%0) <{pack = 1 : i32}> ({
      ^bb0(%x: i32):
        %zero = arith.constant 0 : i32
        %negative = arith.cmpi slt, %x, %zero : i32
        cf.cond_br %negative, ^bb1, ^bb2(%x : i32)
      ^bb1:
        %n = arith.subi %zero, %x : i32
        cf.br ^bb2(%n : i32)
      ^bb2(%y: i32):
        tt.map_elementwise.return %y : i32
      }) : (tensor<4xi32>) -> tensor<4xi32>)",
                                 {"i32"}, "i32", Ints{1, -2, 3, -4})),
              ElementsAre(1, 2, 3, 4));
}

} // namespace
} // namespace tigon::interpreter
