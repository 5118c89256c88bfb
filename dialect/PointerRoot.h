// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mlir/IR/Value.h"

namespace tigon {

/// The argument of the function around it that `pointer`, or each of a tile of pointers, is computed from
/// (docs/semantics.md, M2); null if that is not known, or not one.
mlir::Value rootOf(mlir::Value pointer);

} // namespace tigon
