// SPDX-License-Identifier: Apache-2.0
//
// Dialect tg: layouts, plans, scratch. Generated from TGDialect.td.
#pragma once

#include "dialect/LinearLayout.h"
#include "dialect/TileMap.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialect/tg/TGDialect.h.inc"
#include "dialect/tg/TGEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/tg/TGAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialect/tg/TGTypes.h.inc"

#define GET_OP_CLASSES
#include "dialect/tg/TGOps.h.inc"

namespace tigon::tg {

/// The layout in `type`'s encoding; null if it has none yet.
const LinearLayout *getLayout(mlir::Type type);

} // namespace tigon::tg
