// SPDX-License-Identifier: Apache-2.0
#include "compiler/AxisAnalysis.h"

#include "dialect/tt/TT.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace tigon {
namespace {

// A hint is one integer for all axes, or one an axis: `tt.divisibility = dense<[16, 1]> : tensor<2xi32>`.
void applyHint(Attribute hint, SmallVectorImpl<int64_t> &known, bool isDivisibility) {
  auto raise = [&](unsigned axis, int64_t value) {
    int64_t power =
        isDivisibility ? powerOfTwoIn(value) : powerOfTwoIn(std::max<int64_t>(value, 1));
    if (axis < known.size() && value > 0)
      known[axis] = std::max(known[axis], power);
  };
  if (auto integer = dyn_cast_or_null<IntegerAttr>(hint)) {
    for (unsigned axis = 0; axis < known.size(); ++axis)
      raise(axis, integer.getInt());
  } else if (auto dense = dyn_cast_or_null<DenseIntElementsAttr>(hint)) {
    for (auto [axis, value] : llvm::enumerate(dense.getValues<APInt>()))
      raise(axis, value.getSExtValue());
  }
}

template <typename Attributes> void applyHints(Attributes attributes, AxisInfo &info) {
  applyHint(attributes("tt.contiguity"), info.contiguity, false);
  applyHint(attributes("tt.divisibility"), info.divisibility, true);
  applyHint(attributes("tt.constancy"), info.constancy, false);
}

} // namespace

AxisAnalysis::AxisAnalysis(Operation *function) {
  auto callable = cast<FunctionOpInterface>(function);
  for (BlockArgument argument : callable.getArguments()) {
    AxisInfo info = AxisInfo::unknown(argument.getType());
    applyHints([&](StringRef name) { return callable.getArgAttr(argument.getArgNumber(), name); },
               info);
    set(argument, info);
  }
  for (Block &block : callable.getFunctionBody())
    visitBlock(block);
}

AxisInfo AxisAnalysis::get(Value value) const {
  auto found = infos.find(value);
  return found == infos.end() ? AxisInfo::unknown(value.getType()) : found->second;
}

SmallVector<AxisInfo> AxisAnalysis::getAll(ValueRange values) const {
  return llvm::map_to_vector(values, [&](Value value) { return get(value); });
}

void AxisAnalysis::set(Value value, AxisInfo info) { infos[value] = std::move(info); }

void AxisAnalysis::visitBlock(Block &block) {
  for (Operation &op : block)
    visitOp(&op);
}

void AxisAnalysis::visitOp(Operation *op) {
  if (isa<RegionBranchOpInterface>(op))
    return visitLoop(op);
  for (Region &region : op->getRegions()) // a reduction's region holds scalars; nothing enters
    for (Block &block : region)
      visitBlock(block);
  if (auto infer = dyn_cast<AxisInferOpInterface>(op)) {
    SmallVector<AxisInfo> operands = getAll(op->getOperands());
    for (auto [result, info] : llvm::zip(op->getResults(), infer.inferAxisInfo(operands)))
      set(result, info);
  } else if (op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1) {
    AxisInfo info = AxisInfo::unknown(op->getResult(0).getType());
    for (unsigned axis = 0; axis < info.getRank(); ++axis) {
      int64_t constancy = anyPowerOfTwo;
      for (Value operand : op->getOperands())
        if (AxisInfo of = get(operand); isa<RankedTensorType>(operand.getType()))
          constancy = std::min(constancy, of.constancy[axis]);
      info.constancy[axis] = constancy == anyPowerOfTwo ? 1 : constancy;
    }
    set(op->getResult(0), info);
  }
  for (OpResult result : op->getResults()) {
    AxisInfo info = get(result);
    applyHints([&](StringRef name) { return op->getDiscardableAttr(name); }, info);
    set(result, info);
  }
}

void AxisAnalysis::visitLoop(Operation *op) {
  auto branch = cast<RegionBranchOpInterface>(op);
  DenseMap<Value, AxisInfo> before;
  // Values are absent until something flows into them, then only lose knowledge; each axis of each fact is a power of
  // two, so this ends.
  auto flow = [&](ValueRange from, ValueRange to) {
    bool changed = false;
    for (auto [source, target] : llvm::zip(from, to)) {
      AxisInfo info = get(source);
      auto known = before.find(target);
      AxisInfo joined = known == before.end() ? info : AxisInfo::join(known->second, info);
      if (known == before.end() || !(joined == known->second)) {
        before[target] = joined;
        set(target, joined);
        changed = true;
      }
    }
    return changed;
  };
  auto visitInductionVariables = [&] {
    auto loop = dyn_cast<LoopLikeOpInterface>(op);
    if (!loop || !loop.getLoopInductionVars() || !loop.getLoopLowerBounds() || !loop.getLoopSteps())
      return;
    for (auto [variable, lower, step] : llvm::zip(
             *loop.getLoopInductionVars(), *loop.getLoopLowerBounds(), *loop.getLoopSteps())) {
      AxisInfo info = AxisInfo::unknown(variable.getType());
      auto from = dyn_cast<Value>(lower), by = dyn_cast<Value>(step);
      if (from && by)
        info.divisibility[0] = std::min(get(from).divisibility[0], get(by).divisibility[0]);
      info.nonNegative = from && get(from).nonNegative;
      set(variable, info);
    }
  };
  bool changed = true;
  while (changed) {
    changed = false;
    visitInductionVariables();
    SmallVector<RegionSuccessor> successors;
    branch.getSuccessorRegions(RegionBranchPoint::parent(), successors);
    for (RegionSuccessor &successor : successors)
      changed |= flow(branch.getEntrySuccessorOperands(successor), successor.getSuccessorInputs());
    for (Region &region : op->getRegions()) {
      for (Block &block : region)
        visitBlock(block);
      for (Block &block : region) {
        auto terminator = dyn_cast<RegionBranchTerminatorOpInterface>(block.getTerminator());
        if (!terminator)
          continue;
        SmallVector<RegionSuccessor> next;
        branch.getSuccessorRegions(terminator, next);
        for (RegionSuccessor &successor : next)
          changed |=
              flow(terminator.getSuccessorOperands(successor), successor.getSuccessorInputs());
      }
    }
  }
}

int64_t alignedNeighbours(const AxisInfo &addresses, unsigned axis, int64_t elementBytes) {
  return std::min(addresses.contiguity[axis],
                  std::max<int64_t>(1, addresses.divisibility[axis] / elementBytes));
}

} // namespace tigon
