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
  /// Whether most accesses of such tiles go element by element, as nothing is known of their alignment: each then takes
  /// registers for its address.
  bool unaligned = false;
};

/// Fill in what `asked` leaves open. `reasons` gets a line a decision, with the numbers it compared.
PlanOptions planTiles(const TileFacts &facts, const Target &target, const PlanOptions &asked,
                      std::vector<std::string> &reasons);

} // namespace tigon
