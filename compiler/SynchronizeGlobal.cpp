// SPDX-License-Identifier: Apache-2.0
//
// SynchronizeGlobal: a tile program's accesses take effect whole tile by whole tile (docs/semantics.md, M1), but the threads
// of a program run apart. Where two accesses may touch one address from different threads and one of them writes, a barrier
// stands between (M5), unless there is one already:
//
//   - accesses of one root through different addresses, or in different iterations of a loop that is not seen to move past
//     what it touched before;
//   - accesses through one address, if its tile is held more than once: duplicates read what only one thread wrote;
//   - accesses in place, through different roots, if their layouts differ.
//
// Each barrier is a remark, since a kernel author can often remove its cause.
#include "compiler/LocalMemory.h"
#include "compiler/MemoryDependences.h"
#include "compiler/Passes.h"
#include "compiler/ProgramFacts.h"
#include "dialect/LinearLayout.h"
#include "dialect/ttg/TTG.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tigon {
#define GEN_PASS_DEF_SYNCHRONIZEGLOBAL
#include "compiler/Passes.h.inc"

namespace {

using namespace mlir;

//===-- does a loop move past what it touched? ------------------------------------------------------------===//

// A value as `scale * induction variable + something invariant`, give or take `extent` from one element of a tile to another.
struct Motion {
  int64_t scale = 0, extent = 0;
};

std::optional<int64_t> constantOf(Value value) {
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  if (!constant)
    return std::nullopt;
  Attribute attribute = constant.getValue();
  if (auto splat = dyn_cast<SplatElementsAttr>(attribute))
    attribute = splat.getSplatValue<Attribute>();
  auto integer = dyn_cast<IntegerAttr>(attribute);
  return integer ? std::optional(integer.getInt()) : std::nullopt;
}

class Motions {
public:
  explicit Motions(scf::ForOp loop) : loop(loop) {}

  std::optional<Motion> of(Value value) {
    if (auto found = known.find(value); found != known.end())
      return found->second;
    std::optional<Motion> motion = find(value);
    // What moves so fast that it wraps within a step may be back where it was.
    auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(value.getType()));
    unsigned bits = integer ? integer.getWidth() : 64;
    if (motion && !llvm::isIntN(bits, motion->scale))
      motion = std::nullopt;
    known[value] = motion;
    return motion;
  }

private:
  std::optional<Motion> find(Value value) {
    bool isTile = isa<RankedTensorType>(value.getType());
    if (value == loop.getInductionVar())
      return Motion{1, 0};
    if (!isTile && loop.isDefinedOutsideOfLoop(value))
      return Motion{};
    Operation *op = value.getDefiningOp();
    if (!op)
      return std::nullopt;
    if (auto range = dyn_cast<tt::MakeRangeOp>(op))
      return Motion{0, range.getResult().getType().getNumElements() - 1};
    if (constantOf(value))
      return Motion{};
    if (isa<tt::SplatOp, tt::ExpandDimsOp, tt::BroadcastOp, tt::ReshapeOp, arith::ExtSIOp,
            arith::ExtUIOp>(op))
      return of(op->getOperand(0));
    // Arithmetic on scalars that stand still stands still.
    if (!isTile && isPure(op) && !op->getNumRegions() &&
        llvm::all_of(op->getOperands(), [&](Value operand) {
          std::optional<Motion> motion = of(operand);
          return motion && !motion->scale;
        }))
      return Motion{};
    if (isa<arith::AddIOp, arith::SubIOp, tt::AddPtrOp>(op)) {
      std::optional<Motion> a = of(op->getOperand(0)), b = of(op->getOperand(1));
      if (!a || !b)
        return std::nullopt;
      int64_t sign = isa<arith::SubIOp>(op) ? -1 : 1, scale;
      if (__builtin_add_overflow(a->scale, sign * b->scale, &scale))
        return std::nullopt;
      return Motion{scale, a->extent + b->extent};
    }
    if (isa<arith::MulIOp>(op)) {
      std::optional<Motion> a = of(op->getOperand(0));
      std::optional<int64_t> factor = constantOf(op->getOperand(1));
      int64_t scale, extent;
      if (!a || !factor || *factor == std::numeric_limits<int64_t>::min() ||
          __builtin_mul_overflow(a->scale, *factor, &scale) ||
          __builtin_mul_overflow(a->extent, std::abs(*factor), &extent))
        return std::nullopt;
      return Motion{scale, extent};
    }
    return std::nullopt;
  }

  scf::ForOp loop;
  DenseMap<Value, std::optional<Motion>> known;
};

// Whether no iteration of `loop` touches through `address` what an earlier one did.
bool movesPast(Value address, Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  std::optional<int64_t> step = loop ? constantOf(loop.getStep()) : std::nullopt;
  std::optional<Motion> motion = step ? Motions(loop).of(address) : std::nullopt;
  int64_t moved;
  return motion && !__builtin_mul_overflow(motion->scale, *step, &moved) &&
         (moved > motion->extent || moved < -motion->extent);
}

//===-- the walk ------------------------------------------------------------------------------------------===//

struct Pending {
  MemoryAccess access;
  // The loops whose earlier iteration this access belongs to.
  SmallVector<Operation *, 2> earlier;

  bool operator==(const Pending &other) const {
    return access.op == other.access.op && earlier == other.earlier;
  }
};

class Synchronization {
public:
  explicit Synchronization(const Target &target) : target(target) {}

  void visit(Region &region, SmallVector<Pending> &pending) {
    for (Block &block : region)
      for (Operation &op : llvm::make_early_inc_range(block))
        visit(&op, pending);
  }

private:
  void visit(Operation *op, SmallVector<Pending> &pending) {
    if (isa<gpu::BarrierOp, ttg::BarrierOp>(op))
      return pending.clear();
    // An exchange between warps waits, in its middle, for all threads.
    if (isExchange(op, target))
      return pending.clear();
    if (isa<tt::ReduceOp, tg::ScratchPutOp, tg::ScratchGetOp>(
            op)) // local memory is PlaceBarriers' business
      return;
    if (op->getNumRegions())
      return visitControl(op, pending);
    for (const MemoryAccess &access : dependences.accesses(op)) {
      for (const Pending &before : pending)
        if (meets(before, access)) {
          insertBarrier(op);
          pending.clear();
          break;
        }
      add(pending, {access, {}});
    }
  }

  // Any region may run, or none; a loop's again after itself.
  void visitControl(Operation *op, SmallVector<Pending> &pending) {
    bool isLoop = isa<LoopLikeOpInterface>(op);
    for (int round = 0; round < (isLoop ? 2 : 1); ++round) {
      SmallVector<Pending> before = pending;
      if (round == 1)
        for (Pending &entry : before)
          if (op->isAncestor(entry.access.op))
            entry.earlier.push_back(op);
      for (Region &region : op->getRegions()) {
        SmallVector<Pending> inner = before;
        visit(region, inner);
        for (const Pending &entry : inner)
          add(pending, entry);
      }
    }
  }

  static void add(SmallVector<Pending> &pending, const Pending &entry) {
    if (!llvm::is_contained(pending, entry))
      pending.push_back(entry);
  }

  static bool isHeldOnce(Value address) {
    const LinearLayout *layout = tg::getLayout(address.getType());
    return layout && !layout->getFreeBits(Index::Lane) && !layout->getFreeBits(Index::Warp);
  }

  // Whether the two may touch one address from different threads.
  static bool meets(const Pending &before, const MemoryAccess &access) {
    const MemoryAccess &first = before.access;
    if (!first.writes && !access.writes)
      return false;
    if (!first.address || !access.address) // anything might happen in there, in every thread alike
      return false;
    Type one = first.address.getType(), other = access.address.getType();
    if (first.root && access.root && first.root != access.root) {
      auto a = dyn_cast<RankedTensorType>(one), b = dyn_cast<RankedTensorType>(other);
      return before.earlier.empty() && a && b && a.getShape() == b.getShape() &&
             a.getEncoding() != b.getEncoding();
    }
    if (first.root && first.address == access.address) {
      bool sameThread = (first.writes && !first.reads && access.writes && !access.reads) ||
                        isHeldOnce(access.address);
      bool samePlace = before.earlier.empty() || llvm::all_of(before.earlier, [&](Operation *loop) {
                         return movesPast(access.address, loop);
                       });
      return !(sameThread && samePlace);
    }
    return true;
  }

  static void insertBarrier(Operation *second) {
    OpBuilder builder(second);
    gpu::BarrierOp::create(builder, second->getLoc());
    second->emitRemark()
        << "barrier: this access and an earlier one of the same memory meet in different threads";
  }

  const Target &target;
  MemoryDependences dependences;
};

struct SynchronizeGlobal : impl::SynchronizeGlobalBase<SynchronizeGlobal> {
  void runOnOperation() override {
    SmallVector<Pending> pending;
    Synchronization(targetOf(getOperation())).visit(getOperation().getBody(), pending);
  }
};

} // namespace
} // namespace tigon
