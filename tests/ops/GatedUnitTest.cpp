// SPDX-License-Identifier: Apache-2.0
//
// Gated units, all of them by the same tests.
#include "tests/ops/OpTest.h"

#include <numbers>

namespace tigon::ops {
namespace {

struct Silu {
  using Forward = SwiGlu;
  using Backward = SwiGluBackward;
  static constexpr const char *name = "SwiGlu";
  /// What the gate takes the exponential of, or about that.
  static double argument(double a) { return a; }
  static double value(double a) { return a / (1 + std::exp(-a)); }
  static double slope(double a) {
    double s = 1 / (1 + std::exp(-a));
    return s + a * s / (1 + std::exp(a));
  }
};

struct Gelu {
  using Forward = GeGlu;
  using Backward = GeGluBackward;
  static constexpr const char *name = "GeGlu";
  static constexpr double c = 0.044715;
  static double argument(double a) {
    return 2 * std::sqrt(2 / std::numbers::pi) * (a + c * a * a * a);
  }
  static double value(double a) { return a / 2 * (1 + std::tanh(argument(a) / 2)); }
  static double slope(double a) {
    double t = std::tanh(argument(a) / 2);
    return (1 + t) / 2 +
           a / 2 * (1 - t * t) * std::sqrt(2 / std::numbers::pi) * (1 + 3 * c * a * a);
  }
};

class GatedUnitOp : public OpTest {
protected:
  template <typename Test> void forEachUnit(Test test) {
    {
      SCOPED_TRACE(Silu::name);
      test(Silu());
    }
    SCOPED_TRACE(Gelu::name);
    test(Gelu());
  }

  /// Runs forward and backward, and compares them with the formulas.
  template <typename Unit> void check(Unit, Tensor dout, Tensor a, Tensor b, DType results) {
    Tensor out = fresh(results, a.shape), da = fresh(results, a.shape),
           db = fresh(results, a.shape);
    ASSERT_EQ(run(typename Unit::Forward{a, b, out}), "");
    ASSERT_EQ(run(typename Unit::Backward{dout, a, b, da, db}), "");
    std::vector<double> g = values(dout), x = values(a), y = values(b);
    std::vector<double> wantOut, wantDa, wantDb, slackOfOut, slackOfDa, slackOfDb;
    for (size_t i = 0; i < x.size(); ++i) {
      double value = Unit::value(x[i]), slope = Unit::slope(x[i]);
      // An ulp of the argument is as many ulps of the exponential as the argument is large.
      double loss = 1e-6 * (1 + std::fmin(std::fabs(Unit::argument(x[i])), 100));
      wantOut.push_back(value * y[i]);
      wantDa.push_back(g[i] * y[i] * slope);
      wantDb.push_back(g[i] * value);
      slackOfOut.push_back(loss * std::fabs(wantOut[i]));
      slackOfDa.push_back(loss * std::fabs(wantDa[i]) + 1e-6 * std::fabs(g[i] * y[i]));
      slackOfDb.push_back(loss * std::fabs(wantDb[i]));
    }
    expectNear(values(out), wantOut, results, 1, slackOfOut);
    expectNear(values(da), wantDa, results, 1, slackOfDa);
    expectNear(values(db), wantDb, results, 1, slackOfDb);
  }
};
TIGON_TEST_ON_DEVICES(GatedUnitOp);

TEST_P(GatedUnitOp, ForwardAndBackward) {
  const std::vector<std::vector<int64_t>> shapes = {{},     {1},        {0, 8}, {3, 0},
                                                    {5, 7}, {2, 3, 64}, {1024}, {2999}};
  forEachUnit([&](auto unit) {
    for (DType dtype : {DType::F32, DType::BF16, DType::F16})
      for (const auto &shape : shapes) {
        SCOPED_TRACE(testing::PrintToString(shape) + " " + std::string(dtypeName(dtype)));
        check(unit, normal(dtype, shape, 1), normal(dtype, shape, 2), normal(dtype, shape, 3),
              dtype);
      }
    check(unit, normal(DType::F16, {40}, 1), normal(DType::BF16, {40}, 2),
          normal(DType::F32, {40}, 3), DType::F32);
  });
}

TEST_P(GatedUnitOp, LargeNumbers) {
  // The factors bring what is left of a gate far below 0 back to numbers that count.
  const std::vector<std::pair<double, double>> numbers = {
      {4, 1},    {-4, 1e4},     {9, 1},       {-9, 1e6},    {20, 1},     {-20, 1e10},
      {85, 1},   {-85, 1e30},   {-87, 1},     {-100, 1e30}, {1e4, 1e-3}, {-1e4, 1e30},
      {1e19, 1}, {-1e19, 1e19}, {3e38, 1e-3}, {-3e38, 1}};
  const std::vector<int64_t> shape = {int64_t(numbers.size())};
  HostTensor a = *HostTensor::zeros(DType::F32, shape), b = *HostTensor::zeros(DType::F32, shape);
  HostTensor dout = *HostTensor::zeros(DType::F32, shape);
  for (size_t i = 0; i < numbers.size(); ++i) {
    a.set(int64_t(i), numbers[i].first);
    b.set(int64_t(i), numbers[i].second);
    dout.set(int64_t(i), numbers[i].first > 0 ? 1 : 100);
  }
  forEachUnit([&](auto unit) { check(unit, upload(dout), upload(a), upload(b), DType::F32); });
}

TEST_P(GatedUnitOp, NanInfinityAndNegativeZero) {
  HostTensor a = *HostTensor::zeros(DType::F32, {5}), ones = *HostTensor::zeros(DType::F32, {5});
  for (int64_t i = 0; i < 5; ++i)
    ones.set(i, 1);
  a.set(1, NAN), a.set(2, INFINITY), a.set(3, -INFINITY), a.set(4, -0.0);
  forEachUnit([&](auto unit) {
    using Unit = decltype(unit);
    Tensor x = upload(a), one = upload(ones), out = fresh(DType::F32, {5});
    Tensor da = fresh(DType::F32, {5}), db = fresh(DType::F32, {5});
    ASSERT_EQ(run(typename Unit::Forward{x, one, out}), "");
    ASSERT_EQ(run(typename Unit::Backward{one, x, one, da, db}), "");
    std::vector<double> got = values(out), slope = values(da);
    EXPECT_EQ(values(db)[2], INFINITY);
    EXPECT_EQ(got[2], INFINITY);
    EXPECT_TRUE(std::isnan(got[1]) && std::isnan(slope[1]));
    EXPECT_TRUE(std::isnan(got[3])); // -inf times 0, as in PyTorch
    for (int64_t i : {0, 4}) {
      EXPECT_TRUE(got[i] == 0 && std::signbit(got[i]) == (i == 4)) << i;
      EXPECT_EQ(slope[i], 0.5) << i;
    }
  });
}

TEST_P(GatedUnitOp, InPlaceGivesTheSameBits) {
  const std::vector<int64_t> shape = {3, 700};
  forEachUnit([&](auto unit) {
    using Unit = decltype(unit);
    auto again = [&](uint64_t seed) { return normal(DType::BF16, shape, seed); };
    Tensor out = again(9), da = again(9), db = again(9);
    ASSERT_EQ(run(typename Unit::Forward{again(1), again(2), out}), "");
    ASSERT_EQ(run(typename Unit::Backward{again(3), again(1), again(2), da, db}), "");
    for (bool first : {true, false}) {
      Tensor a = again(1), b = again(2), g = again(3);
      ASSERT_EQ(run(typename Unit::Forward{a, b, first ? a : b}), "");
      EXPECT_EQ(values(first ? a : b), values(out));
      a = again(1), b = again(2);
      Tensor ofA = first ? a : g, ofB = first ? b : a;
      ASSERT_EQ(run(typename Unit::Backward{g, a, b, ofA, ofB}), "");
      EXPECT_EQ(values(ofA), values(da));
      EXPECT_EQ(values(ofB), values(db));
    }
  });
}

TEST_P(GatedUnitOp, StridesAndBlocksGiveTheSameBits) {
  forEachUnit([&](auto unit) {
    using Unit = decltype(unit);
    // a and b side by side, as a projection of both leaves them, and as columns.
    Tensor both = normal(DType::F32, {4, 100}, 1), out = fresh(DType::F32, {4, 50});
    std::vector<double> numbers = values(both);
    HostTensor a = *HostTensor::zeros(DType::F32, {4, 50});
    HostTensor b = *HostTensor::zeros(DType::F32, {4, 50});
    HostTensor columns = *HostTensor::zeros(DType::F32, {50, 4});
    for (int64_t i = 0; i < 200; ++i) {
      a.set(i, numbers[size_t(i / 50 * 100 + i % 50)]);
      b.set(i, numbers[size_t(i / 50 * 100 + i % 50 + 50)]);
      columns.set(i % 50 * 4 + i / 50, a.get(i));
    }
    ASSERT_EQ(run(typename Unit::Forward{upload(a), upload(b), out}), "");
    std::vector<double> want = values(out);
    Tensor left = {.data = both.data, .shape = {4, 50}, .strides = {100, 1}}, right = left;
    right.data = static_cast<float *>(both.data) + 50;
    Tensor transposed = upload(columns), wide = fresh(DType::F32, {4, 200});
    transposed.shape = {4, 50}, transposed.strides = {1, 4};
    Tensor every = {.data = wide.data, .shape = {4, 50}, .strides = {200, 3}};
    for (int64_t block : {0, 16, 4096}) {
      ASSERT_EQ(run(typename Unit::Forward{left, right, out}, {.block = block}), "");
      EXPECT_EQ(values(out), want);
      ASSERT_EQ(run(typename Unit::Forward{transposed, right, every}, {.block = block}), "");
      EXPECT_EQ(values(every), want);
      EXPECT_EQ(values(wide)[1], 77); // nothing in between is touched
    }
  });
}

TEST_P(GatedUnitOp, DenseTensorsAreOneLine) {
  Tensor x = normal(DType::F32, {64, 32}, 1);
  auto programs = [&](const Tensor &tensor) {
    return plan(SwiGlu{tensor, tensor, tensor}, device.properties())->launches.front().grid.x;
  };
  EXPECT_EQ(programs(x), 2);
  EXPECT_EQ(programs({.data = x.data, .shape = {32, 32}, .strides = {64, 1}}), 32);
}

TEST_P(GatedUnitOp, Mistakes) {
  Tensor x = normal(DType::F32, {2, 8}, 1), y = normal(DType::F32, {2, 9}, 2);
  EXPECT_EQ(run(SwiGlu{x, y, x}), "SwiGlu, b: found f32[2, 9], expected the shape [2, 8]");
  EXPECT_EQ(run(GeGluBackward{x, x, x, x, {.data = x.data, .dtype = DType::I32, .shape = {2, 8}}}),
            "GeGluBackward, db: found i32[2, 8], expected f16, bf16 or f32");
  EXPECT_EQ(run(GeGlu{x, x, x}, {.block = 1000}),
            "GeGlu: found a block of 1000, expected a power of two up to 1048576");
}

} // namespace
} // namespace tigon::ops
