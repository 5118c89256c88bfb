// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/OpTest.h"

namespace tigon::ops {
namespace {

class CrossEntropyOp : public OpTest {
protected:
  Tensor targets(const std::vector<int64_t> &numbers, DType dtype = DType::I64) {
    HostTensor host = *HostTensor::zeros(dtype, {int64_t(numbers.size())});
    for (size_t i = 0; i < numbers.size(); ++i)
      host.set(int64_t(i), double(numbers[i]));
    return upload(host);
  }
};
TIGON_TEST_ON_DEVICES(CrossEntropyOp);

/// In double, of rows of n.
struct Reference {
  std::vector<double> losses, gradient;
  double sum = 0, count = 0;

  Reference(const std::vector<double> &x, const std::vector<int64_t> &target, int64_t n,
            int64_t ignoreIndex)
      : gradient(x.size(), 0) {
    for (size_t r = 0; r < target.size(); ++r) {
      losses.push_back(0);
      if (target[r] == ignoreIndex)
        continue;
      const double *row = &x[r * size_t(n)], own = row[target[r]];
      double rest = 0, most = own;
      for (int64_t c = 0; c < n; ++c)
        most = std::fmax(most, row[c]);
      for (int64_t c = 0; c < n; ++c)
        rest += c == target[r] ? 0 : std::exp(row[c] - most);
      double whole = rest + std::exp(own - most);
      for (int64_t c = 0; c < n; ++c)
        gradient[r * size_t(n) + size_t(c)] =
            c == target[r] ? -rest / whole : std::exp(row[c] - most) / whole;
      losses[r] = own == most ? std::log1p(rest) : std::log(whole) + most - own;
      sum += losses[r];
      ++count;
    }
  }

  std::vector<double> scaled(double factor) const {
    std::vector<double> result = gradient;
    for (double &d : result)
      d *= factor;
    return result;
  }
};

/// A few times 1e-7 of each.
std::vector<double> slackOf(const std::vector<double> &numbers) {
  std::vector<double> slack;
  for (double number : numbers)
    slack.push_back(2e-6 * std::fabs(number));
  return slack.empty() ? std::vector<double>{0} : slack;
}

std::vector<int64_t> someTargets(int64_t rows, int64_t n, int64_t ignoreIndex) {
  std::vector<int64_t> numbers;
  for (int64_t r = 0; r < rows; ++r)
    numbers.push_back(r % 4 == 2 ? ignoreIndex : (r * 7919 + n - 1) % n);
  return numbers;
}

TEST_P(CrossEntropyOp, LossAndGradient) {
  for (DType dtype : {DType::F32, DType::BF16, DType::F16})
    for (auto [rows, n] : std::vector<std::pair<int64_t, int64_t>>{
             {1, 1}, {0, 8}, {7, 5}, {4, 64}, {6, 1000}, {3, 5001}})
      for (Reduction reduction : {Reduction::None, Reduction::Mean, Reduction::Sum}) {
        SCOPED_TRACE(testing::Message()
                     << rows << " x " << n << " " << dtypeName(dtype) << " " << int(reduction));
        DType dtypeOfTarget = reduction == Reduction::Sum ? DType::I32 : DType::I64;
        int64_t ignoreIndex = reduction == Reduction::Sum ? 0 : -100;
        std::vector<int64_t> target = someTargets(rows, n, ignoreIndex);
        Tensor x = normal(dtype, {rows, n}, 1), dx = fresh(dtype, {rows, n});
        bool isEach = reduction == Reduction::None;
        Tensor loss = isEach ? fresh(DType::F32, {rows}) : fresh(DType::F32, {});
        Reference want(values(x), target, n, ignoreIndex);
        CrossEntropy op = {x, targets(target, dtypeOfTarget), loss, dx, ignoreIndex, reduction};
        ASSERT_EQ(run(op), "");

        double scale = reduction == Reduction::Mean ? 1 / want.count : 1;
        std::vector<double> losses = isEach ? want.losses : std::vector{scale * want.sum};
        if (want.count == 0 && reduction == Reduction::Mean)
          losses = {NAN};
        std::vector<double> gradient = want.scaled(want.count ? scale : 0);
        expectNear(values(loss), losses, DType::F32, 1, slackOf(losses));
        expectNear(values(dx), gradient, dtype, 1, slackOf(gradient));

        op.dlogits = {}; // the loss alone, to the bit
        Tensor alone = isEach ? fresh(DType::F32, {rows}) : fresh(DType::F32, {});
        op.loss = alone;
        ASSERT_EQ(run(op), "");
        for (size_t i = 0; i < losses.size(); ++i)
          EXPECT_TRUE(values(alone)[i] == values(loss)[i] || std::isnan(losses[i]));
      }
}

TEST_P(CrossEntropyOp, InPlaceAndAnyBlockGiveTheSameBits) {
  for (DType dtype : {DType::F32, DType::BF16}) {
    std::vector<int64_t> target = someTargets(5, 300, -100);
    Tensor x = normal(dtype, {5, 300}, 1), dx = fresh(dtype, {5, 300}),
           loss = fresh(DType::F32, {});
    ASSERT_EQ(run(CrossEntropy{x, targets(target), loss, dx}), "");
    Reference want(values(x), target, 300, -100);
    std::vector<double> gradient = want.scaled(1 / want.count);
    Tensor y = fresh(dtype, {5, 300}), lossOfY = fresh(DType::F32, {1});
    for (int64_t block : {64, 128, 8192}) { // the first two walk through a row
      ASSERT_EQ(run(CrossEntropy{x, targets(target), lossOfY, y}, {.block = block}), "");
      expectNear(values(y), gradient, dtype, 1, slackOf(gradient));
      EXPECT_NEAR(values(lossOfY)[0], want.sum / want.count, 1e-6);
      Tensor z = normal(dtype, {5, 300}, 1);
      ASSERT_EQ(run(CrossEntropy{z, targets(target), lossOfY, z}, {.block = block}), "");
      EXPECT_EQ(values(z), values(y));
    }
    ASSERT_EQ(run(CrossEntropy{x, targets(target), lossOfY, x}), "");
    EXPECT_EQ(values(x), values(dx));
    EXPECT_EQ(values(lossOfY), values(loss));
  }
}

TEST_P(CrossEntropyOp, StridesGiveTheSameBits) {
  std::vector<int64_t> target = someTargets(6, 50, -100);
  Tensor x = normal(DType::F32, {6, 50}, 1), dx = fresh(DType::F32, {6, 50});
  Tensor loss = fresh(DType::F32, {6});
  ASSERT_EQ(run(CrossEntropy{x, targets(target), loss, dx, -100, Reduction::None}), "");
  std::vector<double> numbers = values(x);
  HostTensor wide = *HostTensor::zeros(DType::F32, {6, 200});
  HostTensor far = *HostTensor::zeros(DType::I32, {6, 3});
  for (int64_t i = 0; i < 300; ++i)
    wide.set(i / 50 * 200 + i % 50 * 3, numbers[i]);
  for (int64_t r = 0; r < 6; ++r)
    far.set(r * 3, double(target[r]));
  Tensor a = upload(wide), t = upload(far), z = fresh(DType::F32, {2, 3, 50});
  a.shape = {2, 3, 50};
  a.strides = {600, 200, 3};
  t.shape = {2, 3};
  t.strides = {9, 3};
  Tensor losses = fresh(DType::F32, {2, 3});
  for (const Tensor &to : {z, a}) {
    ASSERT_EQ(run(CrossEntropy{a, t, losses, to, -100, Reduction::None}), "");
    EXPECT_EQ(values(to), values(dx));
    EXPECT_EQ(values(losses), values(loss));
  }
  EXPECT_EQ(values({.data = a.data, .shape = {6, 200}})[1], 0); // nothing in between is touched
}

// Of an almost certain class what is left is still known: in a sum with the class in it, it would be lost.
TEST_P(CrossEntropyOp, NearCertaintyKeepsItsDigits) {
  for (DType dtype : {DType::F32, DType::BF16})
    for (auto [above, block] :
         {std::pair(8.0, 0), {20.0, 0}, {20.0, 256}, {80.0, 0}, {80.0, 256}}) {
      HostTensor x = *HostTensor::zeros(dtype, {1, 1000});
      for (int64_t c = 0; c < 1000; ++c)
        x.set(c, -300);
      x.set(700, -300 + above);
      Tensor logits = upload(x), loss = fresh(DType::F32, {}), dx = fresh(dtype, {1, 1000});
      double rest = 999 * std::exp(values(logits)[0] - values(logits)[700]);
      ASSERT_EQ(run(CrossEntropy{logits, targets({700}), loss, dx}, {.block = block}), "");
      EXPECT_NEAR(values(loss)[0] / std::log1p(rest), 1, 4e-6) << above;
      EXPECT_NEAR(values(dx)[700] / (-rest / (1 + rest)), 1, 4e-6 + roundoff(dtype)) << above;
    }
}

TEST_P(CrossEntropyOp, LargeLogitsLoseNothing) {
  for (auto [dtype, block] : {std::pair(DType::F32, 0),
                              {DType::BF16, 0},
                              {DType::BF16, 64},
                              {DType::F16, 0},
                              {DType::F32, 64}}) {
    HostTensor x = *HostTensor::randn(dtype, {4, 200}, 5);
    for (int64_t i = 0; i < x.elements(); ++i)
      x.set(i, 1e4 + 8 * x.get(i));
    Tensor logits = upload(x), loss = fresh(DType::F32, {4}), dx = fresh(dtype, {4, 200});
    std::vector<int64_t> target = {0, 3, 199, 50};
    Reference want(values(logits), target, 200, -100);
    CrossEntropy op = {logits, targets(target), loss, dx, -100, Reduction::None};
    ASSERT_EQ(run(op, {.block = block}), "");
    expectNear(values(loss), want.losses, DType::F32, 1, slackOf(want.losses));
    expectNear(values(dx), want.gradient, dtype, 1, slackOf(want.gradient));
  }
}

TEST_P(CrossEntropyOp, IgnoredRowsAreZeroWhateverTheyHold) {
  HostTensor x = *HostTensor::randn(DType::F32, {3, 10}, 1);
  x.set(3, NAN);
  x.set(4, INFINITY);
  Tensor logits = upload(x), loss = fresh(DType::F32, {}), dx = fresh(DType::F32, {3, 10});
  std::vector<double> numbers = values(logits);
  numbers[3] = numbers[4] = 0;
  Reference want(numbers, {2, 5, 7}, 10, 2);
  ASSERT_EQ(run(CrossEntropy{logits, targets({2, 5, 7}), loss, dx, 2}), "");
  EXPECT_NEAR(values(loss)[0], want.sum / 2, 1e-6);
  expectNear(values(dx), want.scaled(0.5), DType::F32, 1, {1e-6});
  // Of no row that counts the mean is NaN, the sum and both gradients 0.
  for (Reduction reduction : {Reduction::Mean, Reduction::Sum}) {
    Tensor gradient = fresh(DType::F32, {3, 10});
    ASSERT_EQ(run(CrossEntropy{logits, targets({2, 2, 2}), loss, gradient, 2, reduction}), "");
    EXPECT_EQ(std::isnan(values(loss)[0]), reduction == Reduction::Mean);
    EXPECT_EQ(values(gradient), std::vector<double>(30, 0));
  }
}

TEST_P(CrossEntropyOp, NanAndInfinityStayInTheirRow) {
  for (DType dtype : {DType::F32, DType::BF16})
    for (int64_t block : {0, 64}) {
      HostTensor x = *HostTensor::zeros(dtype, {6, 100});
      for (int64_t i = 0; i < 600; ++i)
        x.set(i, i % 100 < 3 ? 0 : -INFINITY);
      x.set(1, NAN);         // row 0
      x.set(101, INFINITY);  // row 1
      x.set(201, -INFINITY); // row 2, not the target
      x.set(300, -INFINITY); // row 3, the target
      for (int64_t c : {400, 401, 402})
        x.set(c, -INFINITY); // row 4
      Tensor loss = fresh(DType::F32, {6}), dx = fresh(dtype, {6, 100});
      CrossEntropy op = {upload(x), targets({0, 0, 0, 0, 0, 0}), loss, dx, -100, Reduction::None};
      ASSERT_EQ(run(op, {.block = block}), "");
      std::vector<double> l = values(loss), d = values(dx);
      for (int64_t row : {0, 1, 4}) {
        EXPECT_TRUE(std::isnan(l[row])) << row;
        for (int64_t c = 0; c < 100; ++c)
          EXPECT_TRUE(std::isnan(d[100 * row + c])) << row;
      }
      EXPECT_NEAR(l[2], std::log(2), 1e-6);
      EXPECT_EQ(std::vector(&d[200], &d[203]), (std::vector{-0.5, 0.0, 0.5}));
      EXPECT_EQ(l[3], INFINITY);
      EXPECT_EQ(std::vector(&d[300], &d[303]), (std::vector{-1.0, 0.5, 0.5}));
      EXPECT_NEAR(l[5], std::log(3), 1e-6);
    }
}

TEST_P(CrossEntropyOp, TargetsThatAreNoColumnGiveNan) {
  for (int64_t target :
       {int64_t(8), int64_t(-1), int64_t(1) << 40, int64_t(3) - (int64_t(1) << 32)}) {
    Tensor x = normal(DType::BF16, {2, 8}, 1), loss = fresh(DType::F32, {2}),
           dx = fresh(DType::BF16, {2, 8});
    ASSERT_EQ(run(CrossEntropy{x, targets({target, 1}), loss, dx, -100, Reduction::None}), "");
    for (int64_t i = 0; i < 16; ++i)
      EXPECT_EQ(std::isnan(values(dx)[i]), i < 8) << target;
    EXPECT_TRUE(std::isnan(values(loss)[0]) && !std::isnan(values(loss)[1])) << target;
  }
}

// More rows than one tile of what counts them and adds up their losses.
TEST_P(CrossEntropyOp, ManyRows) {
  std::vector<int64_t> target;
  for (int64_t r = 0; r < 20001; ++r)
    target.push_back(r % 5 ? r % 3 : -100);
  Tensor x = normal(DType::F16, {20001, 3}, 1), loss = fresh(DType::F32, {});
  Reference want(values(x), target, 3, -100);
  ASSERT_EQ(run(CrossEntropy{x, targets(target), loss}), "");
  EXPECT_NEAR(values(loss)[0], want.sum / want.count, 1e-6);
}

TEST_P(CrossEntropyOp, Mistakes) {
  Tensor x = normal(DType::F32, {2, 8}, 1), t = targets({1, 2}), loss = fresh(DType::F32, {});
  EXPECT_EQ(run(CrossEntropy{x, targets({1}), loss}),
            "CrossEntropy, target: found i64[1], expected i32 or i64, a number a row (2)");
  EXPECT_EQ(run(CrossEntropy{x, loss, loss}),
            "CrossEntropy, target: found f32[], expected i32 or i64, a number a row (2)");
  EXPECT_EQ(run(CrossEntropy{x, t, loss, {}, -100, Reduction::None}),
            "CrossEntropy, loss: found f32[], expected f32, 2 elements, one next to the other");
  EXPECT_EQ(run(CrossEntropy{x, t, fresh(DType::BF16, {})}),
            "CrossEntropy, loss: found bf16[], expected f32, 1 element, one next to the other");
  EXPECT_EQ(run(CrossEntropy{x, t, loss, fresh(DType::BF16, {2, 8})}),
            "CrossEntropy, dlogits: found bf16[2, 8], expected the type of the logits, f32");
  Tensor y = x;
  y.shape = {2, 8};
  y.strides = {1, 2};
  EXPECT_EQ(run(CrossEntropy{x, t, loss, y}),
            "CrossEntropy, dlogits: found strides of 1 from row to row and 2 from element to "
            "element, expected those of the input in whose place it is, 8 and 1");
}

} // namespace
} // namespace tigon::ops
