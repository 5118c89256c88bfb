// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mlir/IR/DialectRegistry.h"

namespace tigon {

/// Register all that a tile program may hold: tt, tg, ttg's barrier, and upstream's arith, math,
/// scf, cf, ub, llvm, gpu.
void registerTileDialects(mlir::DialectRegistry &registry);

/// Attach what arith's ops know of their values (dialect/AxisInfo.h); registerTileDialects does it.
void registerAxisModels(mlir::DialectRegistry &registry);

} // namespace tigon
