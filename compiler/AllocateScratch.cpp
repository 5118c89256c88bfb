// SPDX-License-Identifier: Apache-2.0
//
// AllocateScratch: places in local memory (shared memory, or the arena) for scratch, partial results of reductions and
// conversions. Places of ops whose lifetimes do not overlap are shared: a reduction or conversion lives only while it
// runs, scratch from its first to its last access, a loop counting as a whole. Small ones have places of their own, and the
// only one of a loop two, so that threads need not wait for a place. What does not fit into shared memory goes to global
// scratch, the largest first.
#include "compiler/LocalMemory.h"
#include "compiler/Passes.h"
#include "compiler/ProgramFacts.h"

#include "llvm/Support/MathExtras.h"

namespace tigon {
#define GEN_PASS_DEF_ALLOCATESCRATCH
#include "compiler/Passes.h.inc"

namespace {

using namespace mlir;

struct Tenant {
  Operation *op;
  int64_t bytes;
  // Positions in program order between which the place is taken, both included.
  int64_t from, to;
  int64_t offset = -1;

  bool overlaps(const Tenant &other) const { return from <= other.to && other.from <= to; }
};

class Allocation {
public:
  explicit Allocation(tt::FuncOp function) : function(function), target(targetOf(function)) {
    int64_t position = 0;
    number(function, position);
  }

  LogicalResult run() {
    function.walk([&](scf::ForOp loop) { takeTurns(loop); });
    collect();
    int64_t local = place(tenants);
    std::vector<Tenant *> global;
    while (target.sharedBytes && local > target.sharedBytes) {
      Tenant *largest = nullptr;
      for (Tenant &tenant : tenants)
        if (isa<tg::ScratchAllocOp>(tenant.op) && !isCopiedTo(tenant.op) &&
            !llvm::is_contained(global, &tenant) && (!largest || tenant.bytes > largest->bytes))
          largest = &tenant;
      if (!largest)
        return function.emitError()
               << "found " << local << " bytes of shared memory needed, expected at most "
               << target.sharedBytes << " on '" << target.name
               << "'; use fewer warps or a smaller tile";
      global.push_back(largest);
      largest->op->setAttr(globalAttr, UnitAttr::get(function.getContext()));
      std::vector<Tenant> rest;
      for (Tenant &tenant : tenants)
        if (!llvm::is_contained(global, &tenant))
          rest.push_back(tenant);
      local = place(rest);
    }
    int64_t scratch = 0;
    for (Tenant *tenant : global) {
      setOffset(*tenant, scratch);
      scratch += llvm::alignTo(tenant->bytes, 128);
    }
    Builder builder(function.getContext());
    function->setAttr(localBytesAttr, builder.getI64IntegerAttr(local));
    function->setAttr(scratchBytesAttr, builder.getI64IntegerAttr(scratch));
    return success();
  }

private:
  // Bytes of places that are not shared, all together.
  static constexpr int64_t small = 2048;

  // Asynchronous copies go to shared memory only.
  static bool isCopiedTo(Operation *alloc) {
    return llvm::any_of(alloc->getUsers(),
                        [](Operation *user) { return isa<tg::AsyncCopyOp>(user); });
  }

  void number(Operation *op, int64_t &position) {
    begin[op] = position++;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Operation &inner : block)
          number(&inner, position);
    end[op] = position++;
  }

  void takeTurns(scf::ForOp loop) {
    SmallVector<Operation *> exchanges;
    loop.walk([&](Operation *op) {
      if (isExchange(op, target))
        exchanges.push_back(op);
    });
    if (exchanges.size() != 1)
      return; // of several, each waits for those behind it
    Operation *op = exchanges.front();
    std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    if (isa<tt::ReduceOp>(op) && op->getParentOp() == loop && step && *step &&
        localBytesOf(op, target) <= small / 2)
      op->setAttr(turnsAttr, UnitAttr::get(op->getContext()));
  }

  void collect() {
    int64_t ownBytes = 0;
    function.walk([&](Operation *op) {
      int64_t bytes = localBytesOf(op, target);
      if (!bytes)
        return;
      Tenant tenant{op, bytes, begin[op], end[op]};
      if (isExchange(op, target) && ownBytes + bytes <= small) {
        ownBytes += bytes;
        tenant.from = 0;
        tenant.to = end[function];
      }
      if (isa<tg::ScratchAllocOp>(op) && !op->use_empty()) {
        tenant.from = std::numeric_limits<int64_t>::max();
        for (Operation *user : op->getUsers()) {
          // Inside a loop that the allocation is outside of, an access may be followed by an earlier one.
          while (user->getParentRegion() != op->getParentRegion())
            user = user->getParentOp();
          tenant.from = std::min(tenant.from, begin[user]);
          tenant.to = std::max(tenant.to, end[user]);
        }
      }
      tenants.push_back(tenant);
    });
  }

  // First fit, largest first. Returns the bytes in use.
  int64_t place(std::vector<Tenant> &of) {
    std::vector<Tenant *> order;
    for (Tenant &tenant : of)
      order.push_back(&tenant);
    llvm::stable_sort(order, [](const Tenant *a, const Tenant *b) { return a->bytes > b->bytes; });
    int64_t used = 0;
    std::vector<Tenant *> placed;
    for (Tenant *tenant : order) {
      int64_t offset = 0;
      for (bool moved = true; moved;) {
        moved = false;
        for (Tenant *other : placed)
          if (tenant->overlaps(*other) && offset < other->offset + other->bytes &&
              other->offset < offset + tenant->bytes) {
            offset = llvm::alignTo(other->offset + other->bytes, 64);
            moved = true;
          }
      }
      setOffset(*tenant, offset);
      placed.push_back(tenant);
      used = std::max<int64_t>(used, offset + tenant->bytes);
    }
    return llvm::alignTo(used, 16);
  }

  static void setOffset(Tenant &tenant, int64_t offset) {
    tenant.offset = offset;
    tenant.op->setAttr(offsetAttr, Builder(tenant.op->getContext()).getI64IntegerAttr(offset));
  }

  tt::FuncOp function;
  const Target &target;
  DenseMap<Operation *, int64_t> begin, end;
  std::vector<Tenant> tenants;
};

struct AllocateScratch : impl::AllocateScratchBase<AllocateScratch> {
  void runOnOperation() override {
    if (failed(Allocation(getOperation()).run()))
      signalPassFailure();
  }
};

} // namespace
} // namespace tigon
