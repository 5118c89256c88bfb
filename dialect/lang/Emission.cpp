// SPDX-License-Identifier: Apache-2.0
#include "dialect/lang/Emission.h"

#include "dialect/interpreter/FloatFormat.h"

using namespace mlir;

namespace tigon::lang {

bool isNone(const Value &x) { return x.internal().kind == Value::Handle::None; }

bool isPoison(const Value &x) { return x.internal().kind == Value::Handle::Poison; }

bool isNumber(const Value &x) {
  auto kind = x.internal().kind;
  return kind >= Value::Handle::Boolean && kind <= Value::Handle::Real;
}

static bool isSsa(const Value &x) { return x.internal().kind == Value::Handle::Ssa; }

ArrayRef<int64_t> shapeOf(const Value &x) {
  if (!isSsa(x))
    return {};
  auto tile =
      dyn_cast<RankedTensorType>(mlir::Value::getFromOpaquePointer(x.internal().ssa).getType());
  return tile ? tile.getShape() : ArrayRef<int64_t>();
}

std::string describe(ArrayRef<int64_t> shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

std::string describe(const Value &x) {
  const Value::Handle &handle = x.internal();
  switch (handle.kind) {
  case Value::Handle::None:
    return "no value";
  case Value::Handle::Poison:
    return "a failed value";
  case Value::Handle::Boolean:
    return handle.integer ? "the number true" : "the number false";
  case Value::Handle::Integer:
    return fmt::format("the number {}", handle.integer);
  case Value::Handle::Unsigned:
    return fmt::format("the number {}", uint64_t(handle.integer));
  case Value::Handle::Real:
    return fmt::format("the number {}", handle.real);
  case Value::Handle::Ssa:
    break;
  }
  ArrayRef<int64_t> shape = shapeOf(x);
  return fmt::format("{}{}{}", x.isPointer() ? "*" : "", nameOf(x.dtype()),
                     shape.empty() ? "" : describe(shape));
}

bool isTileShape(ArrayRef<int64_t> shape) {
  int64_t elements = 1;
  for (int64_t extent : shape) {
    if (extent < 1 || extent > tt::maxTileElements || !llvm::isPowerOf2_64(extent))
      return false;
    elements *= extent;
    if (elements > tt::maxTileElements)
      return false;
  }
  return true;
}

std::shared_ptr<Kernel::State> currentKernel();

Emission::Emission(std::string_view what, Where where,
                   std::initializer_list<const Value *> operands,
                   std::initializer_list<const Value *> optional)
    : state(currentKernel().get()), what(what), where(where) {
  if (!state)
    return;
  location = state->locationOf(where);
  isGood = true;
  for (const Value *operand : operands)
    isGood &= check(*operand, /*mayBeNone=*/false);
  for (const Value *operand : optional)
    isGood &= check(*operand, /*mayBeNone=*/true);
}

Emission::Emission(std::string_view what, Where where, std::span<const Value> operands)
    : Emission(what, where, {}) {
  isGood = isGood && areUsable(operands);
}

bool Emission::areUsable(std::span<const Value> values) {
  bool are = true;
  for (const Value &value : values)
    are &= isUsable(value);
  return are;
}

bool Emission::check(const Value &operand, bool mayBeNone) {
  const Value::Handle &handle = operand.internal();
  if (isNumber(operand))
    return true;
  if (isNone(operand)) {
    if (!mayBeNone)
      fail("found no value, expected one");
    return mayBeNone;
  }
  if (handle.kernel != state->id) {
    fail("found a value of another kernel or of none, expected one of '{}'", state->name);
    return false;
  }
  if (handle.kind == Value::Handle::Poison)
    return false;
  Region *owner = ir(operand).getParentRegion();
  if (state->combiner && !state->combiner->isAncestor(owner)) {
    fail("found a value from outside a combining function, expected its arguments and numbers "
         "only");
    return false;
  }
  if (!owner->isAncestor(state->builder.getInsertionBlock()->getParent())) {
    fail("found a value from inside a loop, an if or a combining function that has ended; carry or "
         "return it");
    return false;
  }
  return true;
}

Value Emission::complain(std::string message) {
  if (state)
    state->complain(where, fmt::format("{}: {}", what, message));
  return poison();
}

Value Emission::poison() const {
  Value::Handle handle(Value::Handle::Poison, I32);
  handle.kernel = state ? state->id : 0;
  return Value(handle);
}

mlir::Value Emission::ir(const Value &x) const {
  assert(isSsa(x) && "literals are converted before they are used");
  return mlir::Value::getFromOpaquePointer(x.internal().ssa);
}

Value Emission::wrap(mlir::Value ir, DType dtype) const {
  Value::Handle handle(Value::Handle::Ssa, dtype);
  handle.isPointer = isa<tt::PointerType>(getElementTypeOrSelf(ir.getType()));
  handle.kernel = state->id;
  handle.ssa = ir.getAsOpaquePointer();
  return Value(handle);
}

Value Emission::wrap(mlir::Value ir, const Value &x) const {
  Value::Handle handle = wrap(ir, x.dtype()).internal();
  handle.isConst = x.internal().isConst;
  return Value(handle);
}

Type Emission::elementType(DType dtype) const {
  Builder &builder = state->builder;
  switch (dtype) {
  case F8E4M3:
    return builder.getType<Float8E4M3FNType>();
  case F8E5M2:
    return builder.getType<Float8E5M2Type>();
  case F16:
    return builder.getF16Type();
  case BF16:
    return builder.getBF16Type();
  case F32:
    return builder.getF32Type();
  case F64:
    return builder.getF64Type();
  default:
    return builder.getIntegerType(bitsOf(dtype));
  }
}

Type Emission::tileOf(ArrayRef<int64_t> shape, Type element) const {
  return shape.empty() ? element : RankedTensorType::get(shape, element);
}

Type Emission::pointerTo(DType dtype) const { return tt::PointerType::get(elementType(dtype)); }

static TypedAttr splatOf(Type type, TypedAttr number) {
  if (auto tile = dyn_cast<RankedTensorType>(type))
    return DenseElementsAttr::get(tile, Attribute(number));
  return number;
}

Value Emission::constant(double number, DType dtype, ArrayRef<int64_t> shape) {
  auto type = cast<FloatType>(elementType(dtype));
  uint64_t bits = interpreter::getFloatFormat(type)->encode(number);
  llvm::APFloat rounded(type.getFloatSemantics(), llvm::APInt(type.getWidth(), bits));
  return wrap(
      create<arith::ConstantOp>(splatOf(tileOf(shape, type), FloatAttr::get(type, rounded))),
      dtype);
}

Value Emission::constant(int64_t number, DType dtype, ArrayRef<int64_t> shape) {
  Type type = elementType(dtype);
  llvm::APInt bits(bitsOf(dtype), uint64_t(number), isSigned(dtype), /*implicitTrunc=*/true);
  return wrap(create<arith::ConstantOp>(splatOf(tileOf(shape, type), IntegerAttr::get(type, bits))),
              dtype);
}

Value Emission::literal(const Value &x, std::optional<DType> wanted, ArrayRef<int64_t> shape) {
  if (!isNumber(x))
    return x;
  const Value::Handle &handle = x.internal();
  DType dtype = wanted.value_or(x.dtype());
  bool isReal = handle.kind == Value::Handle::Real;
  if (dtype == I1)
    return constant(int64_t(isReal ? handle.real != 0 : handle.integer != 0), I1, shape);
  if (isFloat(dtype)) {
    double number = isReal                                   ? handle.real
                    : handle.kind == Value::Handle::Unsigned ? double(uint64_t(handle.integer))
                                                             : double(handle.integer);
    return constant(number, dtype, shape);
  }
  return constant(isReal ? int64_t(handle.real) : handle.integer, dtype, shape);
}

} // namespace tigon::lang
