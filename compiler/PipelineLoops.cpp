// SPDX-License-Identifier: Apache-2.0
//
// PipelineLoops: a loop's loads are issued an iteration ahead, so that memory works while the iteration before is computed.
// What a load gives is carried in registers from the iteration that issues it to the one that uses it: the plan says
// whether there is room (stages = 2).
#include "compiler/LoopAhead.h"
#include "compiler/Passes.h"
#include "compiler/ProgramFacts.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tigon {
#define GEN_PASS_DEF_PIPELINELOOPS
#include "compiler/Passes.h.inc"

namespace {

using namespace mlir;

class Pipeliner {
public:
  Pipeliner(scf::ForOp loop, bool tilesAreCopied)
      : loop(loop), tilesAreCopied(tilesAreCopied), builder(loop), ahead(loop, builder) {}

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
    LoopAhead next(loop, builder);
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
    SmallVector<tt::LoadOp> loads;
    for (tt::LoadOp load : findFreeLoads(loop, dependences))
      if ((!tilesAreCopied || !isa<RankedTensorType>(load.getType())) &&
          llvm::all_of(load->getOperands(),
                       [&](Value operand) { return ahead.canCompute(operand); }))
        loads.push_back(load);
    return loads;
  }

  Value isBelow(Value counter) {
    auto predicate = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
    return arith::CmpIOp::create(builder, loop.getLoc(), predicate, counter, loop.getUpperBound());
  }

  // The load in the iteration that `iteration` describes, which happens only where `runs` holds.
  Value fetch(tt::LoadOp load, Value runs, LoopAhead &values, IRMapping &iteration) {
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
  bool tilesAreCopied; // by CopyAhead, where that was possible
  OpBuilder builder;
  IRRewriter rewriter{builder};
  LoopAhead ahead;
  MemoryDependences dependences;
};

struct PipelineLoops : impl::PipelineLoopsBase<PipelineLoops> {
  void runOnOperation() override {
    int stages = planOf(getOperation()).getStages();
    if (stages < 2)
      return;
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      Pipeliner(loop, stages > 2).run();
  }
};

} // namespace
} // namespace tigon
