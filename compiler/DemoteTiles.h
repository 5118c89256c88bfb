// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dialect/tt/TT.h"

namespace tigon {

/// Park tiles over budget that cross the border of a region in scratch, so that every block is by itself; StripMine's first
/// step. See DemoteTiles.cpp.
void demoteTiles(tt::FuncOp function);

} // namespace tigon
