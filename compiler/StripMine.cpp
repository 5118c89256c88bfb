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
#include "compiler/MemoryDependences.h"
#include "compiler/Passes.h"
#include "compiler/Remake.h"
#include "compiler/StripBounds.h"
#include "compiler/StripMap.h"
#include "compiler/StripRule.h"
#include "compiler/StripSplit.h"
#include "dialect/Combiner.h"
#include "dialect/LinearLayout.h"
#include "dialect/TileMap.h"

#include "llvm/ADT/SetVector.h"
#include "mlir/IR/IRMapping.h"

namespace tigon {
#define GEN_PASS_DEF_STRIPMINE
#include "compiler/Passes.h.inc"

namespace {

using namespace mlir;

bool isAnySet(ArrayRef<int> bits) {
  return llvm::any_of(bits, [](int bit) { return bit != noBit; });
}

// Bits of a strip, and bits fixed inside that strip, as bits of the whole tile.
SmallVector<int32_t> composeBits(ArrayRef<int32_t> outer, ArrayRef<int> inner) {
  SmallVector<int32_t> all(outer);
  for (int bit : inner) {
    int whole = 0;
    for (int left = bit;; ++whole)
      if (!llvm::is_contained(outer, int32_t(whole)) && left-- == 0)
        break;
    all.push_back(whole);
  }
  return all;
}

//===-- stages ----------------------------------------------------------------------------------------------===//

class BlockStripper {
public:
  BlockStripper(Block &block, Split split, const StripRule &rule, const AxisAnalysis &axes,
                tt::FuncOp function)
      : block(block), map(block, split.bits.size()), rule(rule), axes(axes), function(function),
        bounds(map, [this](Value value) { return isStripValue(value); }), loc(function.getLoc()) {
    map.spread(split.seed, split.bits);
    spreadToPeers(split);
    settleReductions();
  }

  // Whether the split reaches the op it was chosen for.
  bool canRun(Value seed) const {
    Operation *op = seed.getDefiningOp();
    return op && op->getBlock() == &block && canStream(op);
  }

  void run() {
    moveThroughMemory();
    assignStages();
    parkBetweenStages();
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

  static bool isReadOnly(Operation *op) {
    return isMemoryEffectFree(op) || isa<tg::ScratchGetOp>(op) ||
           (isa<tt::LoadOp>(op) && !cast<tt::LoadOp>(op).getIsVolatile());
  }

  // Whether the op runs inside a strip loop.
  bool isStreamed(Operation *op) const { return streamed.contains(op); }

  // A put may happen again if nothing before it in the block reads what it overwrites.
  bool putsTheSameAgain(Operation *op) const {
    auto put = dyn_cast<tg::ScratchPutOp>(op);
    return put && llvm::none_of(put.getScratch().getUsers(), [&](Operation *user) {
             Operation *here =
                 isa<tg::ScratchPutOp>(user) ? nullptr : block.findAncestorOpInBlock(*user);
             return here && here->isBeforeInBlock(op);
           });
  }

  bool canStream(Operation *op) const {
    StripBits bits = map.ofOp(op);
    if (!isStrippable(op) || op->hasTrait<OpTrait::IsTerminator>() || !isAnySet(bits))
      return false;
    // A tile that lacks some of the step's bits is met several times by the loop: too often for what is written, unless
    // each time it is the same.
    if (llvm::is_contained(bits, noBit) && !isReadOnly(op) && !putsTheSameAgain(op))
      return false;
    if (auto reduce = dyn_cast<tt::ReduceOp>(op)) {
      // A reduction takes all of the step's bits or none; of some it would take the same strip twice.
      auto consumed =
          llvm::count_if(bits, [&](int bit) { return bit != noBit && !getResultBit(op, 0, bit); });
      return consumed == 0 || consumed == int64_t(bits.size());
    }
    return true;
  }

  // A reduction along the split: what it gives is whole, after the loop.
  bool closes(Operation *op) const {
    return isa<tt::ReduceOp>(op) && isStreamed(op) && !isAnySet(map.get(op->getResult(0)));
  }

  // Whether `value` exists strip by strip, inside a loop.
  bool isStripValue(Value value) const {
    Operation *op = value.getDefiningOp();
    return op && op->getBlock() == &block && isStreamed(op) && !closes(op);
  }

  Value allocate(Type tile, tg::ResidencyAttr residency) {
    OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
    auto type = tg::ScratchType::get(tile.getContext(), cast<RankedTensorType>(tile));
    return tg::ScratchAllocOp::create(builder, function.getLoc(), type, residency);
  }

  tg::ScratchPutOp putAfter(Value value, Value scratch) {
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    if (!value.getDefiningOp() || value.getParentBlock() != &block)
      builder.setInsertionPointToStart(&block);
    return tg::ScratchPutOp::create(builder, value.getLoc(), scratch, Value(), value,
                                    ArrayRef<int32_t>());
  }

  tg::ScratchGetOp getBefore(Operation *op, Value scratch) {
    OpBuilder builder(op);
    Type tile = cast<tg::ScratchType>(scratch.getType()).getTile();
    return tg::ScratchGetOp::create(builder, op->getLoc(), tile, scratch, Value(),
                                    ArrayRef<int32_t>());
  }

  // Where a tile is made in one cut (or whole) and used in another, it goes through memory.
  void moveThroughMemory() {
    for (Operation &op : block)
      if (canStream(&op))
        streamed.insert(&op);
    SmallVector<Operation *> ops = llvm::map_to_vector(block, [](Operation &op) { return &op; });
    for (Operation *op : ops) {
      bool inLoop = isStreamed(op);
      for (OpOperand &operand : op->getOpOperands())
        moveOperand(op, operand, inLoop ? map.wanted(op, operand) : uncut());
      // Regions see whole tiles; those of reductions see none.
      for (Region &region : op->getRegions())
        region.walk([&](Operation *inner) {
          for (OpOperand &operand : inner->getOpOperands())
            moveOperand(op, operand, uncut());
        });
    }
  }

  StripBits uncut() const { return StripBits(map.getStepBits(), noBit); }

  // `op`, or an op in its regions, wants its operand in this cut.
  void moveOperand(Operation *op, OpOperand &operand, const StripBits &wanted) {
    Value value = operand.get();
    if (!tileType(value))
      return;
    StripBits given = isStripValue(value) ? map.get(value) : uncut();
    if (wanted == given)
      return;
    Value &scratch = scratchOf[value];
    if (!scratch) {
      scratch = allocate(value.getType(),
                         tg::ResidencyAttr::get(value.getContext(), tg::Residency::Memory));
      tg::ScratchPutOp put = putAfter(value, scratch);
      if (isAnySet(given))
        streamed.insert(put);
    }
    tg::ScratchGetOp get = getBefore(op, scratch);
    map.set(get.getResult(), wanted);
    if (isAnySet(wanted))
      streamed.insert(get);
    operand.set(get.getResult());
  }

  Dependence dependence(Operation *first, Operation *second) {
    Dependence found = dependences.between(first, second);
    // Lanes are the same lanes only if both are cut alike.
    if (found == Dependence::LaneLocal && isStreamed(first) && isStreamed(second) &&
        map.ofOp(first) != map.ofOp(second))
      return Dependence::Full;
    return found;
  }

  void assignStages() {
    SmallVector<Operation *> touching;
    int each = 0;
    for (Operation &op : block) {
      int at = rule.isEach() ? each++ : 0;
      bool inLoop = isStreamed(&op);
      for (Value operand : usedBy(&op)) {
        Operation *definition = operand.getDefiningOp();
        auto found = definition ? stage.find(definition) : stage.end();
        if (found == stage.end())
          continue;
        bool fromLoop = isStreamed(definition);
        at = std::max(at, found->second + (fromLoop && (closes(definition) || !inLoop) ? 1 : 0));
      }
      if (dependences.touchesMemory(&op)) {
        for (Operation *before : touching) {
          Dependence found = dependence(before, &op);
          if (found == Dependence::None)
            continue;
          bool fromLoop = isStreamed(before);
          at = std::max(at, stage[before] +
                                (fromLoop && (found == Dependence::Full || !inLoop) ? 1 : 0));
        }
        touching.push_back(&op);
      }
      stage[&op] = at;
      last = std::max(last, at);
    }
  }

  // Operands, and what the op's regions use from outside.
  static SetVector<Value> usedBy(Operation *op) {
    SetVector<Value> used(op->operand_begin(), op->operand_end());
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (inner != op)
          used.insert(operand);
    });
    return used;
  }

  //===-- keeping tiles between stages --------------------------------------------------------------===//

  // Ops that run for their effect; loads run for their value, unless volatile.
  static bool isRoot(Operation *op) {
    if (auto load = dyn_cast<tt::LoadOp>(op))
      return load.getIsVolatile();
    return !isMemoryEffectFree(op) && !isa<tg::ScratchGetOp>(op);
  }

  // Later stages first: what they need parked becomes a root of an earlier one.
  void parkBetweenStages() {
    for (Operation &op : block)
      if (isStreamed(&op) && (isRoot(&op) || closes(&op)))
        roots[stage[&op]].push_back(&op);
    for (int at = last; at >= 0; --at) {
      for (Operation *root : roots[at])
        needOperands(root, at);
      for (Value value : need[at])
        park(value);
    }
  }

  void needOperands(Operation *op, int at) {
    if (!needed[at].insert(op))
      return;
    SmallVector<OpOperand *> operands;
    for (OpOperand &operand : op->getOpOperands())
      operands.push_back(&operand);
    for (OpOperand *operand : operands) {
      Value value = operand->get();
      if (!isStripValue(value))
        continue;
      Operation *definition = value.getDefiningOp();
      if (stage[definition] == at || (!rule.isEach() && canRemake(value, at)))
        needOperands(definition, at);
      else
        need[at].insert(value);
    }
  }

  // Whether `value` can be had in the loop of stage `at`, though its own stage is earlier, by running its ops again; some of
  // what these need may be parked instead if it is no larger.
  bool canRemake(Value value, int at) {
    auto [entry, fresh] = remakable.try_emplace({value, at}, false);
    if (!fresh)
      return entry->second;
    bool can = decideRemake(value.getDefiningOp(), value, at);
    return remakable[{value, at}] = can;
  }

  bool decideRemake(Operation *op, Value value, int at) {
    if (closes(op))
      return false;
    if (isa<tt::LoadOp, tg::ScratchGetOp>(op)) {
      if (!mayAccessAgain(op, at))
        return false;
    } else if (!isCheap(op)) {
      return false;
    }
    SmallVector<Value> others;
    for (Value operand : op->getOperands())
      if (isStripValue(operand) && stage[operand.getDefiningOp()] < at && !canRemake(operand, at))
        others.push_back(operand);
    if (others.empty())
      return true;
    // A cast of a parked tile, say: parking the narrower one costs less.
    auto bits = [](Value tile) {
      return getElementTypeOrSelf(tile.getType()).isIntOrFloat()
                 ? getElementTypeOrSelf(tile.getType()).getIntOrFloatBitWidth()
                 : 64;
    };
    return others.size() == 1 && !isa<tt::LoadOp>(op) && bits(others[0]) <= bits(value);
  }

  // M4: nothing that the access must come before may have happened by then in another lane, or at all.
  bool mayAccessAgain(Operation *access, int at) {
    if (auto load = dyn_cast<tt::LoadOp>(access); load && load.getIsVolatile())
      return false;
    for (Operation *later = access->getNextNode(); later; later = later->getNextNode()) {
      if (!dependences.touchesMemory(later))
        continue;
      Dependence found = dependence(access, later);
      if (found == Dependence::None)
        continue;
      bool inLoop = isStreamed(later);
      if (stage[later] < at || (stage[later] == at && (found == Dependence::Full || !inLoop)))
        return false;
    }
    return true;
  }

  // Put `value` where it is made; that becomes a root of its own, earlier stage.
  void park(Value value) {
    Value &scratch = parked[value];
    if (scratch)
      return;
    MLIRContext *context = value.getContext();
    scratch = allocate(value.getType(), tg::ResidencyAttr::get(context, tg::Residency::Private));
    tg::ScratchPutOp put = putAfter(value, scratch);
    int at = stage[value.getDefiningOp()];
    streamed.insert(put);
    stage[put] = at;
    roots[at].push_back(put);
  }

  //===-- emission ----------------------------------------------------------------------------------===//

  void emit() {
    Operation *end = block.getTerminator();
    SmallVector<Operation *> ops =
        llvm::map_to_vector(block.without_terminator(), [](Operation &op) { return &op; });
    DenseMap<Operation *, unsigned> order;
    for (auto [number, op] : llvm::enumerate(ops))
      order[op] = number;
    for (int at = 0; at <= last; ++at) {
      for (Operation *op : ops)
        if (!isStreamed(op) && stage[op] == at)
          op->moveBefore(end);
      SmallVector<Operation *> inLoop(needed[at].begin(), needed[at].end());
      llvm::sort(inLoop, [&](Operation *a, Operation *b) { return order[a] < order[b]; });
      if (!inLoop.empty())
        emitLoop(at, inLoop, end);
    }
    for (Operation *op : llvm::reverse(ops))
      if (isStreamed(op)) {
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
      if (auto reduce = dyn_cast<tt::ReduceOp>(op); reduce && closes(op))
        for (unsigned level = 0; level < levelsOf(reduce); ++level)
          llvm::append_range(totals, startValues(reduce, builder));
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
      RankedTensorType type = stripTypeOf(unmasked);
      strips.map(unmasked, arith::ConstantOp::create(
                               inside, loc, SplatElementsAttr::get(type, inside.getBoolAttr(true)))
                               .getResult());
    }
    SmallVector<Value> accumulated;
    ValueRange carried = loop.getRegionIterArgs();
    for (Operation *op : ops) {
      if (op->getNumResults() == 1 && op->getResult(0) == unmasked)
        continue;
      bringParked(op, at, strips, inside, step);
      if (!closes(op)) {
        cloneStrip(op, inside, step, strips);
        continue;
      }
      auto reduce = cast<tt::ReduceOp>(op);
      unsigned count = op->getNumOperands();
      SmallVector<Value> sums = accumulate(reduce, carried.take_front(count), step, strips, inside);
      carried = carried.drop_front(count);
      if (levelsOf(reduce) == 2) {
        sums = flush(reduce, sums, carried.take_front(count), step, inside);
        carried = carried.drop_front(count);
      }
      llvm::append_range(accumulated, sums);
    }
    loop.getBody()->getTerminator()->setOperands(accumulated);
    totals = SmallVector<Value>(loop.getResults());
  }

  // Threads meet once, behind the loop. Lanes that were left out all hold one scalar, and combining it once is as good as
  // combining it often: it is neutral (a sum's 0), or the combination is idempotent (a maximum).
  void finishReductions(ArrayRef<Operation *> ops, ValueRange totals, const Skipped &skipped,
                        OpBuilder &builder) {
    for (Operation *op : ops) {
      if (!closes(op))
        continue;
      auto reduce = cast<tt::ReduceOp>(op->clone());
      unsigned count = op->getNumOperands();
      SmallVector<Value> sums(totals.take_front(count));
      totals = totals.drop_front(count);
      if (levelsOf(cast<tt::ReduceOp>(op)) == 2) {
        sums = combineTiles(reduce.getCombineOp(), totals.take_front(count), sums, builder);
        totals = totals.drop_front(count);
      }
      reduce->setOperands(sums);
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
      if (!closes(op) && !isRoot(op))
        continue;
      if (auto store = dyn_cast<tt::StoreOp>(op)) {
        if (!store.getMask() || !StripBounds::implies(store.getMask(), bound.comparison))
          return Skipped();
      } else if (closes(op)) {
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
    for (auto &[value, scratch] : parked)
      if (scratch == put.getScratch()) {
        for (int at = 0; at <= last; ++at)
          if (need[at].contains(value) && !stopsAtBound(at, comparison))
            return false;
        return true;
      }
    return false;
  }

  bool stopsAtBound(int at, Value comparison) {
    SmallVector<Operation *> ops(needed[at].begin(), needed[at].end());
    bool masked = false;
    for (Operation *op : ops) {
      if (!isRoot(op) && !closes(op))
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

  // What the strip loop's reductions start from. Where no identity is known the first strip takes its place.
  SmallVector<Value> startValues(tt::ReduceOp reduce, OpBuilder &builder) {
    std::optional<SmallVector<TypedAttr>> identities = identityOf(reduce.getCombineOp());
    SmallVector<Value> starts;
    for (auto [number, source] : llvm::enumerate(reduce.getSrcs())) {
      RankedTensorType type = stripTypeOf(source);
      TypedAttr element =
          identities ? (*identities)[number] : builder.getZeroAttr(type.getElementType());
      starts.push_back(arith::ConstantOp::create(builder, reduce.getLoc(),
                                                 SplatElementsAttr::get(type, Attribute(element))));
    }
    return starts;
  }

  // Float sums of many strips are kept on two levels, so that their error grows with the square root of the count
  // (N. Higham, "The Accuracy of Floating Point Summation", 1993, on blocked sums): 2048 strips are 32 + 64 additions.
  static constexpr int stripsOfBlock = 32;

  unsigned levelsOf(tt::ReduceOp reduce) const {
    bool rounds = llvm::any_of(reduce.getCombineOp().front(),
                               [](Operation &op) { return isa<arith::AddFOp, arith::MulFOp>(op); });
    return rounds && steps() > 2 * stripsOfBlock && identityOf(reduce.getCombineOp()) ? 2 : 1;
  }

  // At the end of a block its sums go into the totals: {sums, totals}.
  SmallVector<Value> flush(tt::ReduceOp reduce, ValueRange sums, ValueRange totals, Value step,
                           OpBuilder &builder) {
    Value within = arith::AndIOp::create(builder, loc, step, integer(builder, stripsOfBlock - 1));
    Value isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, within,
                                         integer(builder, stripsOfBlock - 1));
    SmallVector<Type> types(sums.getTypes());
    llvm::append_range(types, totals.getTypes());
    auto branch = scf::IfOp::create(builder, loc, types, isLast, /*withElseRegion=*/true);
    OpBuilder then = branch.getThenBodyBuilder(), otherwise = branch.getElseBodyBuilder();
    SmallVector<Value> flushed = startValues(reduce, then);
    llvm::append_range(flushed, combineTiles(reduce.getCombineOp(), totals, sums, then));
    scf::YieldOp::create(then, loc, flushed);
    SmallVector<Value> kept(sums);
    llvm::append_range(kept, totals);
    scf::YieldOp::create(otherwise, loc, kept);
    return SmallVector<Value>(branch.getResults());
  }

  SmallVector<Value> accumulate(tt::ReduceOp reduce, ValueRange carried, Value step,
                                IRMapping &strips, OpBuilder &builder) {
    SmallVector<Value> fresh =
        llvm::map_to_vector(reduce.getSrcs(), [&](Value source) { return strips.lookup(source); });
    SmallVector<Value> combined = combineTiles(reduce.getCombineOp(), carried, fresh, builder);
    if (identityOf(reduce.getCombineOp()))
      return combined;
    Value isFirst = arith::CmpIOp::create(
        builder, reduce.getLoc(), arith::CmpIPredicate::eq, step,
        arith::ConstantIntOp::create(builder, reduce.getLoc(), step.getType(), 0));
    for (auto [value, strip] : llvm::zip(combined, fresh))
      value = arith::SelectOp::create(builder, reduce.getLoc(), isFirst, strip, value);
    return combined;
  }

  // The combine region applied to tiles, element by element, or to scalars.
  static SmallVector<Value> combineTiles(Region &region, ValueRange a, ValueRange b,
                                         OpBuilder &builder) {
    Block &body = region.front();
    Type like = a[0].getType();
    IRMapping map;
    map.map(body.getArguments().take_front(a.size()), a);
    map.map(body.getArguments().drop_front(a.size()), b);
    auto asTile = [&](Value value) -> Value {
      if (Value mapped = map.lookupOrNull(value))
        return mapped;
      return isa<RankedTensorType>(like)
                 ? tt::SplatOp::create(builder, value.getLoc(),
                                       tt::withElement(like, value.getType()), value)
                 : value;
    };
    for (Operation &op : body.without_terminator()) {
      if (isa<arith::ConstantOp>(op)) {
        map.map(op.getResult(0), asTile(builder.clone(op)->getResult(0)));
        continue;
      }
      SmallVector<Value> operands = llvm::map_to_vector(op.getOperands(), asTile);
      Operation *clone = op.clone();
      clone->setOperands(operands);
      for (OpResult result : clone->getResults())
        result.setType(tt::withElement(like, result.getType()));
      builder.insert(clone);
      map.map(op.getResults(), clone->getResults());
    }
    return llvm::map_to_vector(body.getTerminator()->getOperands(), asTile);
  }

  // Operands of `op` that this stage gets from scratch.
  void bringParked(Operation *op, int at, IRMapping &strips, OpBuilder &builder, Value step) {
    for (Value value : op->getOperands()) {
      if (strips.contains(value) || !need[at].contains(value))
        continue;
      SmallVector<int32_t> bits = fixedBits(map.get(value));
      strips.map(value, tg::ScratchGetOp::create(builder, value.getLoc(), stripTypeOf(value),
                                                 parked[value],
                                                 stepOf(map.get(value), builder, step), bits)
                            .getResult());
    }
  }

  static SmallVector<int32_t> fixedBits(ArrayRef<int> bits) {
    SmallVector<int32_t> fixed;
    for (int bit : bits)
      if (bit != noBit)
        fixed.push_back(bit);
    return fixed;
  }

  // The bits of the step that a tile with these bits depends on.
  Value stepOf(ArrayRef<int> bits, OpBuilder &builder, Value step) {
    unsigned low = 0, count = fixedBits(bits).size();
    while (low < bits.size() && bits[low] == noBit)
      ++low;
    if (count == bits.size())
      return step;
    Location loc = step.getLoc();
    auto constant = [&](int64_t value) {
      return arith::ConstantIntOp::create(builder, loc, step.getType(), value);
    };
    Value part = step;
    if (low)
      part = arith::ShRUIOp::create(builder, loc, part, constant(low));
    return arith::AndIOp::create(builder, loc, part, constant((int64_t(1) << count) - 1));
  }

  void cloneStrip(Operation *op, OpBuilder &builder, Value step, IRMapping &strips) {
    builder.setInsertionPoint(builder.getInsertionBlock()->getTerminator());
    if (auto range = dyn_cast<tt::MakeRangeOp>(op))
      return strips.map(range.getResult(), stripOfRange(range, builder, step));
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto value = cast<SplatElementsAttr>(constant.getValue());
      auto strip = arith::ConstantOp::create(
          builder, op->getLoc(),
          SplatElementsAttr::get(stripTypeOf(constant), value.getSplatValue<Attribute>()));
      return strips.map(constant.getResult(), strip.getResult());
    }
    if (auto get = dyn_cast<tg::ScratchGetOp>(op)) {
      StripBits bits = map.get(get.getResult());
      auto strip = tg::ScratchGetOp::create(
          builder, op->getLoc(), stripTypeOf(get.getResult()), get.getScratch(),
          composeStep(get.getStep(), get.getBits(), bits, builder, step),
          composeBits(get.getBits(), fixedBits(bits)));
      return strips.map(get.getResult(), strip.getResult());
    }
    if (auto put = dyn_cast<tg::ScratchPutOp>(op)) {
      StripBits bits = map.get(put.getValue());
      tg::ScratchPutOp::create(builder, op->getLoc(), put.getScratch(),
                               composeStep(put.getStep(), put.getBits(), bits, builder, step),
                               strips.lookupOrDefault(put.getValue()),
                               composeBits(put.getBits(), fixedBits(bits)));
      return;
    }
    Operation *clone = builder.clone(*op, strips);
    for (auto [whole, strip] : llvm::zip(op->getResults(), clone->getResults()))
      if (tileType(whole))
        strip.setType(stripTypeOf(whole));
  }

  // The step of a strip of a strip: the outer step's bits are the lower ones.
  Value composeStep(Value outer, ArrayRef<int32_t> outerBits, ArrayRef<int> bits,
                    OpBuilder &builder, Value step) {
    Value inner = stepOf(bits, builder, step);
    if (!outer)
      return inner;
    Location loc = step.getLoc();
    Value shift = arith::ConstantIntOp::create(builder, loc, step.getType(), outerBits.size());
    return arith::OrIOp::create(builder, loc, arith::ShLIOp::create(builder, loc, inner, shift),
                                outer);
  }

  // Numbers of a strip: those of a shorter range, spread around the fixed bits, plus what the step contributes. None of these
  // sums overflows, as no tile has more than 2^20 elements.
  Value stripOfRange(tt::MakeRangeOp range, OpBuilder &builder, Value step) {
    StripBits bits = map.get(range.getResult());
    RankedTensorType type = stripTypeOf(range.getResult());
    Location loc = range.getLoc();
    SmallVector<int32_t> fixed = fixedBits(bits);
    int32_t start = range.getStart();
    int64_t size = type.getNumElements(), below = int64_t(1) << fixed.front();
    constexpr auto nsw = arith::IntegerOverflowFlags::nsw;
    auto splat = [&](int64_t value) {
      return arith::ConstantOp::create(
          builder, loc, SplatElementsAttr::get(type, builder.getI32IntegerAttr(value)));
    };
    bool onTop = below == size;
    Value numbers = tt::MakeRangeOp::create(builder, loc, type, onTop ? start : 0,
                                            (onTop ? start : 0) + int32_t(size));
    if (!onTop) {
      Value low = arith::AndIOp::create(builder, loc, numbers, splat(below - 1));
      Value high = arith::ShLIOp::create(
          builder, loc, arith::ShRUIOp::create(builder, loc, numbers, splat(fixed.front())),
          splat(fixed.front() + fixed.size()));
      numbers = arith::OrIOp::create(builder, loc, high, low);
      if (start)
        numbers = arith::AddIOp::create(builder, loc, numbers, splat(start), nsw);
    }
    Value scale = arith::ConstantIntOp::create(builder, loc, step.getType(), below);
    Value base = arith::MulIOp::create(builder, loc, stepOf(bits, builder, step), scale, nsw);
    return arith::AddIOp::create(builder, loc, numbers,
                                 tt::SplatOp::create(builder, loc, type, base), nsw);
  }

  RankedTensorType stripTypeOf(Value value) {
    return StripMap::stripType(tileType(value), map.get(value));
  }

  Block &block;
  StripMap map;
  const StripRule &rule;
  const AxisAnalysis &axes;
  tt::FuncOp function;
  StripBounds bounds;
  Location loc; // of the stage being emitted
  MemoryDependences dependences;
  DenseSet<Operation *> streamed;
  DenseMap<Operation *, int> stage;
  int last = 0;
  DenseMap<int, SmallVector<Operation *>> roots;
  DenseMap<int, SetVector<Operation *>> needed; // ops cloned into a stage's loop
  DenseMap<int, SetVector<Value>> need;         // parked values that it gets
  DenseMap<std::pair<Value, int>, bool> remakable;
  DenseMap<Value, Value> scratchOf; // of tiles that change their cut
  DenseMap<Value, Value> parked;
};

//===-- the pass ----------------------------------------------------------------------------------------===//

// Scratch that control flow needed: private if every strip of it is cut alike.
void settleResidency(tt::FuncOp function) {
  function.walk([&](tg::ScratchAllocOp alloc) {
    if (alloc.getResidency())
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
