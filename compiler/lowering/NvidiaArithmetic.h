// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic that takes instructions of NVIDIA's own: conversions of floats, and approximations (PTX ISA, "cvt", "ex2", ...).
#pragma once

#include "dialect/tg/TG.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tigon::nvidia {

/// A register of `from` as one of `to`; floats of 8 bits to and from f32 alone.
mlir::Value convertFloat(mlir::ImplicitLocOpBuilder &b, mlir::Value value, mlir::Type from,
                         mlir::Type to);
mlir::Value approximate(mlir::ImplicitLocOpBuilder &b, tg::Approximation kind,
                        mlir::ValueRange operands);

} // namespace tigon::nvidia
