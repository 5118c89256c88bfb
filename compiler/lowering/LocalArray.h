// SPDX-License-Identifier: Apache-2.0
//
// LocalArray: elements of one type at a place in the program's own memory, addressed by index.
#pragma once

#include "compiler/lowering/Lowering.h"

namespace tigon {

class LocalArray {
public:
  /// At byte `offset` of local memory; `base` is Machine::localMemory or globalScratch.
  LocalArray(Lowering &lowering, mlir::Value base, int64_t offset, mlir::Type element);

  /// `vector` neighbouring elements from `index`, an i32 register; lanes whose mask is false are left out.
  Lowering::Registers load(mlir::Value index, unsigned vector, bool lanesConsecutive);
  void store(mlir::Value index, llvm::ArrayRef<mlir::Value> values, mlir::Value mask,
             bool lanesConsecutive);

  mlir::Value pointer(mlir::Value index);

private:
  AccessShape shape(unsigned vector, bool lanesConsecutive) const;

  Lowering &l;
  mlir::Value base;
  mlir::Type element;
};

/// i32 register: coordinate of register `r` under `layout`.
mlir::Value coordinateOf(const LinearLayout &layout, uint32_t r, Lowering &lowering);
/// Whether neighbouring lanes hold neighbouring coordinates.
bool lanesAreConsecutive(const LinearLayout &layout);

} // namespace tigon
