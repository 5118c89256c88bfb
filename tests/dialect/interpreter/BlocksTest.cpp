// SPDX-License-Identifier: Apache-2.0
#include "tests/dialect/interpreter/Program.h"

#include <cmath>
#include <gmock/gmock.h>
#include <numeric>

using testing::ElementsAre;
using testing::HasSubstr;

namespace tigon::interpreter {
namespace {

// The 2 x 4 tile at (%i, %j) of a 3 x 5 matrix, in its bounds along the axes checked.
std::vector<float> loadBlock(int32_t i, int32_t j, const std::string &attributes) {
  Program program(R"(
    tt.func public @k(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %i: i32, %j: i32) {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i64
      %three = arith.constant 3 : i64
      %four = arith.constant 4 : i64
      %five = arith.constant 5 : i64
      %two = arith.constant 2 : i64
      %p = tt.make_tensor_ptr %x, [%three, %five], [%five, %one], [%zero, %j] {order = array<i32: 1, 0>} : <tensor<2x4xf32>>
      %q = tt.advance %p, [%i, %zero] : <tensor<2x4xf32>>
      %v = tt.load %q )" +
                  attributes + R"( : !tt.ptr<tensor<2x4xf32>>
      %o = tt.make_tensor_ptr %y, [%two, %four], [%four, %one], [%zero, %zero] {order = array<i32: 1, 0>} : <tensor<2x4xf32>>
      tt.store %o, %v : !tt.ptr<tensor<2x4xf32>>
      tt.return
    })");
  std::vector<float> x(15), y(8, -1);
  std::iota(x.begin(), x.end(), 0);
  Buffer buffers[] = {{x.data(), 60, {}}, {y.data(), 32, {}}};
  Options options;
  options.buffers = buffers;
  EXPECT_EQ(program.run(options, x, y, i, j), "");
  return y;
}

TEST(Blocks, ABlockPointerReadsItsTile) {
  EXPECT_THAT(loadBlock(1, 1, ""), ElementsAre(6, 7, 8, 9, 11, 12, 13, 14));
}

TEST(Blocks, CheckedAxesPadAtBothEnds) {
  EXPECT_THAT(loadBlock(2, 3, "{boundaryCheck = array<i32: 0, 1>, padding = 1 : i32}"),
              ElementsAre(13, 14, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(loadBlock(-1, -2, "{boundaryCheck = array<i32: 0, 1>}"),
              ElementsAre(0, 0, 0, 0, 0, 0, 0, 1));
}

TEST(Blocks, NaNPadding) {
  std::vector<float> y = loadBlock(2, 0, "{boundaryCheck = array<i32: 0>, padding = 2 : i32}");
  EXPECT_THAT(std::vector<float>(y.begin(), y.begin() + 4), ElementsAre(10, 11, 12, 13));
  for (int i = 4; i < 8; ++i)
    EXPECT_TRUE(std::isnan(y[i]));
}

TEST(Blocks, AnUncheckedAxisIsNotPadded) {
  // Row 0, columns 3 to 6: two of the next row.
  EXPECT_THAT(loadBlock(0, 3, "{boundaryCheck = array<i32: 0>}"),
              ElementsAre(3, 4, 5, 6, 8, 9, 10, 11));
}

// A descriptor argument of a 3 x 5 matrix with blocks of `block`; `body` uses %d.
template <typename T>
std::string runDescriptor(const std::string &block, const std::string &body, std::vector<T> &x,
                          std::vector<T> &y, bool padWithNaN = false) {
  std::string element = block.substr(block.rfind('x') + 1), pointee = element;
  if (pointee[0] == 's' || pointee[0] == 'u')
    pointee = pointee.substr(1);
  Program program("tt.func public @k(%d: !tt.tensordesc<tensor<" + block + ">>, %y: !tt.ptr<" +
                  pointee + ">) {\n" + body + "\ntt.return\n}");
  TensorDescriptor descriptor = {x.data(), {3, 5}, {5, 1}, padWithNaN};
  Buffer buffers[] = {{x.data(), int64_t(x.size() * sizeof(T)), {}},
                      {y.data(), int64_t(y.size() * sizeof(T)), {}}};
  Options options;
  options.buffers = buffers;
  return program.run(options, descriptor, y);
}

std::string storeAll(const std::string &type, size_t count) {
  std::string n = std::to_string(count);
  return "\n%i = tt.make_range {start = 0 : i32, end = " + n + " : i32} : tensor<" + n + "xi32>" +
         "\n%f = tt.reshape %v : tensor<" + type + "> -> tensor<" + n + "xf32>" +
         "\n%s = tt.splat %y : !tt.ptr<f32> -> tensor<" + n + "x!tt.ptr<f32>>" +
         "\n%p = tt.addptr %s, %i : tensor<" + n + "x!tt.ptr<f32>>, tensor<" + n + "xi32>" +
         "\ntt.store %p, %f : tensor<" + n + "x!tt.ptr<f32>>";
}

TEST(Descriptors, LoadsPadOutside) {
  std::vector<float> x(15), y(4);
  std::iota(x.begin(), x.end(), 0);
  std::string body =
      "%r = arith.constant 2 : i32\n%c = arith.constant 4 : i32\n"
      "%v = tt.descriptor_load %d[%r, %c] : !tt.tensordesc<tensor<2x2xf32>> -> tensor<2x2xf32>" +
      storeAll("2x2xf32", 4);
  EXPECT_EQ(runDescriptor("2x2xf32", body, x, y), "");
  EXPECT_THAT(y, ElementsAre(14, 0, 0, 0));
  EXPECT_EQ(runDescriptor("2x2xf32", body, x, y, /*padWithNaN=*/true), "");
  EXPECT_THAT(y, ElementsAre(14, testing::IsNan(), testing::IsNan(), testing::IsNan()));
}

TEST(Descriptors, StoresDropWhatIsOutside) {
  std::vector<float> x(15), y(1);
  EXPECT_EQ(
      runDescriptor(
          "2x2xf32",
          "%r = arith.constant -1 : i32\n%c = arith.constant 4 : i32\n"
          "%v = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>\n"
          "tt.descriptor_store %d[%r, %c], %v : !tt.tensordesc<tensor<2x2xf32>>, tensor<2x2xf32>",
          x, y),
      "");
  EXPECT_EQ(x[4], 3);
  EXPECT_EQ(std::accumulate(x.begin(), x.end(), 0.0f), 3);
}

TEST(Descriptors, GatherAndScatterGoByRows) {
  std::vector<float> x(15), y(4);
  std::iota(x.begin(), x.end(), 0);
  std::string rows = "%rows = arith.constant dense<[2, 0]> : tensor<2xi32>\n"
                     "%c = arith.constant 1 : i32\n";
  EXPECT_EQ(runDescriptor(
                "1x2xf32",
                rows +
                    "%v = tt.descriptor_gather %d[%rows, %c] : (!tt.tensordesc<tensor<1x2xf32>>, "
                    "tensor<2xi32>, i32) -> tensor<2x2xf32>" +
                    storeAll("2x2xf32", 4),
                x, y),
            "");
  EXPECT_THAT(y, ElementsAre(11, 12, 1, 2));
  EXPECT_EQ(runDescriptor(
                "1x2xf32",
                rows + "%v = arith.constant dense<[[-1.0, -2.0], [-3.0, -4.0]]> : tensor<2x2xf32>\n"
                       "tt.descriptor_scatter %d[%rows, %c], %v : !tt.tensordesc<tensor<1x2xf32>>, "
                       "tensor<2xi32>, i32, tensor<2x2xf32>",
                x, y),
            "");
  EXPECT_THAT(x, ElementsAre(0, -3, -4, 3, 4, 5, 6, 7, 8, 9, 10, -1, -2, 13, 14));
}

// What 7 at (0, 0) becomes when reduced with `value`.
int32_t reduceInto(const std::string &kind, const std::string &type, int32_t value) {
  std::vector<int32_t> x(15, 7), y(1);
  EXPECT_EQ(runDescriptor("1x1x" + type,
                          "%z = arith.constant 0 : i32\n%v = arith.constant dense<" +
                              std::to_string(value) + "> : tensor<1x1xi32>\ntt.descriptor_reduce " +
                              kind + ", %d[%z, %z], %v : !tt.tensordesc<tensor<1x1x" + type +
                              ">>, tensor<1x1xi32>",
                          x, y),
            "");
  return x[0];
}

TEST(Descriptors, EveryKindOfReduction) {
  EXPECT_EQ(reduceInto("add", "i32", 5), 12);
  EXPECT_EQ(reduceInto("min", "si32", -1), -1);
  EXPECT_EQ(reduceInto("min", "ui32", -1), 7);
  EXPECT_EQ(reduceInto("max", "ui32", -1), -1);
  EXPECT_EQ(reduceInto("inc", "ui32", 7), 0);
  EXPECT_EQ(reduceInto("inc", "ui32", 9), 8);
  EXPECT_EQ(reduceInto("dec", "ui32", 9), 6);
  EXPECT_EQ(reduceInto("dec", "ui32", 5), 5);
  EXPECT_EQ(reduceInto("and", "i32", 5), 5);
  EXPECT_EQ(reduceInto("or", "i32", 8), 15);
  EXPECT_EQ(reduceInto("xor", "i32", 1), 6);
}

TEST(Descriptors, MadeInTheKernelTheyActLikeArguments) {
  Program program(R"(
    tt.func public @k(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>) {
      %zero = arith.constant 0 : i32
      %two = arith.constant 2 : i32
      %n = arith.constant 3 : i32
      %one = arith.constant 1 : i64
      %d = tt.make_tensor_descriptor %x, [%n], [%one] : !tt.ptr<f32>, !tt.tensordesc<tensor<2xf32>>
      %e = tt.make_tensor_descriptor %y, [%n], [%one] : !tt.ptr<f32>, !tt.tensordesc<tensor<2xf32>>
      %v = tt.descriptor_load %d[%two] : !tt.tensordesc<tensor<2xf32>> -> tensor<2xf32>
      tt.descriptor_store %e[%zero], %v : !tt.tensordesc<tensor<2xf32>>, tensor<2xf32>
      tt.return
    })");
  std::vector<float> x = {1, 2, 3, 4}, y(4, -1);
  EXPECT_EQ(program.run({}, x, y), "");
  EXPECT_THAT(y, ElementsAre(3, 0, -1, -1));
}

TEST(Blocks, APointerThatOnlyLooksLikeABlockPointerIsAnError) {
  Program program(R"(
    tt.func public @k(%x: !tt.ptr<f32>) {
      %p = tt.bitcast %x : !tt.ptr<f32> -> !tt.ptr<tensor<2x4xf32>>
      %v = tt.load %p : !tt.ptr<tensor<2x4xf32>>
      tt.return
    })");
  std::vector<float> x(8);
  EXPECT_THAT(program.run({}, x), HasSubstr("was not made by an op that makes one"));
}

} // namespace
} // namespace tigon::interpreter
