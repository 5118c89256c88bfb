// SPDX-License-Identifier: Apache-2.0
#include "dialect/AxisInfo.h"

#include "mlir/IR/BuiltinTypes.h"

#include <algorithm>

namespace tigon {

int64_t powerOfTwoIn(int64_t value) {
  if (value == 0)
    return anyPowerOfTwo;
  uint64_t lowest = uint64_t(value) & -uint64_t(value);
  return std::min(lowest, uint64_t(anyPowerOfTwo));
}

AxisInfo AxisInfo::unknown(mlir::Type type) {
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  unsigned rank = tensor ? std::max<int64_t>(tensor.getRank(), 1) : 1;
  AxisInfo info;
  info.contiguity.assign(rank, 1);
  info.divisibility.assign(rank, 1);
  info.constancy.assign(rank, 1);
  return info;
}

AxisInfo AxisInfo::constantOf(mlir::Type type, int64_t value) {
  AxisInfo info = unknown(type);
  info.divisibility.assign(info.getRank(), powerOfTwoIn(value));
  if (auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type); tensor && tensor.getRank())
    info.constancy.assign(tensor.getShape().begin(), tensor.getShape().end());
  info.constant = value;
  info.nonNegative = value >= 0;
  return info;
}

// All entries are powers of two, so the greatest common divisor is the minimum.
AxisInfo AxisInfo::join(const AxisInfo &a, const AxisInfo &b) {
  AxisInfo info = a;
  for (unsigned axis = 0; axis < a.getRank(); ++axis) {
    info.contiguity[axis] = std::min(a.contiguity[axis], b.contiguity[axis]);
    info.constancy[axis] = std::min(a.constancy[axis], b.constancy[axis]);
    info.divisibility[axis] = std::min(a.startDivisibility(axis, info.contiguity[axis]),
                                       b.startDivisibility(axis, info.contiguity[axis]));
  }
  if (a.constant != b.constant)
    info.constant = std::nullopt;
  info.nonNegative = a.nonNegative && b.nonNegative;
  return info;
}

// Values count up where one term does and the other is constant.
AxisInfo addAxisInfo(const AxisInfo &a, const AxisInfo &b) {
  AxisInfo sum = a;
  for (unsigned axis = 0; axis < a.getRank(); ++axis) {
    int64_t group = std::max(std::min(a.contiguity[axis], b.constancy[axis]),
                             std::min(a.constancy[axis], b.contiguity[axis]));
    sum.contiguity[axis] = group;
    sum.constancy[axis] = std::min(a.constancy[axis], b.constancy[axis]);
    sum.divisibility[axis] =
        std::min(a.startDivisibility(axis, group), b.startDivisibility(axis, group));
  }
  sum.nonNegative = a.nonNegative && b.nonNegative;
  sum.constant.reset();
  if (a.constant && b.constant)
    sum.constant = int64_t(uint64_t(*a.constant) + uint64_t(*b.constant));
  return sum;
}

AxisInfo multiplyAxisInfo(const AxisInfo &a, const AxisInfo &b) {
  if (a.constant == 1)
    return b;
  if (b.constant == 1)
    return a;
  AxisInfo product = a;
  for (unsigned axis = 0; axis < a.getRank(); ++axis) {
    product.contiguity[axis] = 1;
    product.constancy[axis] = std::min(a.constancy[axis], b.constancy[axis]);
    int64_t da = a.startDivisibility(axis, 1), db = b.startDivisibility(axis, 1);
    product.divisibility[axis] = da > anyPowerOfTwo / db ? anyPowerOfTwo : da * db;
  }
  product.nonNegative = a.nonNegative && b.nonNegative;
  product.constant.reset();
  if (a.constant && b.constant)
    product.constant = int64_t(uint64_t(*a.constant) * uint64_t(*b.constant));
  return product;
}

int64_t AxisInfo::startDivisibility(unsigned axis, int64_t group) const {
  // Inside a longer run, groups start at multiples of `group` from its start.
  return contiguity[axis] > group ? std::min(divisibility[axis], group) : divisibility[axis];
}

} // namespace tigon
