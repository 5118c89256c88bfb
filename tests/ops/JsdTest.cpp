// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/OpTest.h"

namespace tigon::ops {
namespace {

class JsdOp : public OpTest {
protected:
  /// Log probabilities of a softmax of normal numbers.
  Tensor logProbabilities(DType dtype, int64_t rows, int64_t n, uint64_t seed) {
    HostTensor x = *HostTensor::randn(DType::F32, {rows, n}, seed);
    HostTensor result = *HostTensor::zeros(dtype, {rows, n});
    for (int64_t r = 0; r < rows; ++r) {
      double sum = 0;
      for (int64_t c = 0; c < n; ++c)
        sum += std::exp(3 * x.get(r * n + c));
      for (int64_t c = 0; c < n; ++c)
        result.set(r * n + c, 3 * x.get(r * n + c) - std::log(sum));
    }
    return upload(result);
  }
  Tensor targets(const std::vector<int64_t> &numbers) {
    HostTensor host = *HostTensor::zeros(DType::I64, {int64_t(numbers.size())});
    for (size_t i = 0; i < numbers.size(); ++i)
      host.set(int64_t(i), double(numbers[i]));
    return upload(host);
  }
};
TIGON_TEST_ON_DEVICES(JsdOp);

/// In double. Rows that do not count are in `ignored`.
struct Reference {
  double loss = 0, size = 0; // and the sum of the summands' magnitudes
  std::vector<double> dx;

  Reference(const std::vector<double> &x, const std::vector<double> &y, int64_t n, double beta,
            const std::vector<bool> &ignored = {})
      : dx(x.size(), 0) {
    int64_t rows = int64_t(x.size()) / std::max<int64_t>(n, 1), count = 0;
    auto counts = [&](int64_t r) { return ignored.empty() || !ignored[size_t(r)]; };
    for (int64_t r = 0; r < rows; ++r)
      count += counts(r);
    auto times = [](double p, double logs) { return p == 0 ? 0 : p * logs; };
    for (size_t i = 0; i < x.size(); ++i) {
      if (!counts(int64_t(i) / n))
        continue;
      double scale = 1.0 / double(count), q = std::exp(x[i]), p = std::exp(y[i]);
      double logM = std::log(beta * p + (1 - beta) * q);
      double ofP = times(p, y[i] - logM), ofQ = times(q, x[i] - logM);
      double summand = beta * ofP + (1 - beta) * ofQ;
      dx[i] = scale * (1 - beta) * ofQ;
      if (beta == 0)
        summand = ofP = times(p, y[i] - x[i]), ofQ = 0, dx[i] = -scale * p;
      if (beta == 1)
        summand = ofQ = times(q, x[i] - y[i]), ofP = 0, dx[i] = scale * (q + ofQ);
      loss += scale * summand;
      size += scale * (std::fabs(ofP) + std::fabs(ofQ));
    }
  }
  /// What f32 may lose: a last place of a logarithm of about 10, times q.
  std::vector<double> slack(const std::vector<double> &x) const {
    std::vector<double> result = {0};
    for (double logQ : x)
      result.push_back(4e-6 * std::exp(logQ));
    for (size_t i = 0; i < dx.size(); ++i)
      result[i + 1] += 2e-6 * std::fabs(dx[i]);
    result.erase(result.begin(), result.begin() + !x.empty());
    return result;
  }
};

TEST_P(JsdOp, LossAndGradient) {
  for (DType dtype : {DType::F32, DType::BF16, DType::F16})
    for (auto [rows, n] : std::vector<std::pair<int64_t, int64_t>>{
             {1, 1}, {0, 8}, {3, 0}, {7, 5}, {4, 64}, {6, 1000}, {3, 9001}})
      for (float beta : {0.0f, 0.5f, 0.1f, 1.0f}) {
        SCOPED_TRACE(testing::Message()
                     << rows << " x " << n << " " << dtypeName(dtype) << " beta " << beta);
        Tensor x = logProbabilities(dtype, rows, n, 1), y = logProbabilities(dtype, rows, n, 2);
        Tensor dx = fresh(dtype, {rows, n}), loss = fresh(DType::F32, {});
        Reference want(values(x), values(y), n, double(beta));
        ASSERT_EQ(run(Jsd{.x = x, .y = y, .loss = loss, .dx = dx, .beta = beta}), "");
        EXPECT_NEAR(values(loss)[0], want.loss, 2e-6 * want.size + 1e-7);
        expectNear(values(dx), want.dx, dtype, 1, want.slack(values(x)));
        Tensor alone = fresh(DType::F32, {1});
        ASSERT_EQ(run(Jsd{.x = x, .y = y, .loss = alone, .beta = beta}), "");
        EXPECT_EQ(values(alone), values(loss));
      }
}

TEST_P(JsdOp, IgnoredRowsAreLeftOut) {
  Tensor x = logProbabilities(DType::F32, 4, 30, 1), y = logProbabilities(DType::F32, 4, 30, 2);
  Tensor dx = fresh(DType::F32, {4, 30}), loss = fresh(DType::F32, {});
  std::vector<double> broken = values(x);
  HostTensor host = *HostTensor::zeros(DType::F32, {4, 30});
  for (int64_t i = 0; i < 120; ++i)
    host.set(i, i == 40 ? NAN : broken[i]);
  Jsd op = {.x = upload(host), .y = y, .loss = loss, .dx = dx, .target = targets({3, 7, 0, 7})};
  op.ignoreIndex = 7;
  ASSERT_EQ(run(op), "");
  Reference want(values(x), values(y), 30, 0.5, {false, true, false, true});
  EXPECT_NEAR(values(loss)[0], want.loss, 2e-6 * want.size);
  expectNear(values(dx), want.dx, DType::F32, 1, want.slack(values(x)));
  op.target = targets({7, 7, 7, 7});
  ASSERT_EQ(run(op), "");
  EXPECT_EQ(values(loss)[0], 0);
  EXPECT_EQ(values(dx), std::vector<double>(120, 0));
}

TEST_P(JsdOp, InPlaceStridesAndAnyBlock) {
  for (DType dtype : {DType::F32, DType::BF16}) {
    Tensor x = logProbabilities(dtype, 5, 300, 1), y = logProbabilities(dtype, 5, 300, 2);
    Tensor dx = fresh(dtype, {5, 300}), loss = fresh(DType::F32, {});
    ASSERT_EQ(run(Jsd{.x = x, .y = y, .loss = loss, .dx = dx}), "");
    Reference want(values(x), values(y), 300, 0.5);
    std::vector<double> slack = want.slack(values(x));
    for (int64_t block : {64, 512, 8192}) {
      Tensor other = fresh(dtype, {5, 300}), sum = fresh(DType::F32, {});
      ASSERT_EQ(run(Jsd{.x = x, .y = y, .loss = sum, .dx = other}, {.block = block}), "");
      expectNear(values(other), want.dx, dtype, 1, slack);
      EXPECT_NEAR(values(sum)[0], want.loss, 2e-6 * want.size);
    }
    std::vector<double> numbers = values(x);
    HostTensor far = *HostTensor::zeros(dtype, {300, 5});
    for (int64_t i = 0; i < 1500; ++i)
      far.set(i % 300 * 5 + i / 300, numbers[i]);
    Tensor columns = upload(far), sum = fresh(DType::F32, {});
    columns.shape = {5, 300};
    columns.strides = {1, 5};
    ASSERT_EQ(run(Jsd{.x = columns, .y = y, .loss = sum, .dx = columns}), "");
    EXPECT_EQ(values(columns), values(dx));
    EXPECT_EQ(values(sum), values(loss));
    Tensor y2 = logProbabilities(dtype, 5, 300, 2);
    ASSERT_EQ(run(Jsd{.x = x, .y = y2, .loss = sum, .dx = y2}), "");
    EXPECT_EQ(values(y2), values(dx));
    ASSERT_EQ(run(Jsd{.x = x, .y = y, .loss = sum, .dx = x}), "");
    EXPECT_EQ(values(x), values(dx));
  }
}

TEST_P(JsdOp, ProbabilitiesOfZeroAreHarmless) {
  for (float beta : {0.0f, 0.5f, 1.0f}) {
    HostTensor x = *HostTensor::zeros(DType::F32, {1, 5});
    HostTensor y = *HostTensor::zeros(DType::F32, {1, 5});
    std::vector<double> logQ = {std::log(0.5), -INFINITY, std::log(0.5), -3, -150};
    std::vector<double> logP = {std::log(0.25), -INFINITY, std::log(0.75), -200, -4};
    if (beta == 0.5f)
      logP[2] = logQ[3] = -INFINITY, logP[3] = -3; // of only one of the two
    for (int64_t i = 0; i < 5; ++i)
      x.set(i, logQ[i]), y.set(i, logP[i]);
    Tensor dx = fresh(DType::F32, {1, 5}), loss = fresh(DType::F32, {});
    Tensor logs = upload(x);
    ASSERT_EQ(run(Jsd{.x = logs, .y = upload(y), .loss = loss, .dx = dx, .beta = beta}), "");
    Reference want(values(logs), logP, 5, double(beta));
    EXPECT_NEAR(values(loss)[0], want.loss, 1e-6) << beta;
    expectNear(values(dx), want.dx, DType::F32, 1, want.slack(values(logs)));
  }
}

TEST_P(JsdOp, NanReachesTheLossAndItsElement) {
  for (float beta : {0.0f, 0.5f, 1.0f})
    for (bool inX : {false, true}) {
      HostTensor zero = *HostTensor::zeros(DType::F32, {2, 4});
      HostTensor nan = *HostTensor::zeros(DType::F32, {2, 4});
      nan.set(5, NAN);
      Tensor a = upload(zero), b = upload(nan), dx = fresh(DType::F32, {2, 4});
      Tensor loss = fresh(DType::F32, {});
      ASSERT_EQ(run(Jsd{.x = inX ? b : a, .y = inX ? a : b, .loss = loss, .dx = dx, .beta = beta}),
                "");
      EXPECT_TRUE(std::isnan(values(loss)[0]));
      // Forward KL's gradient is that of y alone.
      for (int64_t i = 0; i < 8; ++i)
        EXPECT_EQ(std::isnan(values(dx)[i]), i == 5 && !(inX && beta == 0)) << beta << " " << i;
    }
}

TEST_P(JsdOp, Mistakes) {
  Tensor x = normal(DType::F32, {2, 8}, 1), loss = fresh(DType::F32, {});
  EXPECT_EQ(run(Jsd{.x = x, .y = normal(DType::F32, {2, 9}, 2), .loss = loss}),
            "Jsd, y: found f32[2, 9], expected the shape [2, 8]");
  EXPECT_EQ(run(Jsd{.x = x, .y = x, .loss = loss, .beta = 1.5f}),
            "Jsd: found a beta of 1.5, expected one from 0 to 1");
  EXPECT_EQ(run(Jsd{.x = x, .y = x, .loss = loss, .target = targets({1, 2, 3})}),
            "Jsd, target: found i64[3], expected i32 or i64, a number a row (2)");
  EXPECT_EQ(run(Jsd{.x = x, .y = x, .loss = x}),
            "Jsd, loss: found f32[2, 8], expected f32, 1 element, one next to the other");
  EXPECT_EQ(run(Jsd{.x = x, .y = x, .loss = loss}, {.block = 48}),
            "Jsd: found a block of 48, expected a power of two up to 2^20");
}

} // namespace
} // namespace tigon::ops
