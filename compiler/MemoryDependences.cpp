// SPDX-License-Identifier: Apache-2.0
#include "compiler/MemoryDependences.h"

#include "dialect/PointerRoot.h"
#include "dialect/tg/TG.h"
#include "dialect/tt/TT.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace tigon {
namespace {

void collect(Operation *op, SmallVectorImpl<MemoryAccess> &into) {
  if (auto access = dyn_cast<TileAccessOpInterface>(op)) {
    Value pointer = access.getAccessedPointer();
    into.push_back({op, rootOf(pointer), pointer, access.readsMemory(), access.writesMemory(),
                    access.isOrdered()});
    return;
  }
  if (auto put = dyn_cast<tg::ScratchPutOp>(op)) {
    into.push_back({op, put.getScratch(), put.getScratch(), false, true, false});
    return;
  }
  if (auto get = dyn_cast<tg::ScratchGetOp>(op)) {
    into.push_back({op, get.getScratch(), get.getScratch(), true, false, false});
    return;
  }
  if (auto copy = dyn_cast<tg::AsyncCopyOp>(op)) {
    into.push_back({op, rootOf(copy.getPtr()), copy.getPtr(), true, false, false});
    into.push_back({op, copy.getScratch(), copy.getScratch(), false, true, false});
    return;
  }
  if (isa<tg::ScratchAllocOp, tg::AsyncCommitOp, tg::AsyncWaitOp>(op))
    return;
  if (op->getNumRegions()) {
    op->walk([&](Operation *inner) {
      if (inner != op && !inner->getNumRegions())
        collect(inner, into);
    });
    return;
  }
  // Whatever else has effects (barriers, prints, impure assembly) may touch anything and keeps its place.
  if (!isMemoryEffectFree(op) && !op->hasTrait<OpTrait::IsTerminator>())
    into.push_back({op, Value(), Value(), true, true, true});
}

} // namespace

ArrayRef<MemoryAccess> MemoryDependences::accesses(Operation *op) {
  auto [entry, fresh] = known.try_emplace(op);
  if (fresh) {
    SmallVector<MemoryAccess, 1> found;
    collect(op, found);
    entry->second = std::move(found);
  }
  return entry->second;
}

// Of what a pointer, or a tile of them, points to; 0 where that is a tile or another pointer.
static unsigned elementBits(Value address) {
  auto pointer = dyn_cast<tt::PointerType>(getElementTypeOrSelf(address.getType()));
  Type pointee = pointer ? pointer.getPointeeType() : Type();
  return pointee && pointee.isIntOrFloat() ? pointee.getIntOrFloatBitWidth() : 0;
}

static Dependence between(const MemoryAccess &a, const MemoryAccess &b, bool sameIteration) {
  if (a.ordered || b.ordered)
    return Dependence::Full;
  if (!a.writes && !b.writes)
    return Dependence::None;
  if (a.root && b.root && a.root != b.root) {
    // In place: equal addresses only in equal lanes of tiles of one shape within one iteration, of elements of one size.
    // Scratch is nobody else's.
    bool mayBeInPlace = sameIteration && isa<BlockArgument>(a.root) && isa<BlockArgument>(b.root) &&
                        a.address.getType().getTypeID() == b.address.getType().getTypeID() &&
                        elementBits(a.address) == elementBits(b.address);
    auto shapeOf = [](Value value) {
      auto tensor = dyn_cast<RankedTensorType>(value.getType());
      return tensor ? tensor.getShape() : ArrayRef<int64_t>();
    };
    return mayBeInPlace && shapeOf(a.address) == shapeOf(b.address) ? Dependence::LaneLocal
                                                                    : Dependence::None;
  }
  if (a.root && b.root && a.address == b.address && sameIteration)
    return Dependence::LaneLocal;
  return Dependence::Full;
}

// Whether a loop, be it `outer` itself, stands between `op` and the block of `outer`.
static bool isInLoopOf(Operation *op, Operation *outer) {
  for (Operation *at = op;; at = at->getParentOp()) {
    if (isa<LoopLikeOpInterface>(at))
      return true;
    if (at == outer)
      return false;
  }
}

Dependence MemoryDependences::between(Operation *first, Operation *second) {
  Dependence strictest = Dependence::None;
  SmallVector<MemoryAccess, 1> ours(
      accesses(first)); // the table may move while the other is looked up
  for (const MemoryAccess &a : ours)
    for (const MemoryAccess &b : accesses(second))
      strictest = std::max(
          strictest, tigon::between(a, b, !isInLoopOf(a.op, first) && !isInLoopOf(b.op, second)));
  return strictest;
}

} // namespace tigon
