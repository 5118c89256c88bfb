// SPDX-License-Identifier: Apache-2.0
//
// Integer and float arithmetic, comparisons, selection, conversions, constants: dialect arith and
// its like in tt.
#include "dialect/interpreter/Elementwise.h"

#include <cmath>

using namespace mlir;

namespace tigon::interpreter {
namespace {

using Int128 = __int128;
using UInt128 = unsigned __int128;

//===-- Integers -----------------------------------------------------------------------------===//
// Division by zero gives zero: some value, and no trap. The quotient of the least integer and -1 is
// the negated dividend, cut to the width.

int64_t divideSigned(int64_t a, int64_t b) {
  if (b == 0)
    return 0;
  return b == -1 ? int64_t(-uint64_t(a)) : a / b;
}

int64_t remainderSigned(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }

int64_t divideFloor(int64_t a, int64_t b) {
  bool inexact = remainderSigned(a, b) != 0;
  return divideSigned(a, b) - (inexact && (a < 0) != (b < 0));
}

int64_t divideCeil(int64_t a, int64_t b) {
  bool inexact = remainderSigned(a, b) != 0;
  return divideSigned(a, b) + (inexact && (a < 0) == (b < 0));
}

bool compareIntegers(arith::CmpIPredicate predicate, Element element, uint64_t a, uint64_t b) {
  using P = arith::CmpIPredicate;
  int64_t signedA = element.extend(a), signedB = element.extend(b);
  switch (predicate) {
  case P::eq:
    return a == b;
  case P::ne:
    return a != b;
  case P::slt:
    return signedA < signedB;
  case P::sle:
    return signedA <= signedB;
  case P::sgt:
    return signedA > signedB;
  case P::sge:
    return signedA >= signedB;
  case P::ult:
    return a < b;
  case P::ule:
    return a <= b;
  case P::ugt:
    return a > b;
  case P::uge:
    return a >= b;
  }
  llvm_unreachable("a predicate that is none");
}

LogicalResult evaluateCmpI(Evaluator &evaluator, arith::CmpIOp op) {
  arith::CmpIPredicate predicate = op.getPredicate();
  Element element = getElement(op.getLhs().getType());
  return applyToLanes<bool, uint64_t, uint64_t>(evaluator, op, [=](uint64_t a, uint64_t b) {
    return compareIntegers(predicate, element, a, b);
  });
}

LogicalResult evaluateAddExtended(Evaluator &evaluator, arith::AddUIExtendedOp op) {
  unsigned width = getElement(op.getLhs().getType()).width;
  (void)applyToLanes<uint64_t, uint64_t, uint64_t>(evaluator, op, std::plus<uint64_t>(), 0);
  return applyToLanes<bool, uint64_t, uint64_t>(
      evaluator, op, [=](uint64_t a, uint64_t b) { return bool((UInt128(a) + b) >> width); }, 1);
}

//===-- Floats -------------------------------------------------------------------------------===//

double minNum(double a, double b) { return a < b || std::isnan(b) ? a : b; }
double maxNum(double a, double b) { return a > b || std::isnan(b) ? a : b; }

double minimum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return a + b;
  return a < b || (a == b && std::signbit(a)) ? a : b;
}

double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return a + b;
  return a > b || (a == b && std::signbit(b)) ? a : b;
}

LogicalResult evaluateClampF(Evaluator &evaluator, tt::ClampFOp op) {
  if (op.getPropagateNan() == tt::PropagateNan::All)
    return choosing<[](double x, double low, double high) {
      return minimum(maximum(x, low), high);
    }>(evaluator, op);
  return choosing<[](double x, double low, double high) { return minNum(maxNum(x, low), high); }>(
      evaluator, op);
}

// The predicates are sets of relations: 1 equal, 2 greater, 4 less, 8 unordered.
unsigned relationsOf(arith::CmpFPredicate predicate) {
  unsigned value = unsigned(predicate);
  if (predicate == arith::CmpFPredicate::UNO)
    return 8;
  if (predicate == arith::CmpFPredicate::AlwaysTrue)
    return 15;
  return value < unsigned(arith::CmpFPredicate::UEQ) ? value : value - 7 + 8;
}

LogicalResult evaluateCmpF(Evaluator &evaluator, arith::CmpFOp op) {
  unsigned relations = relationsOf(op.getPredicate());
  return applyToLanes<bool, double, double>(evaluator, op, [=](double a, double b) {
    unsigned relation = a == b ? 1 : a > b ? 2 : a < b ? 4 : 8;
    return (relations & relation) != 0;
  });
}

//===-- Conversions --------------------------------------------------------------------------===//

LogicalResult evaluateTruncF(Evaluator &evaluator, arith::TruncFOp op) {
  arith::RoundingMode mode = op.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even);
  if (mode != arith::RoundingMode::to_nearest_even && mode != arith::RoundingMode::toward_zero)
    return evaluator.fail(op, "found rounding '" + arith::stringifyRoundingMode(mode) +
                                  "', expected to_nearest_even or toward_zero");
  return applyToLanes<double, double>(
      evaluator, op, [](double x) { return x; }, 0,
      mode == arith::RoundingMode::toward_zero ? Rounding::TowardZero : Rounding::NearestEven);
}

LogicalResult evaluateFpToFp(Evaluator &evaluator, tt::FpToFpOp op) {
  if (op.getSrc().getType() == op.getResult().getType())
    return evaluator.set(op.getResult(), evaluator.get(op.getSrc()));
  return applyToLanes<double, double>(
      evaluator, op, [](double x) { return x; }, 0,
      op.getRounding() == tt::RoundingMode::RTZ ? Rounding::TowardZero : Rounding::NearestEven);
}

LogicalResult evaluateBitcast(Evaluator &evaluator, Operation *op) {
  Element from = getElement(op->getOperand(0).getType());
  Element to = getElement(op->getResult(0).getType());
  return applyToLanes<Lane, Lane>(evaluator, op, [=](Lane lane) -> Lane {
    uint64_t bits = from.format ? from.format->encode(lane.real) : lane.word;
    return to.format ? Lane{0, to.format->decode(bits)} : Lane{bits, 0};
  });
}

LogicalResult evaluateConstant(Evaluator &evaluator, arith::ConstantOp op) {
  Element element = getElement(op.getType());
  auto lane = [&](const auto &value) -> Lane {
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, APFloat>)
      return {0, element.format->decode(value.bitcastToAPInt().getZExtValue())};
    else
      return {value.getZExtValue(), 0};
  };
  if (auto integer = dyn_cast<IntegerAttr>(op.getValue()))
    return evaluator.set(op, Tile::ofWords(1, lane(integer.getValue()).word));
  if (auto real = dyn_cast<FloatAttr>(op.getValue()))
    return evaluator.set(op, Tile::ofReals(1, lane(real.getValue()).real));
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!dense)
    return evaluator.fail(op, "found " + debugString(op.getValue()) +
                                  ", expected a number or a dense constant");
  Tile tile = Tile::of(element, dense.isSplat() ? 1 : dense.getNumElements());
  auto fill = [&](auto values) {
    for (size_t i = 0; i < tile.size(); ++i)
      tile.set(i, lane(values[i]));
  };
  element.format ? fill(dense.getValues<APFloat>()) : fill(dense.getValues<APInt>());
  return evaluator.set(op, tile.expand(dense.getNumElements()));
}

} // namespace

static void addIntegerOps(OpTable &table) {
  using u = uint64_t;
  using s = int64_t;
  table.add<arith::AddIOp>(elementwise<[](u a, u b) { return a + b; }>);
  table.add<arith::SubIOp>(elementwise<[](u a, u b) { return a - b; }>);
  table.add<arith::MulIOp>(elementwise<[](u a, u b) { return a * b; }>);
  table.add<arith::AndIOp>(elementwise<[](u a, u b) { return a & b; }>);
  table.add<arith::OrIOp>(elementwise<[](u a, u b) { return a | b; }>);
  table.add<arith::XOrIOp>(elementwise<[](u a, u b) { return a ^ b; }>);
  table.add<arith::DivSIOp>(elementwise<divideSigned>);
  table.add<arith::RemSIOp>(elementwise<remainderSigned>);
  table.add<arith::FloorDivSIOp>(elementwise<divideFloor>);
  table.add<arith::CeilDivSIOp>(elementwise<divideCeil>);
  table.add<arith::DivUIOp>(elementwise<[](u a, u b) { return b ? a / b : 0; }>);
  table.add<arith::RemUIOp>(elementwise<[](u a, u b) { return b ? a % b : 0; }>);
  table.add<arith::CeilDivUIOp>(elementwise<[](u a, u b) { return b ? a / b + (a % b != 0) : 0; }>);
  table.add<arith::MinSIOp>(elementwise<[](s a, s b) { return std::min(a, b); }>);
  table.add<arith::MaxSIOp>(elementwise<[](s a, s b) { return std::max(a, b); }>);
  table.add<arith::MinUIOp>(elementwise<[](u a, u b) { return std::min(a, b); }>);
  table.add<arith::MaxUIOp>(elementwise<[](u a, u b) { return std::max(a, b); }>);
  // Shifts by the width or more shift everything out.
  table.add<arith::ShLIOp>(elementwise<[](Width w, u a, u n) { return n < w.bits ? a << n : 0; }>);
  table.add<arith::ShRUIOp>(elementwise<[](Width w, u a, u n) { return n < w.bits ? a >> n : 0; }>);
  table.add<arith::ShRSIOp>(elementwise<[](s a, u n) { return a >> std::min<u>(n, 63); }>);
  table.add<arith::MulUIExtendedOp>(
      elementwisePair<[](u a, u b) { return a * b; },
                      [](Width w, u a, u b) { return u(UInt128(a) * b >> w.bits); }>);
  table.add<arith::MulSIExtendedOp>(
      elementwisePair<[](u a, u b) { return a * b; },
                      [](Width w, s a, s b) { return u(Int128(a) * b >> w.bits); }>);
  table.add<tt::MulhiUIOp>(
      elementwise<[](Width w, u a, u b) { return u(UInt128(a) * b >> w.bits); }>);
  table.add<arith::ExtUIOp>(elementwise<[](u a) { return a; }>);
  table.add<arith::ExtSIOp>(elementwise<[](s a) { return a; }>);
  table.add<arith::TruncIOp>(elementwise<[](u a) { return a; }>);
  table.add<arith::IndexCastOp>(elementwise<[](s a) { return a; }>);
  table.add<arith::IndexCastUIOp>(elementwise<[](u a) { return a; }>);
  table.add<tt::IntToPtrOp>(elementwise<[](u a) { return a; }>);
  table.add<tt::PtrToIntOp>(elementwise<[](u a) { return a; }>);
  table.add<evaluateCmpI>();
  table.add<evaluateAddExtended>();
}

static void addFloatOps(OpTable &table) {
  using r = double;
  table.add<arith::AddFOp>(elementwise<[](r a, r b) { return a + b; }>);
  table.add<arith::SubFOp>(elementwise<[](r a, r b) { return a - b; }>);
  table.add<arith::MulFOp>(elementwise<[](r a, r b) { return a * b; }>);
  table.add<arith::DivFOp>(elementwise<[](r a, r b) { return a / b; }>);
  table.add<arith::RemFOp>(elementwise<[](r a, r b) { return std::fmod(a, b); }>);
  table.add<arith::NegFOp>(choosing<[](r a) { return -a; }>);
  table.add<arith::MinNumFOp>(choosing<minNum>);
  table.add<arith::MaxNumFOp>(choosing<maxNum>);
  table.add<arith::MinimumFOp>(choosing<minimum>);
  table.add<arith::MaximumFOp>(choosing<maximum>);
  table.add<tt::PreciseDivFOp>(elementwise<[](r a, r b) { return a / b; }>);
  table.add<tt::ApproxDivFOp>(elementwise<[](r a, r b) { return a / b; }>);
  table.add<tt::PreciseSqrtOp>(elementwise<[](r a) { return std::sqrt(a); }>);
  table.add<evaluateClampF>();
  table.add<evaluateCmpF>();
}

void addArithOps(OpTable &table) {
  addIntegerOps(table);
  addFloatOps(table);
  table.add<arith::SelectOp>(elementwise<[](uint64_t c, Lane a, Lane b) { return c ? a : b; }>);
  table.add<arith::ExtFOp>(elementwise<[](double a) { return a; }>);
  table.add<arith::FPToSIOp>(elementwise<[](Width w, double a) { return toSigned(a, w.bits); }>);
  table.add<arith::FPToUIOp>(elementwise<[](Width w, double a) { return toUnsigned(a, w.bits); }>);
  table.add<arith::SIToFPOp>(elementwise<[](Width w, int64_t a) {
    return w.bits == 64 ? double(a) : toDouble(a < 0 ? -uint64_t(a) : a, a < 0);
  }>);
  table.add<arith::UIToFPOp>(elementwise<[](Width w, uint64_t a) {
    return w.bits == 64 ? double(a) : toDouble(a, false);
  }>);
  table.add<arith::BitcastOp>(evaluateBitcast);
  table.add<tt::BitcastOp>(evaluateBitcast);
  table.add<evaluateTruncF>();
  table.add<evaluateFpToFp>();
  table.add<evaluateConstant>();
}

} // namespace tigon::interpreter
