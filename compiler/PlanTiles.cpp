// SPDX-License-Identifier: Apache-2.0
#include "compiler/PlanTiles.h"

#include "compiler/AxisAnalysis.h"
#include "compiler/Passes.h"
#include "compiler/ProgramFacts.h"
#include "compiler/Remake.h"
#include "compiler/lowering/Machine.h"
#include "dialect/TileMap.h"

#include "llvm/Support/MathExtras.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

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

// How many threads may hold tiles whole, without strips, with how many registers each; and how many of those the tiles may
// take that are kept, with the addresses of their accesses, and all that are alive. Two programs share a processor where
// that goes, so that one loads while the other reduces: RMS norm of 16384 bf16 on an H200 takes 105 us with one program of
// 1024 threads, 67 with two of 512. The numbers are the most at which none of Liger's kernels spills.
struct Room {
  int64_t threads, registers, kept, live;
};
constexpr Room rooms[] = {{512, 64, 36, 64}, {256, 128, 84, 72}, {1024, 64, 36, 48}};
// Where nothing is kept, and where a loop's loads are issued an iteration ahead.
constexpr int liveOfStream = 48, liveAhead = 40;
// Bits of the widest access. Where nothing is kept, more may be alive before threads are spread too thin for it.
constexpr int64_t widestAccess = 128;
// What a strip's tiles may take of 64 registers.
constexpr int heldInStrips = 40;

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

// The room in which `threads` hold tiles whole; null: none. A program that has a processor's threads to itself is worse than
// two or three that hold what they load in shared memory: softmax of 4096 x 32768 bf16 takes 170 us, then 133.
const Room *findRoom(const TileFacts &facts, int64_t threads, bool isHeld) {
  int64_t each = facts.largest / threads;
  int64_t accesses = each * facts.accessBits / widestAccess;
  // Elements that are accessed one by one are so all at once: as if two tiles more were alive.
  int64_t live = facts.live + 2 * facts.unaligned;
  int64_t ofStream = each * facts.accessBits <= widestAccess ? rooms[0].live : liveOfStream;
  for (const Room &room : rooms)
    if (isHeld && room.threads > 512)
      continue;
    else if (facts.kept ? threads <= room.threads && facts.kept * each + accesses <= room.kept &&
                              live * each <= room.live
                        : threads <= rooms[0].threads && live * each <= ofStream)
      return &room;
  return nullptr;
}

// Shared memory beside what is held: partial results of reductions.
constexpr int64_t besideHeld = 16 << 10;

// What a loop that divides may load and compute with at once in 64 registers.
constexpr int64_t liveInLoop = 80;

int64_t loadedBytes(const TileFacts &facts) { return facts.largest * facts.loadBits / 8; }

// What the strips of a program load may be held in shared memory, all of it under way at once by asynchronous copies, so
// that later loops over it need not load again. On an H200, of bf16, 4096 rows of 32768: softmax's backward takes 188 us
// held and 204 loaded again, RMS norm 134 and 145. Of longer rows a part is: softmax of 128256 takes 647 us, not 868, of
// 65536 f32 611, not 795.
bool canHold(const TileFacts &facts, const Target &target) {
  return facts.kept && facts.loadBits && !facts.loopLoadBits && !facts.unaligned &&
         loadedBytes(facts) <= 2 * (target.sharedBytes - besideHeld);
}

// A loop over strips reads its tiles again in each later loop. They come from the cache if the rows that all programs work
// on fit in half of it: fewer, larger programs if two a processor are too many. RMS norm's backward of 32768 bf16 takes
// 397 us with two programs of 512 threads, 287 with one of 1024.
int64_t threadsForStrips(const TileFacts &facts, const Target &target, bool isHeld) {
  bool fits = 2 * target.processors * loadedBytes(facts) <= target.cacheBytes / 2;
  bool isWide = facts.unaligned && facts.live > crowded; // more than 64 registers
  return facts.kept && !fits && !isHeld && !isWide ? 1024 : 512;
}

PlanOptions planThreads(const TileFacts &facts, const Target &target, PlanOptions plan,
                        std::vector<std::string> &reasons) {
  const int64_t lanes = target.lanes;
  bool isHeld = plan.hold > 0 || (!plan.hold && canHold(facts, target));
  if (!plan.warps) {
    int64_t first = std::clamp(powerOfTwoUp(facts.largest / perThread), lanes, int64_t(512));
    int64_t threads = 0;
    for (const Room &room : rooms)
      for (int64_t some = std::min(first, room.threads); some <= room.threads && !threads;
           some *= 2)
        if (findRoom(facts, some, isHeld) == &room)
          threads = some;
    plan.warps = int((threads ? threads : threadsForStrips(facts, target, isHeld)) / lanes);
    reasons.push_back(fmt::format("{} warps: tiles of {} elements, {} kept and {} alive, {}",
                                  plan.warps, facts.largest, facts.kept, facts.live,
                                  threads ? "whole" : "in strips"));
  }
  int64_t threads = lanes * plan.warps, each = facts.largest / threads;
  const Room *room = findRoom(facts, threads, isHeld);
  if (!plan.strip) {
    plan.strip = int(powerOfTwoUp(facts.largest));
    if (!room) {
      int64_t step = facts.live <= crowded ? perThread : perThreadCrowded;
      if (facts.unaligned)
        step /= 2;
      // So that 64 registers do, and 1024 threads or two programs of 512 share a processor.
      // Before sm_90 conversions of bf16 and elements accessed one by one take more of them.
      int taken = target.computeCapability < 90 ? 8 + 8 * facts.unaligned : 0;
      if (facts.live * step > heldInStrips - taken)
        step /= 2;
      plan.strip = int(threads * step);
      reasons.push_back(fmt::format("strip of {} elements: {} a thread, as {} tiles are live",
                                    plan.strip, step, facts.live));
    }
  }
  if (!plan.hold) {
    plan.hold = !room && isHeld ? 1 : -1;
    if (!room)
      reasons.push_back(
          fmt::format("{}: a program loads {} bytes, {} of shared memory are there for it",
                      isHeld ? "held" : "loaded again by each loop", loadedBytes(facts),
                      target.sharedBytes - besideHeld));
  }
  if (!plan.stages) {
    int64_t ahead = facts.loopLoadBits * each / 32;
    plan.stages = room && ahead && facts.live * each + ahead <= liveAhead ? 2 : 1;
    if (ahead)
      reasons.push_back(fmt::format(
          "{} stages: {} registers for an iteration's loads, {} for what it computes, {} in all",
          plan.stages, ahead, facts.live * each, liveAhead));
  }
  if (!plan.ctas) {
    int64_t elements = std::min<int64_t>(plan.strip, facts.largest) * facts.live / threads;
    // What a loop loads at once is alive beside what it computes. Of Liger's, kl_div, which divides, kept 120 bytes on the
    // stack within 64 registers; fused_ce_tvd, which does not, fits, and takes 62 us of 5120 f32, 82 within 128.
    int64_t inLoop = facts.loopDivides ? facts.live * each + facts.loopLoadBits * each / 32 : 0;
    int64_t inStrips = elements > (facts.unaligned ? 20 : heldInStrips) ? 128 : 64;
    int64_t whole = room && inLoop <= liveInLoop ? room->registers : 128;
    int64_t registers = room ? whole : inStrips;
    int64_t most =
        plan.hold > 0
            ? std::max<int64_t>(1, target.sharedBytes / std::max<int64_t>(1, loadedBytes(facts)))
            : 16;
    plan.ctas = int(std::clamp<int64_t>(registersOfProcessor / (registers * threads), 1, most));
    reasons.push_back(fmt::format("{} programs a processor: {} registers a thread", plan.ctas,
                                  registersOfProcessor / (threads * plan.ctas)));
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

// The most tiles alive at once at any point, and at those where they are alive whole, counting tiles of at least half the
// largest size.
class Liveness {
public:
  Liveness(tt::FuncOp function, int64_t largest) : largest(largest) {
    visit(function.getBody(), 0);
  }
  int getMost() const { return std::max(most, 1); }
  int getKept() const { return kept; }

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
      kept = std::max(kept, alive);
      for (Operation &op : block) {
        if (!isa<tt::ReduceOp>(op))
          for (Region &inner : op.getRegions())
            visit(inner, alive - carried(op));
        for (Value value : dying.lookup(&op))
          alive -= weigh(value);
        if (isa<tt::ReduceOp>(op))
          kept = std::max(kept, alive);
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
  int kept = 0;
  int most = 0;
  Weight weight;
};

// What accesses of large tiles tell, and divisions.
void gatherAccesses(tt::FuncOp function, TileFacts &facts) {
  AxisAnalysis axes(function);
  facts.accessBits = 8;
  int alone = 0, together = 0;
  DenseMap<Operation *, int> ofLoop;
  function.walk([&](TileAccessOpInterface access) {
    Value pointer = access.getAccessedPointer();
    auto type = dyn_cast<RankedTensorType>(pointer.getType());
    if (!type || type.getRank() == 0 || type.getNumElements() * 2 < facts.largest)
      return;
    AxisInfo info = axes.get(pointer);
    int64_t bytes =
        Machine::memoryBytes(cast<tt::PointerType>(type.getElementType()).getPointeeType());
    bool hasNeighbours = llvm::any_of(llvm::seq(info.getRank()), [&](unsigned axis) {
      return alignedNeighbours(info, axis, bytes) > 1;
    });
    ++(hasNeighbours ? together : alone);
    int bits = int(8 * bytes);
    facts.accessBits = std::max(facts.accessBits, bits);
    if (!isa<tt::LoadOp>(access) || isSharedByPrograms(access))
      return;
    facts.loadBits += bits;
    if (Operation *loop = access->getParentOp(); isa<scf::ForOp>(loop))
      facts.loopLoadBits = std::max(facts.loopLoadBits, ofLoop[loop] += bits);
  });
  facts.unaligned = alone && 2 * alone >= together;
  function.walk([&](Operation *op) {
    facts.loopDivides |= isa<arith::DivFOp>(op) && op->getParentOfType<scf::ForOp>() &&
                         getTileElements(op->getResult(0).getType()) * 2 >= facts.largest;
  });
}

TileFacts gather(tt::FuncOp function) {
  TileFacts facts;
  function.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      facts.largest = std::max(facts.largest, getTileElements(type));
  });
  Liveness liveness(function, facts.largest);
  facts.live = liveness.getMost();
  facts.kept = liveness.getKept();
  gatherAccesses(function, facts);
  return facts;
}

struct PlanTiles : impl::PlanTilesBase<PlanTiles> {
  void runOnOperation() override {
    tt::FuncOp function = getOperation();
    tg::PlanAttr asked = planOf(function);
    TileFacts facts = gather(function);
    std::vector<std::string> reasons;
    PlanOptions plan = planTiles(facts, targetOf(function),
                                 {asked.getWarps(), asked.getCluster(), asked.getStrip(),
                                  asked.getCtas(), asked.getStages(), asked.getHold()},
                                 reasons);
    for (const std::string &reason : reasons)
      function.emitRemark() << "plan: " << reason;
    function->setAttr(planAttr, tg::PlanAttr::get(&getContext(), plan.warps,
                                                  std::max(1, plan.cluster), plan.strip, plan.ctas,
                                                  std::max(1, plan.stages), plan.hold));
  }
};

} // namespace

PlanOptions planTiles(const TileFacts &facts, const Target &target, const PlanOptions &asked,
                      std::vector<std::string> &reasons) {
  return target.lanesAreThreads ? planThreads(facts, target, asked, reasons)
                                : planVectors(facts, target, asked, reasons);
}

} // namespace tigon
