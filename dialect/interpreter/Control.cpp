// SPDX-License-Identifier: Apache-2.0
//
// Structured control flow and calls. (Branches between blocks: Evaluator::branch.)
#include "dialect/interpreter/Evaluator.h"

using namespace mlir;

namespace tigon::interpreter {
namespace {

// An induction variable's steps are counted beforehand, so that it need not reach the end of its
// type's range to stop.
uint64_t countIterations(int64_t lower, int64_t upper, int64_t step, bool isUnsigned,
                         unsigned width) {
  Element element{width};
  bool any = isUnsigned ? element.truncate(lower) < element.truncate(upper) : lower < upper;
  if (!any)
    return 0;
  uint64_t distance = element.truncate(uint64_t(upper) - uint64_t(lower));
  return (distance - 1) / element.truncate(step) + 1;
}

LogicalResult evaluateFor(Evaluator &evaluator, scf::ForOp op) {
  Element element = getElement(op.getInductionVar().getType());
  int64_t lower = evaluator.getInteger(op.getLowerBound());
  int64_t upper = evaluator.getInteger(op.getUpperBound());
  int64_t step = evaluator.getInteger(op.getStep());
  if (step == 0 || (step < 0 && !op.getUnsignedCmp()))
    return evaluator.fail(op, "found the step " + Twine(step) + ", expected a positive one");
  Tiles carried = evaluator.getRefs(op.getInitArgs());
  uint64_t count = countIterations(lower, upper, step, op.getUnsignedCmp(), element.width);
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t variable = element.truncate(uint64_t(lower) + i * uint64_t(step));
    Tiles arguments = {share(Tile::ofWords(1, variable))};
    arguments.append(carried);
    if (failed(evaluator.run(op.getRegion(), arguments, carried)))
      return failure();
  }
  return evaluator.set(op.getResults(), carried);
}

LogicalResult evaluateWhile(Evaluator &evaluator, scf::WhileOp op) {
  Tiles carried = evaluator.getRefs(op.getInits());
  while (true) {
    Tiles passed;
    if (failed(evaluator.run(op.getBefore(), carried, passed)))
      return failure();
    bool goesOn = passed.front()->words[0];
    passed.erase(passed.begin());
    if (!goesOn)
      return evaluator.set(op.getResults(), passed);
    if (failed(evaluator.run(op.getAfter(), passed, carried)))
      return failure();
  }
}

// Run one of an op's regions; its terminator's values are the op's results.
LogicalResult runChosen(Evaluator &evaluator, Operation *op, Region &region) {
  Tiles results;
  if (!region.empty() && failed(evaluator.run(region, {}, results)))
    return failure();
  return evaluator.set(op->getResults(), results);
}

LogicalResult evaluateIf(Evaluator &evaluator, scf::IfOp op) {
  bool condition = evaluator.getWord(op.getCondition());
  return runChosen(evaluator, op, condition ? op.getThenRegion() : op.getElseRegion());
}

LogicalResult evaluateIndexSwitch(Evaluator &evaluator, scf::IndexSwitchOp op) {
  int64_t flag = evaluator.getInteger(op.getArg());
  for (auto [value, region] : llvm::zip(op.getCases(), op.getCaseRegions()))
    if (value == flag)
      return runChosen(evaluator, op, region);
  return runChosen(evaluator, op, op.getDefaultRegion());
}

LogicalResult evaluateExecuteRegion(Evaluator &evaluator, scf::ExecuteRegionOp op) {
  return runChosen(evaluator, op, op.getRegion());
}

LogicalResult evaluateCall(Evaluator &evaluator, tt::CallOp op) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<tt::FuncOp>(op, op.getCalleeAttr());
  Tiles results;
  if (failed(evaluator.call(op, callee, evaluator.getRefs(op.getArgs()), results)))
    return failure();
  return evaluator.set(op.getResults(), results);
}

} // namespace

void addControlOps(OpTable &table) {
  table.add<evaluateFor>();
  table.add<evaluateWhile>();
  table.add<evaluateIf>();
  table.add<evaluateIndexSwitch>();
  table.add<evaluateExecuteRegion>();
  table.add<evaluateCall>();
}

} // namespace tigon::interpreter
