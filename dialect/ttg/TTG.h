// SPDX-License-Identifier: Apache-2.0
//
// Dialect ttg: `ttg.barrier` and a refusal of TTGIR.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialect/ttg/TTGDialect.h.inc"
#include "dialect/ttg/TTGEnums.h.inc"

#define GET_OP_CLASSES
#include "dialect/ttg/TTGOps.h.inc"

namespace tigon::ttg {

/// Register the dialects whose presence means TTGIR: ttg, ttng, nvws, gluon, and 3.2's triton_gpu
/// and triton_nvidia_gpu. Each refuses with a sentence.
void registerRefusedDialects(mlir::DialectRegistry &registry);

} // namespace tigon::ttg
