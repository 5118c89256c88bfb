// SPDX-License-Identifier: Apache-2.0
//
// PlanTiles decides how a kernel's tiles are spread: threads, strip size, programs a processor. The decision is a pure
// function of a few facts, so that a table of cases can test it.
#pragma once

#include "compiler/Compiler.h"
#include "compiler/Target.h"

#include <string>
#include <vector>

namespace tigon {

/// What the decision rests on.
struct TileFacts {
  /// Elements of the largest tile.
  int64_t largest = 1;
  /// Tiles of (about) that size whose values are alive at once, in units of 32 bits an element; ranges, masks and addresses,
  /// which are had again for nothing, do not count.
  int live = 1;
  /// Of these, the tiles that are kept whole: alive across a reduction, or carried around a loop. The others need not be in
  /// registers all at once, since the code generator works through them a few registers at a time.
  int kept = 1;
  /// Whether most accesses of such tiles go element by element, as nothing is known of their alignment: each then takes
  /// registers for its address.
  bool unaligned = false;
  /// Bits of the widest element of such a tile in memory.
  int accessBits = 32;
  /// Bits of an element of all such tiles that a program loads for itself; and the most that a loop loads in an iteration.
  int loadBits = 0, loopLoadBits = 0;
  /// Whether a loop divides such tiles: some ten instructions an element, and registers for what is between them.
  bool loopDivides = false;
};

/// Fill in what `asked` leaves open. `reasons` gets a line a decision, with the numbers it compared.
PlanOptions planTiles(const TileFacts &facts, const Target &target, const PlanOptions &asked,
                      std::vector<std::string> &reasons);

} // namespace tigon
