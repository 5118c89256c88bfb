// SPDX-License-Identifier: Apache-2.0
//
// Functions whose values other tests do not look at: the module they make verifies and round-trips.
#include "tests/dialect/lang/Built.h"

#include <gmock/gmock.h>

namespace tigon::lang {
namespace {

using testing::HasSubstr;

struct EveryOp : testing::Test {
  Kernel k{"k"};
  Value p = k.pointer("p", F32), q = k.pointer("q", I32), n = k.scalar("n", I32);
  Value i = arange(0, 32), x = load(p + i), j = load(q + i);
};

TEST_F(EveryOp, Arithmetic) {
  Value integer = (j / 3).to(I32) + j % 3 - (j & 1) + (j | 2) ^ ~j;
  integer = (integer << 1) + (integer >> 2) + abs(-j) + minimum(j, 3) + maximum(j, n);
  integer += cdiv(j, 3) + umulhi(j, j) + (j != 0).to(I32) + (!(j < 1) && j <= 3 || j >= n).to(I32);
  Value real = exp(x) + exp2(x) + log(x) + log2(x) + sqrt(x) + rsqrt(x) + sin(x) + cos(x);
  real += tanh(x) + erf(x) + floor(x) + ceil(x) + sigmoid(x) + sqrtRn(x) + divRn(x, 3.0) + abs(x);
  real = fma(real, x, 1.0) + clamp(x, -1.0, 1.0) + maximum(x, 0, PropagateNan::All);
  real *= externElementwise("__nv_log1pf", {x}, F32);
  store(p + i, where(x > 0, real, integer));
  std::string text = textOf(k);
  for (const char *op : {"arith.divf", "math.exp2", "tt.clampf", "tt.precise_divf", "tt.mulhiui",
                         "arith.maximumf", "symbol = \"__nv_log1pf\""})
    EXPECT_THAT(text, HasSubstr(op));
}

TEST_F(EveryOp, Casts) {
  Value y = x.to(BF16).to(F16).to(F32) + x.to(F8E4M3).to(F32) + bitcast(j, F32);
  y += cast(x, F16, Rounding::TowardZero) + j.to(U8).to(F32) + x.to(I1).to(I64);
  Value address = p.to(I64);
  store(toPointer(address, F32) + i, y + toPointer(q, F32).to(I64));
  std::string text = textOf(k);
  EXPECT_THAT(text, HasSubstr("rounding = rtz"));
  EXPECT_THAT(text, HasSubstr("tt.int_to_ptr"));
}

// As HostTensor and conversions have it (docs/semantics.md, section 3).
TEST_F(EveryOp, NumbersTooLargeForEightBitsAreTheLargest) {
  store(k.pointer("bytes", F8E4M3) + i, full({32}, 1000.0, F8E4M3));
  EXPECT_THAT(textOf(k), HasSubstr("dense<4.480000e+02> : tensor<32xf8E4M3FN>"));
}

TEST_F(EveryOp, Shapes) {
  auto [a, b] = split(join(x, 2 * x));
  auto [c, d] = split(join(n, 3));
  Value matrix = broadcastTo(expandDims(a, 1), {32, 4}) + expandDims(arange(0, 4), 0);
  store(p + i, sum(trans(matrix), 0) + gather(b, j, 0) + c + d);
  store(q + arange(0, 64), ravel(cat(j, j), /*canReorder=*/true));
  store(q + arange(0, 16), histogram(j, 16, j >= 0) + splat(n, {16}) + zerosLike(n));
  EXPECT_THAT(textOf(k), HasSubstr("tt.histogram"));
}

TEST_F(EveryOp, ScansAndDot) {
  Value h = broadcastTo(expandDims(x, 0), {16, 32}).to(F16);
  Value product = dot(h, trans(h)) +
                  dot(h, trans(h), zeros({16, 16}, F32), {.inputPrecision = InputPrecision::IEEE});
  Value last = scan(x, 0, [](Value a, Value b) { return a * b + 1; }, /*reverse=*/true);
  auto [decay, state] = scan({x, last}, 0, [](Value a1, Value b1, Value a2, Value b2) {
    return Values{a1 * a2, b1 * a2 + b2};
  });
  store(p + i, cumsum(x, 0) + cumprod(x, -1) + decay + state);
  store(p, sum(product));
  std::string text = textOf(k);
  EXPECT_THAT(text, HasSubstr("tt.scan"));
  EXPECT_THAT(text, HasSubstr("tt.dot"));
}

TEST_F(EveryOp, Atomics) {
  Value mask = i < n;
  Value before = atomicAdd(p + i, x, {.mask = mask}) + atomicMax(p + i, x) + atomicMin(p + i, 1);
  before += atomicAdd(q + i, 1, {.semantic = Semantic::Relaxed}) + atomicXchg(q + i, j);
  before += atomicAnd(q + i, j) + atomicOr(q + i, j) + atomicXor(q + i, j) + atomicMax(q + i, j);
  before += atomicCas(q, 0, n);
  store(p + i, before, {.mask = mask, .cache = Cache::CS, .evict = Evict::First});
  std::string text = textOf(k);
  EXPECT_THAT(text, HasSubstr("tt.atomic_rmw fadd, acq_rel, gpu"));
  EXPECT_THAT(text, HasSubstr("tt.atomic_cas acq_rel, gpu"));
}

TEST_F(EveryOp, HintsAndDebugging) {
  Value base = multipleOf(n * 16, {16});
  Value near = maxConstancy(maxContiguous(base + i, {32}), {1});
  assume(n > 0);
  debugBarrier();
  devicePrint("x", {x, j});
  deviceAssert(j >= 0, "negative");
  store(p + near, xorSum(j) + prod(x) + numPrograms(1), {.cache = Cache::WB});
  std::string text = textOf(k);
  for (const char *what : {"tt.divisibility = dense<16>", "llvm.intr.assume", "tt.print \" x: \"",
                           "tt.assert", "cacheModifier = wb"})
    EXPECT_THAT(text, HasSubstr(what));
}

} // namespace
} // namespace tigon::lang
