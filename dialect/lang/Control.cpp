// SPDX-License-Identifier: Apache-2.0
//
// Loops, ifs and early returns. A body is written into its region by calling the user's lambda
// with the insertion point there; what it returns is checked against what the region must yield.
#include "dialect/lang/Emission.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tigon::lang {
namespace {

SmallVector<mlir::Value> irOf(Emission &emit, std::span<const Value> values) {
  SmallVector<mlir::Value> result;
  for (const Value &value : values)
    result.push_back(emit.ir(value));
  return result;
}

std::vector<Value> wrapAll(Emission &emit, ValueRange irs, std::span<const Value> like) {
  std::vector<Value> values;
  for (auto [ir, value] : llvm::zip(irs, like))
    values.push_back(emit.wrap(ir, value));
  return values;
}

// Start values of a loop; literals get the types that they have alone.
std::vector<Value> startOf(Emission &emit, std::span<const Value> carried) {
  std::vector<Value> start;
  for (const Value &value : carried)
    start.push_back(emit.literal(value));
  return start;
}

// Brings what a body returned into the types of `carried`; records what does not fit and yields
// the carried value in its place, so that the region stays whole.
SmallVector<mlir::Value> yieldsOf(Emission &emit, std::span<const Value> returned,
                                  std::span<const Value> carried) {
  SmallVector<mlir::Value> yields;
  for (size_t i = 0; i < carried.size(); ++i) {
    Value value = returned[i];
    const Value &like = carried[i];
    if (isNumber(value) && !like.isPointer())
      value = emit.literal(value, like.dtype(), shapeOf(like));
    if (!emit.isUsable(value)) {
      yields.push_back(emit.ir(like));
    } else if (value.dtype() != like.dtype() ||
               emit.ir(value).getType() != emit.ir(like).getType()) {
      emit.fail("found {} as the next carried value {}, expected {} as at the start",
                describe(value), i, describe(like));
      yields.push_back(emit.ir(like));
    } else {
      yields.push_back(emit.ir(value));
    }
  }
  return yields;
}

void setHints(scf::ForOp loop, const RangeOptions &options) {
  Builder builder(loop.getContext());
  if (options.numStages)
    loop->setAttr("tt.num_stages", builder.getI32IntegerAttr(options.numStages));
  if (options.loopUnrollFactor)
    loop->setAttr("tt.loop_unroll_factor", builder.getI32IntegerAttr(options.loopUnrollFactor));
  if (options.disallowAccMultiBuffer)
    loop->setAttr("tt.disallow_acc_multi_buffer", builder.getUnitAttr());
  if (options.flatten)
    loop->setAttr("tt.flatten", builder.getUnitAttr());
  if (options.warpSpecialize)
    loop->setAttr("tt.warp_specialize", builder.getUnitAttr());
  if (options.disableLicm) {
    auto licm = LLVM::LoopLICMAttr::get(loop.getContext(), builder.getBoolAttr(true), {});
    loop->setAttr("llvm.loop_annotation",
                  LLVM::LoopAnnotationAttr::get(loop.getContext(), {}, {}, {}, {}, {}, licm, {}, {},
                                                {}, {}, {}, {}, {}, {}, {}));
  }
}

} // namespace

void detail::forRange(const Value &begin, const Value &end, const Value &step,
                      std::span<const Value> carried, const Body &body, std::span<Value> results,
                      const RangeOptions &options, Where where) {
  Emission emit("forRange", where, {&begin, &end, &step});
  llvm::fill(results, emit.poison());
  if (!emit || !emit.areUsable(carried))
    return;
  for (const Value *bound : {&begin, &end, &step})
    if (!isInteger(bound->dtype()) || bound->isPointer() || !shapeOf(*bound).empty()) {
      emit.fail("found {}, expected scalar integers as begin, end and step", describe(*bound));
      return;
    }
  // Triton counts up in place of down: i = first + (end - counter).
  Value first = begin, last = end, stride = step;
  bool isDown = isNumber(step) && step.internal().kind == Value::Handle::Integer &&
                step.internal().integer < 0;
  if (isNumber(step) && (step.internal().integer == 0 || step.internal().integer == INT64_MIN)) {
    emit.fail("found {} as the step, expected one other than 0", describe(step));
    return;
  }
  if (isDown) {
    stride = Value(-step.internal().integer);
    std::swap(first, last);
  }
  DType dtype = promoteIntegers(promoteIntegers(begin.dtype(), end.dtype()), stride.dtype());
  first = emit.cast(first, dtype);
  last = emit.cast(last, dtype);
  stride = emit.cast(stride, dtype);
  std::vector<Value> start = startOf(emit, carried);
  auto loop = emit.create<scf::ForOp>(emit.ir(first), emit.ir(last), emit.ir(stride),
                                      irOf(emit, start), [](auto &&...) {});
  setHints(loop, options);
  OpBuilder &builder = emit.state->builder;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value index = emit.wrap(loop.getInductionVar(), dtype);
    if (isDown) {
      index = emit.like<arith::SubIOp>(index, emit.ir(last), emit.ir(index));
      index = emit.like<arith::AddIOp>(index, emit.ir(index), emit.ir(first));
    }
    std::vector<Value> arguments = wrapAll(emit, loop.getRegionIterArgs(), start);
    std::vector<Value> inside = arguments, next(carried.size());
    arguments.insert(arguments.begin(), index);
    body(arguments, next);
    emit.create<scf::YieldOp>(yieldsOf(emit, next, inside));
  }
  llvm::copy(wrapAll(emit, loop.getResults(), start), results.begin());
}

void detail::whileLoop(std::span<const Value> carried, const Body &condition, const Body &body,
                       std::span<Value> results, Where where) {
  Emission emit("whileLoop", where, carried);
  llvm::fill(results, emit.poison());
  if (!emit)
    return;
  std::vector<Value> start = startOf(emit, carried);
  SmallVector<mlir::Value> operands = irOf(emit, start);
  auto loop =
      emit.create<scf::WhileOp>(TypeRange(ValueRange(operands)), operands, nullptr, nullptr);
  OpBuilder &builder = emit.state->builder;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBeforeBody());
    std::vector<Value> arguments = wrapAll(emit, loop.getBeforeArguments(), start);
    Value goesOn;
    condition(arguments, {&goesOn, 1});
    if (emit.isUsable(goesOn) && (goesOn.dtype() != I1 || !shapeOf(goesOn).empty()))
      goesOn = emit.fail("found the condition {}, expected a scalar i1", describe(goesOn));
    goesOn = emit.isUsable(goesOn) ? emit.literal(goesOn) : emit.constant(int64_t(0), I1);
    emit.create<scf::ConditionOp>(emit.ir(goesOn), loop.getBeforeArguments());

    builder.setInsertionPointToStart(loop.getAfterBody());
    arguments = wrapAll(emit, loop.getAfterArguments(), start);
    std::vector<Value> next(carried.size());
    body(arguments, next);
    emit.create<scf::YieldOp>(yieldsOf(emit, next, arguments));
  }
  llvm::copy(wrapAll(emit, loop.getResults(), start), results.begin());
}

void detail::ifElse(const Value &condition, const Body &then, const Body &otherwise,
                    std::span<Value> results, Where where) {
  Emission emit("ifElse", where, {&condition});
  llvm::fill(results, emit.poison());
  if (!emit)
    return;
  if (condition.dtype() != I1 || !shapeOf(condition).empty()) {
    emit.fail("found the condition {}, expected a scalar i1", describe(condition));
    return;
  }
  // The types are known once both branches are written, so they are written into an `if` without
  // results, and then moved into one with.
  OpBuilder &builder = emit.state->builder;
  mlir::Value chosen = emit.ir(emit.literal(condition));
  auto draft = emit.create<scf::IfOp>(chosen, /*withElseRegion=*/bool(otherwise));
  std::vector<Value> ofThen(results.size()), ofElse(results.size());
  auto write = [&](Block *block, const Body &body, std::vector<Value> &values) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(block->getTerminator());
    body({}, values);
    for (Value &value : values)
      if (!emit.isUsable(value))
        return false;
    return true;
  };
  bool isWhole = write(draft.thenBlock(), then, ofThen);
  if (otherwise)
    isWhole &= write(draft.elseBlock(), otherwise, ofElse);
  if (results.empty() || !isWhole)
    return;
  auto yield = [&](Block *block, std::span<Value> values, std::span<const Value> others) {
    OpBuilder::InsertionGuard guard(builder);
    block->getTerminator()->erase();
    builder.setInsertionPointToEnd(block);
    for (auto [value, other] : llvm::zip(values, others))
      if (isNumber(value))
        value = isNumber(other) ? emit.literal(value)
                                : emit.literal(value, other.dtype(), shapeOf(other));
    emit.create<scf::YieldOp>(irOf(emit, values));
  };
  Block *thenBlock = draft.thenBlock(), *elseBlock = draft.elseBlock();
  yield(thenBlock, ofThen, ofElse);
  yield(elseBlock, ofElse, ofThen);
  for (auto [a, b] : llvm::zip(ofThen, ofElse))
    if (a.dtype() != b.dtype() || emit.ir(a).getType() != emit.ir(b).getType()) {
      emit.fail("found {} and {}, expected values of one type from both branches", describe(a),
                describe(b));
      return;
    }
  SmallVector<mlir::Value> yielded = irOf(emit, ofThen);
  auto whole = emit.create<scf::IfOp>(TypeRange(ValueRange(yielded)), chosen);
  whole.getThenRegion().takeBody(draft.getThenRegion());
  whole.getElseRegion().takeBody(draft.getElseRegion());
  draft.erase();
  llvm::copy(wrapAll(emit, whole.getResults(), ofThen), results.begin());
}

void returnIf(const Value &condition, Where where) {
  Emission emit("returnIf", where, {&condition});
  if (!emit)
    return;
  if (condition.dtype() != I1 || !shapeOf(condition).empty()) {
    emit.fail("found the condition {}, expected a scalar i1", describe(condition));
    return;
  }
  OpBuilder &builder = emit.state->builder;
  Block *here = builder.getInsertionBlock();
  if (here->getParentOp() != emit.state->function) {
    emit.fail("found an early return inside of a loop or an if, expected one outside");
    return;
  }
  Region *region = here->getParent();
  mlir::Value chosen = emit.ir(emit.literal(condition));
  Block *done = builder.createBlock(region, region->end());
  emit.create<tt::ReturnOp>(ValueRange());
  Block *rest = builder.createBlock(region, region->end());
  builder.setInsertionPointToEnd(here);
  emit.create<cf::CondBranchOp>(chosen, done, rest);
  builder.setInsertionPointToEnd(rest);
}

} // namespace tigon::lang
