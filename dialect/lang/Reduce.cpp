// SPDX-License-Identifier: Apache-2.0
//
// Reductions and scans: the ops with a combining region, and the named ones made of them.
#include "dialect/lang/Emission.h"

using namespace mlir;

namespace tigon::lang {
namespace {

// Tiles of one shape as the operands of a reduction or scan; empty, with the mistake recorded, if
// they are not.
SmallVector<mlir::Value> operandsOf(Emission &emit, std::span<const Value> inputs) {
  SmallVector<mlir::Value> operands;
  for (const Value &input : inputs) {
    if (shapeOf(input).empty() || shapeOf(input) != shapeOf(inputs[0])) {
      emit.fail("found {} beside {}, expected tiles of one shape", describe(input),
                describe(inputs[0]));
      return {};
    }
    operands.push_back(emit.ir(input));
  }
  return operands;
}

// Writes the combining function into the region of `op` and checks what it returns.
template <typename Terminator>
bool fillCombiner(Emission &emit, Region &region, std::span<const Value> inputs,
                  const detail::Body &combine) {
  OpBuilder &builder = emit.state->builder;
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> types;
  for (size_t side = 0; side < 2; ++side)
    for (const Value &input : inputs)
      types.push_back(getElementTypeOrSelf(emit.ir(input).getType()));
  SmallVector<Location> locations(types.size(), emit.at());
  Block *block = builder.createBlock(&region, {}, types, locations);
  std::vector<Value> arguments, results(inputs.size());
  for (auto [number, argument] : llvm::enumerate(block->getArguments()))
    arguments.push_back(emit.wrap(argument, inputs[number % inputs.size()]));
  Region *outer = std::exchange(emit.state->combiner, &region);
  combine(arguments, results);
  bool isGood = true;
  SmallVector<mlir::Value> returned;
  for (auto [result, input] : llvm::zip(results, inputs)) {
    if (isNumber(result))
      result = emit.literal(result, input.dtype());
    isGood &= emit.isUsable(result);
    if (!isGood)
      break;
    if (!shapeOf(result).empty() || result.dtype() != input.dtype() ||
        result.isPointer() != input.isPointer()) {
      emit.fail("found {} from the combining function, expected {}", describe(result),
                nameOf(input.dtype()));
      isGood = false;
      break;
    }
    returned.push_back(emit.ir(result));
  }
  emit.state->combiner = outer;
  if (isGood)
    emit.create<Terminator>(returned);
  return isGood;
}

} // namespace

void detail::reduce(std::span<const Value> inputs, Axis axis, const Body &combine, bool keepDims,
                    std::span<Value> results, Where where) {
  Emission emit("reduce", where, inputs);
  llvm::fill(results, emit.poison());
  if (!emit)
    return;
  SmallVector<mlir::Value> operands = operandsOf(emit, inputs);
  if (operands.empty())
    return;
  size_t rank = shapeOf(inputs[0]).size();
  std::vector<Value> flat(inputs.begin(), inputs.end());
  std::optional<int> along = axis ? emit.axisOf(*axis, rank) : 0;
  if (!along)
    return;
  if (!axis && rank > 1)
    for (auto [value, operand] : llvm::zip(flat, operands)) {
      value = ravel(value, /*canReorder=*/true, where);
      operand = emit.ir(value);
    }
  auto op = emit.create<tt::ReduceOp>(operands, uint32_t(*along));
  if (!fillCombiner<tt::ReduceReturnOp>(emit, op.getCombineOp(), flat, combine))
    return;
  for (auto [result, reduced, input] : llvm::zip(results, op.getResults(), inputs)) {
    result = emit.wrap(reduced, input);
    for (size_t kept = axis ? rank - 1 : 0; keepDims && kept < rank; ++kept)
      result = expandDims(result, axis ? *along : 0, where);
  }
}

void detail::scan(std::span<const Value> inputs, int axis, const Body &combine, bool reverse,
                  std::span<Value> results, Where where) {
  Emission emit("scan", where, inputs);
  llvm::fill(results, emit.poison());
  if (!emit)
    return;
  SmallVector<mlir::Value> operands = operandsOf(emit, inputs);
  if (operands.empty())
    return;
  std::optional<int> along = emit.axisOf(axis, shapeOf(inputs[0]).size());
  if (!along)
    return;
  auto op = emit.create<tt::ScanOp>(operands, uint32_t(*along), reverse);
  if (!fillCombiner<tt::ScanReturnOp>(emit, op.getCombineOp(), inputs, combine))
    return;
  for (auto [result, scanned, input] : llvm::zip(results, op.getResults(), inputs))
    result = emit.wrap(scanned, input);
}

//===-- Named reductions --------------------------------------------------------------------------===//

namespace {

// As Triton adds: integers below 32 bits in 32, others in their own type, or as asked.
Value widenToAdd(const Value &x, std::optional<DType> dtype, Where where) {
  if (!dtype && isInteger(x.dtype()) && bitsOf(x.dtype()) < 32 && !x.isPointer())
    dtype = isSigned(x.dtype()) ? I32 : U32;
  return dtype ? cast(x, *dtype, Rounding::Nearest, where) : x;
}

Value widenBf16(const Value &x, Where where) {
  return x.dtype() == BF16 ? cast(x, F32, Rounding::Nearest, where) : x;
}

// As Triton compares: in 32 bits at least.
Value widenToCompare(const Value &x, Where where) {
  if (x.isPointer() || bitsOf(x.dtype()) >= 32)
    return x;
  return cast(x, isFloat(x.dtype()) ? F32 : I32, Rounding::Nearest, where);
}

Values<2> withIndex(const Value &x, int axis, bool isMax, const ReduceOptions &options,
                    Where where) {
  Emission emit(isMax ? "maxWithIndex" : "minWithIndex", where, {&x});
  std::optional<int> along = emit ? emit.axisOf(axis, shapeOf(x).size()) : std::nullopt;
  if (!along)
    return {emit.poison(), emit.poison()};
  // 0, 1, ... along the axis, in the shape of x.
  Value index = arange(0, shapeOf(x)[*along], where);
  for (int other = 0; other < int(shapeOf(x).size()); ++other)
    if (other != *along)
      index = expandDims(index, other, where);
  index = broadcastTo(index, x.shape(), where);
  auto combine = [&](Value value1, Value index1, Value value2, Value index2) {
    auto at = [&](const Value &value) { return Operand(value, where); };
    Value isTie = at(at(value1) == value2) && Value(at(index1) < index2);
    Value isBetter = isMax ? at(value1) > value2 : at(value1) < value2;
    Value first = at(isBetter) || isTie;
    return Values{lang::where(first, value1, value2, where),
                  lang::where(first, index1, index2, where)};
  };
  return reduce({widenBf16(x, where), index}, *along, combine, options.keepDims, where);
}

} // namespace

Value sum(const Value &x, Axis axis, const ReduceOptions &options, Where where) {
  auto add = [&](Value a, Value b) { return Operand(a, where) + b; };
  return reduce(widenToAdd(x, options.dtype, where), axis, add, options.keepDims, where);
}

Value prod(const Value &x, Axis axis, const ReduceOptions &options, Where where) {
  auto multiply = [&](Value a, Value b) { return Operand(a, where) * b; };
  return reduce(widenToAdd(x, options.dtype, where), axis, multiply, options.keepDims, where);
}

Value xorSum(const Value &x, Axis axis, const ReduceOptions &options, Where where) {
  auto combine = [&](Value a, Value b) { return Operand(a, where) ^ b; };
  return reduce(x, axis, combine, options.keepDims, where);
}

Value max(const Value &x, Axis axis, const ReduceOptions &options, Where where) {
  auto greater = [&](Value a, Value b) { return maximum(a, b, PropagateNan::None, where); };
  return reduce(widenToCompare(x, where), axis, greater, options.keepDims, where);
}

Value min(const Value &x, Axis axis, const ReduceOptions &options, Where where) {
  auto lesser = [&](Value a, Value b) { return minimum(a, b, PropagateNan::None, where); };
  return reduce(widenToCompare(x, where), axis, lesser, options.keepDims, where);
}

Values<2> maxWithIndex(const Value &x, int axis, const ReduceOptions &options, Where where) {
  return withIndex(x, axis, /*isMax=*/true, options, where);
}

Values<2> minWithIndex(const Value &x, int axis, const ReduceOptions &options, Where where) {
  return withIndex(x, axis, /*isMax=*/false, options, where);
}

Value argmax(const Value &x, int axis, const ReduceOptions &options, Where where) {
  return maxWithIndex(x, axis, options, where)[1];
}

Value argmin(const Value &x, int axis, const ReduceOptions &options, Where where) {
  return minWithIndex(x, axis, options, where)[1];
}

Value cumsum(const Value &x, int axis, const ScanOptions &options, Where where) {
  auto add = [&](Value a, Value b) { return Operand(a, where) + b; };
  return scan(widenToAdd(widenBf16(x, where), options.dtype, where), axis, add, options.reverse,
              where);
}

Value cumprod(const Value &x, int axis, const ScanOptions &options, Where where) {
  auto multiply = [&](Value a, Value b) { return Operand(a, where) * b; };
  return scan(widenBf16(x, where), axis, multiply, options.reverse, where);
}

} // namespace tigon::lang
