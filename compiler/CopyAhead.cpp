// SPDX-License-Identifier: Apache-2.0
//
// CopyAhead: what a loop loads is copied to shared memory iterations before it is needed, asynchronously, so that memory
// works while threads compute, and registers hold nothing that is under way. A thread copies what it will read itself, into
// slots of its own (private scratch): there is no barrier.
//
//   held (plan: hold = 1)                             a ring (plan: stages = 4, 8, 16)
//     for %k = all steps { copy(%k) to %s[%k] }         copy(first), ..., copy(first + stages - 2)
//     for %k = ...  {                                   for %i = ... {
//       wait until batch %k is there                      wait until the oldest batch is there
//       %x = get %s[%k]                                   %x = get ring[slot]
//                                                         copy(%i + stages - 1) to the slot read last
//
// A strip loop that parks what it loads (%x = load; put %x, %s[%k]) fills %s before it starts; later loops get it from
// there as before. Of rows that are too long the first strips are held: each loop is cut in two, and the second part loads
// instead of getting. Other loads of tiles go through a ring.
#include "compiler/AxisAnalysis.h"
#include "compiler/LocalMemory.h"
#include "compiler/LoopAhead.h"
#include "compiler/Passes.h"
#include "compiler/ProgramFacts.h"
#include "compiler/lowering/Machine.h"
#include "dialect/TileMap.h"

namespace tigon {
#define GEN_PASS_DEF_COPYAHEAD
#include "compiler/Passes.h.inc"

namespace {

using namespace mlir;

class Copier {
public:
  Copier(scf::ForOp loop, int slots, const AxisAnalysis &axes, int64_t &room)
      : loop(loop), slots(slots), axes(axes), room(room), builder(loop) {}

  // What the loop parks of what it loads.
  void hold() {
    SmallVector<tt::LoadOp> loads = loadsOf(loop);
    llvm::erase_if(loads, [&](tt::LoadOp load) { return !putOf(load) || !canCopy(load); });
    if (loads.empty())
      return;
    int64_t steps = int64_t(1) << putOf(loads[0]).getBits().size();
    if (steps * bytesOf(loads) > room) {
      steps = (room - (slots > 2 ? slots * bytesOf(loads) : 0)) / bytesOf(loads);
      if (steps <= 0 || !llvm::all_of(loads, [&](tt::LoadOp load) { return canCut(load); }))
        return;
      loads = cut(loads, steps);
    }
    room -= steps * bytesOf(loads);
    fill(loads, steps);
  }

  // `taken`: bytes of the rings that live with this one.
  void useRing(int64_t &taken) {
    SmallVector<tt::LoadOp> loads = loadsOf(loop);
    llvm::erase_if(loads, [&](tt::LoadOp load) { return putOf(load) || !canCopy(load); });
    int64_t bytes = slots * bytesOf(loads);
    if (loads.empty() || taken + bytes > room)
      return;
    taken += bytes;
    turn(loads);
  }

private:
  SmallVector<tt::LoadOp> loadsOf(scf::ForOp loop) {
    if (loop->hasAttr(stripRestAttr))
      return {}; // one strip, as a rule
    // Of two schemes in one loop, neither would know how many batches are under way.
    if (loop.walk([](tg::AsyncWaitOp) { return WalkResult::interrupt(); }).wasInterrupted())
      return {};
    return findFreeLoads(loop, dependences);
  }

  // Copies take 4 bytes or more.
  bool canCopy(tt::LoadOp load) {
    auto tile = dyn_cast<RankedTensorType>(load.getType());
    if (!tile || !followsFromCounter(load))
      return false;
    int64_t bytes = Machine::memoryBytes(tile.getElementType());
    AxisInfo info = axes.get(load.getPtr());
    int64_t together = 1;
    for (unsigned axis = 0; axis < info.getRank(); ++axis)
      together = std::max(together, alignedNeighbours(info, axis, bytes));
    return together * bytes >= 4 && tile.getNumElements() >= 32;
  }

  bool followsFromCounter(tt::LoadOp load) {
    LoopAhead ahead(load->getParentOfType<scf::ForOp>(), builder);
    return llvm::all_of(load->getOperands(),
                        [&](Value operand) { return ahead.followsFromCounter(operand); });
  }

  // What parks the load's tile at this iteration's step.
  tg::ScratchPutOp putOf(tt::LoadOp load) {
    APInt from;
    if (!loop->hasAttr(stripAttr) || !matchPattern(loop.getLowerBound(), m_ConstantInt(&from)) ||
        !from.isZero())
      return {};
    for (Operation *user : load->getUsers())
      if (auto put = dyn_cast<tg::ScratchPutOp>(user))
        if (put.getStep() == loop.getInductionVar() && isPrivate(put.getScratch()) &&
            put->getBlock() == loop.getBody())
          return put;
    return {};
  }

  static bool isPrivate(Value scratch) {
    return scratch.getDefiningOp<tg::ScratchAllocOp>().getResidency() == tg::Residency::Private;
  }

  Value integer(int32_t value) {
    return arith::ConstantIntOp::create(builder, loop.getLoc(), value, 32);
  }
  void copy(tt::LoadOp load, Value scratch, ArrayRef<int32_t> bits, Value slot, Value runs,
            IRMapping &iteration, LoopAhead &values) {
    for (Value operand : load->getOperands())
      iteration.map(operand, values.compute(operand, iteration));
    Value mask = load.getMask() ? iteration.lookup(load.getMask()) : Value();
    Value other = load.getOther() ? iteration.lookup(load.getOther()) : Value();
    tg::AsyncCopyOp::create(builder, load.getLoc(), iteration.lookup(load.getPtr()), mask, other,
                            scratch, slot, runs, builder.getDenseI32ArrayAttr(bits));
  }

  // The strip loop that an op is in, if it takes the loop's step.
  static scf::ForOp stripLoopOf(Operation *op, Value step) {
    auto around = dyn_cast<scf::ForOp>(op->getParentOp());
    return around && around->hasAttr(stripAttr) && step == around.getInductionVar() ? around
                                                                                    : scf::ForOp();
  }

  // Whether all that use the scratch of a held load are loops over its strips, side by side, that could load them.
  bool canCut(tt::LoadOp load) {
    Value scratch = putOf(load).getScratch();
    return scratch.getDefiningOp()->hasAttr(reloadableAttr) &&
           llvm::all_of(scratch.getUsers(), [&](Operation *user) {
             auto put = dyn_cast<tg::ScratchPutOp>(user);
             auto get = dyn_cast<tg::ScratchGetOp>(user);
             if (!put && !get)
               return false;
             scf::ForOp around = stripLoopOf(user, put ? put.getStep() : get.getStep());
             auto source = put ? put.getValue().getDefiningOp<tt::LoadOp>() : load;
             return around && around->getBlock() == loop->getBlock() && source &&
                    followsFromCounter(source);
           });
  }

  // Cuts every loop over what is held in two: the strips that are, and those beyond, which it loads. Gives the loads of the
  // first part of `loop`, which becomes it.
  SmallVector<tt::LoadOp> cut(ArrayRef<tt::LoadOp> loads, int64_t held) {
    DenseMap<Value, tt::LoadOp>
        sources; // by scratch; of the loop over the rest if there is one: its mask holds for all
    SetVector<Operation *> loops;
    for (tt::LoadOp load : loads) {
      Value scratch = putOf(load).getScratch();
      scratch.getDefiningOp()->setAttr(heldStepsAttr, builder.getI64IntegerAttr(held));
      sources[scratch] = load;
      for (Operation *user : scratch.getUsers()) {
        loops.insert(user->getParentOp());
        if (auto put = dyn_cast<tg::ScratchPutOp>(user);
            put && put->getParentOp()->hasAttr(stripRestAttr))
          sources[scratch] = put.getValue().getDefiningOp<tt::LoadOp>();
      }
    }
    scf::ForOp firstOfOurs;
    for (Operation *op : loops) {
      auto second = cast<scf::ForOp>(op);
      builder.setInsertionPoint(second);
      auto first = cast<scf::ForOp>(builder.clone(*second));
      if (second == loop)
        firstOfOurs = first;
      builder.setInsertionPoint(first);
      Location loc = second.getLoc();
      Value end = integer(int32_t(held));
      first.setUpperBound(arith::MinSIOp::create(builder, loc, second.getUpperBound(), end));
      second.setLowerBound(arith::MaxSIOp::create(builder, loc, second.getLowerBound(), end));
      second.getInitArgsMutable().assign(first.getResults());
    }
    for (Operation *op : loops)
      loadInsteadOfGetting(cast<scf::ForOp>(op), sources);
    loop = firstOfOurs;
    SmallVector<tt::LoadOp> ours;
    for (auto load : loop.getBody()->getOps<tt::LoadOp>())
      if (tg::ScratchPutOp put = putOf(load); put && sources.contains(put.getScratch()))
        ours.push_back(load);
    return ours;
  }

  void loadInsteadOfGetting(scf::ForOp around, const DenseMap<Value, tt::LoadOp> &sources) {
    for (Operation &op : llvm::make_early_inc_range(*around.getBody())) {
      auto put = dyn_cast<tg::ScratchPutOp>(op);
      auto get = dyn_cast<tg::ScratchGetOp>(op);
      auto source = sources.find(put ? put.getScratch() : get ? get.getScratch() : Value());
      if (source == sources.end())
        continue;
      if (get) {
        auto from = source->second->getParentOfType<scf::ForOp>();
        LoopAhead ahead(from, builder);
        IRMapping here;
        here.map(from.getInductionVar(), around.getInductionVar());
        builder.setInsertionPoint(get);
        for (Value operand : source->second->getOperands())
          here.map(operand, ahead.compute(operand, here));
        get.replaceAllUsesWith(builder.clone(*source->second, here)->getResult(0));
      }
      op.erase();
    }
  }

  void fill(ArrayRef<tt::LoadOp> loads, int64_t steps) {
    Location loc = loop.getLoc();
    builder.setInsertionPoint(loop);
    LoopAhead ahead(loop, builder);
    auto fill = scf::ForOp::create(builder, loc, integer(0), integer(int32_t(steps)), integer(1));
    builder.setInsertionPoint(fill.getBody()->getTerminator());
    Value step = fill.getInductionVar();
    Value runs =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, step, loop.getUpperBound());
    IRMapping there;
    there.map(loop.getInductionVar(), step);
    for (tt::LoadOp load : loads)
      copy(load, putOf(load).getScratch(), putOf(load).getBits(), step, runs, there, ahead);
    tg::AsyncCommitOp::create(builder, loc);

    // An empty batch an iteration keeps the number of those that may be under way the same.
    builder.setInsertionPointToStart(loop.getBody());
    tg::AsyncWaitOp::create(builder, loc, int32_t(steps - 1));
    tg::AsyncCommitOp::create(builder, loc);
    for (tt::LoadOp load : loads) {
      tg::ScratchPutOp put = putOf(load);
      builder.setInsertionPoint(load);
      load.replaceAllUsesWith(
          Value(tg::ScratchGetOp::create(builder, load.getLoc(), load.getType(), put.getScratch(),
                                         loop.getInductionVar(), put.getBits())));
      put.erase();
      load.erase();
    }
  }

  void turn(ArrayRef<tt::LoadOp> loads) {
    Location loc = loop.getLoc();
    LoopAhead ahead(loop, builder);
    int64_t distance = slots - 1;
    struct Ring {
      tt::LoadOp load;
      Value scratch;
      SmallVector<int32_t> bits;
    };
    SmallVector<Ring> rings;
    for (tt::LoadOp load : loads)
      rings.push_back({load, allocate(load), bitsOf(load)});

    builder.setInsertionPoint(loop);
    for (int64_t i = 0; i < distance; ++i) {
      auto [at, exists] = ahead.nth(i);
      IRMapping there;
      there.map(loop.getInductionVar(), at);
      for (Ring &ring : rings)
        copy(ring.load, ring.scratch, ring.bits, integer(int32_t(i)), exists, there, ahead);
      tg::AsyncCommitOp::create(builder, loc);
    }
    IRRewriter rewriter(builder);
    Value zero = integer(0);
    loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
        rewriter, zero, /*replaceInitOperandUsesInLoop=*/false,
        [](OpBuilder &inside, Location at, ArrayRef<BlockArgument> added) {
          Value one = arith::ConstantIntOp::create(inside, at, 1, 32);
          return SmallVector<Value>{arith::AddIOp::create(inside, at, added[0], one)};
        }));
    LoopAhead inside(loop, builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value counter = loop.getRegionIterArgs().back();
    auto slotOf = [&](Value number) {
      return arith::AndIOp::create(builder, loc, number, integer(slots - 1));
    };
    tg::AsyncWaitOp::create(builder, loc, int32_t(distance - 1));
    Value slot = slotOf(counter);
    auto [at, exists] = inside.behind(distance);
    Value next = slotOf(arith::AddIOp::create(builder, loc, counter, integer(int32_t(distance))));
    IRMapping there;
    there.map(loop.getInductionVar(), at);
    for (Ring &ring : rings)
      copy(ring.load, ring.scratch, ring.bits, next, exists, there, inside);
    tg::AsyncCommitOp::create(builder, loc);
    for (Ring &ring : rings) {
      builder.setInsertionPoint(ring.load);
      ring.load.replaceAllUsesWith(Value(tg::ScratchGetOp::create(
          builder, ring.load.getLoc(), ring.load.getType(), ring.scratch, slot, ring.bits)));
      ring.load.erase();
    }
  }

  static int64_t bytesOf(ArrayRef<tt::LoadOp> loads) {
    int64_t bytes = 0;
    for (tt::LoadOp load : loads)
      bytes += getTileElements(load.getType()) *
               Machine::memoryBytes(getElementTypeOrSelf(load.getType()));
    return bytes;
  }

  // A tile that is `slots` times as long; the slot is its topmost bits.
  Value allocate(tt::LoadOp load) {
    auto tile = cast<RankedTensorType>(load.getType());
    SmallVector<int64_t> shape(tile.getShape());
    shape[0] *= slots;
    OpBuilder top = OpBuilder::atBlockBegin(&loop->getParentOfType<tt::FuncOp>().getBody().front());
    auto type = tg::ScratchType::get(tile.getContext(),
                                     RankedTensorType::get(shape, tile.getElementType()));
    return tg::ScratchAllocOp::create(
        top, load.getLoc(), type,
        tg::ResidencyAttr::get(tile.getContext(), tg::Residency::Private));
  }
  SmallVector<int32_t> bitsOf(tt::LoadOp load) {
    SmallVector<int32_t> bits;
    for (int bit = getTileBits(load.getType()); (1 << bits.size()) < slots; ++bit)
      bits.push_back(bit);
    return bits;
  }

  scf::ForOp loop;
  int slots;
  const AxisAnalysis &axes;
  int64_t &room;
  OpBuilder builder;
  MemoryDependences dependences;
};

struct CopyAhead : impl::CopyAheadBase<CopyAhead> {
  void runOnOperation() override {
    tg::PlanAttr plan = planOf(getOperation());
    if (plan.getStages() <= 2 && plan.getHold() <= 0)
      return;
    int64_t room = sharedRoom();
    if (plan.getHold() > 0)
      forEachLoop([&](scf::ForOp loop, const AxisAnalysis &axes) {
        Copier(loop, plan.getStages(), axes, room).hold();
      });
    // Rings live as long as the outermost loop around them.
    DenseMap<Operation *, int64_t> taken;
    if (plan.getStages() > 2)
      forEachLoop([&](scf::ForOp loop, const AxisAnalysis &axes) {
        Operation *outermost = getOperation().getBody().findAncestorOpInRegion(*loop);
        Copier(loop, plan.getStages(), axes, room).useRing(taken[outermost]);
      });
  }

  // Shared memory beside what reductions and conversions take, one at a time.
  int64_t sharedRoom() {
    const Target &target = targetOf(getOperation());
    int64_t exchanged = 0;
    getOperation().walk([&](Operation *op) {
      if (!isa<tg::ScratchAllocOp>(op))
        exchanged = std::max(exchanged, localBytesOf(op, target));
    });
    return target.sharedBytes - int64_t(llvm::alignTo(exchanged, 128)) - 256;
  }

  void forEachLoop(llvm::function_ref<void(scf::ForOp, const AxisAnalysis &)> visit) {
    AxisAnalysis axes(getOperation());
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      visit(loop, axes);
  }
};

} // namespace
} // namespace tigon
