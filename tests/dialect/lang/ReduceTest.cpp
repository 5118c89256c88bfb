// SPDX-License-Identifier: Apache-2.0
#include "tests/dialect/interpreter/Program.h"
#include "tests/dialect/lang/Built.h"

#include <gmock/gmock.h>
#include <limits>

namespace tigon::lang {
namespace {

using interpreter::Program;

// Runs `body`, which gives what is stored at `out`, on x[8].
template <typename T, typename R>
std::vector<R> reduced(DType dtype, std::vector<T> x, DType to, std::vector<R> out,
                       Value (*body)(Value x)) {
  Kernel k("k");
  Value in = load(k.pointer("x", dtype) + arange(0, int64_t(x.size())));
  Value result = body(in), address = k.pointer("out", to);
  store(result.shape().empty() ? address : address + arange(0, result.shape()[0]), result);
  EXPECT_EQ(Program(textOf(k)).run({}, x, out), "");
  return out;
}

const std::vector<float> numbers = {3, -1, 4, 1, -5, 9, 2, 9};

TEST(Reduce, SumMaxAndMin) {
  auto of = [](Value (*body)(Value)) {
    return reduced<float, float>(F32, numbers, F32, {0}, body)[0];
  };
  EXPECT_EQ(of([](Value x) { return sum(x, 0); }), 22);
  EXPECT_EQ(of([](Value x) { return max(x, 0); }), 9);
  EXPECT_EQ(of([](Value x) { return min(x); }), -5);
  EXPECT_EQ(of([](Value x) { return sum(reshape(x, {2, 4})); }), 22);
}

TEST(Reduce, IndexOfTheFirstExtreme) {
  auto of = [](Value (*body)(Value)) {
    return reduced<float, int32_t>(F32, numbers, I32, {0}, body)[0];
  };
  EXPECT_EQ(of([](Value x) { return argmax(x, 0); }), 5);
  EXPECT_EQ(of([](Value x) { return argmin(x, -1); }), 4);
}

TEST(Reduce, AlongAnAxisAndKeepingIt) {
  EXPECT_THAT((reduced<float, float>(F32, numbers, F32, {0, 0},
                                     [](Value x) { return sum(reshape(x, {2, 4}), 1); })),
              testing::ElementsAre(7, 15));
  Kernel k("k");
  Value x = zeros({2, 4}, F32);
  EXPECT_EQ(sum(x, 0, {.keepDims = true}).shape(), (Shape{1, 4}));
  EXPECT_EQ(sum(x, {}, {.keepDims = true}).shape(), (Shape{1, 1}));
  EXPECT_EQ(maxWithIndex(x, -1)[1].shape(), (Shape{2}));
  textOf(k);
}

TEST(Reduce, OwnCombinerOfSeveralTiles) {
  // Mean and the sum of squared deviations, of pairs (Chan).
  auto deviations = [](Value x) {
    auto [mean, m2, count] =
        reduce({x, zerosLike(x), full(x.shape(), 1, F32)}, 0,
               [](Value mean1, Value m1, Value n1, Value mean2, Value m2, Value n2) {
                 Value n = n1 + n2, d = mean2 - mean1;
                 return Values{mean1 + d * n2 / n, m1 + m2 + d * d * n1 * n2 / n, n};
               });
    return m2 / count + 0.0 * mean;
  };
  EXPECT_FLOAT_EQ((reduced<float, float>(F32, numbers, F32, {0}, deviations)[0]), 19.6875f);
}

TEST(Reduce, WidensAsTritonDoes) {
  Kernel k("k");
  Value bytes = zeros({8}, I8), halves = zeros({8}, BF16);
  EXPECT_EQ(sum(bytes, 0).dtype(), I32);
  EXPECT_EQ(sum(halves, 0).dtype(), BF16);
  EXPECT_EQ(sum(halves, 0, {.dtype = F32}).dtype(), F32);
  EXPECT_EQ(max(halves, 0).dtype(), F32);
  EXPECT_EQ(cumsum(halves).dtype(), F32);
  EXPECT_EQ(maxWithIndex(halves, 0)[0].dtype(), F32);
  textOf(k);
}

TEST(Reduce, MaxIgnoresNan) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ((reduced<float, float>(F32, {nan, 1, nan, 2}, F32, {0},
                                   [](Value x) { return max(x, 0); })[0]),
            2);
}

} // namespace
} // namespace tigon::lang
