// SPDX-License-Identifier: Apache-2.0
//
// What is known of the combine region of a reduction.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/Region.h"

#include <optional>

namespace mlir {
class TypedAttr;
}

namespace tigon {

/// For each of the region's results a value that changes nothing when combined with any other; none if that is not known.
/// Sums start at -0.0, since -0.0 + x is x for every x. maxnum and minnum start at NaN, which they ignore: from -inf, a row
/// of NaNs would come out as -inf.
std::optional<llvm::SmallVector<mlir::TypedAttr>> identityOf(mlir::Region &combine);

} // namespace tigon
