// SPDX-License-Identifier: Apache-2.0
//
// What passes read off the program about the compilation they are part of: attributes on the module and its kernel, put
// there by compile() or written by hand in a test.
//   module attributes {tg.target = "sm_90", tg.contract}
//   tt.func @k(...) attributes {tg.plan = #tg.plan<warps = 8, strip = 2048>, tg.strips = "auto"}
#pragma once

#include "compiler/Target.h"
#include "dialect/tg/TG.h"

#include "mlir/IR/BuiltinOps.h"

namespace tigon {

constexpr const char *targetAttr = "tg.target";
constexpr const char *contractAttr = "tg.contract";
constexpr const char *fastMathAttr = "tg.fast_math";
constexpr const char *planAttr = "tg.plan";
constexpr const char *stripsAttr = "tg.strips";
/// On a strip loop: its step's bits in the tiles it walks.
constexpr const char *stripAttr = "tg.strip";
/// On a strip loop over what another one before it left: the strips at and beyond a mask's bound.
constexpr const char *stripRestAttr = "tg.strip_rest";
/// On scratch that holds what a load gave: whoever gets it there could load it again instead.
constexpr const char *reloadableAttr = "tg.reloadable";
/// On private scratch: how many steps it has room for, if not for all.
constexpr const char *heldStepsAttr = "tg.held_steps";

/// The target of the module that `op` is in; the host's CPU if none is named.
const Target &targetOf(mlir::Operation *op);
/// The plan on `function`, or one with all fields open.
tg::PlanAttr planOf(mlir::Operation *function);

} // namespace tigon
