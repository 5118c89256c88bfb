// SPDX-License-Identifier: Apache-2.0
#include "compiler/StripStages.h"

#include "compiler/Remake.h"
#include "dialect/TileMap.h"

using namespace mlir;

namespace tigon {

static bool isAnySet(ArrayRef<int> bits) {
  return llvm::any_of(bits, [](int bit) { return bit != noBit; });
}

void StripStages::run() {
  moveThroughMemory();
  assignStages();
  parkBetweenStages();
}

Value StripStages::parkedIn(Value scratch) const {
  for (auto &[value, place] : parked)
    if (place == scratch)
      return value;
  return {};
}

bool StripStages::isReadOnly(Operation *op) {
  return isMemoryEffectFree(op) || isa<tg::ScratchGetOp>(op) ||
         (isa<tt::LoadOp>(op) && !cast<tt::LoadOp>(op).getIsVolatile());
}

// A put may happen again if nothing before it in the block reads what it overwrites.
bool StripStages::putsTheSameAgain(Operation *op) const {
  auto put = dyn_cast<tg::ScratchPutOp>(op);
  return put && llvm::none_of(put.getScratch().getUsers(), [&](Operation *user) {
           Operation *here =
               isa<tg::ScratchPutOp>(user) ? nullptr : block.findAncestorOpInBlock(*user);
           return here && here->isBeforeInBlock(op);
         });
}

bool StripStages::canStream(Operation *op) const {
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

bool StripStages::closes(Operation *op) const {
  return isa<tt::ReduceOp>(op) && isStreamed(op) && !isAnySet(map.get(op->getResult(0)));
}

bool StripStages::isStripValue(Value value) const {
  Operation *op = value.getDefiningOp();
  return op && op->getBlock() == &block && isStreamed(op) && !closes(op);
}

Value StripStages::allocate(Type tile, tg::ResidencyAttr residency) {
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  auto type = tg::ScratchType::get(tile.getContext(), cast<RankedTensorType>(tile));
  return tg::ScratchAllocOp::create(builder, function.getLoc(), type, residency);
}

tg::ScratchPutOp StripStages::putAfter(Value value, Value scratch) {
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  if (!value.getDefiningOp() || value.getParentBlock() != &block)
    builder.setInsertionPointToStart(&block);
  return tg::ScratchPutOp::create(builder, value.getLoc(), scratch, Value(), value,
                                  ArrayRef<int32_t>());
}

tg::ScratchGetOp StripStages::getBefore(Operation *op, Value scratch) {
  OpBuilder builder(op);
  Type tile = cast<tg::ScratchType>(scratch.getType()).getTile();
  return tg::ScratchGetOp::create(builder, op->getLoc(), tile, scratch, Value(),
                                  ArrayRef<int32_t>());
}

// Where a tile is made in one cut (or whole) and used in another, it goes through memory.
void StripStages::moveThroughMemory() {
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

// `op`, or an op in its regions, wants its operand in this cut.
void StripStages::moveOperand(Operation *op, OpOperand &operand, const StripBits &wanted) {
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

Dependence StripStages::dependence(Operation *first, Operation *second) {
  Dependence found = dependences.between(first, second);
  // Lanes are the same lanes only if both are cut alike.
  if (found == Dependence::LaneLocal && isStreamed(first) && isStreamed(second) &&
      map.ofOp(first) != map.ofOp(second))
    return Dependence::Full;
  return found;
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

void StripStages::assignStages() {
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
        at = std::max(at,
                      stage[before] + (fromLoop && (found == Dependence::Full || !inLoop) ? 1 : 0));
      }
      touching.push_back(&op);
    }
    stage[&op] = at;
    last = std::max(last, at);
  }
}

bool StripStages::isRoot(Operation *op) {
  if (auto load = dyn_cast<tt::LoadOp>(op))
    return load.getIsVolatile();
  return !isMemoryEffectFree(op) && !isa<tg::ScratchGetOp>(op);
}

// Later stages first: what they need parked becomes a root of an earlier one.
void StripStages::parkBetweenStages() {
  for (Operation &op : block)
    if (isStreamed(&op) && (isRoot(&op) || closes(&op)))
      roots[stage[&op]].push_back(&op);
  for (int at = last; at >= 0; --at) {
    for (Operation *root : roots[at])
      needOperands(root, at);
    for (Value value : need[at])
      park(value);
  }
  for (auto [value, scratch] : parked)
    if (!unrepeatable.contains(value))
      scratch.getDefiningOp()->setAttr(reloadableAttr, UnitAttr::get(value.getContext()));
}

void StripStages::needOperands(Operation *op, int at) {
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
    else if (need[at].insert(value);
             !isa<tt::LoadOp>(definition) || !mayAccessAgain(definition, at))
      unrepeatable.insert(value);
  }
}

// Whether `value` can be had in the loop of stage `at`, though its own stage is earlier, by running its ops again; some of
// what these need may be parked instead if it is no larger.
bool StripStages::canRemake(Value value, int at) {
  auto [entry, fresh] = remakable.try_emplace({value, at}, false);
  if (!fresh)
    return entry->second;
  bool can = decideRemake(value.getDefiningOp(), value, at);
  return remakable[{value, at}] = can;
}

bool StripStages::decideRemake(Operation *op, Value value, int at) {
  if (closes(op))
    return false;
  if (isa<tt::LoadOp, tg::ScratchGetOp>(op)) {
    auto load = dyn_cast<tt::LoadOp>(op);
    if (!mayAccessAgain(op, at) || (load && rule.holdsLoads() && !isSharedByPrograms(load)))
      return false;
  } else if (!isCheap(op) && !(rule.remakesExponentials() && isa<math::ExpOp, math::Exp2Op>(op))) {
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
bool StripStages::mayAccessAgain(Operation *access, int at) {
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
void StripStages::park(Value value) {
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

} // namespace tigon
