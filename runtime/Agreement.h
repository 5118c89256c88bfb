// SPDX-License-Identifier: Apache-2.0
//
// Agreement: whether a device's result is right, judged by the interpreter's (docs/semantics.md,
// section 9). The interpreter is a device too, in two modes: "interpreter" rounds after each op,
// "interpreter:wide" computes floats in double. How far the two are apart is what rounding alone
// can do to this kernel on these inputs, so a device may be twice as far from the wide result:
//
//     |got - wide| <= 2 max |exact - wide| + 4 ulp
//
// with the maximum over the whole buffer, an ulp of the buffer's type at the wide value, NaN and
// infinities where the exact result has them, and integers equal.
#pragma once

#include "tigon/HostTensor.h"
#include "tigon/Runtime.h"

#include <span>
#include <string>
#include <vector>

namespace tigon {

struct TIGON_API Agreement {
  bool agrees = true;
  DType dtype = DType::F32;
  int64_t elements = 0;
  /// Elements that break the rule.
  int64_t wrong = 0;
  /// The element that breaks it most or comes closest; -1 if there are none.
  int64_t worst = -1;
  /// Its values; `exact` and `wide` are the interpreter's.
  double got = 0, exact = 0, wide = 0;
  /// |got - wide| that is allowed there, and max |exact - wide| of the buffer.
  double allowed = 0, spread = 0;

  /// "3 of 4096 elements of f32 disagree, worst is element 17: found ..., expected ...".
  std::string text() const;
};

/// Judges elements of a buffer by the rule. `got` and `exact` point to elements of `dtype` as they
/// are in memory; `wide` are the unrounded values, as many as there are elements (none for
/// integers).
TIGON_API Agreement judge(DType dtype, const void *got, const void *exact,
                          std::span<const double> wide, int64_t elements);

/// The elements of a buffer as doubles; on "interpreter:wide" as they were before they were rounded
/// to `dtype`. Waits for all work on the device.
TIGON_API Result<std::vector<double>> unroundedValues(const Buffer &buffer, DType dtype);

} // namespace tigon
