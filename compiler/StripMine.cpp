// SPDX-License-Identifier: Apache-2.0
//
// StripMine: tiles over the register budget are processed by loops over strips.
//
// The ops of a block fall into stages. Ops of one stage share one loop: a strip of the input is loaded, goes through the
// whole elementwise chain and is stored before the next one begins. What needs the result of a whole reduction is in a later
// stage, and so is what must not begin before all lanes of an earlier access are done (MemoryDependences). A softmax row
// becomes three loops: the maximum; the exponentials and their sum; the quotients.
//
//   before                                     after
//   %x = load ...       : 16384                %m' = scf.for %k = 0 to 8 { maximum of strips, elementwise, of [2048] }
//   %m = reduce max %x                         %m = reduce max %m'
//   %e = exp (%x - %m)                         %s' = scf.for %k = 0 to 8 { load again; exp; put; sum of strips }
//   %s = reduce sum %e                         %s = reduce sum %s'
//   store (%e / %s)                            scf.for %k = 0 to 8 { get; divide; store }
//
// Reductions accumulate strip-shaped values lane by lane and reduce once behind the loop, so that threads meet once.
//
// A tile needed in a later stage than its own is *recomputed* there (ranges, masks, cheap arithmetic), *loaded again* (if
// nothing has written it since, M4), or *put* into scratch and got back. Scratch is private if all its strips are cut alike:
// then each thread gets what it put. Ops that cannot be split, and scalars, stand between the loops, in their stage.
#include "compiler/AxisAnalysis.h"
#include "compiler/DemoteTiles.h"
#include "compiler/Passes.h"
#include "compiler/StripBounds.h"
#include "compiler/StripClone.h"
#include "compiler/StripSplit.h"
#include "compiler/StripStages.h"
#include "compiler/StripSums.h"
#include "dialect/Combiner.h"
#include "dialect/TileMap.h"

namespace tigon {
#define GEN_PASS_DEF_STRIPMINE
#include "compiler/Passes.h.inc"

namespace {

using namespace mlir;

class BlockStripper {
public:
  BlockStripper(Block &block, Split split, const StripRule &rule, const AxisAnalysis &axes,
                tt::FuncOp function)
      : block(block), map(block, split.bits.size()), axes(axes), function(function),
        stages(block, map, rule, function), cloner(map), sums(cloner, steps()),
        bounds(map, [this](Value value) { return stages.isStripValue(value); }),
        loc(function.getLoc()) {
    map.spread(split.seed, split.bits);
    spreadToPeers(split);
    settleReductions();
  }

  // Whether the split reaches the op it was chosen for.
  bool canRun(Value seed) const {
    Operation *op = seed.getDefiningOp();
    return op && op->getBlock() == &block && stages.canStream(op);
  }

  void run() {
    stages.run();
    emit();
  }

private:
  int64_t steps() const { return int64_t(1) << map.getStepBits(); }

  Value integer(OpBuilder &builder, int32_t value) const {
    return arith::ConstantIntOp::create(builder, loc, builder.getI32Type(), value);
  }

  // Other tiles of the seed's shape that do not hang together with it are split alike, so that they share its loops.
  void spreadToPeers(const Split &split) {
    for (Operation &op : block)
      for (Value value : op.getResults())
        if (value.getType() == split.seed.getType() ||
            (tileType(value) && tileType(value).getShape() == tileType(split.seed).getShape()))
          if (!map.isSplit(value) && isStrippable(&op))
            map.spread(value, split.bits);
  }

  // What a reduction gives is cut as its operand is, whatever its users want.
  void settleReductions() {
    for (auto reduce : block.getOps<tt::ReduceOp>()) {
      StripBits bits = map.get(reduce.getSrcs()[0]);
      for (int &bit : bits)
        if (bit != noBit)
          bit = getResultBit(reduce, 0, bit).value_or(unsigned(noBit));
      for (Value result : reduce.getResults())
        map.set(result, bits);
    }
  }

  //===-- emission ----------------------------------------------------------------------------------===//

  void emit() {
    Operation *end = block.getTerminator();
    SmallVector<Operation *> ops =
        llvm::map_to_vector(block.without_terminator(), [](Operation &op) { return &op; });
    DenseMap<Operation *, unsigned> order;
    for (auto [number, op] : llvm::enumerate(ops))
      order[op] = number;
    for (int at = 0; at <= stages.getLast(); ++at) {
      for (Operation *op : ops)
        if (!stages.isStreamed(op) && stages.stageOf(op) == at)
          op->moveBefore(end);
      SmallVector<Operation *> inLoop(stages.opsOf(at));
      llvm::sort(inLoop, [&](Operation *a, Operation *b) { return order[a] < order[b]; });
      if (!inLoop.empty())
        emitLoop(at, inLoop, end);
    }
    for (Operation *op : llvm::reverse(ops))
      if (stages.isStreamed(op)) {
        op->dropAllUses();
        op->erase();
      }
  }

  // Where the strips end, and what the lanes beyond would have given to each reduction.
  struct Skipped {
    Value end; // null: no strip is left out
    DenseMap<Operation *, SmallVector<Value>> outside;
  };

  // One stage: a loop over all strips; or, where a mask is a bound, one over the strips that are inside it and one over
  // what is left, which stops at the bound if the strips beyond contribute nothing.
  void emitLoop(int at, ArrayRef<Operation *> ops, Operation *end) {
    OpBuilder builder(end);
    loc = ops.front()->getLoc();
    SmallVector<Value> totals;
    for (Operation *op : ops)
      if (auto reduce = dyn_cast<tt::ReduceOp>(op); reduce && stages.closes(op))
        for (unsigned level = 0; level < sums.levelsOf(reduce); ++level)
          llvm::append_range(totals, sums.startValues(reduce, builder));
    Value zero = integer(builder, 0), all = integer(builder, int32_t(steps()));
    Value comparison = bounds.findComparison(ops);
    if (!comparison) {
      emitStrips(at, ops, zero, all, Value(), totals, builder);
      return finishReductions(ops, totals, Skipped(), builder);
    }
    StripBound bound = bounds.materialize(comparison, builder);
    Skipped skipped = decideSkip(at, ops, bound, builder);
    Value last = skipped.end ? skipped.end : all;
    Value begin = zero;
    if (splitsAtBound(comparison)) {
      emitStrips(at, ops, zero, bound.full, comparison, totals, builder);
      begin = bound.full;
    }
    emitStrips(at, ops, begin, last, Value(), totals, builder);
    if (begin != zero)
      end->getPrevNode()->setAttr(stripRestAttr, builder.getUnitAttr());
    finishReductions(ops, totals, skipped, builder);
  }

  // Strips from `begin` to `end`; `totals` are carried through. Where `unmasked` is given it is true in all lanes.
  void emitStrips(int at, ArrayRef<Operation *> ops, Value begin, Value end, Value unmasked,
                  SmallVector<Value> &totals, OpBuilder &builder) {
    auto loop = scf::ForOp::create(builder, loc, begin, end, integer(builder, 1), totals);
    loop->setAttr(stripAttr, builder.getUnitAttr());
    OpBuilder inside = OpBuilder::atBlockBegin(loop.getBody());
    if (!totals.empty())
      scf::YieldOp::create(inside, loc, ValueRange());
    inside.setInsertionPoint(loop.getBody()->getTerminator());
    Value step = loop.getInductionVar();
    IRMapping strips;
    if (unmasked) {
      RankedTensorType type = cloner.stripTypeOf(unmasked);
      strips.map(unmasked, arith::ConstantOp::create(
                               inside, loc, SplatElementsAttr::get(type, inside.getBoolAttr(true)))
                               .getResult());
    }
    SmallVector<Value> accumulated;
    ValueRange carried = loop.getRegionIterArgs();
    for (Operation *op : ops) {
      if (op->getNumResults() == 1 && op->getResult(0) == unmasked)
        continue;
      // Operands that this stage gets from scratch.
      for (Value value : op->getOperands())
        if (!strips.contains(value) && stages.isGotIn(at, value))
          strips.map(value, cloner.get(value, stages.scratchFor(value), inside, step));
      if (!stages.closes(op)) {
        cloner.clone(op, inside, step, strips);
        continue;
      }
      auto reduce = cast<tt::ReduceOp>(op);
      unsigned count = op->getNumOperands();
      SmallVector<Value> fresh =
          sums.accumulate(reduce, carried.take_front(count), step, strips, inside);
      carried = carried.drop_front(count);
      if (sums.levelsOf(reduce) == 2) {
        fresh = sums.flush(reduce, fresh, carried.take_front(count), step, inside);
        carried = carried.drop_front(count);
      }
      llvm::append_range(accumulated, fresh);
    }
    loop.getBody()->getTerminator()->setOperands(accumulated);
    totals = SmallVector<Value>(loop.getResults());
  }

  // Threads meet once, behind the loop. Lanes that were left out all hold one scalar, and combining it once is as good as
  // combining it often: it is neutral (a sum's 0), or the combination is idempotent (a maximum).
  void finishReductions(ArrayRef<Operation *> ops, ValueRange totals, const Skipped &skipped,
                        OpBuilder &builder) {
    for (Operation *op : ops) {
      if (!stages.closes(op))
        continue;
      auto reduce = cast<tt::ReduceOp>(op->clone());
      unsigned count = op->getNumOperands();
      SmallVector<Value> whole(totals.take_front(count));
      totals = totals.drop_front(count);
      if (sums.levelsOf(cast<tt::ReduceOp>(op)) == 2) {
        whole = combineTiles(reduce.getCombineOp(), totals.take_front(count), whole, builder);
        totals = totals.drop_front(count);
      }
      reduce->setOperands(whole);
      builder.insert(reduce);
      SmallVector<Value> results(reduce->getResults());
      auto outside = skipped.outside.find(op);
      if (skipped.end && outside != skipped.outside.end())
        results = combineOutside(reduce, outside->second, skipped, builder);
      op->replaceAllUsesWith(results);
    }
  }

  SmallVector<Value> combineOutside(tt::ReduceOp reduce, ArrayRef<Value> outside,
                                    const Skipped &skipped, OpBuilder &builder) {
    SmallVector<Value> others;
    for (auto [result, scalar] : llvm::zip(reduce.getResults(), outside)) {
      Value other = scalar;
      if (tileType(result))
        other = tt::SplatOp::create(builder, loc, result.getType(), scalar);
      others.push_back(other);
    }
    Value any = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, skipped.end,
                                      integer(builder, int32_t(steps())));
    SmallVector<Value> combined =
        combineTiles(reduce.getCombineOp(), reduce.getResults(), others, builder);
    for (auto [value, result] : llvm::zip(combined, reduce.getResults()))
      value = arith::SelectOp::create(builder, loc, any, value, result);
    return combined;
  }

  //===-- strips beyond a mask's bound --------------------------------------------------------------===//

  enum class Combination { Unknown, Idempotent, Additive };

  static Combination combinationOf(Region &region) {
    if (!identityOf(region))
      return Combination::Unknown;
    Combination all = Combination::Idempotent;
    for (Operation &op : region.front().without_terminator())
      if (isa<arith::AddFOp, arith::AddIOp, arith::MulFOp, arith::MulIOp, arith::XOrIOp>(op))
        all = Combination::Additive;
    return all;
  }

  Skipped decideSkip(int at, ArrayRef<Operation *> ops, const StripBound &bound,
                     OpBuilder &builder) {
    Skipped skipped;
    Value neutral; // i1 scalar; null: known to be
    for (Operation *op : ops) {
      if (!stages.closes(op) && !stages.isRoot(op))
        continue;
      if (auto store = dyn_cast<tt::StoreOp>(op)) {
        if (!store.getMask() || !StripBounds::implies(store.getMask(), bound.comparison))
          return Skipped();
      } else if (stages.closes(op)) {
        if (!skipReduction(cast<tt::ReduceOp>(op), bound, skipped, neutral, builder))
          return Skipped();
      } else if (auto put = dyn_cast<tg::ScratchPutOp>(op)) {
        if (!skipPut(put, bound, neutral, builder))
          return Skipped();
      } else {
        return Skipped();
      }
    }
    skipped.end = bound.end;
    if (neutral)
      skipped.end = arith::SelectOp::create(builder, loc, neutral, bound.end,
                                            integer(builder, int32_t(steps())));
    return skipped;
  }

  bool skipReduction(tt::ReduceOp reduce, const StripBound &bound, Skipped &skipped, Value &neutral,
                     OpBuilder &builder) {
    Combination combination = combinationOf(reduce.getCombineOp());
    if (combination == Combination::Unknown)
      return false;
    SmallVector<Value> outside;
    for (Value source : reduce.getSrcs()) {
      Value scalar = bounds.scalarOutside(source, bound.comparison, builder);
      if (!scalar)
        return false;
      outside.push_back(scalar);
    }
    skipped.outside[reduce] = outside;
    if (combination == Combination::Additive)
      for (auto [scalar, identity] : llvm::zip(outside, *identityOf(reduce.getCombineOp())))
        requireEqual(scalar, identity, neutral, builder);
    return true;
  }

  // -0.0 is what sums start from; lanes of +0.0 change nothing either.
  void requireEqual(Value scalar, TypedAttr identity, Value &neutral, OpBuilder &builder) {
    Value wanted = arith::ConstantOp::create(builder, loc, identity);
    Value equal;
    if (isa<FloatType>(scalar.getType()))
      equal = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, scalar, wanted);
    else
      equal = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, scalar, wanted);
    neutral = neutral ? Value(arith::AndIOp::create(builder, loc, neutral, equal)) : equal;
  }

  // A put may be left out if nobody gets the strip, or if it would put back what is there: `get + 0`.
  bool skipPut(tg::ScratchPutOp put, const StripBound &bound, Value &neutral, OpBuilder &builder) {
    if (onlyMaskedReaders(put, bound.comparison))
      return true;
    auto sum = put.getValue().getDefiningOp<arith::AddFOp>();
    for (unsigned number : {0u, 1u}) {
      auto get =
          sum ? sum->getOperand(number).getDefiningOp<tg::ScratchGetOp>() : tg::ScratchGetOp();
      if (!get || get.getScratch() != put.getScratch() || get.getBits() != put.getBits() ||
          get.getStep() != put.getStep())
        continue;
      Value added = bounds.scalarOutside(sum->getOperand(1 - number), bound.comparison, builder);
      if (!added)
        return false;
      requireEqual(added, builder.getZeroAttr(added.getType()), neutral, builder);
      return true;
    }
    return false;
  }

  // The scratch is read in this block alone, by stages that stop at the same bound whatever the data.
  bool onlyMaskedReaders(tg::ScratchPutOp put, Value comparison) {
    Value value = stages.parkedIn(put.getScratch());
    if (!value)
      return false;
    for (int at = 0; at <= stages.getLast(); ++at)
      if (stages.isGotIn(at, value) && !stopsAtBound(at, comparison))
        return false;
    return true;
  }

  bool stopsAtBound(int at, Value comparison) {
    ArrayRef<Operation *> ops = stages.opsOf(at);
    bool masked = false;
    for (Operation *op : ops) {
      if (!stages.isRoot(op) && !stages.closes(op))
        continue;
      auto store = dyn_cast<tt::StoreOp>(op);
      if (!store || !store.getMask() || !StripBounds::implies(store.getMask(), comparison))
        return false;
      masked = true;
    }
    return masked && bounds.findComparison(ops) == comparison;
  }

  // Strips inside the bound get a loop of their own where a mask costs: on SIMD registers always, on threads where it would
  // cut an access in pieces.
  bool splitsAtBound(Value comparison) {
    if (!targetOf(function).lanesAreThreads)
      return true;
    AxisInfo info = axes.get(comparison);
    return *llvm::max_element(info.constancy) < targetOf(function).accessBytes;
  }

  Block &block;
  StripMap map;
  const AxisAnalysis &axes;
  tt::FuncOp function;
  StripStages stages;
  StripCloner cloner;
  StripSums sums;
  StripBounds bounds;
  Location loc; // of the stage being emitted
};

//===-- the pass ----------------------------------------------------------------------------------------===//

// Private if every strip of it is cut alike: of what control flow needed, and of what was parked, since bodies of strip
// loops may have been cut again, each in its own order.
void settleResidency(tt::FuncOp function) {
  function.walk([&](tg::ScratchAllocOp alloc) {
    if (alloc.getResidency() == tg::Residency::Memory)
      return;
    std::optional<std::pair<Type, SmallVector<int32_t>>> cut;
    bool alike = true;
    auto meet = [&](Type type, ArrayRef<int32_t> bits) {
      std::pair<Type, SmallVector<int32_t>> ours{type, SmallVector<int32_t>(bits)};
      alike &= !cut || *cut == ours;
      cut = ours;
    };
    for (Operation *user : alloc.getResult().getUsers()) {
      if (auto put = dyn_cast<tg::ScratchPutOp>(user))
        meet(put.getValue().getType(), put.getBits());
      else if (auto get = dyn_cast<tg::ScratchGetOp>(user))
        meet(get.getResult().getType(), get.getBits());
    }
    alloc.setResidency(alike ? tg::Residency::Private : tg::Residency::Memory);
  });
}

struct StripMine : impl::StripMineBase<StripMine> {
  void runOnOperation() override {
    tt::FuncOp function = getOperation();
    StripRule rule(function);
    if (rule.isOff())
      return;
    // One split at a time: the loops it makes may hold what the next one splits, as a captured tile. An axis may be split
    // away whole and a strip be over budget still; then its loop's body is a block like any other.
    do
      demoteTiles(function);
    while (splitOne(function, rule));
    settleResidency(function);
  }

  // Split the tiles of one block; false if none is left that can be. What cannot be split VerifyTile names.
  static bool splitOne(tt::FuncOp function, const StripRule &rule) {
    AxisAnalysis axes(function);
    for (Block *block : blocksToSplit(function, rule)) {
      SplitChooser chooser(*block, rule, axes);
      for (Value seed : chooser.candidates()) {
        BlockStripper stripper(*block, chooser.choose(seed), rule, axes, function);
        if (!stripper.canRun(seed))
          continue;
        stripper.run();
        return true;
      }
    }
    return false;
  }

  // Whether a strip loop may stay as it is, where a number of steps, or a loop an op, is forced.
  static bool isSmallEnough(Operation *loop, const StripRule &rule) {
    return (rule.isForced() || rule.isEach()) &&
           llvm::all_of(loop->getRegion(0).front(), [&](Operation &op) {
             return llvm::all_of(op.getResultTypes(), [&](Type type) {
               return getTileElements(type) <= rule.getLargestWhole();
             });
           });
  }

  // Bodies of strip loops are split only if they are over budget still, never because a number of steps is forced.
  static SmallVector<Block *> blocksToSplit(tt::FuncOp function, const StripRule &rule) {
    SmallVector<Block *> blocks;
    function->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<tt::ReduceOp>(op) || (op->hasAttr(stripAttr) && isSmallEnough(op, rule)))
        return WalkResult::skip();
      if (isa<tt::FuncOp, scf::ForOp, scf::IfOp, scf::WhileOp, scf::IndexSwitchOp>(op))
        for (Region &region : op->getRegions())
          for (Block &block : region)
            blocks.push_back(&block);
      return WalkResult::advance();
    });
    return blocks;
  }
};

} // namespace
} // namespace tigon
