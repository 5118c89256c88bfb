// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/OpTest.h"

namespace tigon::ops {
namespace {

class RopeOp : public OpTest {
protected:
  /// Cosine and sine, [batch, length, width], the same in both halves, as Llama has them.
  std::pair<Tensor, Tensor> tables(DType dtype, int64_t batch, int64_t length, int64_t width) {
    HostTensor cos = *HostTensor::zeros(dtype, {batch, length, width});
    HostTensor sin = *HostTensor::zeros(dtype, {batch, length, width});
    for (int64_t i = 0; i < cos.elements(); ++i) {
      int64_t pair = i % width % std::max<int64_t>(1, width / 2), place = i / width;
      double angle = double(place + 1) * std::pow(1e4, -2.0 * double(pair) / double(width));
      cos.set(i, std::cos(angle));
      sin.set(i, std::sin(angle));
    }
    return {upload(cos), upload(sin)};
  }
};
TIGON_TEST_ON_DEVICES(RopeOp);

struct Shape {
  int64_t batch, length, heads, headsOfK, d;
};

/// In double, of x [batch, length, heads, d] and tables [tableBatch, length, width].
std::vector<double> turn(const std::vector<double> &x, const std::vector<double> &cos,
                         const std::vector<double> &sin, int64_t length, int64_t heads, int64_t d,
                         int64_t width, int64_t turned, double sign) {
  std::vector<double> out = x;
  for (size_t head = 0; head < x.size() / size_t(std::max<int64_t>(d, 1)); ++head) {
    int64_t place = int64_t(head) / heads,
            tables = int64_t(cos.size()) / std::max<int64_t>(1, width);
    int64_t table = tables == length ? place % length : place;
    for (int64_t i = 0; i < turned / 2; ++i) {
      double a = x[head * size_t(d) + size_t(i)], b = x[head * size_t(d) + size_t(i + turned / 2)];
      double c = cos[size_t(table * width + i)], s = sign * sin[size_t(table * width + i)];
      out[head * size_t(d) + size_t(i)] = a * c - b * s;
      out[head * size_t(d) + size_t(i + turned / 2)] = b * c + a * s;
    }
  }
  return out;
}

TEST_P(RopeOp, TurnsAndTurnsBack) {
  for (DType dtype : {DType::F32, DType::BF16, DType::F16})
    for (Shape s : {Shape{1, 1, 1, 1, 2}, Shape{2, 3, 5, 1, 8}, Shape{2, 0, 4, 2, 8},
                    Shape{1, 7, 3, 2, 20}, Shape{2, 4, 32, 8, 128}})
      for (int64_t tableBatch : {int64_t(1), s.batch})
        for (bool isBackward : {false, true}) {
          SCOPED_TRACE(testing::Message() << s.heads << " heads of " << s.d << " "
                                          << dtypeName(dtype) << " tables " << tableBatch);
          Tensor q = normal(dtype, {s.batch, s.length, s.heads, s.d}, 1);
          Tensor k = normal(dtype, {s.batch, s.length, s.headsOfK, s.d}, 2);
          Tensor outQ = fresh(dtype, q.shape), outK = fresh(dtype, k.shape);
          auto [cos, sin] = tables(dtype, tableBatch, s.length, s.d);
          Rope op = {q, k, cos, sin, outQ, outK, 0, isBackward};
          ASSERT_EQ(run(op), "");
          double sign = isBackward ? -1 : 1;
          std::vector<double> c = values(cos), z = values(sin);
          auto wantQ = turn(values(q), c, z, s.length, s.heads, s.d, s.d, s.d, sign);
          auto wantK = turn(values(k), c, z, s.length, s.headsOfK, s.d, s.d, s.d, sign);
          expectNear(values(outQ), wantQ, dtype, 1, {1e-6});
          expectNear(values(outK), wantK, dtype, 1, {1e-6});
          op.outQ = q, op.outK = k;
          ASSERT_EQ(run(op), "");
          EXPECT_EQ(values(q), values(outQ));
          EXPECT_EQ(values(k), values(outK));
        }
}

TEST_P(RopeOp, AnyStridesGiveTheSameBits) {
  Shape s = {2, 5, 3, 2, 16};
  Tensor q = normal(DType::BF16, {s.batch, s.length, s.heads, s.d}, 1);
  Tensor k = normal(DType::BF16, {s.batch, s.length, s.headsOfK, s.d}, 2);
  auto [cos, sin] = tables(DType::F32, 1, s.length, s.d);
  Tensor outQ = fresh(DType::BF16, q.shape), outK = fresh(DType::BF16, k.shape);
  ASSERT_EQ(run(Rope{q, k, cos, sin, outQ, outK}), "");
  // [batch, heads, length, d], every second of rows twice as long, seen as [batch, length, heads, d].
  std::vector<double> numbers = values(q);
  HostTensor host = *HostTensor::zeros(DType::BF16, {s.batch, s.heads, s.length, 2 * s.d});
  for (int64_t i = 0; i < int64_t(numbers.size()); ++i) {
    int64_t head = i / s.d % s.heads, place = i / s.d / s.heads;
    int64_t row = (place / s.length * s.heads + head) * s.length + place % s.length;
    host.set(row * 2 * s.d + 2 * (i % s.d), numbers[i]);
  }
  Tensor other = upload(host);
  other.shape = q.shape;
  other.strides = {s.heads * s.length * 2 * s.d, 2 * s.d, s.length * 2 * s.d, 2};
  Tensor to = fresh(DType::BF16, q.shape), toK = fresh(DType::BF16, k.shape);
  ASSERT_EQ(run(Rope{other, k, cos, sin, to, toK}), "");
  EXPECT_EQ(values(to), values(outQ));
  ASSERT_EQ(run(Rope{other, k, cos, sin, other, k}), "");
  EXPECT_EQ(values(other), values(outQ));
  EXPECT_EQ(values(k), values(outK));
  EXPECT_EQ(values({.data = other.data, .dtype = DType::BF16, .shape = {2}})[1], 0);
}

TEST_P(RopeOp, PartOfAHeadTurns) {
  for (DType dtype : {DType::F32, DType::BF16}) {
    Shape s = {2, 3, 3, 2, 20};
    Tensor q = normal(dtype, {s.batch, s.length, s.heads, s.d}, 1), out = fresh(dtype, q.shape);
    auto [cos, sin] = tables(DType::F32, 2, s.length, 6);
    std::vector<double> want =
        turn(values(q), values(cos), values(sin), s.length, s.heads, s.d, 6, 12, 1);
    ASSERT_EQ(run(Rope{.q = q, .cos = cos, .sin = sin, .outQ = out, .rotaryDim = 12}), "");
    expectNear(values(out), want, dtype, 1, {1e-6});
    ASSERT_EQ(run(Rope{.q = q, .cos = cos, .sin = sin, .outQ = q, .rotaryDim = 12}), "");
    EXPECT_EQ(values(q), values(out));
  }
}

TEST_P(RopeOp, NanStaysInItsPair) {
  HostTensor host = *HostTensor::randn(DType::F32, {1, 2, 3, 8}, 1);
  host.set(25, NAN);
  Tensor q = upload(host), out = fresh(DType::F32, q.shape);
  auto [cos, sin] = tables(DType::F32, 1, 2, 8);
  ASSERT_EQ(run(Rope{.q = q, .cos = cos, .sin = sin, .outQ = out}), "");
  for (int64_t i = 0; i < 48; ++i)
    EXPECT_EQ(std::isnan(values(out)[i]), i == 25 || i == 29) << i;
}

TEST_P(RopeOp, MoreSequencesThanAGridIsHigh) {
  Tensor q = normal(DType::F32, {65536, 1, 1, 2}, 1), out = fresh(DType::F32, q.shape);
  auto [cos, sin] = tables(DType::F32, 1, 1, 2);
  ASSERT_EQ(run(Rope{.q = q, .cos = cos, .sin = sin, .outQ = out}), "");
  for (size_t i : {size_t(0), size_t(2 * 65534), size_t(2 * 65535)}) {
    double a = values(q)[i], b = values(q)[i + 1], c = values(cos)[0], s = values(sin)[0];
    EXPECT_NEAR(values(out)[i], a * c - b * s, 1e-5);
    EXPECT_NEAR(values(out)[i + 1], b * c + a * s, 1e-5);
  }
}

TEST_P(RopeOp, Mistakes) {
  Tensor q = normal(DType::F32, {1, 2, 3, 8}, 1), flat = normal(DType::F32, {2, 24}, 1);
  auto [cos, sin] = tables(DType::F32, 1, 2, 8);
  Rope op = {.q = q, .cos = cos, .sin = sin, .outQ = q};
  auto with = [&](auto change) {
    Rope changed = op;
    change(changed);
    return run(changed);
  };
  EXPECT_EQ(with([&](Rope &o) { o.q = flat; }),
            "Rope, q: found f32[2, 24], expected 4 axes: batch, length, heads, elements");
  EXPECT_EQ(with([&](Rope &o) { o.k = q; }),
            "Rope: found k alone, expected k and outK, or neither");
  EXPECT_EQ(with([&](Rope &o) { o.rotaryDim = 5; }),
            "Rope: found 5 elements of a head of 8 to turn, expected an even number of them");
  EXPECT_EQ(with([&](Rope &o) { o.cos.shape = {3, 2, 8}; }),
            "Rope, cos: found f32[3, 2, 8], expected [1 or 1, 2, 4 or more]");
  EXPECT_EQ(with([&](Rope &o) { o.outQ.strides = {48, 8, 16, 1}; }),
            "Rope, outQ: found strides [48, 8, 16, 1], expected those of the input in whose place "
            "it is, [48, 24, 8, 1]");
  EXPECT_EQ(with([&](Rope &o) { o.k = o.outK = normal(DType::F32, {1, 3, 3, 8}, 1); }),
            "Rope, k: found f32[1, 3, 3, 8], expected [1, 2, heads, 8], as q");
}

} // namespace
} // namespace tigon::ops
