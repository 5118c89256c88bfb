// SPDX-License-Identifier: Apache-2.0
//
// PlaceBarriers: threads of a program meet in shared memory: in partial results of reductions, in conversions and in scratch
// that is not private. Each such op needs a barrier before it if, since the last barrier, some thread may still be reading
// what it overwrites or not yet have written what it reads. One walk in program order keeps what happened since the last
// barrier; loops are walked twice, so that an iteration meets the one before it.
#include "compiler/LocalMemory.h"
#include "compiler/Passes.h"
#include "compiler/ProgramFacts.h"
#include "dialect/ttg/TTG.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace tigon {
#define GEN_PASS_DEF_PLACEBARRIERS
#include "compiler/Passes.h.inc"

namespace {

using namespace mlir;

// An access to bytes [from, to) of shared memory, or of global scratch.
struct Access {
  int64_t from, to;
  bool global, writes;
  Operation *privateTo = nullptr; // the allocation whose slots no other thread touches
  Operation *turn = nullptr;      // the reduction of whose two places it is one

  bool operator==(const Access &) const = default;

  // Whether threads may disagree on the order of the two.
  bool meets(const Access &other) const {
    if (privateTo && privateTo == other.privateTo)
      return false;
    return (writes || other.writes) && global == other.global && from < other.to && other.from < to;
  }
};

// What happened since the last barrier.
struct Pending {
  SmallVector<Access> accesses;

  bool meets(const Access &access) const {
    return llvm::any_of(accesses, [&](const Access &before) { return before.meets(access); });
  }
  void add(const Access &access) {
    if (!llvm::is_contained(accesses, access))
      accesses.push_back(access);
  }
  void merge(const Pending &other) {
    for (const Access &access : other.accesses)
      add(access);
  }
};

class Placement {
public:
  explicit Placement(tt::FuncOp function) : target(targetOf(function)) {}

  void visit(Region &region, Pending &pending) {
    for (Block &block : region)
      for (Operation &op : block)
        visit(&op, pending);
  }

private:
  void visit(Operation *op, Pending &pending) {
    if (isa<gpu::BarrierOp, ttg::BarrierOp>(op))
      pending.accesses.clear();
    else if (isExchange(op, target))
      visitExchange(op, pending);
    else if (auto put = dyn_cast<tg::ScratchPutOp>(op))
      visitAccess(op, put.getScratch(), /*writes=*/true, pending);
    else if (auto copy = dyn_cast<tg::AsyncCopyOp>(op))
      visitAccess(op, copy.getScratch(), /*writes=*/true, pending);
    else if (auto get = dyn_cast<tg::ScratchGetOp>(op))
      visitAccess(op, get.getScratch(), /*writes=*/false, pending);
    else if (op->getNumRegions())
      visitControl(op, pending);
  }

  // Any region may run, or none; a loop's again after itself.
  void visitControl(Operation *op, Pending &pending) {
    for (int round = 0; round < (isa<LoopLikeOpInterface>(op) ? 2 : 1); ++round) {
      rounds[op] = round;
      Pending before = pending;
      for (Region &region : op->getRegions()) {
        Pending inner = before;
        visit(region, inner);
        pending.merge(inner);
      }
    }
    // Whose turn was last is not known behind the loop.
    for (Access &access : pending.accesses)
      if (access.turn && access.turn->getParentOp() == op)
        access = placeOf(access.turn, /*writes=*/false);
  }

  Access placeOf(Operation *exchange, bool writes) {
    int64_t offset = exchange->getAttrOfType<IntegerAttr>(offsetAttr).getInt();
    return {offset, offset + localBytesOf(exchange, target), false, writes};
  }

  // Written by all, a barrier of its own, read by all.
  void visitExchange(Operation *op, Pending &pending) {
    Access place = placeOf(op, /*writes=*/true);
    if (op->hasAttr(turnsAttr)) {
      // The first iteration's may be either place; that of the next is the other one.
      int round = rounds.lookup(op->getParentOp());
      int64_t middle = (place.from + place.to) / 2;
      if (round == 0 && pending.meets(place))
        require(op);
      (round == 0 ? place.to : place.from) = middle;
      place.turn = op;
    }
    if (pending.meets(place))
      require(op);
    pending.accesses.clear();
    place.writes = false;
    pending.add(place);
  }

  void visitAccess(Operation *op, Value scratch, bool writes, Pending &pending) {
    auto alloc = scratch.getDefiningOp<tg::ScratchAllocOp>();
    int64_t offset = alloc->getAttrOfType<IntegerAttr>(offsetAttr).getInt();
    Access access{offset, offset + localBytesOf(alloc, target), alloc->hasAttr(globalAttr), writes};
    if (alloc.getResidency() == tg::Residency::Private)
      access.privateTo = alloc;
    if (pending.meets(access)) {
      require(op);
      pending.accesses.clear();
    }
    pending.add(access);
  }

  static void require(Operation *op) {
    op->setAttr(barrierBeforeAttr, UnitAttr::get(op->getContext()));
  }

  const Target &target;
  DenseMap<Operation *, int> rounds; // of the loops that are being walked
};

struct PlaceBarriers : impl::PlaceBarriersBase<PlaceBarriers> {
  void runOnOperation() override {
    if (!targetOf(getOperation()).lanesAreThreads)
      return;
    Pending pending;
    Placement(getOperation()).visit(getOperation().getBody(), pending);
  }
};

} // namespace
} // namespace tigon
