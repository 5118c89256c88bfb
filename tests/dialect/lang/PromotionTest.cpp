// SPDX-License-Identifier: Apache-2.0
//
// What two types become, as docs/lang.md tabulates it.
#include "dialect/lang/Promotion.h"

#include "tests/dialect/lang/Built.h"

namespace tigon::lang {
namespace {

TEST(Promotion, OfTwoValues) {
  struct {
    DType a, b, sum;
  } table[] = {
      {F64, BF16, F64},    {F32, F64, F64},          {F32, F16, F32},       {F32, I64, F32},
      {F16, BF16, F16},    {F16, I32, F16},          {BF16, BF16, BF16},    {BF16, I32, F32},
      {BF16, F8E5M2, F32}, {F8E4M3, F8E4M3, F8E4M3}, {F8E4M3, F8E5M2, F16}, {I32, I64, I64},
      {I8, U16, U16},      {I32, U32, U32},          {U8, I32, I32},        {I1, I8, I8},
      {I1, I1, I1},
  };
  for (auto [a, b, sum] : table) {
    EXPECT_EQ(promote({a}, {b}), sum) << nameOf(a) << " + " << nameOf(b);
    EXPECT_EQ(promote({b}, {a}), sum) << nameOf(b) << " + " << nameOf(a);
  }
  EXPECT_EQ(promote({F8E4M3}, {I32}), std::nullopt);
}

TEST(Promotion, ANumberYieldsToAValueOfItsKindOrAHigherOne) {
  EXPECT_EQ(promote({BF16}, {F32, true}), BF16);
  EXPECT_EQ(promote({F16}, {I32, true}), F16);
  EXPECT_EQ(promote({I8}, {I64, true}), I8);
  EXPECT_EQ(promote({I8}, {F32, true}), F32);
  EXPECT_EQ(promote({I1}, {I32, true}), I32);
  EXPECT_EQ(promote({F32, true}, {F64, true}), F64);
}

TEST(Promotion, DivisionOfSmallFloatsIsInF32) {
  EXPECT_EQ(promote({F16}, {F16}, true), F32);
  EXPECT_EQ(promote({BF16}, {F32, true}, true), F32);
  EXPECT_EQ(promote({F64}, {F16}, true), F64);
  EXPECT_EQ(promote({I32}, {U32}, true), std::nullopt);
}

TEST(Promotion, NumbersAreOfTheLeastType) {
  EXPECT_EQ(Value(1).dtype(), I32);
  EXPECT_EQ(Value(-1L << 31).dtype(), I32);
  EXPECT_EQ(Value(1L << 31).dtype(), U32);
  EXPECT_EQ(Value(-(1L << 31) - 1).dtype(), I64);
  EXPECT_EQ(Value(1L << 40).dtype(), I64);
  EXPECT_EQ(Value(~0UL).dtype(), U64);
  EXPECT_EQ(Value(true).dtype(), I1);
  EXPECT_EQ(Value(0.1).dtype(), F32);
  EXPECT_EQ(Value(1e300).dtype(), F64);
  EXPECT_EQ(Value(1e-40).dtype(), F64);
}

TEST(Promotion, ReachesTheOps) {
  Kernel k("k");
  Value x = load(k.pointer("x", BF16) + arange(0, 8)), n = k.scalar("n", I32);
  EXPECT_EQ((x * 2.5).dtype(), BF16);
  EXPECT_EQ((x + n).dtype(), F32);
  EXPECT_EQ((n / 3).dtype(), F32);
  EXPECT_EQ((x / x).dtype(), F32);
  EXPECT_EQ((n < 3).dtype(), I1);
  EXPECT_EQ((x * n).shape(), Shape{8});
  EXPECT_EQ((expandDims(x, 1) + expandDims(arange(0, 4), 0)).shape(), (Shape{8, 4}));
  textOf(k);
}

} // namespace
} // namespace tigon::lang
