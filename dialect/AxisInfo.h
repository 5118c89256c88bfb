// SPDX-License-Identifier: Apache-2.0
//
// AxisInfo: what is known of an integer or pointer tile's values along each axis, so that accesses
// can be wide.
//
// Along an axis, think of the tile cut into aligned groups of 2^k neighbours. Then
//   contiguity    is the largest group in which values count up by one,
//   constancy     is the largest group in which values are equal,
//   divisibility  is the largest power of two that divides the first value of every group of
//   `contiguity` neighbours
//                 (bytes for pointers).
// A row `pid * 4096 + [0, 1, ..., 4095]` has contiguity 4096 and divisibility 4096; a mask `column
// < n` with n a multiple of 16 has constancy 16, as the comparison never turns inside such a group.
//
// i32 index arithmetic is taken not to wrap inside a contiguous group (docs/semantics.md).
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace mlir {
class Type;
}

namespace tigon {

struct AxisInfo {
  llvm::SmallVector<int64_t, 4> contiguity, divisibility, constancy;
  /// The value, if it is one and the same constant everywhere.
  std::optional<int64_t> constant;
  /// No value is negative; division rounds towards zero, so below it runs do not fall into groups.
  bool nonNegative = false;

  unsigned getRank() const { return contiguity.size(); }
  bool operator==(const AxisInfo &) const = default;

  /// Nothing known of a value of `type`; a scalar counts as a tile of one axis of size 1.
  static AxisInfo unknown(mlir::Type type);
  /// `value` in all lanes.
  static AxisInfo constantOf(mlir::Type type, int64_t value);
  /// What holds whichever of the two a value is.
  static AxisInfo join(const AxisInfo &a, const AxisInfo &b);

  /// What divides the first value of every group of `group` neighbours along `axis`.
  int64_t startDivisibility(unsigned axis, int64_t group) const;
};

/// The sum of two tiles of equal shape, and the product.
AxisInfo addAxisInfo(const AxisInfo &a, const AxisInfo &b);
AxisInfo multiplyAxisInfo(const AxisInfo &a, const AxisInfo &b);

/// Larger than any power of two that matters; what divides 0.
constexpr int64_t anyPowerOfTwo = int64_t(1) << 40;
/// The largest power of two dividing `value`.
int64_t powerOfTwoIn(int64_t value);

} // namespace tigon
