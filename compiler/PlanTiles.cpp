// SPDX-License-Identifier: Apache-2.0
#include "compiler/PlanTiles.h"

#include "compiler/AxisAnalysis.h"
#include "compiler/Passes.h"
#include "compiler/ProgramFacts.h"
#include "compiler/Remake.h"
#include "compiler/lowering/Machine.h"
#include "dialect/TileMap.h"

#include "llvm/Support/MathExtras.h"

#include <fmt/format.h>

namespace tigon {
#define GEN_PASS_DEF_PLANTILES
#include "compiler/Passes.h.inc"

namespace {

// Elements of one tile that a thread takes in one strip: four accesses of 16 bytes of f32, two of bf16.
constexpr int64_t perThread = 16, perThreadCrowded = 8;
constexpr int crowded = 4;
// Registers of a processor of every generation so far.
constexpr int registersOfProcessor = 65536;

int64_t powerOfTwoUp(int64_t value) { return int64_t(llvm::PowerOf2Ceil(uint64_t(value))); }

// Lanes are SIMD lanes: as many registers a tile as the file has room for, up to four, which hides the latency of an
// accumulation.
PlanOptions planVectors(const TileFacts &facts, const Target &target, PlanOptions plan,
                        std::vector<std::string> &reasons) {
  plan.warps = 1;
  plan.ctas = 1;
  if (!plan.strip) {
    int64_t unroll =
        std::clamp<int64_t>(llvm::bit_floor(unsigned(target.liveVectors / facts.live)), 1, 4);
    plan.strip = int(target.lanes * unroll);
    reasons.push_back(fmt::format(
        "strip of {} elements: {} lanes, {} registers a tile, as {} tiles live share {}",
        plan.strip, target.lanes, unroll, facts.live, target.liveVectors));
  }
  return plan;
}

PlanOptions planThreads(const TileFacts &facts, const Target &target, PlanOptions plan,
                        std::vector<std::string> &reasons) {
  const int64_t lanes = target.lanes, most = lanes * target.maxWarps;
  auto fitsWhole = [&](int64_t threads) {
    return facts.live * facts.largest <= target.widenedPerThread * threads;
  };
  if (!plan.warps) {
    int64_t threads = std::clamp(powerOfTwoUp(facts.largest / perThread), lanes, int64_t(512));
    while (!fitsWhole(threads) && threads < most)
      threads *= 2;
    bool whole = fitsWhole(threads);
    if (!whole) // strips: enough threads for the shorter accesses, few enough for several programs a processor
      threads = 256;
    plan.warps = int(threads / lanes);
    reasons.push_back(
        fmt::format("{} warps: {} tiles of {} elements, {} of 32 bits a thread, {} may be held{}",
                    plan.warps, facts.live, facts.largest, facts.live * facts.largest / threads,
                    target.widenedPerThread, whole ? "" : ", so strips"));
  }
  int64_t threads = lanes * plan.warps;
  if (!plan.strip) {
    plan.strip = int(powerOfTwoUp(facts.largest));
    if (!fitsWhole(threads)) {
      int64_t each = facts.live <= crowded ? perThread
                     : facts.unaligned     ? perThreadCrowded / 2
                                           : perThreadCrowded;
      plan.strip = int(threads * each);
      reasons.push_back(fmt::format("strip of {} elements: {} a thread, as {} tiles are live",
                                    plan.strip, plan.strip / threads, facts.live));
    }
  }
  if (!plan.ctas) {
    int64_t held = std::min<int64_t>(plan.strip, facts.largest) * facts.live / threads;
    // Strips leave room: half of a tile's registers are free again before the next one's are taken.
    int64_t registers = held > (fitsWhole(threads) || facts.unaligned ? 24 : 40) ? 128 : 64;
    plan.ctas = int(std::clamp<int64_t>(registersOfProcessor / (registers * threads), 1, 16));
    reasons.push_back(
        fmt::format("{} programs a processor: at most {} registers a thread, {} of them for tiles",
                    plan.ctas, registersOfProcessor / (threads * plan.ctas), held));
  }
  return plan;
}

//===-- facts -----------------------------------------------------------------------------------------------===//

using namespace mlir;

// Whether `value` costs a register an element: not if it is made of ranges, splats and constants by cheap arithmetic.
class Weight {
public:
  // In units of 32 bits an element.
  int of(Value value) {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    if (!tensor || isFree(value))
      return 0;
    Type element = tensor.getElementType();
    if (isa<tt::PointerType>(element))
      return 0; // addresses are bases and ranges
    return element.getIntOrFloatBitWidth() > 32 ? 2 : 1;
  }

private:
  bool isFree(Value value) {
    auto [entry, fresh] = known.try_emplace(value, false);
    if (!fresh)
      return entry->second;
    Operation *op = value.getDefiningOp();
    bool free = op && isCheap(op) && llvm::all_of(op->getOperands(), [&](Value operand) {
                  return !isa<RankedTensorType>(operand.getType()) || isFree(operand);
                });
    return known[value] = free;
  }

  DenseMap<Value, bool> known;
};

// The most tiles alive at once at any point, counting those of at least half the largest size.
class Liveness {
public:
  Liveness(tt::FuncOp function, int64_t largest) : largest(largest) {
    visit(function.getBody(), 0);
  }
  int getMost() const { return std::max(most, 1); }

private:
  int weigh(Value value) {
    return getTileElements(value.getType()) * 2 >= largest ? weight.of(value) : 0;
  }

  void visit(Region &region, int outside) {
    for (Block &block : region) {
      DenseMap<Operation *, SmallVector<Value>> dying;
      int alive = outside;
      auto born = [&](Value value) {
        int cost = weigh(value);
        if (!cost || value.use_empty())
          return;
        Operation *last = nullptr;
        for (Operation *user : value.getUsers())
          if (Operation *here = block.findAncestorOpInBlock(*user))
            if (!last || last->isBeforeInBlock(here))
              last = here;
        if (last)
          dying[last].push_back(value);
        alive += cost;
      };
      for (BlockArgument argument : block.getArguments())
        born(argument);
      for (Operation &op : block) {
        if (!isa<tt::ReduceOp>(op))
          for (Region &inner : op.getRegions())
            visit(inner, alive - carried(op));
        for (Value value : dying.lookup(&op))
          alive -= weigh(value);
        for (Value result : op.getResults())
          born(result);
        most = std::max(most, alive);
      }
    }
  }

  // What a loop takes in lives on as its region's arguments.
  int carried(Operation &op) {
    int cost = 0;
    for (Region &region : op.getRegions())
      for (Block &block : region)
        if (&block == &region.front() && &region == &op.getRegion(0))
          for (BlockArgument argument : block.getArguments())
            cost += weigh(argument);
    return cost;
  }

  int64_t largest;
  int most = 0;
  Weight weight;
};

bool isUnaligned(tt::FuncOp function, int64_t largest) {
  AxisAnalysis axes(function);
  int alone = 0, together = 0;
  function.walk([&](TileAccessOpInterface access) {
    auto type = dyn_cast<RankedTensorType>(access.getAccessedPointer().getType());
    if (!type || type.getRank() == 0 || type.getNumElements() * 2 < largest)
      return;
    AxisInfo info = axes.get(access.getAccessedPointer());
    Type pointee = cast<tt::PointerType>(type.getElementType()).getPointeeType();
    int64_t best = 1;
    for (unsigned axis = 0; axis < info.getRank(); ++axis)
      best = std::max(best, alignedNeighbours(info, axis, Machine::memoryBytes(pointee)));
    ++(best > 1 ? together : alone);
  });
  return alone > together;
}

TileFacts gather(tt::FuncOp function) {
  TileFacts facts;
  function.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      facts.largest = std::max(facts.largest, getTileElements(type));
  });
  facts.live = Liveness(function, facts.largest).getMost();
  facts.unaligned = isUnaligned(function, facts.largest);
  return facts;
}

struct PlanTiles : impl::PlanTilesBase<PlanTiles> {
  void runOnOperation() override {
    tt::FuncOp function = getOperation();
    tg::PlanAttr asked = planOf(function);
    TileFacts facts = gather(function);
    std::vector<std::string> reasons;
    PlanOptions plan = planTiles(
        facts, targetOf(function),
        {asked.getWarps(), asked.getCluster(), asked.getStrip(), asked.getCtas()}, reasons);
    for (const std::string &reason : reasons)
      function.emitRemark() << "plan: " << reason;
    function->setAttr(planAttr,
                      tg::PlanAttr::get(&getContext(), plan.warps, std::max(1, plan.cluster),
                                        plan.strip, plan.ctas));
  }
};

} // namespace

PlanOptions planTiles(const TileFacts &facts, const Target &target, const PlanOptions &asked,
                      std::vector<std::string> &reasons) {
  return target.lanesAreThreads ? planThreads(facts, target, asked, reasons)
                                : planVectors(facts, target, asked, reasons);
}

} // namespace tigon
