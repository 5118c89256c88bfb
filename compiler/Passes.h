// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dialect/tg/TG.h"
#include "dialect/tt/TT.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tigon {

#define GEN_PASS_DECL
#include "compiler/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/Passes.h.inc"

} // namespace tigon
