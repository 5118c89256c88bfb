// SPDX-License-Identifier: Apache-2.0
//
// PipelineLoops: a loop's loads are issued an iteration ahead, so that memory works while the iteration before is computed.
// What a load gives is carried in registers from the iteration that issues it to the one that uses it: the plan says
// whether there is room (stages = 2).
//
// A load may go ahead if its address and mask follow from the loop's counter and from carried values that do, and if no
// access of the loop that writes can be one it depends on. Through different roots no two iterations meet (M2), so only
// writes through the load's own root, or an unknown one, hold it back, and whatever orders all memory.
#include "compiler/MemoryDependences.h"
#include "compiler/Passes.h"
#include "compiler/ProgramFacts.h"
#include "dialect/PointerRoot.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tigon {
#define GEN_PASS_DEF_PIPELINELOOPS
#include "compiler/Passes.h.inc"

namespace {

using namespace mlir;

// Values of one iteration, computed ahead of it.
class Ahead {
public:
  Ahead(scf::ForOp loop, OpBuilder &builder) : loop(loop), builder(builder) {}

  // Whether `value` can be computed before its iteration begins. Carried values may depend on each other in a circle, so
  // of all that `value` hangs on, what cannot be computed is struck out until nothing more is.
  bool canCompute(Value value) {
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

  // `value` as it will be in the iteration whose counter and carried values are given.
  Value compute(Value value, IRMapping &iteration) {
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

private:
  bool isInside(Value value) { return loop.getRegion().isAncestor(value.getParentRegion()); }

  // Apart from what it is made of.
  bool isComputable(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return argument.getOwner() == loop.getBody();
    Operation *op = value.getDefiningOp();
    return !op->getNumRegions() && isMemoryEffectFree(op);
  }

  SmallVector<Value> sourcesOf(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      bool isCarried = argument.getOwner() == loop.getBody() && argument != loop.getInductionVar();
      return isCarried ? SmallVector<Value>{loop.getTiedLoopYieldedValue(argument)->get()}
                       : SmallVector<Value>();
    }
    return llvm::to_vector(value.getDefiningOp()->getOperands());
  }

  scf::ForOp loop;
  OpBuilder &builder;
  DenseMap<Value, bool> known;
};

class Pipeliner {
public:
  explicit Pipeliner(scf::ForOp loop) : loop(loop), builder(loop), ahead(loop, builder) {}

  void run() {
    SmallVector<tt::LoadOp> loads = findLoads();
    if (loads.empty())
      return;
    // Before the loop: the first iteration's loads, if there is a first iteration.
    builder.setInsertionPoint(loop);
    Value any = isBelow(loop.getLowerBound());
    IRMapping first;
    first.map(loop.getInductionVar(), loop.getLowerBound());
    for (auto [argument, init] : llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs()))
      first.map(argument, init);
    SmallVector<Value> fetched;
    for (tt::LoadOp load : loads)
      fetched.push_back(fetch(load, any, ahead, first));

    auto pipelined = cast<scf::ForOp>(
        *loop.replaceWithAdditionalYields(rewriter, fetched, /*replaceInitOperandUsesInLoop=*/false,
                                          [](OpBuilder &, Location, ArrayRef<BlockArgument> added) {
                                            return SmallVector<Value>(added.begin(), added.end());
                                          }));
    loop = pipelined;
    // At the head of each: the next one's.
    Ahead next(loop, builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value counter = loop.getInductionVar();
    Value following = arith::AddIOp::create(builder, loop.getLoc(), counter, loop.getStep());
    // The sum may wrap; what is left of the range may not.
    Value left = arith::SubIOp::create(builder, loop.getLoc(), loop.getUpperBound(), counter);
    Value more = arith::CmpIOp::create(builder, loop.getLoc(), arith::CmpIPredicate::ult,
                                       loop.getStep(), left);
    IRMapping here, there;
    for (BlockArgument argument : loop.getBody()->getArguments())
      here.map(argument, argument);
    there.map(counter, following);
    size_t carried = loop.getRegionIterArgs().size() - loads.size();
    for (unsigned i = 0; i < carried; ++i) {
      BlockArgument argument = loop.getRegionIterArgs()[i];
      Value yielded = loop.getYieldedValues()[i];
      if (next.canCompute(argument))
        there.map(argument, next.compute(yielded, here));
    }
    auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
    for (auto [i, load] : llvm::enumerate(loads)) {
      yield->setOperand(carried + i, fetch(load, more, next, there));
      load.replaceAllUsesWith(Value(loop.getRegionIterArgs()[carried + i]));
    }
    for (tt::LoadOp load : loads)
      load.erase();
  }

private:
  SmallVector<tt::LoadOp> findLoads() {
    SmallVector<MemoryAccess> accesses;
    for (Operation &op : *loop.getBody())
      llvm::append_range(accesses, dependences.accesses(&op));
    SmallVector<tt::LoadOp> loads;
    if (llvm::any_of(accesses, [](const MemoryAccess &access) { return access.ordered; }))
      return loads;
    for (auto load : loop.getBody()->getOps<tt::LoadOp>()) {
      Value root = rootOf(load.getPtr());
      bool held = llvm::any_of(accesses, [&](const MemoryAccess &access) {
        return access.writes && !isa_and_nonnull<tg::ScratchAllocOp>(definitionOf(access.root)) &&
               (!root || !access.root || access.root == root);
      });
      if (!held && !load.getIsVolatile() && !tt::isTensorPointer(load.getPtr().getType()) &&
          llvm::all_of(load->getOperands(),
                       [&](Value operand) { return ahead.canCompute(operand); }))
        loads.push_back(load);
    }
    return loads;
  }

  static Operation *definitionOf(Value value) { return value ? value.getDefiningOp() : nullptr; }

  Value isBelow(Value counter) {
    auto predicate = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
    return arith::CmpIOp::create(builder, loop.getLoc(), predicate, counter, loop.getUpperBound());
  }

  // The load in the iteration that `iteration` describes, which happens only where `runs` holds.
  Value fetch(tt::LoadOp load, Value runs, Ahead &values, IRMapping &iteration) {
    for (Value operand : load->getOperands())
      iteration.map(operand, values.compute(operand, iteration));
    Value pointer = iteration.lookup(load.getPtr()), mask = runs;
    Location loc = load.getLoc();
    if (auto tile = dyn_cast<RankedTensorType>(pointer.getType()))
      mask = tt::SplatOp::create(builder, loc, tile.clone(builder.getI1Type()), runs);
    if (load.getMask())
      mask = arith::AndIOp::create(builder, loc, iteration.lookup(load.getMask()), mask);
    auto fetched = cast<tt::LoadOp>(builder.clone(*load, iteration));
    fetched.getMaskMutable().assign(mask);
    return fetched;
  }

  scf::ForOp loop;
  OpBuilder builder;
  IRRewriter rewriter{builder};
  Ahead ahead;
  MemoryDependences dependences;
};

struct PipelineLoops : impl::PipelineLoopsBase<PipelineLoops> {
  void runOnOperation() override {
    if (planOf(getOperation()).getStages() < 2)
      return;
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      Pipeliner(loop).run();
  }
};

} // namespace
} // namespace tigon
