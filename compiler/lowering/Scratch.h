// SPDX-License-Identifier: Apache-2.0
//
// Private scratch: a slot for each register of each thread and step.
#pragma once

#include "compiler/lowering/LocalArray.h"

namespace tigon {

class PrivateSlots {
public:
  /// For strips in `layout`; `step` is null where the tile is whole.
  PrivateSlots(mlir::Value scratch, const LinearLayout &layout, mlir::Value step,
               Lowering &lowering);

  /// This many registers in a row have neighbouring slots, the first of them aligned to all.
  unsigned getVector() const { return vector; }
  /// i32 register: the slot of register `r`.
  mlir::Value index(unsigned r);

  LocalArray array;

private:
  const LinearLayout &layout;
  mlir::Value step;
  unsigned vector;
  Lowering &l;
};

} // namespace tigon
