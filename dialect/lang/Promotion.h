// SPDX-License-Identifier: Apache-2.0
//
// Element types and what becomes of two that meet: the rules of Triton 3.6 (semantic.py,
// computation_type_impl), free of any IR, for every front end.
#pragma once

#include "dialect/lang/Lang.h"

namespace tigon::lang {

/// "i32", "u8", "bf16".
std::string_view nameOf(DType dtype);
unsigned bitsOf(DType dtype);
bool isFloat(DType dtype);
bool isFloat8(DType dtype);
/// I1 counts as an unsigned integer.
bool isInteger(DType dtype);
bool isSigned(DType dtype);

/// One side of a binary operator.
struct Promoted {
  DType dtype;
  /// A literal: it does not promote a value of its own kind or a higher one.
  bool isNumber = false;
};

/// The type that integers are combined in: the wider; of equal width the unsigned.
DType promoteIntegers(DType a, DType b);

/// The type that `a op b` is computed in. For division and remainder f16 and bf16 become f32, and
/// there is none for integers of unlike sign.
std::optional<DType> promote(Promoted a, Promoted b, bool isDivision = false);

/// The type of a literal that stands alone.
DType typeOfInteger(int64_t number);
DType typeOfUnsigned(uint64_t number);
/// F32, unless the number is finite and not a normal f32: then F64.
DType typeOfReal(double number);

} // namespace tigon::lang
