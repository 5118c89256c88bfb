// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/OpTest.h"

namespace tigon::ops {
namespace {

class LayerNormOp : public OpTest {};
TIGON_TEST_ON_DEVICES(LayerNormOp);

/// All of it in double, of values as the tensors hold them. Without w a factor of 1, without b 0.
struct Reference {
  std::vector<double> y, mean, rstd, dx, dw, db;
  /// What f32 may lose: a few ulp of the summands.
  std::vector<double> slackOfY, slackOfDx, slackOfDw, slackOfDb;

  Reference(const std::vector<double> &x, const std::vector<double> &w,
            const std::vector<double> &b, const std::vector<double> &dy, int64_t n, double eps)
      : y(x.size()), dx(x.size()), dw(n), db(n), slackOfY(x.size() + 1), slackOfDx(x.size() + 1),
        slackOfDw(n, 1e-30), slackOfDb(n, 1e-30) {
    constexpr double ulps = 1e-6;
    auto factor = [&](int64_t c) { return w.empty() ? 1 : w[c]; };
    for (size_t row = 0; row < x.size(); row += size_t(n)) {
      double sum = 0, squares = 0, total = 0, along = 0, size = 0;
      for (int64_t c = 0; c < n; ++c)
        sum += x[row + c];
      double m = sum / double(n);
      for (int64_t c = 0; c < n; ++c)
        squares += (x[row + c] - m) * (x[row + c] - m);
      double s = 1 / std::sqrt(squares / double(n) + eps);
      mean.push_back(m);
      rstd.push_back(s);
      for (int64_t c = 0; c < n; ++c) {
        double h = (x[row + c] - m) * s, g = dy[row + c] * factor(c);
        y[row + c] = h * factor(c) + (b.empty() ? 0 : b[c]);
        // x - mean is off by an ulp of the mean.
        slackOfY[row + c] = ulps * (std::fabs(h) + std::fabs(m) * s) * std::fabs(factor(c)) +
                            ulps * std::fabs(y[row + c]);
        total += g / double(n);
        along += g * h / double(n);
        size += (std::fabs(g) + std::fabs(g * h)) / double(n);
        dw[c] += dy[row + c] * h;
        db[c] += dy[row + c];
        slackOfDw[c] += ulps * std::fabs(dy[row + c]) * (std::fabs(h) + std::fabs(m) * s);
        slackOfDb[c] += ulps * std::fabs(dy[row + c]);
      }
      for (int64_t c = 0; c < n; ++c) {
        double h = (x[row + c] - m) * s, g = dy[row + c] * factor(c);
        dx[row + c] = s * (g - total - h * along);
        slackOfDx[row + c] =
            ulps * s * (std::fabs(g) + size * (1 + std::fabs(h)) * (1 + std::fabs(m) * s));
      }
    }
  }
};

struct Case {
  std::vector<int64_t> shape;
  DType dtype, dtypeOfW;
  bool hasW, hasB;
};

std::vector<Case> cases() {
  std::vector<Case> list;
  for (DType dtype : {DType::F32, DType::BF16, DType::F16}) {
    for (const std::vector<int64_t> &shape : std::vector<std::vector<int64_t>>{
             {1, 1}, {0, 8}, {3, 0}, {5, 7}, {2, 3, 64}, {9, 1000}, {1, 4097}})
      list.push_back({shape, dtype, dtype, true, true});
    for (bool hasW : {false, true})
      for (bool hasB : {false, true})
        list.push_back({{3, 40}, dtype, DType::F32, hasW, hasB});
  }
  return list;
}

TEST_P(LayerNormOp, ForwardAndBackward) {
  for (const Case &each : cases()) {
    SCOPED_TRACE(testing::Message()
                 << testing::PrintToString(each.shape) << " " << dtypeName(each.dtype)
                 << (each.hasW ? "" : " without w") << (each.hasB ? "" : " without b"));
    int64_t n = each.shape.back();
    std::vector<int64_t> rows(each.shape.begin(), each.shape.end() - 1);
    Tensor x = normal(each.dtype, each.shape, 1), dy = normal(each.dtype, each.shape, 2);
    Tensor w, b, dw, db;
    if (each.hasW)
      w = normal(each.dtypeOfW, {n}, 3), dw = fresh(each.dtypeOfW, {n});
    if (each.hasB)
      b = normal(each.dtypeOfW, {n}, 4), db = fresh(each.dtypeOfW, {n});
    Tensor y = fresh(each.dtype, each.shape), dx = fresh(each.dtype, each.shape);
    Tensor mean = fresh(DType::F32, rows), rstd = fresh(DType::F32, rows);
    ASSERT_EQ(run(LayerNorm{x, w, b, y, mean, rstd}), "");
    ASSERT_EQ(run(LayerNormBackward{dy, x, w, mean, rstd, dx, dw, db}), "");
    if (!n) // nothing to compare
      continue;

    Reference want(values(x), each.hasW ? values(w) : std::vector<double>(),
                   each.hasB ? values(b) : std::vector<double>(), values(dy), n, 1e-5f);
    expectNear(values(y), want.y, each.dtype, 1, want.slackOfY);
    expectNear(values(mean), want.mean, DType::F32, 8, {1e-7});
    expectNear(values(rstd), want.rstd, DType::F32, 8, {0});
    expectNear(values(dx), want.dx, each.dtype, 1, want.slackOfDx);
    if (each.hasW)
      expectNear(values(dw), want.dw, each.dtypeOfW, 1, want.slackOfDw);
    if (each.hasB)
      expectNear(values(db), want.db, each.dtypeOfW, 1, want.slackOfDb);
  }
}

// The mean of squares, 1e8, is known to 8 in f32; less the square of the mean it would be no variance.
TEST_P(LayerNormOp, ALargeMeanCostsTheVarianceNothing) {
  HostTensor x = *HostTensor::randn(DType::F32, {3, 1000}, 5);
  for (int64_t i = 0; i < x.elements(); ++i)
    x.set(i, 1e4 + x.get(i));
  Tensor tensor = upload(x), y = fresh(DType::F32, {3, 1000}), rstd = fresh(DType::F32, {3});
  ASSERT_EQ(run(LayerNorm{.x = tensor, .y = y, .rstd = rstd}), "");
  Reference want(values(tensor), {}, {}, values(tensor), 1000, 1e-5f);
  expectNear(values(rstd), want.rstd, DType::F32, 16, {0});
  expectNear(values(y), want.y, DType::F32, 1, want.slackOfY);
}

TEST_P(LayerNormOp, InPlaceGivesTheSameBits) {
  for (DType dtype : {DType::F32, DType::BF16}) {
    const std::vector<int64_t> shape = {6, 100};
    Tensor x = normal(dtype, shape, 1), dy = normal(dtype, shape, 2), y = fresh(dtype, shape);
    Tensor w = normal(dtype, {100}, 3), b = normal(dtype, {100}, 4);
    Tensor mean = fresh(DType::F32, {6}), rstd = fresh(DType::F32, {6}), dx = fresh(dtype, shape);
    Tensor dw = fresh(dtype, {100}), db = fresh(dtype, {100});
    ASSERT_EQ(run(LayerNorm{x, w, b, y, mean, rstd}), "");
    ASSERT_EQ(run(LayerNormBackward{dy, x, w, mean, rstd, dx, dw, db}), "");
    std::vector<double> wantDw = values(dw), wantDb = values(db);
    for (bool inDy : {true, false}) {
      Tensor v = normal(dtype, shape, 1), g = normal(dtype, shape, 2);
      ASSERT_EQ(run(LayerNormBackward{g, v, w, mean, rstd, inDy ? g : v, dw, db}), "");
      EXPECT_EQ(values(inDy ? g : v), values(dx));
      EXPECT_EQ(values(dw), wantDw);
      EXPECT_EQ(values(db), wantDb);
    }
    ASSERT_EQ(run(LayerNorm{x, w, b, x, mean, rstd}), "");
    EXPECT_EQ(values(x), values(y));
  }
}

TEST_P(LayerNormOp, StridesGiveTheSameBits) {
  Tensor x = normal(DType::F32, {6, 50}, 1), w = normal(DType::F32, {50}, 3);
  Tensor b = normal(DType::F32, {50}, 4), y = fresh(DType::F32, {6, 50}),
         z = fresh(DType::F32, {6, 50});
  ASSERT_EQ(run(LayerNorm{x, w, b, y}), "");
  // The same numbers as every third of rows of 200, and as columns.
  std::vector<double> numbers = values(x), want = values(y);
  HostTensor wide = *HostTensor::zeros(DType::F32, {6, 200});
  HostTensor transposed = *HostTensor::zeros(DType::F32, {50, 6});
  for (int64_t i = 0; i < 300; ++i) {
    wide.set(i / 50 * 200 + i % 50 * 3, numbers[size_t(i)]);
    transposed.set(i % 50 * 6 + i / 50, numbers[size_t(i)]);
  }
  Tensor every = upload(wide), columns = upload(transposed);
  every.shape = columns.shape = {6, 50};
  every.strides = {200, 3};
  columns.strides = {1, 6};
  for (const Tensor &from : {every, columns}) {
    ASSERT_EQ(run(LayerNorm{from, w, b, z}), "");
    EXPECT_EQ(values(z), want);
  }
  ASSERT_EQ(run(LayerNorm{x, w, b, every}), "");
  EXPECT_EQ(values(every), want);
  EXPECT_EQ(values({.data = every.data, .shape = {6, 200}})[1], 0); // nothing in between is touched
}

TEST_P(LayerNormOp, AnyBlockAndAnyNumberOfProgramsWillDo) {
  Tensor x = normal(DType::F32, {11, 5}, 1), dy = normal(DType::F32, {11, 5}, 2);
  Tensor w = normal(DType::F32, {5}, 3), y = fresh(DType::F32, {11, 5}),
         dx = fresh(DType::F32, {11, 5});
  Tensor mean = fresh(DType::F32, {11}), rstd = fresh(DType::F32, {11});
  Tensor dw = fresh(DType::F32, {5}), db = fresh(DType::F32, {5});
  Reference want(values(x), values(w), {}, values(dy), 5, 1e-5f);
  for (int64_t programs : {1, 3, 11, 64})
    for (int64_t block : {8, 2048}) {
      ASSERT_EQ(run(LayerNorm{x, w, {}, y, mean, rstd}, {.block = block}), "");
      expectNear(values(y), want.y, DType::F32, 1, want.slackOfY);
      ASSERT_EQ(run(LayerNormBackward{dy, x, w, mean, rstd, dx, dw, db},
                    {.block = block, .programs = programs}),
                "");
      expectNear(values(dx), want.dx, DType::F32, 1, want.slackOfDx);
      expectNear(values(dw), want.dw, DType::F32, 1, want.slackOfDw);
      expectNear(values(db), want.db, DType::F32, 1, want.slackOfDb);
    }
}

TEST_P(LayerNormOp, NanAndInfinityStayInTheirRow) {
  HostTensor x = *HostTensor::zeros(DType::F32, {4, 8});
  x.set(9, NAN);
  x.set(17, INFINITY);
  for (int64_t i = 24; i < 32; ++i) // all of one value: nothing is left but b
    x.set(i, -0.0);
  Tensor y = fresh(DType::F32, {4, 8}), b = normal(DType::F32, {8}, 1);
  ASSERT_EQ(run(LayerNorm{.x = upload(x), .b = b, .y = y}), "");
  std::vector<double> got = values(y), rest = values(b);
  for (size_t i = 0; i < 32; ++i)
    if (i / 8 == 1 || i / 8 == 2)
      EXPECT_TRUE(std::isnan(got[i])) << i;
    else
      EXPECT_EQ(got[i], rest[i % 8]) << i;
}

TEST_P(LayerNormOp, RowsBeyond65536) {
  constexpr int64_t n = 70001;
  Tensor x = normal(DType::BF16, {2, n}, 1), w = normal(DType::BF16, {n}, 2);
  Tensor y = fresh(DType::BF16, {2, n});
  ASSERT_EQ(run(LayerNorm{.x = x, .w = w, .y = y}), "");
  Reference want(values(x), values(w), {}, values(x), n, 1e-5f);
  expectNear(values(y), want.y, DType::BF16, 1.01, want.slackOfY);
}

TEST_P(LayerNormOp, Mistakes) {
  Tensor x = normal(DType::F32, {2, 8}, 1), w = normal(DType::F32, {7}, 2);
  Tensor stats = fresh(DType::F32, {2}), wrong = fresh(DType::F32, {3});
  EXPECT_EQ(run(LayerNorm{.x = x, .b = w, .y = x}),
            "LayerNorm, b: found f32[7], expected 8 elements");
  EXPECT_EQ(run(LayerNorm{.x = x, .y = x, .mean = wrong}),
            "LayerNorm, mean: found f32[3], expected f32, 2 elements, one next to the other");
  LayerNormBackward backward = {.dy = x, .x = x, .mean = wrong, .rstd = stats, .dx = x};
  EXPECT_EQ(run(backward), "LayerNormBackward, mean: found f32[3], expected f32, 2 elements, "
                           "one next to the other");
  backward.mean = stats;
  backward.dw = fresh(DType::F32, {8});
  EXPECT_EQ(run(backward),
            "LayerNormBackward: found dw and no w, expected both, or w alone, or none");
}

} // namespace
} // namespace tigon::ops
