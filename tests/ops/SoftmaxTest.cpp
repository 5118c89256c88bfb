// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/OpTest.h"

namespace tigon::ops {
namespace {

class SoftmaxOp : public OpTest {};
TIGON_TEST_ON_DEVICES(SoftmaxOp);

std::vector<double> softmax(const std::vector<double> &x, int64_t n) {
  std::vector<double> y(x.size());
  for (size_t row = 0; row < x.size(); row += size_t(n)) {
    double most = -HUGE_VAL, sum = 0;
    for (int64_t c = 0; c < n; ++c)
      most = std::fmax(most, x[row + c]);
    for (int64_t c = 0; c < n; ++c)
      sum += y[row + c] = std::exp(x[row + c] - most);
    for (int64_t c = 0; c < n; ++c)
      y[row + c] /= sum;
  }
  return y;
}

const std::vector<std::vector<int64_t>> shapes = {{1, 1},     {0, 8},    {3, 0},   {5, 7},
                                                  {2, 3, 16}, {4, 1000}, {2, 5001}};

TEST_P(SoftmaxOp, Forward) {
  for (DType dtype : {DType::F32, DType::BF16, DType::F16})
    for (const auto &shape : shapes) {
      Tensor x = normal(dtype, shape, 3), y = fresh(dtype, shape);
      ASSERT_EQ(run(Softmax{x, y}), "");
      // exp is good to about 1e-7 of its value beside what rounding of x - max costs.
      std::vector<double> want = softmax(values(x), shape.back()), slack = {0};
      for (double p : want)
        slack.push_back(2e-6 * p);
      slack.erase(slack.begin(), slack.begin() + !want.empty());
      expectNear(values(y), want, dtype, 1, slack);
    }
}

TEST_P(SoftmaxOp, Backward) {
  for (DType dtype : {DType::F32, DType::BF16, DType::F16})
    for (const auto &shape : shapes) {
      Tensor x = normal(dtype, shape, 3), y = fresh(dtype, shape);
      Tensor dy = normal(dtype, shape, 4), dx = fresh(dtype, shape);
      ASSERT_EQ(run(Softmax{x, y}), "");
      ASSERT_EQ(run(SoftmaxBackward{y, dy, dx}), "");
      std::vector<double> p = values(y), g = values(dy), want(p.size());
      size_t n = size_t(shape.back());
      for (size_t row = 0; row < p.size(); row += n) {
        double sum = 0;
        for (size_t c = 0; c < n; ++c)
          sum += p[row + c] * g[row + c];
        for (size_t c = 0; c < n; ++c)
          want[row + c] = p[row + c] * (g[row + c] - sum);
      }
      expectNear(values(dx), want, dtype, 1, {1e-6});
    }
}

TEST_P(SoftmaxOp, NanAndInfinityStayInTheirRow) {
  HostTensor x = *HostTensor::zeros(DType::F32, {5, 3});
  x.set(1, NAN);                   // row 0
  x.set(4, INFINITY);              // row 1
  x.set(7, -INFINITY);             // row 2
  for (int64_t i = 9; i < 12; ++i) // row 3
    x.set(i, -INFINITY);
  Tensor y = fresh(DType::F32, {5, 3});
  ASSERT_EQ(run(Softmax{upload(x), y}), "");
  std::vector<double> p = values(y);
  for (int64_t i : {0, 1, 2, 3, 4, 5, 9, 10, 11})
    EXPECT_TRUE(std::isnan(p[i])) << i;
  EXPECT_EQ(p[6], 0.5);
  EXPECT_EQ(p[7], 0.0);
  EXPECT_NEAR(p[12], 1.0 / 3, 1e-7);
}

TEST_P(SoftmaxOp, LargeNumbersAndInPlace) {
  HostTensor x = *HostTensor::randn(DType::F32, {2, 100}, 5);
  for (int64_t i = 0; i < 100; ++i)
    x.set(i, 1e4 + x.get(i));
  Tensor tensor = upload(x), y = fresh(DType::F32, {2, 100});
  ASSERT_EQ(run(Softmax{tensor, y}), "");
  expectNear(values(y), softmax(values(tensor), 100), DType::F32, 8, {1e-6});
  ASSERT_EQ(run(Softmax{tensor, tensor}), "");
  EXPECT_EQ(values(tensor), values(y));
}

TEST_P(SoftmaxOp, Mistakes) {
  Tensor x = normal(DType::F32, {2, 8}, 1), y = normal(DType::F32, {2, 9}, 2);
  EXPECT_EQ(run(Softmax{x, y}), "Softmax, y: found f32[2, 9], expected the shape [2, 8]");
  EXPECT_EQ(run(Softmax{{.data = x.data, .dtype = DType::I32, .shape = {2, 8}}, x}),
            "Softmax, x: found i32[2, 8], expected f16, bf16 or f32");
  Tensor wide = {.data = x.data, .shape = {1, (1 << 20) + 1}};
  EXPECT_EQ(run(Softmax{wide, wide}),
            "Softmax: found rows of 1048577, expected at most 1048576 elements");
}

} // namespace
} // namespace tigon::ops
