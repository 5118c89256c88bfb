// SPDX-License-Identifier: Apache-2.0
//
// Dialect math. Functions come from the host's C library in double; f32 and narrower results are
// thus within half an ulp and a hair of the exact value, f64 results within about an ulp.
#include "dialect/interpreter/Elementwise.h"

#include "llvm/ADT/bit.h"

#include <cmath>

using namespace mlir;

namespace tigon::interpreter {
namespace {

// An fma has one rounding, which the double's must not anticipate.
LogicalResult evaluateFma(Evaluator &evaluator, math::FmaOp op) {
  if (evaluator.isExact() && getElement(op.getType()).width < 64)
    return elementwise<fusedMultiplyAdd>(evaluator, op);
  return elementwise<[](double a, double b, double c) { return std::fma(a, b, c); }>(evaluator, op);
}

uint64_t integerPower(uint64_t base, uint64_t exponent) {
  uint64_t power = 1;
  for (; exponent; exponent >>= 1, base *= base)
    if (exponent & 1)
      power *= base;
  return power;
}

// Negative exponents: the reciprocal, truncated; of zero some value, and no trap.
int64_t integerPowerSigned(int64_t base, int64_t exponent) {
  if (exponent >= 0)
    return integerPower(base, exponent);
  if (base == 1 || base == -1)
    return exponent % 2 == 0 ? 1 : base;
  return 0;
}

} // namespace

static void addFunctions(OpTable &table) {
  using r = double;
  table.add<math::ExpOp>(elementwise<[](r x) { return std::exp(x); }>);
  table.add<math::Exp2Op>(elementwise<[](r x) { return std::exp2(x); }>);
  table.add<math::ExpM1Op>(elementwise<[](r x) { return std::expm1(x); }>);
  table.add<math::LogOp>(elementwise<[](r x) { return std::log(x); }>);
  table.add<math::Log2Op>(elementwise<[](r x) { return std::log2(x); }>);
  table.add<math::Log10Op>(elementwise<[](r x) { return std::log10(x); }>);
  table.add<math::Log1pOp>(elementwise<[](r x) { return std::log1p(x); }>);
  table.add<math::SqrtOp>(elementwise<[](r x) { return std::sqrt(x); }>);
  table.add<math::RsqrtOp>(elementwise<[](r x) { return 1 / std::sqrt(x); }>);
  table.add<math::CbrtOp>(elementwise<[](r x) { return std::cbrt(x); }>);
  table.add<math::SinOp>(elementwise<[](r x) { return std::sin(x); }>);
  table.add<math::CosOp>(elementwise<[](r x) { return std::cos(x); }>);
  table.add<math::TanOp>(elementwise<[](r x) { return std::tan(x); }>);
  table.add<math::SincosOp>(
      elementwisePair<[](r x) { return std::sin(x); }, [](r x) { return std::cos(x); }>);
  table.add<math::AsinOp>(elementwise<[](r x) { return std::asin(x); }>);
  table.add<math::AcosOp>(elementwise<[](r x) { return std::acos(x); }>);
  table.add<math::AtanOp>(elementwise<[](r x) { return std::atan(x); }>);
  table.add<math::Atan2Op>(elementwise<[](r y, r x) { return std::atan2(y, x); }>);
  table.add<math::SinhOp>(elementwise<[](r x) { return std::sinh(x); }>);
  table.add<math::CoshOp>(elementwise<[](r x) { return std::cosh(x); }>);
  table.add<math::TanhOp>(elementwise<[](r x) { return std::tanh(x); }>);
  table.add<math::AsinhOp>(elementwise<[](r x) { return std::asinh(x); }>);
  table.add<math::AcoshOp>(elementwise<[](r x) { return std::acosh(x); }>);
  table.add<math::AtanhOp>(elementwise<[](r x) { return std::atanh(x); }>);
  table.add<math::ErfOp>(elementwise<[](r x) { return std::erf(x); }>);
  table.add<math::ErfcOp>(elementwise<[](r x) { return std::erfc(x); }>);
  table.add<math::PowFOp>(elementwise<[](r x, r y) { return std::pow(x, y); }>);
  table.add<math::FPowIOp>(elementwise<[](r x, int64_t n) { return std::pow(x, double(n)); }>);
}

void addMathOps(OpTable &table) {
  using r = double;
  addFunctions(table);
  table.add<evaluateFma>();
  table.add<math::FloorOp>(elementwise<[](r x) { return std::floor(x); }>);
  table.add<math::CeilOp>(elementwise<[](r x) { return std::ceil(x); }>);
  table.add<math::TruncOp>(elementwise<[](r x) { return std::trunc(x); }>);
  table.add<math::RoundOp>(elementwise<[](r x) { return std::round(x); }>);
  table.add<math::RoundEvenOp>(elementwise<[](r x) { return std::nearbyint(x); }>);
  table.add<math::AbsFOp>(choosing<[](r x) { return std::abs(x); }>);
  table.add<math::CopySignOp>(choosing<[](r x, r y) { return std::copysign(x, y); }>);
  table.add<math::ClampFOp>(
      choosing<[](r x, r low, r high) { return std::fmax(std::fmin(x, high), low); }>);
  table.add<math::IsNaNOp>(elementwise<[](r x) { return std::isnan(x); }>);
  table.add<math::IsInfOp>(elementwise<[](r x) { return std::isinf(x); }>);
  table.add<math::IsFiniteOp>(elementwise<[](r x) { return std::isfinite(x); }>);
  table.add<math::AbsIOp>(elementwise<[](int64_t x) { return x < 0 ? -uint64_t(x) : x; }>);
  table.add<math::IPowIOp>(elementwise<integerPowerSigned>);
  table.add<math::CtPopOp>(elementwise<[](uint64_t x) { return llvm::popcount(x); }>);
  table.add<math::CountLeadingZerosOp>(
      elementwise<[](Width w, uint64_t x) { return llvm::countl_zero(x) - (64 - int(w.bits)); }>);
  table.add<math::CountTrailingZerosOp>(
      elementwise<[](Width w, uint64_t x) { return std::min(llvm::countr_zero(x), int(w.bits)); }>);
}

} // namespace tigon::interpreter
