// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dialect/interpreter/Interpreter.h"
#include "dialect/interpreter/Tile.h"

namespace tigon::interpreter {

constexpr int64_t maxDescriptorRank = 5;

/// A window of a strided tensor in memory, which is what block pointers and descriptors are. A
/// descriptor's window starts at 0; its accesses bring the offsets.
struct View {
  uint64_t base = 0;
  bool padWithNaN = false;
  llvm::SmallVector<int64_t, 5> shape, strides, offsets;

  static View of(const TensorDescriptor &descriptor, int64_t rank);
  /// As the words of a tile, so that a view travels through loops and selects like any value.
  Tile pack() const;
  static View unpack(const Tile &tile);
};

} // namespace tigon::interpreter
