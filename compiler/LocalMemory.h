// SPDX-License-Identifier: Apache-2.0
//
// What ops need of the program's own memory: shared memory on a GPU, the arena on a CPU. AllocateScratch finds the places
// and the lowerings use them, so both ask here.
#pragma once

#include "compiler/Target.h"
#include "dialect/LinearLayout.h"
#include "dialect/tg/TG.h"
#include "dialect/tt/TT.h"

namespace tigon {

/// On an op that needs local memory: the byte at which its place begins.
constexpr const char *offsetAttr = "tg.offset";
/// On a function: bytes of local memory, and of global scratch, that a program needs.
constexpr const char *localBytesAttr = "tg.local_bytes", *scratchBytesAttr = "tg.scratch_bytes";
/// On a lowered module: threads of a program.
constexpr const char *threadsAttr = "tg.threads";
/// On a scratch_alloc that did not fit: its place is in the program's global scratch.
constexpr const char *globalAttr = "tg.global";
/// On an op whose use of local memory must wait until all threads are done with what was there before.
constexpr const char *barrierBeforeAttr = "tg.barrier_before";
/// On a reduction of a loop's body: it has two places, and iterations take turns at them, so that none waits until all threads
/// have read what the one before left.
constexpr const char *turnsAttr = "tg.turns";

/// How a reduction leaves a warp: what each warp hands to the others.
struct WarpReduction {
  /// Bits of the warp index that select different parts of one result; their number of partial results is combined.
  uint32_t warpBits = 0;
  /// Layout of a partial result: that of the result, in the coordinates of the result's shape.
  LinearLayout result;
};

/// The layout of `reduce`'s results, given its operands'.
LinearLayout reducedLayout(tt::ReduceOp reduce);
/// Bits of `index` along which `reduce` combines: they move in the operand but not in the result.
uint32_t combinedBits(tt::ReduceOp reduce, Index index);

/// Bytes of local memory that `op` needs; 0 for most ops.
int64_t localBytesOf(mlir::Operation *op, const Target &target);
/// Whether threads hand values to one another in `op`: all write, meet, and read.
bool isExchange(mlir::Operation *op, const Target &target);

/// Threads times registers times strips: elements that private scratch of `alloc` takes, duplicates included.
int64_t privateElements(tg::ScratchAllocOp alloc);
/// The layout of the strips put to and got from private scratch; null if there is no access.
const LinearLayout *privateLayout(tg::ScratchAllocOp alloc, unsigned *stepBits = nullptr);

} // namespace tigon
