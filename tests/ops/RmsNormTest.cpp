// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/OpTest.h"

#include <sys/mman.h>

namespace tigon::ops {
namespace {

class RmsNormOp : public OpTest {};
TIGON_TEST_ON_DEVICES(RmsNormOp);

/// All of it in double, of values as the tensors hold them. Without w a factor of 1.
struct Reference {
  std::vector<double> y, rstd, dx, dw;
  /// What f32 may lose: a few ulp of the summands.
  std::vector<double> slackOfDx, slackOfDw;

  Reference(const std::vector<double> &x, const std::vector<double> &w,
            const std::vector<double> &dy, int64_t n, double eps, double offset)
      : y(x.size()), dx(x.size()), dw(n), slackOfDx(x.size()), slackOfDw(n, 1e-30) {
    constexpr double ulps = 1e-6;
    auto factor = [&](int64_t c) { return w.empty() ? 1 : offset + w[c]; };
    for (size_t row = 0; row < x.size(); row += size_t(n)) {
      double squares = 0, dot = 0, size = 0;
      for (int64_t c = 0; c < n; ++c)
        squares += x[row + c] * x[row + c];
      double s = 1 / std::sqrt(squares / double(n) + eps);
      rstd.push_back(s);
      for (int64_t c = 0; c < n; ++c) {
        y[row + c] = x[row + c] * s * factor(c);
        dot += dy[row + c] * factor(c) * x[row + c] / double(n);
        size += std::fabs(dy[row + c] * factor(c) * x[row + c]) / double(n);
      }
      for (int64_t c = 0; c < n; ++c) {
        double m = dy[row + c] * factor(c);
        dx[row + c] = s * (m - x[row + c] * s * s * dot);
        slackOfDx[row + c] = ulps * s * (std::fabs(m) + std::fabs(x[row + c]) * s * s * size);
        dw[c] += dy[row + c] * x[row + c] * s;
        slackOfDw[c] += ulps * std::fabs(dy[row + c] * x[row + c] * s);
      }
    }
  }
};

struct Case {
  std::vector<int64_t> shape;
  DType dtype, dtypeOfW;
  Casting casting;
  float offset;
  bool hasW;
};

std::vector<Case> cases() {
  std::vector<Case> list;
  for (DType dtype : {DType::F32, DType::BF16, DType::F16}) {
    for (const std::vector<int64_t> &shape : std::vector<std::vector<int64_t>>{
             {1, 1}, {0, 8}, {5, 7}, {2, 3, 64}, {9, 1000}, {1, 4097}})
      list.push_back({shape, dtype, dtype, Casting::Llama, 0, true});
    for (Casting casting : {Casting::Llama, Casting::Gemma, Casting::None})
      for (bool hasW : {false, true})
        list.push_back({{3, 40}, dtype, DType::F32, casting, 1, hasW});
  }
  return list;
}

TEST_P(RmsNormOp, ForwardAndBackward) {
  for (const Case &each : cases()) {
    SCOPED_TRACE(testing::Message()
                 << testing::PrintToString(each.shape) << " " << dtypeName(each.dtype)
                 << " casting " << int(each.casting) << (each.hasW ? "" : " without w"));
    int64_t n = each.shape.back();
    std::vector<int64_t> rows(each.shape.begin(), each.shape.end() - 1);
    Tensor x = normal(each.dtype, each.shape, 1), dy = normal(each.dtype, each.shape, 2), w, dw;
    if (each.hasW) {
      w = normal(each.dtypeOfW, {n}, 3);
      dw = fresh(each.dtypeOfW, {n});
    }
    Tensor y = fresh(each.dtype, each.shape), dx = fresh(each.dtype, each.shape);
    Tensor rstd = fresh(DType::F32, rows);
    RmsNorm forward = {x, w, y, rstd, 1e-5f, each.offset, each.casting};
    RmsNormBackward backward = {dy, x, w, rstd, dx, dw, each.offset, each.casting};
    ASSERT_EQ(run(forward), "");
    ASSERT_EQ(run(backward), "");

    Reference want(values(x), each.hasW ? values(w) : std::vector<double>(), values(dy), n,
                   double(forward.eps), double(each.offset));
    // Llama rounds in between, and so does a sum of rounded squares.
    double roundings = each.casting == Casting::Gemma ? 1 : 2;
    std::vector<double> slackOfY = {1e-30};
    for (double v : want.y)
      slackOfY.push_back(1e-6 * std::fabs(v));
    slackOfY.erase(slackOfY.begin(), slackOfY.begin() + !want.y.empty());
    expectNear(values(y), want.y, each.dtype, roundings, slackOfY);
    if (each.casting != Casting::None) {
      expectNear(values(rstd), want.rstd, DType::F32, 8, {0});
      expectNear(values(dx), want.dx, each.dtype, 1, want.slackOfDx);
    }
    if (each.hasW && each.casting == Casting::Gemma)
      expectNear(values(dw), want.dw, each.dtypeOfW, 1, want.slackOfDw);
    if (each.hasW && each.casting == Casting::Llama) {
      for (double &slack : want.slackOfDw) // x / rms is rounded there too
        slack *= 1 + roundoff(each.dtype) / 1e-6;
      expectNear(values(dw), want.dw, each.dtypeOfW, 1, want.slackOfDw);
    }
  }
}

TEST_P(RmsNormOp, InPlaceGivesTheSameBits) {
  for (DType dtype : {DType::F32, DType::BF16}) {
    Tensor x = normal(dtype, {6, 100}, 1), dy = normal(dtype, {6, 100}, 2);
    Tensor w = normal(dtype, {100}, 3), y = fresh(dtype, {6, 100}), rstd = fresh(DType::F32, {6});
    Tensor dx = fresh(dtype, {6, 100}), dw = fresh(dtype, {100}), dw2 = fresh(dtype, {100});
    ASSERT_EQ(run(RmsNorm{x, w, y, rstd}), "");
    ASSERT_EQ(run(RmsNormBackward{dy, x, w, rstd, dx, dw}), "");
    ASSERT_EQ(run(RmsNormBackward{dy, x, w, rstd, dy, dw2}), "");
    EXPECT_EQ(values(dy), values(dx));
    EXPECT_EQ(values(dw2), values(dw));
    ASSERT_EQ(run(RmsNorm{x, w, x}), "");
    EXPECT_EQ(values(x), values(y));
  }
}

TEST_P(RmsNormOp, StridesGiveTheSameBits) {
  Tensor x = normal(DType::F32, {6, 50}, 1), w = normal(DType::F32, {50}, 3);
  Tensor y = fresh(DType::F32, {6, 50}), rstd = fresh(DType::F32, {6});
  ASSERT_EQ(run(RmsNorm{x, w, y, rstd}), "");
  // The same numbers as every third of rows of 200, and as columns.
  std::vector<double> numbers = values(x);
  HostTensor wide = *HostTensor::zeros(DType::F32, {6, 200});
  HostTensor transposed = *HostTensor::zeros(DType::F32, {50, 6});
  for (int64_t i = 0; i < 300; ++i) {
    wide.set(i / 50 * 200 + i % 50 * 3, numbers[i]);
    transposed.set(i % 50 * 6 + i / 50, numbers[i]);
  }
  Tensor a = upload(wide), b = upload(transposed), z = fresh(DType::F32, {6, 50});
  a.shape = b.shape = {6, 50};
  a.strides = {200, 3};
  b.strides = {1, 6};
  for (const Tensor &from : {a, b}) {
    ASSERT_EQ(run(RmsNorm{from, w, z}), "");
    EXPECT_EQ(values(z), values(y));
  }
  ASSERT_EQ(run(RmsNorm{x, w, a}), "");
  EXPECT_EQ(values(a), values(y));
  EXPECT_EQ(values({.data = a.data, .shape = {6, 200}})[1], 0); // nothing in between is touched
}

TEST_P(RmsNormOp, AnyBlockAndAnyNumberOfProgramsWillDo) {
  Tensor x = normal(DType::F32, {11, 5}, 1), dy = normal(DType::F32, {11, 5}, 2);
  Tensor w = normal(DType::F32, {5}, 3), y = fresh(DType::F32, {11, 5});
  Tensor rstd = fresh(DType::F32, {11}), dx = fresh(DType::F32, {11, 5}),
         dw = fresh(DType::F32, {5});
  Reference want(values(x), values(w), values(dy), 5, 1e-6f, 0);
  for (int64_t programs : {1, 3, 11, 64})
    for (int64_t block : {8, 2048}) {
      ASSERT_EQ(run(RmsNorm{x, w, y, rstd}, {.block = block}), "");
      ASSERT_EQ(
          run(RmsNormBackward{dy, x, w, rstd, dx, dw}, {.block = block, .programs = programs}), "");
      expectNear(values(dx), want.dx, DType::F32, 1, want.slackOfDx);
      expectNear(values(dw), want.dw, DType::F32, 1, want.slackOfDw);
    }
}

TEST_P(RmsNormOp, NanStaysInItsRow) {
  HostTensor x = *HostTensor::randn(DType::F32, {3, 10}, 1);
  x.set(13, NAN);
  x.set(0, -0.0);
  Tensor y = fresh(DType::F32, {3, 10}), w = fresh(DType::F32, {10});
  ASSERT_EQ(run(RmsNorm{upload(x), w, y}), "");
  std::vector<double> got = values(y);
  EXPECT_TRUE(got[0] == 0 && std::signbit(got[0]));
  for (int64_t i = 0; i < 30; ++i)
    EXPECT_EQ(std::isnan(got[i]), i / 10 == 1) << i;
}

TEST_P(RmsNormOp, RowsBeyond65536) {
  Tensor x = normal(DType::BF16, {2, 70001}, 1), y = fresh(DType::BF16, {2, 70001});
  Tensor w = normal(DType::BF16, {70001}, 2);
  ASSERT_EQ(run(RmsNorm{x, w, y}), "");
  Reference want(values(x), values(w), values(x), 70001, 1e-6f, 0);
  expectNear(values(y), want.y, DType::BF16, 2.01, {0});
}

TEST_P(RmsNormOp, NewLengthsCompileLittle) {
  for (int64_t rows : {1, 2, 3, 5, 16, 17, 32, 100})
    for (int64_t n : {33, 40, 48, 63}) {
      Tensor x = normal(DType::F32, {rows, n}, 1), w = normal(DType::F32, {n}, 2);
      ASSERT_EQ(run(RmsNorm{x, w, x}), "");
    }
  EXPECT_LE(library.compilations(), 6u);
}

TEST_P(RmsNormOp, Mistakes) {
  Tensor x = normal(DType::F32, {2, 8}, 1), w = normal(DType::F32, {7}, 2);
  Tensor rstd = fresh(DType::F32, {3});
  EXPECT_EQ(run(RmsNorm{x, w, x}), "RmsNorm, w: found f32[7], expected 8 elements");
  EXPECT_EQ(run(RmsNorm{x, {}, x, rstd}), "RmsNorm, rstd: found f32[3], expected f32, 2 "
                                          "elements, one next to the other");
  RmsNormBackward backward = {.dy = x, .x = x, .rstd = fresh(DType::F32, {2}), .dx = x};
  backward.dw = fresh(DType::F32, {8});
  EXPECT_EQ(run(backward),
            "RmsNormBackward: found dw and no w, expected both, or w alone, or none");
  backward.w = normal(DType::F32, {8}, 2);
  auto planned = plan(backward, device.properties());
  auto ran = library.run(stream, *planned);
  ASSERT_FALSE(bool(ran));
  EXPECT_EQ(ran.error().text().substr(0, 46), "found a workspace of 0 bytes at 0x0, expected ");
}

// Two rows that stand more than 2^31 elements apart, in memory that is only touched where they are.
TEST(RmsNorm, OffsetsPass2To31) {
  constexpr int64_t stride = (int64_t(1) << 31) + 48;
  constexpr size_t bytes = (stride + 64) * sizeof(float);
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto *x = static_cast<float *>(memory);
  std::vector<float> y(10);
  for (int64_t i = 0; i < 5; ++i)
    x[i] = float(i), x[stride + i] = -2 * float(i);
  Device device = *Device::open("cpu");
  auto planned = plan(RmsNorm{.x = {.data = x, .shape = {2, 5}, .strides = {stride, 1}},
                              .y = {.data = y.data(), .shape = {2, 5}}},
                      device.properties());
  ASSERT_TRUE(bool(planned));
  EXPECT_TRUE(bool(Library(device).run(*Stream::create(device), *planned)));
  for (int64_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(y[i], float(i) / std::sqrt(6.0f), 1e-5);
    EXPECT_NEAR(y[5 + i], -float(i) / std::sqrt(6.0f), 1e-5);
  }
  munmap(memory, bytes);
}

} // namespace
} // namespace tigon::ops
