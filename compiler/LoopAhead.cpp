// SPDX-License-Identifier: Apache-2.0
#include "compiler/LoopAhead.h"

#include "dialect/LinearLayout.h"
#include "dialect/PointerRoot.h"
#include "dialect/tg/TG.h"

using namespace mlir;

namespace tigon {

// In place and in another layout, another thread may write what this one is yet to read.
static bool isOverwrittenAcrossThreads(tt::LoadOp load, const MemoryAccess &access) {
  auto ours = dyn_cast<RankedTensorType>(load.getPtr().getType());
  auto theirs =
      access.address ? dyn_cast<RankedTensorType>(access.address.getType()) : RankedTensorType();
  return ours && theirs && ours.getShape() == theirs.getShape() &&
         ours.getEncoding() != theirs.getEncoding();
}

SmallVector<tt::LoadOp> findFreeLoads(scf::ForOp loop, MemoryDependences &dependences) {
  SmallVector<MemoryAccess> accesses;
  for (Operation &op : *loop.getBody())
    llvm::append_range(accesses, dependences.accesses(&op));
  SmallVector<tt::LoadOp> loads;
  if (llvm::any_of(accesses, [](const MemoryAccess &access) { return access.ordered; }))
    return loads;
  for (auto load : loop.getBody()->getOps<tt::LoadOp>()) {
    Value root = rootOf(load.getPtr());
    bool held = llvm::any_of(accesses, [&](const MemoryAccess &access) {
      bool isScratch = access.root && access.root.getDefiningOp<tg::ScratchAllocOp>();
      return access.writes && !isScratch &&
             (!root || !access.root || access.root == root ||
              isOverwrittenAcrossThreads(load, access));
    });
    if (!held && !load.getIsVolatile() && !tt::isTensorPointer(load.getPtr().getType()))
      loads.push_back(load);
  }
  return loads;
}

bool LoopAhead::canCompute(Value value) {
  llvm::SetVector<Value> open;
  auto ask = [&](Value asked) {
    if (isInside(asked) && asked != loop.getInductionVar() && !known.contains(asked))
      open.insert(asked);
  };
  ask(value);
  for (size_t i = 0; i < open.size(); ++i)
    llvm::for_each(sourcesOf(open[i]), ask);
  for (Value each : open)
    known[each] = isComputable(each);
  for (bool changed = true; changed;) {
    changed = false;
    for (Value each : open)
      if (known[each] && llvm::any_of(sourcesOf(each), [&](Value source) {
            auto found = known.find(source);
            return found != known.end() && !found->second;
          }))
        changed = !(known[each] = false);
  }
  auto found = known.find(value);
  return found == known.end() || found->second;
}

bool LoopAhead::followsFromCounter(Value value) {
  if (!isInside(value) || value == loop.getInductionVar())
    return true;
  if (auto found = following.find(value); found != following.end())
    return found->second;
  Operation *op = value.getDefiningOp();
  bool follows = op && isComputable(value) && llvm::all_of(op->getOperands(), [&](Value operand) {
                   return followsFromCounter(operand);
                 });
  return following[value] = follows;
}

// Counters and steps may be so large that a sum or product wraps; what is left of the range does not.
LoopAhead::Iteration LoopAhead::from(Value counter, int64_t distance) {
  Location loc = loop.getLoc();
  Value step = loop.getStep(), passed = step, fits;
  auto constant = [&](const APInt &value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(step.getType(), value));
  };
  if (distance > 1) {
    unsigned bits = getElementTypeOrSelf(step.getType()).isIndex()
                        ? 64
                        : step.getType().getIntOrFloatBitWidth();
    passed = arith::MulIOp::create(builder, loc, step, constant(APInt(bits, uint64_t(distance))));
    APInt most = APInt::getMaxValue(bits).udiv(uint64_t(distance));
    std::optional<int64_t> known = getConstantIntValue(step);
    if (!known || APInt(bits, uint64_t(*known), /*isSigned=*/true).ugt(most))
      fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, step, constant(most));
  }
  Value there = arith::AddIOp::create(builder, loc, counter, passed);
  Value left = arith::SubIOp::create(builder, loc, loop.getUpperBound(), counter);
  Value exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, passed, left);
  if (fits)
    exists = arith::AndIOp::create(builder, loc, exists, fits);
  return {there, exists};
}

LoopAhead::Iteration LoopAhead::nth(int64_t i) {
  Location loc = loop.getLoc();
  Value lower = loop.getLowerBound();
  auto predicate = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  Value any = arith::CmpIOp::create(builder, loc, predicate, lower, loop.getUpperBound());
  if (i == 0)
    return {lower, any};
  auto [counter, exists] = from(lower, i);
  return {counter, arith::AndIOp::create(builder, loc, any, exists)};
}

LoopAhead::Iteration LoopAhead::behind(int64_t distance) {
  return from(loop.getInductionVar(), distance);
}

Value LoopAhead::compute(Value value, IRMapping &iteration) {
  if (Value found = iteration.lookupOrNull(value))
    return found;
  Operation *op = value.getDefiningOp();
  if (!isInside(value))
    return value;
  for (Value operand : op->getOperands())
    compute(operand, iteration);
  builder.clone(*op, iteration);
  return iteration.lookup(value);
}

bool LoopAhead::isInside(Value value) const {
  return loop->getRegion(0).isAncestor(value.getParentRegion());
}

// Apart from what it is made of.
bool LoopAhead::isComputable(Value value) const {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == &loop->getRegion(0).front();
  Operation *op = value.getDefiningOp();
  return !op->getNumRegions() && isMemoryEffectFree(op);
}

SmallVector<Value> LoopAhead::sourcesOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    bool isCarried = argument.getOwner() == loop.getBody() && argument != loop.getInductionVar();
    return isCarried ? SmallVector<Value>{loop.getTiedLoopYieldedValue(argument)->get()}
                     : SmallVector<Value>();
  }
  return llvm::to_vector(value.getDefiningOp()->getOperands());
}

} // namespace tigon
