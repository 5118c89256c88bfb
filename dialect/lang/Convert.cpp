// SPDX-License-Identifier: Apache-2.0
//
// What operands go through before an op is made of them: promotion, broadcasting, casts.
#include "dialect/lang/Emission.h"

#include <limits>

using namespace mlir;

namespace tigon::lang {
namespace {

// Whether an integer type holds a number that is known as it is written.
bool holds(DType dtype, const Value &number) {
  const Value::Handle &handle = number.internal();
  if (!isInteger(dtype) || handle.kind == Value::Handle::Real)
    return true;
  bool isNegative = handle.kind == Value::Handle::Integer && handle.integer < 0;
  unsigned bits = bitsOf(dtype) - isSigned(dtype);
  if (isNegative)
    return isSigned(dtype) && handle.integer >= -(int64_t(1) << (bits - 1)) * 2;
  return bits >= 64 || uint64_t(handle.integer) < uint64_t(1) << bits;
}

} // namespace

bool Emission::unify(Value &a, Value &b, bool isDivision, bool allowPointers) {
  if (a.isPointer() || b.isPointer()) {
    if (!allowPointers || a.isPointer() != b.isPointer() || a.dtype() != b.dtype()) {
      fail("found {} and {}, expected {}", describe(a), describe(b),
           allowPointers ? "two numbers, or two pointers of one type" : "no pointers");
      return false;
    }
    return broadcast(a, b);
  }
  std::optional<DType> dtype =
      promote({a.dtype(), isNumber(a)}, {b.dtype(), isNumber(b)}, isDivision);
  if (!dtype) {
    fail("found {} and {}, expected {}; cast one of them", describe(a), describe(b),
         isInteger(a.dtype()) && isInteger(b.dtype()) ? "integers of the same sign"
                                                      : "no f8 beside an integer");
    return false;
  }
  for (auto [number, other] : {std::pair(a, b), std::pair(b, a)})
    if (isNumber(number) && !holds(*dtype, number)) {
      fail("found {} beside {}, expected a number that {} holds", describe(number), describe(other),
           nameOf(*dtype));
      return false;
    }
  ArrayRef<int64_t> shapeOfA = shapeOf(a), shapeOfB = shapeOf(b);
  a = isNumber(a) ? literal(a, *dtype, shapeOfB) : cast(a, *dtype);
  b = isNumber(b) ? literal(b, *dtype, shapeOfA) : cast(b, *dtype);
  return broadcast(a, b);
}

bool Emission::broadcast(Value &a, Value &b) {
  SmallVector<int64_t> shapeOfA(shapeOf(a)), shapeOfB(shapeOf(b));
  if (shapeOfA == shapeOfB || isNumber(a) || isNumber(b))
    return true;
  if (!shapeOfA.empty() && !shapeOfB.empty())
    for (SmallVector<int64_t> *shorter : {&shapeOfA, &shapeOfB}) {
      size_t rank = std::max(shapeOfA.size(), shapeOfB.size());
      shorter->insert(shorter->begin(), rank - shorter->size(), 1);
    }
  SmallVector<int64_t> shape = shapeOfA.empty() ? shapeOfB : shapeOfA;
  if (!shapeOfA.empty() && !shapeOfB.empty())
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      if (shapeOfA[axis] != shapeOfB[axis] && shapeOfA[axis] != 1 && shapeOfB[axis] != 1) {
        fail("found {} and {}, expected shapes that broadcast", describe(a), describe(b));
        return false;
      }
      shape[axis] = std::max(shapeOfA[axis], shapeOfB[axis]);
    }
  if (!isTileShape(shape)) {
    fail("found {} and {}, which make a tile of {}, expected at most 2^20 elements", describe(a),
         describe(b), describe(shape));
    return false;
  }
  a = broadcastTo(a, shape);
  b = broadcastTo(b, shape);
  return true;
}

Value Emission::broadcastTo(const Value &x, ArrayRef<int64_t> shape) {
  if (isNumber(x))
    return literal(x, {}, shape);
  if (shapeOf(x) == shape)
    return x;
  if (!isTileShape(shape))
    return fail("found the shape {}, expected powers of two, 2^20 elements in all",
                describe(shape));
  Type element = getElementTypeOrSelf(ir(x).getType());
  if (shapeOf(x).empty())
    return like<tt::SplatOp>(x, tileOf(shape, element), ir(x));
  Value grown = x;
  while (shapeOf(grown).size() < shape.size()) {
    SmallVector<int64_t> longer(shapeOf(grown));
    longer.insert(longer.begin(), 1);
    grown = like<tt::ExpandDimsOp>(x, tileOf(longer, element), ir(grown), 0);
  }
  ArrayRef<int64_t> from = shapeOf(grown);
  bool grows = from.size() == shape.size();
  for (size_t axis = 0; grows && axis < shape.size(); ++axis)
    grows = from[axis] == shape[axis] || from[axis] == 1;
  if (!grows)
    return fail("found {}, expected a shape that broadcasts to {}", describe(x), describe(shape));
  return from == shape ? grown : like<tt::BroadcastOp>(x, tileOf(shape, element), ir(grown));
}

bool Emission::isMask(const Value &mask) {
  if (mask.dtype() == I1 && !mask.isPointer())
    return true;
  fail("found the mask {}, expected i1", describe(mask));
  return false;
}

Value Emission::maskOf(const Value &mask, ArrayRef<int64_t> shape) {
  return isMask(mask) ? broadcastTo(mask, shape) : poison();
}

std::optional<int> Emission::axisOf(int axis, size_t rank) {
  int fromStart = axis < 0 ? axis + int(rank) : axis;
  if (fromStart >= 0 && fromStart < int(rank))
    return fromStart;
  fail("found axis {} of a tile of {} axes", axis, rank);
  return std::nullopt;
}

Value Emission::cast(const Value &x, DType to, Rounding rounding) {
  DType from = x.dtype();
  bool narrows = !x.isPointer() && isFloat(from) && isFloat(to) && bitsOf(to) < bitsOf(from);
  if (rounding != Rounding::Nearest && !narrows)
    return fail("found a rounding from {} to {}, expected one to a narrower float only",
                describe(x), nameOf(to));
  if (isNumber(x) && rounding == Rounding::Nearest)
    return literal(x, to);
  Value operand = literal(x);
  auto isNonzero = [&](const Value &integer) {
    Value zero = isFloat(integer.dtype()) ? constant(0.0, integer.dtype(), shapeOf(integer))
                                          : constant(int64_t(0), integer.dtype(), shapeOf(integer));
    mlir::Value differs =
        isFloat(integer.dtype())
            ? create<arith::CmpFOp>(arith::CmpFPredicate::UNE, ir(integer), ir(zero)).getResult()
            : create<arith::CmpIOp>(arith::CmpIPredicate::ne, ir(integer), ir(zero)).getResult();
    return wrap(differs, I1);
  };

  if (x.isPointer()) {
    if (to == I64 || to == U64)
      return convert<tt::PtrToIntOp>(operand, to);
    if (to == I1)
      return isNonzero(cast(x, I64));
    return fail("found {}, expected I64 for an address, not {}", describe(x), nameOf(to));
  }
  if (from == to)
    return operand;
  if (to == I1)
    return isNonzero(operand);

  if (isFloat(from) && isFloat(to) &&
      (isFloat8(from) || isFloat8(to) || rounding != Rounding::Nearest)) {
    tt::RoundingModeAttr mode;
    if (narrows)
      mode = tt::RoundingModeAttr::get(state->builder.getContext(), rounding == Rounding::Nearest
                                                                        ? tt::RoundingMode::RTNE
                                                                        : tt::RoundingMode::RTZ);
    return wrap(create<tt::FpToFpOp>(tileOf(shapeOf(operand), elementType(to)), ir(operand), mode),
                to);
  }
  // 8-bit floats meet integers, and 16-bit floats everything else, by way of f32.
  bool goesThroughF32 = ((from == F16 || from == BF16) && to != F32) ||
                        (isFloat8(from) && isInteger(to)) || (isInteger(from) && isFloat8(to));
  if (goesThroughF32)
    return cast(cast(operand, F32), to);

  if (isFloat(from) && isFloat(to))
    return narrows ? convert<arith::TruncFOp>(operand, to) : convert<arith::ExtFOp>(operand, to);
  if (isFloat(from))
    return isSigned(to) ? convert<arith::FPToSIOp>(operand, to)
                        : convert<arith::FPToUIOp>(operand, to);
  if (isFloat(to))
    return isSigned(from) ? convert<arith::SIToFPOp>(operand, to)
                          : convert<arith::UIToFPOp>(operand, to);
  if (bitsOf(from) == bitsOf(to))
    return wrap(ir(operand), to);
  if (bitsOf(from) > bitsOf(to))
    return convert<arith::TruncIOp>(operand, to);
  return isSigned(from) ? convert<arith::ExtSIOp>(operand, to)
                        : convert<arith::ExtUIOp>(operand, to);
}

Value Emission::bitcast(const Value &x, DType to) {
  Value operand = literal(x);
  if (x.isPointer())
    return fail("found {}, expected no pointer; use toPointer", describe(x));
  if (bitsOf(x.dtype()) != bitsOf(to))
    return fail("found {} as {}, expected types of one width", describe(x), nameOf(to));
  if (elementType(x.dtype()) == elementType(to))
    return wrap(ir(operand), to);
  return convert<tt::BitcastOp>(operand, to);
}

Value cast(const Value &x, DType dtype, Rounding rounding, Where where) {
  Emission emit("cast", where, {&x});
  return emit ? emit.cast(x, dtype, rounding) : emit.poison();
}

Value bitcast(const Value &x, DType dtype, Where where) {
  Emission emit("bitcast", where, {&x});
  return emit ? emit.bitcast(x, dtype) : emit.poison();
}

Value toPointer(const Value &x, DType dtype, Where where) {
  Emission emit("toPointer", where, {&x});
  if (!emit)
    return emit.poison();
  if (!x.isPointer() && x.dtype() != I64 && x.dtype() != U64)
    return emit.fail("found {}, expected a pointer or an address of 64 bits", describe(x));
  Value operand = emit.literal(x);
  Type type = emit.tileOf(shapeOf(operand), emit.pointerTo(dtype));
  mlir::Value pointer = x.isPointer()
                            ? emit.create<tt::BitcastOp>(type, emit.ir(operand)).getResult()
                            : emit.create<tt::IntToPtrOp>(type, emit.ir(operand)).getResult();
  Value::Handle handle = emit.wrap(pointer, dtype).internal();
  handle.isConst = x.internal().isConst;
  return Value(handle);
}

} // namespace tigon::lang
