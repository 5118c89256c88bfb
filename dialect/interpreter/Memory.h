// SPDX-License-Identifier: Apache-2.0
//
// The memory that programs touch: raw host memory, or a list of buffers that every access must fall
// into, each perhaps with the unrounded values of its elements beside it.
#pragma once

#include "dialect/interpreter/Interpreter.h"
#include "dialect/interpreter/Tile.h"

namespace tigon::interpreter {

class Memory {
public:
  explicit Memory(const Options &options);

  /// Whether an element lies at `address`: inside a buffer, aligned to its size.
  bool holds(uint64_t address, const Element &element);
  /// Why it does not, and where `address` is: as seen from the nearest of `pointers`, those of the kernel's
  /// arguments, with their names, that it may be an offset from.
  std::string explain(uint64_t address, const Element &element,
                      llvm::ArrayRef<std::pair<std::string, uint64_t>> pointers) const;

  /// The element in the bytes at `from`.
  static Lane read(const void *from, const Element &element);
  /// Memory must hold the element.
  Lane load(uint64_t address, const Element &element);
  void store(uint64_t address, const Element &element, Lane lane);

private:
  const Buffer *findBuffer(uint64_t address, unsigned bytes);
  double *findWide(uint64_t address, const Element &element);
  void refreshWide(const Buffer &buffer, uint64_t address, unsigned bytes);

  const Options &options;
  /// In Wide mode, for each buffer the format of the values kept beside it, or null.
  llvm::SmallVector<const FloatFormat *> wideFormats;
  const Buffer *last = nullptr; // the buffer found last, which the next lane's most often is
};

} // namespace tigon::interpreter
