// SPDX-License-Identifier: Apache-2.0
//
// Whether a value can be had again by running its ops again, instead of being kept (docs/semantics.md, M4).
#pragma once

#include "mlir/IR/Operation.h"

namespace tigon {

/// Costs so little that it is run again rather than kept: no memory access, no transcendental, no division.
bool isCheap(mlir::Operation *op);
/// Whether the address of `load` is the same in all programs of the grid, as a weight's is: then all of them read one copy,
/// which stays in the cache.
bool isSharedByPrograms(mlir::Operation *load);

} // namespace tigon
