// SPDX-License-Identifier: Apache-2.0
//
// Library: the functions of NVIDIA's device library that tile programs call by name (`__nv_log1pf`), as formulas. We ship
// neither libdevice nor a libm: GPU and CPU compute the same formulas.
#pragma once

#include "compiler/math/Expansion.h"

namespace tigon {

/// Expands a call. Null if no such function is known, or if it has other operands or another result.
mlir::Value expandLibraryCall(llvm::StringRef symbol, mlir::ValueRange operands, mlir::Type result,
                              Expansion &at);

/// The names that are closest to an unknown one, for a message; empty if none is near.
std::string suggestLibraryFunction(llvm::StringRef symbol);

} // namespace tigon
