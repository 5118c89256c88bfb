// SPDX-License-Identifier: Apache-2.0
//
// Elements in memory by the names that PyTorch, Triton and the tile dialect have for their types.
#pragma once

#include "dialect/Result.h"
#include "dialect/interpreter/FloatFormat.h"
#include "runtime/HostTensor.h"

#include "mlir/IR/BuiltinTypes.h"

#include <optional>
#include <string>

namespace tigon::conform {

class Elements {
public:
  static Result<Elements> find(const std::string &name, mlir::MLIRContext *context);
  static Result<Elements> of(mlir::Type type);
  static std::optional<DType> dtypeOf(mlir::Type type);

  unsigned bytes() const { return (width + 7) / 8; }
  uint64_t encode(double value) const;
  double decode(const void *from) const;
  /// Element `index` of as many as one likes from low to high.
  uint64_t draw(double low, double high, uint64_t seed, uint64_t index) const;

private:
  unsigned width = 8;
  const interpreter::FloatFormat *format = nullptr; ///< null: integers
};

} // namespace tigon::conform
