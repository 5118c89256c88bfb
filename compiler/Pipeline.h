// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compiler/Compiler.h"
#include "compiler/Target.h"

#include "mlir/Pass/PassManager.h"

namespace tigon {

/// The passes for `target`, as far as `emit` (Emit::Llvm and Emit::Code need all of them).
void buildPipeline(mlir::OpPassManager &passes, const Target &target, Emit emit);

} // namespace tigon
