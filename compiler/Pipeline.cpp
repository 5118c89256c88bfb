// SPDX-License-Identifier: Apache-2.0
//
// All that runs between a tile program and LLVM IR, in order, for both targets, with why each pass stands where it stands.
// The phases' borders are passes themselves: they state what no longer occurs from there on.
#include "compiler/Pipeline.h"

#include "compiler/Passes.h"

#include "mlir/Transforms/Passes.h"

#include <fmt/format.h>

using namespace mlir;

namespace tigon {
namespace {

enum class Phase { Tile, Layout, Lowered };

struct Entry {
  Phase phase;
  std::unique_ptr<Pass> (*create)();
  /// Runs on each kernel rather than on the module.
  bool onKernel;
  const char *why;
  /// Not needed where lanes are not threads.
  bool threadsOnly = false;
};

std::unique_ptr<Pass> canonicalize() { return createCanonicalizerPass(); }
std::unique_ptr<Pass> cse() { return createCSEPass(); }

// clang-format off
const Entry pipeline[] = {
    {Phase::Tile, createLiftControlFlow, false, "first: everything else may then assume one block a region, callees included"},
    {Phase::Tile, createInlineCalls, false, "before any analysis: tiles never cross a call"},
    {Phase::Tile, canonicalize, true, "constants folded through calls and branches"},
    {Phase::Tile, createDecomposePointers, true, "before sizes are judged: a carried tile of pointers becomes a scalar"},
    {Phase::Tile, cse, true, "equal addresses become one value, by which accesses are told apart"},
    {Phase::Tile, createWidenReductions, true, "before strips, whose sums would round once a strip"},
    {Phase::Tile, createLocalizeLoopReductions, true, "before the plan, which counts the tile that is carried"},
    {Phase::Tile, createPlanTiles, true, "once tiles are what they will be: threads and strips follow from their sizes"},
    {Phase::Tile, createStripMine, true, "before layouts, which then need to hold strips only"},
    {Phase::Tile, canonicalize, true, "steps folded into ranges and addresses"},
    {Phase::Tile, cse, true, "one copy of what several ops of a loop recompute; loads are never merged across stages"},
    {Phase::Tile, createLowerMath, true, "after strips, which an exp would only fill with ops; before layouts, which then see arithmetic"},
    {Phase::Tile, cse, true, "constants of formulas"},
    {Phase::Tile, createVerifyTile, true, "border: no calls, no branches, no tile over budget, no layouts"},

    {Phase::Layout, createAssignLayouts, true, "sizes are final, so each tile can be spread over threads or lanes"},
    {Phase::Layout, createRemoveConversions, true, "once all layouts are known: a range is remade, not sent through shared memory"},
    {Phase::Layout, cse, true, "drops what conversions were remade from, and second copies"},
    {Phase::Layout, createCopyAhead, true, "once a load's registers are known, which are its slots; before what is left goes through registers", true},
    {Phase::Layout, createPipelineLoops, true, "once a load's registers are known; before barriers, past which nothing is fetched", true},
    {Phase::Layout, createSynchronizeGlobal, true, "layouts tell which thread touches an address", true},
    {Phase::Layout, createAllocateScratch, true, "layouts decide what crosses warps and so needs memory"},
    {Phase::Layout, createPlaceBarriers, true, "after places are known: only overlapping bytes need a barrier", true},
    {Phase::Layout, createVerifyLayout, true, "border: a layout for every tile, a place for every byte"},

    {Phase::Lowered, createLowerTiles, false, "tiles to registers, functions to kernels"},
    {Phase::Lowered, cse, false, "addresses and coordinates are computed once a register; many are equal"},
    {Phase::Lowered, createLowerToLLVM, false, "structured control flow to branches, arithmetic to LLVM's"},
    {Phase::Lowered, createVerifyLowered, false, "the code generator ends the process on what it cannot select"},
};
// clang-format on

bool runs(const Entry &entry, const Target &target) {
  return target.lanesAreThreads || !entry.threadsOnly;
}

} // namespace

void buildPipeline(OpPassManager &passes, const Target &target, Emit emit) {
  Phase last = emit == Emit::Tile     ? Phase::Tile
               : emit == Emit::Layout ? Phase::Layout
                                      : Phase::Lowered;
  for (const Entry &entry : pipeline) {
    if (entry.phase > last || !runs(entry, target))
      continue;
    if (entry.onKernel)
      passes.nest<tt::FuncOp>().addPass(entry.create());
    else
      passes.addPass(entry.create());
  }
}

Result<std::string> describePipeline(std::string_view name) {
  if (name == "interpreter")
    return std::string("no pass: the interpreter runs what was written\n");
  Result<Target> target = Target::parse(name);
  if (!target)
    return target.error();
  constexpr const char *phases[] = {"tile", "layout", "lowered"};
  std::string text;
  for (const Entry &entry : pipeline)
    if (runs(entry, *target))
      text += fmt::format("{:<8} {:<32} {}\n", phases[unsigned(entry.phase)],
                          entry.create()->getArgument().str(), entry.why);
  return text;
}

} // namespace tigon
