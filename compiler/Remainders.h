// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "llvm/IR/Module.h"

namespace tigon {

/// Replaces each `frem` of f32 and f64 by a call of a function that computes it exactly. For NVPTX, whose code generator
/// writes x - y * trunc(x / y): wrong as soon as the quotient needs more bits than the type has.
void expandRemainders(llvm::Module &module);

} // namespace tigon
