// SPDX-License-Identifier: Apache-2.0
//
// How the layouts of one op's tiles depend on each other.
#pragma once

#include "dialect/LinearLayout.h"
#include "dialect/tg/TG.h"

#include "mlir/IR/BuiltinTypes.h"

namespace tigon {

/// Elementwise ops and accesses take registers one by one from all their tiles, which therefore have one layout.
bool wantsOneLayout(mlir::Operation *op);

/// Whether the tiles that `op` takes get their layouts from its result: it renames coordinate bits (TileMapOpInterface)
/// and combines none of them.
bool resultLeads(mlir::Operation *op);

/// The layout of tile operand `operand` of an op whose result leads, if that is `result`.
LinearLayout operandLayout(mlir::Operation *op, unsigned operand, const LinearLayout &result);

/// `type` in `layout`.
mlir::RankedTensorType withLayout(mlir::RankedTensorType type, const LinearLayout &layout);

/// Give `value`, and the attribute of the constant that it may be, the layout.
void setLayout(mlir::Value value, const LinearLayout &layout);

} // namespace tigon
