// SPDX-License-Identifier: Apache-2.0
//
// Dialect tt: what its ops know of their values along each axis (dialect/AxisInfo.h).
#include "dialect/AxisInfo.h"
#include "dialect/LinearLayout.h"
#include "dialect/tt/TT.h"

using namespace mlir;

namespace tigon::tt {
namespace {

using Infos = SmallVector<AxisInfo>;

ArrayRef<int64_t> shapeOf(Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  return tensor ? tensor.getShape() : ArrayRef<int64_t>();
}

// A power of two that divides every single value of the tile.
int64_t divisibilityOfAll(const AxisInfo &info) {
  int64_t divisor = 1;
  for (unsigned axis = 0; axis < info.getRank(); ++axis)
    divisor = std::max(divisor, info.startDivisibility(axis, 1));
  return divisor;
}

// Row-major renaming of axes. Along a result axis, neighbours are neighbours of the source where the axis starts at the
// same bit of the flat index as a source axis does.
AxisInfo reshapeAxes(const AxisInfo &source, ArrayRef<int64_t> from, Value result) {
  AxisInfo info = AxisInfo::unknown(result.getType());
  info.constant = source.constant;
  info.nonNegative = source.nonNegative;
  ArrayRef<int64_t> to = shapeOf(result);
  int64_t stride = 1;
  for (size_t axis = to.size(); axis-- > 0; stride *= to[axis]) {
    info.divisibility[axis] = divisibilityOfAll(source);
    int64_t inner = 1;
    for (size_t other = from.size(); other-- > 0; inner *= from[other]) {
      if (stride < inner || stride >= inner * from[other])
        continue;
      int64_t step =
          stride / inner; // neighbours of the result are so far apart along the source axis
      info.constancy[axis] =
          std::min(to[axis], std::max<int64_t>(1, source.constancy[other] / step));
      if (step == 1) {
        info.contiguity[axis] = std::min(to[axis], source.contiguity[other]);
        info.divisibility[axis] = source.startDivisibility(other, info.contiguity[axis]);
      }
    }
  }
  return info;
}

} // namespace

Infos MakeRangeOp::inferAxisInfo(ArrayRef<AxisInfo>) {
  AxisInfo info = AxisInfo::unknown(getResult().getType());
  info.contiguity[0] = getResult().getType().getDimSize(0);
  info.divisibility[0] = powerOfTwoIn(int32_t(getStart()));
  info.nonNegative = int32_t(getStart()) >= 0;
  return {info};
}

Infos GetProgramIdOp::inferAxisInfo(ArrayRef<AxisInfo>) {
  AxisInfo info = AxisInfo::unknown(getResult().getType());
  info.nonNegative = true;
  return {info};
}

Infos GetNumProgramsOp::inferAxisInfo(ArrayRef<AxisInfo>) {
  AxisInfo info = AxisInfo::unknown(getResult().getType());
  info.nonNegative = true;
  return {info};
}

Infos SplatOp::inferAxisInfo(ArrayRef<AxisInfo> operands) {
  AxisInfo info = AxisInfo::constantOf(getResult().getType(), 0);
  info.constant = operands[0].constant;
  info.nonNegative = operands[0].nonNegative;
  info.divisibility.assign(info.getRank(), operands[0].divisibility[0]);
  return {info};
}

Infos UnsplatOp::inferAxisInfo(ArrayRef<AxisInfo> operands) {
  AxisInfo info = AxisInfo::unknown(getResult().getType());
  info.divisibility[0] = divisibilityOfAll(operands[0]);
  info.constant = operands[0].constant;
  info.nonNegative = operands[0].nonNegative;
  return {info};
}

Infos ExpandDimsOp::inferAxisInfo(ArrayRef<AxisInfo> operands) {
  AxisInfo info = operands[0];
  if (shapeOf(getSrc()).empty())
    return {info}; // a scalar tile has the one axis already
  auto insert = [&](SmallVector<int64_t, 4> &of, int64_t value) {
    of.insert(of.begin() + getAxis(), value);
  };
  insert(info.contiguity, 1);
  insert(info.constancy, 1);
  insert(info.divisibility, divisibilityOfAll(operands[0]));
  return {info};
}

Infos BroadcastOp::inferAxisInfo(ArrayRef<AxisInfo> operands) {
  AxisInfo info = operands[0];
  for (auto [axis, from, to] : llvm::enumerate(shapeOf(getSrc()), shapeOf(getResult())))
    if (from != to)
      info.constancy[axis] = to;
  return {info};
}

Infos ReshapeOp::inferAxisInfo(ArrayRef<AxisInfo> operands) {
  return {reshapeAxes(operands[0], shapeOf(getSrc()), getResult())};
}

Infos TransOp::inferAxisInfo(ArrayRef<AxisInfo> operands) {
  AxisInfo info = operands[0];
  for (auto [axis, from] : llvm::enumerate(getOrder())) {
    info.contiguity[axis] = operands[0].contiguity[from];
    info.constancy[axis] = operands[0].constancy[from];
    info.divisibility[axis] = operands[0].divisibility[from];
  }
  return {info};
}

// Divisibility of pointers counts bytes, contiguity elements.
Infos AddPtrOp::inferAxisInfo(ArrayRef<AxisInfo> operands) {
  Type pointee = cast<PointerType>(getElementTypeOrSelf(getPtr().getType())).getPointeeType();
  int64_t bytes = pointee.isIntOrFloat() ? std::max(1u, pointee.getIntOrFloatBitWidth() / 8) : 8;
  AxisInfo offset = operands[1];
  offset.constant.reset();
  for (int64_t &divisor : offset.divisibility)
    divisor = std::min(anyPowerOfTwo, divisor * bytes);
  AxisInfo sum = addAxisInfo(operands[0], offset);
  // A group that starts inside a longer run starts at a multiple of the group in elements, so of `bytes` times that.
  for (unsigned axis = 0; axis < sum.getRank(); ++axis) {
    auto start = [&](const AxisInfo &info) {
      return info.contiguity[axis] > sum.contiguity[axis]
                 ? std::min(info.divisibility[axis], sum.contiguity[axis] * bytes)
                 : info.divisibility[axis];
    };
    sum.divisibility[axis] = std::min(start(operands[0]), start(offset));
  }
  return {sum};
}

Infos BitcastOp::inferAxisInfo(ArrayRef<AxisInfo> operands) {
  auto pointee = [](Value value) {
    auto pointer = dyn_cast<PointerType>(getElementTypeOrSelf(value.getType()));
    Type type = pointer ? pointer.getPointeeType() : Type();
    return type && type.isIntOrFloat() ? std::max(8u, type.getIntOrFloatBitWidth()) : 0;
  };
  AxisInfo info = operands[0];
  if (pointee(getSrc()) != pointee(getResult())) // neighbours are no longer one element apart
    for (unsigned axis = 0; axis < info.getRank(); ++axis) {
      info.divisibility[axis] = 1;
      info.contiguity[axis] = 1;
    }
  return {info};
}

// As bytes, neighbours are apart by the element's size, so runs end; what divides every address stays.
Infos PtrToIntOp::inferAxisInfo(ArrayRef<AxisInfo> operands) {
  AxisInfo info = operands[0];
  for (unsigned axis = 0; axis < info.getRank(); ++axis)
    if (info.contiguity[axis] > 1) {
      info.contiguity[axis] = 1;
      info.divisibility[axis] = 1;
    }
  return {info};
}

Infos IntToPtrOp::inferAxisInfo(ArrayRef<AxisInfo> operands) {
  AxisInfo info = operands[0];
  info.constant.reset();
  for (unsigned axis = 0; axis < info.getRank(); ++axis)
    if (info.contiguity[axis] > 1) {
      info.contiguity[axis] = 1;
      info.divisibility[axis] = 1;
    }
  return {info};
}

} // namespace tigon::tt
