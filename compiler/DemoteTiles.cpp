// SPDX-License-Identifier: Apache-2.0
//
// DemoteTiles: tiles over budget do not cross the border of a region. A strip loop walks the ops of one block; what a loop
// carries, a condition yields or a region uses from outside is therefore parked in scratch at the border, whole:
//
//   %r = scf.for ... iter_args(%a = %init) {         put %init, %s
//     ...                                            scf.for ... {
//     scf.yield %new                                   %a = get %s ... put %new, %s }
//   }                                                %r = get %s
//
// or, where that is cheaper, run again inside: ranges, masks, and loads of what all programs share. StripMine then splits
// puts and gets like any other op, and in the common case the new value of a strip overwrites the old one in place.
#include "compiler/DemoteTiles.h"

#include "compiler/MemoryDependences.h"
#include "compiler/Remake.h"
#include "compiler/StripRule.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

#include <map>

namespace tigon {
namespace {

using namespace mlir;

class Demotion {
public:
  explicit Demotion(tt::FuncOp function) : function(function), rule(function) {}

  void run() {
    // Inner ops first, so that an outer op's new values meet bodies that carry no tiles.
    SmallVector<Operation *> ops;
    function.walk<WalkOrder::PostOrder>([&](Operation *op) {
      if (isa<scf::ForOp, scf::IfOp, scf::WhileOp, scf::IndexSwitchOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      demoteCarried(op);
    demoteCaptured();
  }

private:
  Value alloc(Type tile) {
    OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
    auto type = tg::ScratchType::get(tile.getContext(), cast<RankedTensorType>(tile));
    return tg::ScratchAllocOp::create(builder, function.getLoc(), type, tg::ResidencyAttr());
  }

  static void put(OpBuilder &builder, Value value, Value scratch) {
    tg::ScratchPutOp::create(builder, value.getLoc(), scratch, Value(), value, ArrayRef<int32_t>());
  }

  static Value get(OpBuilder &builder, Location loc, Value scratch) {
    Type tile = cast<tg::ScratchType>(scratch.getType()).getTile();
    return tg::ScratchGetOp::create(builder, loc, tile, scratch, Value(), ArrayRef<int32_t>());
  }

  //===-- what control flow carries -----------------------------------------------------------------===//

  void demoteCarried(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      demoteFor(loop);
    else if (auto loop = dyn_cast<scf::WhileOp>(op))
      demoteWhile(loop);
    else
      demoteBranches(op);
  }

  SmallVector<unsigned> bigOnes(TypeRange types) const {
    SmallVector<unsigned> numbers;
    for (auto [number, type] : llvm::enumerate(types))
      if (rule.isBig(type))
        numbers.push_back(number);
    return numbers;
  }

  static void eraseOperands(Operation *op, ArrayRef<unsigned> numbers, unsigned first) {
    for (unsigned number : llvm::reverse(numbers))
      op->eraseOperand(first + number);
  }

  // A copy of `op` without the results `numbers`, its regions moved over.
  static Operation *withoutResults(Operation *op, ArrayRef<unsigned> numbers) {
    OpBuilder builder(op);
    SmallVector<Type> types;
    for (OpResult result : op->getResults())
      if (!llvm::is_contained(numbers, result.getResultNumber()))
        types.push_back(result.getType());
    OperationState state(op->getLoc(), op->getName(), op->getOperands(), types);
    state.addAttributes(llvm::to_vector(op->getDiscardableAttrs()));
    for (Region &region : op->getRegions())
      state.addRegion()->takeBody(region);
    Operation *copy = builder.create(state);
    copy->copyProperties(op->getPropertiesStorage());
    unsigned next = 0;
    for (OpResult result : op->getResults())
      if (!llvm::is_contained(numbers, result.getResultNumber()))
        result.replaceAllUsesWith(copy->getResult(next++));
    return copy;
  }

  void demoteFor(scf::ForOp loop) {
    SmallVector<unsigned> big = bigOnes(loop.getResultTypes());
    if (big.empty())
      return;
    OpBuilder before(loop), after(loop->getContext());
    after.setInsertionPointAfter(loop);
    OpBuilder last(loop.getBody()->getTerminator());
    for (unsigned number : big) {
      Value scratch = alloc(loop.getResult(number).getType());
      put(before, loop.getInitArgs()[number], scratch);
      // All gets before all puts: the loop may hand one carried value on as another.
      OpBuilder inside = OpBuilder::atBlockBegin(loop.getBody());
      BlockArgument carried = loop.getRegionIterArg(number);
      carried.replaceAllUsesWith(get(inside, carried.getLoc(), scratch));
      put(last, loop.getBody()->getTerminator()->getOperand(number), scratch);
      Value result = loop.getResult(number);
      if (!result.use_empty())
        result.replaceAllUsesWith(get(after, result.getLoc(), scratch));
    }
    eraseOperands(loop.getBody()->getTerminator(), big, 0);
    eraseOperands(loop, big, 3);
    for (unsigned number : llvm::reverse(big))
      loop.getBody()->eraseArgument(1 + number);
    withoutResults(loop, big);
    loop.erase();
  }

  // scf.if, scf.index_switch: every branch leaves its value in one place.
  void demoteBranches(Operation *op) {
    SmallVector<unsigned> big = bigOnes(op->getResultTypes());
    if (big.empty())
      return;
    OpBuilder after(op->getContext());
    after.setInsertionPointAfter(op);
    for (unsigned number : big) {
      Value result = op->getResult(number);
      Value scratch = alloc(result.getType());
      for (Region &region : op->getRegions()) {
        OpBuilder last(region.front().getTerminator());
        put(last, region.front().getTerminator()->getOperand(number), scratch);
      }
      result.replaceAllUsesWith(get(after, result.getLoc(), scratch));
    }
    for (Region &region : op->getRegions())
      eraseOperands(region.front().getTerminator(), big, 0);
    withoutResults(op, big);
    op->erase();
  }

  // Both hand-overs of a while loop: into `before` (from the inits and from `after`), and out of it.
  void demoteWhile(scf::WhileOp loop) {
    Block &before = loop.getBefore().front(), &after = loop.getAfter().front();
    SmallVector<unsigned> in = bigOnes(before.getArgumentTypes()),
                          out = bigOnes(loop.getResultTypes());
    if (in.empty() && out.empty())
      return;
    OpBuilder outside(loop);
    for (unsigned number : in) {
      Value scratch = alloc(before.getArgument(number).getType());
      put(outside, loop.getInits()[number], scratch);
      OpBuilder begin = OpBuilder::atBlockBegin(&before), last(after.getTerminator());
      BlockArgument argument = before.getArgument(number);
      argument.replaceAllUsesWith(get(begin, argument.getLoc(), scratch));
      put(last, after.getTerminator()->getOperand(number), scratch);
    }
    OpBuilder behind(loop->getContext());
    behind.setInsertionPointAfter(loop);
    for (unsigned number : out) {
      Value scratch = alloc(loop.getResult(number).getType());
      OpBuilder last(before.getTerminator()), begin = OpBuilder::atBlockBegin(&after);
      put(last, before.getTerminator()->getOperand(1 + number), scratch);
      BlockArgument argument = after.getArgument(number);
      argument.replaceAllUsesWith(get(begin, argument.getLoc(), scratch));
      Value result = loop.getResult(number);
      if (!result.use_empty())
        result.replaceAllUsesWith(get(behind, result.getLoc(), scratch));
    }
    eraseOperands(after.getTerminator(), in, 0);
    eraseOperands(before.getTerminator(), out, 1);
    eraseOperands(loop, in, 0);
    for (unsigned number : llvm::reverse(in))
      before.eraseArgument(number);
    for (unsigned number : llvm::reverse(out))
      after.eraseArgument(number);
    withoutResults(loop, out);
    loop.erase();
  }

  //===-- what regions use from outside -------------------------------------------------------------===//

  // What a block gets from outside stands at its beginning; tiles that share ops share them there too.
  struct Prologue {
    OpBuilder builder;
    IRMapping map;
  };

  void demoteCaptured() {
    DenseMap<Value, Value> parked;
    std::map<Block *, Prologue> prologues;
    function.walk([&](Operation *op) {
      if (isa<tt::ReduceOp>(op->getParentOp()))
        return;
      for (OpOperand &operand : op->getOpOperands()) {
        Value value = operand.get();
        Block *block = op->getBlock();
        if (!rule.isBig(value.getType()) || value.getParentBlock() == block)
          continue;
        auto [prologue, fresh] =
            prologues.try_emplace(block, Prologue{OpBuilder::atBlockBegin(block), {}});
        operand.set(bringInto(value, block, prologue->second, parked));
      }
    });
  }

  // `value`, which is defined further out, for use in `block`.
  Value bringInto(Value value, Block *block, Prologue &prologue, DenseMap<Value, Value> &parked) {
    if (Value local = prologue.map.lookupOrNull(value))
      return local;
    if (canRunAgain(value, block))
      return runAgain(value, prologue.builder, prologue.map);
    Value &scratch = parked[value];
    if (!scratch) {
      scratch = alloc(value.getType());
      OpBuilder after(value.getContext());
      after.setInsertionPointAfterValue(value);
      put(after, value, scratch);
    }
    Value local = get(prologue.builder, value.getLoc(), scratch);
    prologue.map.map(value, local);
    return local;
  }

  bool canRunAgain(Value value, Block *block) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return false;
    if (!isa<RankedTensorType>(value.getType()))
      return true; // scalars are at hand
    if (auto load = dyn_cast<tt::LoadOp>(op)) {
      if (load.getIsVolatile() || !isSharedByPrograms(load) || isWrittenBefore(load, block))
        return false;
    } else if (!isCheap(op)) {
      return false;
    }
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      return !isa<RankedTensorType>(operand.getType()) || canRunAgain(operand, block);
    });
  }

  // Whether anything after the load may write what it reads before `block` is done, be it in the same lane only.
  bool isWrittenBefore(tt::LoadOp load, Block *block) {
    if (load->getBlock() != &function.getBody().front())
      return true;
    Operation *last = load->getBlock()->findAncestorOpInBlock(*block->getParentOp());
    for (Operation *op = load->getNextNode(); op; op = op->getNextNode()) {
      if (dependences.between(load, op) != Dependence::None)
        return true;
      if (op == last)
        return false;
    }
    return true;
  }

  Value runAgain(Value value, OpBuilder &builder, IRMapping &map) {
    if (Value copy = map.lookupOrNull(value))
      return copy;
    if (!isa<RankedTensorType>(value.getType()))
      return value;
    Operation *op = value.getDefiningOp();
    for (Value operand : op->getOperands())
      map.map(operand, runAgain(operand, builder, map));
    builder.clone(*op, map);
    return map.lookup(value);
  }

  tt::FuncOp function;
  StripRule rule;
  MemoryDependences dependences;
};

} // namespace

void demoteTiles(tt::FuncOp function) {
  if (!StripRule(function).isOff())
    Demotion(function).run();
}

} // namespace tigon
