// SPDX-License-Identifier: Apache-2.0
//
// PipelineLoops: a loop's loads are issued an iteration ahead, so that memory works while the iteration before is computed.
// What a load gives is carried in registers from the iteration that issues it to the one that uses it: the plan says
// whether there is room (stages = 2). Where CopyAhead keeps several iterations' tiles under way, scalars are as far ahead.
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
  // `distance`: iterations ahead, of loads whose addresses follow from the loop's counter.
  Pipeliner(scf::ForOp loop, int64_t distance)
      : loop(loop), distance(distance), builder(loop), ahead(loop, builder) {}

  void run() {
    SmallVector<Fetched> loads = findLoads();
    if (loads.empty())
      return;
    // Before the loop: the first iterations' loads, if there are such iterations.
    builder.setInsertionPoint(loop);
    SmallVector<Value> fetched;
    for (auto [load, distance] : loads)
      for (int64_t i = 0; i < distance; ++i) {
        auto [counter, exists] = ahead.nth(i);
        IRMapping there;
        there.map(loop.getInductionVar(), counter);
        if (i == 0)
          for (auto [argument, init] : llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs()))
            there.map(argument, init);
        fetched.push_back(fetch(load, exists, ahead, there));
      }

    size_t carried = loop.getRegionIterArgs().size();
    loop = cast<scf::ForOp>(
        *loop.replaceWithAdditionalYields(rewriter, fetched, /*replaceInitOperandUsesInLoop=*/false,
                                          [](OpBuilder &, Location, ArrayRef<BlockArgument> added) {
                                            return SmallVector<Value>(added.begin(), added.end());
                                          }));
    // At the head of each: the loads of one behind it.
    LoopAhead next(loop, builder);
    builder.setInsertionPointToStart(loop.getBody());
    IRMapping here;
    for (BlockArgument argument : loop.getBody()->getArguments())
      here.map(argument, argument);
    auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
    size_t place = carried;
    for (auto [load, distance] : loads) {
      auto [counter, exists] = next.behind(distance);
      IRMapping there;
      there.map(loop.getInductionVar(), counter);
      if (distance == 1)
        for (unsigned i = 0; i < carried; ++i) {
          BlockArgument argument = loop.getRegionIterArgs()[i];
          if (next.canCompute(argument))
            there.map(argument, next.compute(loop.getYieldedValues()[i], here));
        }
      load.replaceAllUsesWith(Value(loop.getRegionIterArgs()[place]));
      for (int64_t i = 0; i + 1 < distance; ++i, ++place)
        yield->setOperand(place, loop.getRegionIterArgs()[place + 1]);
      yield->setOperand(place++, fetch(load, exists, next, there));
    }
    for (Fetched &each : loads)
      each.load.erase();
  }

private:
  struct Fetched {
    tt::LoadOp load;
    int64_t distance;
  };

  // With rings of tiles in shared memory, only scalars are left for registers.
  SmallVector<Fetched> findLoads() {
    SmallVector<Fetched> loads;
    for (tt::LoadOp load : findFreeLoads(loop, dependences)) {
      auto all = [&](auto can) { return llvm::all_of(load->getOperands(), can); };
      if (distance > 1 && isa<RankedTensorType>(load.getType()))
        continue;
      if (all([&](Value operand) { return ahead.followsFromCounter(operand); }))
        loads.push_back({load, distance});
      else if (all([&](Value operand) { return ahead.canCompute(operand); }))
        loads.push_back({load, 1});
    }
    return loads;
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
  int64_t distance;
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
      Pipeliner(loop, stages - 1).run();
  }
};

} // namespace
} // namespace tigon
