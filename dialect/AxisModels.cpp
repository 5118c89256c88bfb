// SPDX-License-Identifier: Apache-2.0
//
// What arith's ops know of their values along each axis: one function an op, attached as external models.
#include "dialect/AxisInfo.h"
#include "dialect/Dialects.h"
#include "dialect/TileMap.h"

#include "llvm/Support/MathExtras.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectRegistry.h"

#include <numeric>

using namespace mlir;

namespace tigon {
namespace {

using Infos = ArrayRef<AxisInfo>;

template <typename Op, AxisInfo (*infer)(Op, Infos)>
struct Model : AxisInferOpInterface::ExternalModel<Model<Op, infer>, Op> {
  SmallVector<AxisInfo> inferAxisInfo(Operation *op, Infos operands) const {
    return {infer(cast<Op>(op), operands)};
  }
};

// Equal operands give equal results; no more is known.
AxisInfo constancyOnly(Operation *op, Infos operands) {
  AxisInfo info = AxisInfo::unknown(op->getResult(0).getType());
  for (unsigned axis = 0; axis < info.getRank(); ++axis) {
    int64_t constancy = anyPowerOfTwo;
    for (const AxisInfo &operand : operands)
      constancy = std::min(constancy, operand.constancy[axis]);
    info.constancy[axis] = operands.empty() ? 1 : constancy;
  }
  return info;
}

AxisInfo constant(arith::ConstantOp op, Infos) {
  Attribute value = op.getValue();
  Type type = op.getType();
  if (auto splat = dyn_cast<SplatElementsAttr>(value))
    value = splat.getSplatValue<Attribute>();
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return AxisInfo::constantOf(type, integer.getValue().getSExtValue());
  if (isa<FloatAttr>(value)) {
    AxisInfo info = AxisInfo::constantOf(type, 0);
    info.constant.reset();
    info.divisibility.assign(info.getRank(), 1);
    return info;
  }
  return AxisInfo::unknown(type);
}

AxisInfo add(arith::AddIOp, Infos in) { return addAxisInfo(in[0], in[1]); }

AxisInfo subtract(arith::SubIOp, Infos in) {
  AxisInfo negated = in[1];
  for (unsigned axis = 0; axis < negated.getRank(); ++axis) {
    negated.divisibility[axis] = in[1].startDivisibility(axis, 1);
    negated.contiguity[axis] = 1;
  }
  negated.nonNegative = false;
  if (negated.constant)
    negated.constant = int64_t(-uint64_t(*negated.constant));
  return addAxisInfo(in[0], negated);
}

AxisInfo multiply(arith::MulIOp, Infos in) { return multiplyAxisInfo(in[0], in[1]); }

AxisInfo shiftLeft(arith::ShLIOp op, Infos in) {
  if (!in[1].constant || *in[1].constant < 0 || *in[1].constant > 40)
    return constancyOnly(op, in);
  return multiplyAxisInfo(in[0], AxisInfo::constantOf(op.getType(), int64_t(1) << *in[1].constant));
}

// A run [s, s+1, ...], s >= 0, divided by a power of two c is constant in groups of c if s is a
// multiple of c.
AxisInfo divide(Operation *op, const AxisInfo &dividend, int64_t divisor) {
  AxisInfo info = AxisInfo::unknown(op->getResult(0).getType());
  int64_t c = divisor > 0 ? powerOfTwoIn(divisor) : 1;
  for (unsigned axis = 0; axis < info.getRank(); ++axis) {
    info.constancy[axis] = dividend.constancy[axis];
    if (dividend.nonNegative)
      info.constancy[axis] =
          std::max(info.constancy[axis],
                   std::min({dividend.contiguity[axis], dividend.divisibility[axis], c}));
    int64_t each = dividend.startDivisibility(axis, 1);
    if (divisor > 0 && llvm::isPowerOf2_64(divisor) && each >= divisor)
      info.divisibility[axis] = each == anyPowerOfTwo ? each : each / divisor;
  }
  info.nonNegative = dividend.nonNegative && divisor > 0;
  if (dividend.constant && divisor > 0 && *dividend.constant >= 0)
    info.constant = *dividend.constant / divisor;
  return info;
}

AxisInfo divideSigned(arith::DivSIOp op, Infos in) {
  if (in[1].constant == 1)
    return in[0];
  return in[1].constant ? divide(op, in[0], *in[1].constant) : constancyOnly(op, in);
}

AxisInfo divideUnsigned(arith::DivUIOp op, Infos in) {
  if (in[1].constant == 1)
    return in[0];
  return in[1].constant ? divide(op, in[0], *in[1].constant) : constancyOnly(op, in);
}

AxisInfo shiftRight(Operation *op, Infos in) {
  if (!in[1].constant || *in[1].constant < 0 || *in[1].constant > 40)
    return constancyOnly(op, in);
  return divide(op, in[0], int64_t(1) << *in[1].constant);
}
AxisInfo shiftRightSigned(arith::ShRSIOp op, Infos in) { return shiftRight(op, in); }
AxisInfo shiftRightUnsigned(arith::ShRUIOp op, Infos in) { return shiftRight(op, in); }

// The remainder of a run that is nowhere negative counts up in groups that neither the run's start nor the divisor splits.
AxisInfo remainder(Operation *op, Infos in) {
  AxisInfo info = constancyOnly(op, in);
  for (unsigned axis = 0; axis < info.getRank(); ++axis) {
    int64_t dividend = in[0].divisibility[axis], divisor = in[1].startDivisibility(axis, 1);
    int64_t group = std::min({in[0].contiguity[axis], dividend, divisor, in[1].constancy[axis]});
    if (!in[0].nonNegative)
      group = 1;
    info.contiguity[axis] = group;
    info.divisibility[axis] = std::min(in[0].startDivisibility(axis, group), divisor);
  }
  info.nonNegative = in[0].nonNegative;
  return info;
}
AxisInfo remainderSigned(arith::RemSIOp op, Infos in) { return remainder(op, in); }
AxisInfo remainderUnsigned(arith::RemUIOp op, Infos in) { return remainder(op, in); }

AxisInfo bitAnd(arith::AndIOp op, Infos in) {
  AxisInfo info = constancyOnly(op, in);
  for (unsigned axis = 0; axis < info.getRank(); ++axis)
    info.divisibility[axis] =
        std::max(in[0].startDivisibility(axis, 1), in[1].startDivisibility(axis, 1));
  info.nonNegative = in[0].nonNegative || in[1].nonNegative;
  if (in[0].constant && in[1].constant)
    info.constant = *in[0].constant & *in[1].constant;
  return info;
}

AxisInfo bitOr(arith::OrIOp op, Infos in) {
  AxisInfo info = constancyOnly(op, in);
  for (unsigned axis = 0; axis < info.getRank(); ++axis)
    info.divisibility[axis] =
        std::min(in[0].startDivisibility(axis, 1), in[1].startDivisibility(axis, 1));
  return info;
}

// `run < bound` is constant in groups that start and bound are multiples of; so is `run >= bound`.
AxisInfo compare(arith::CmpIOp op, Infos in) {
  using P = arith::CmpIPredicate;
  AxisInfo info = constancyOnly(op, in);
  auto turnsAtBound = [&](const AxisInfo &run, const AxisInfo &bound) {
    for (unsigned axis = 0; axis < info.getRank(); ++axis) {
      int64_t group = std::min({run.contiguity[axis], run.divisibility[axis], bound.constancy[axis],
                                bound.startDivisibility(axis, 1)});
      info.constancy[axis] = std::max(info.constancy[axis], group);
    }
  };
  P predicate = op.getPredicate();
  if (predicate == P::slt || predicate == P::sge || predicate == P::ult || predicate == P::uge)
    turnsAtBound(in[0], in[1]);
  if (predicate == P::sgt || predicate == P::sle || predicate == P::ugt || predicate == P::ule)
    turnsAtBound(in[1], in[0]);
  return info;
}

AxisInfo select(arith::SelectOp op, Infos in) {
  AxisInfo info = AxisInfo::join(in[1], in[2]);
  if (!isa<ShapedType>(op.getCondition().getType()))
    return info;
  for (unsigned axis = 0; axis < info.getRank(); ++axis) {
    int64_t condition = in[0].constancy[axis];
    int64_t group = std::min(info.contiguity[axis], condition);
    info.divisibility[axis] = info.startDivisibility(axis, group);
    info.contiguity[axis] = group;
    info.constancy[axis] = std::min(info.constancy[axis], condition);
  }
  return info;
}

AxisInfo minMax(Operation *op, Infos in) {
  AxisInfo info = constancyOnly(op, in);
  for (unsigned axis = 0; axis < info.getRank(); ++axis)
    info.divisibility[axis] =
        std::min(in[0].startDivisibility(axis, 1), in[1].startDivisibility(axis, 1));
  if (in[0].constant && in[1].constant && in[0].constant == in[1].constant)
    info.constant = in[0].constant;
  return info;
}
AxisInfo minSigned(arith::MinSIOp op, Infos in) { return minMax(op, in); }
AxisInfo maxSigned(arith::MaxSIOp op, Infos in) { return minMax(op, in); }
AxisInfo minUnsigned(arith::MinUIOp op, Infos in) { return minMax(op, in); }
AxisInfo maxUnsigned(arith::MaxUIOp op, Infos in) { return minMax(op, in); }

AxisInfo extendSigned(arith::ExtSIOp, Infos in) { return in[0]; }
AxisInfo indexCast(arith::IndexCastOp, Infos in) { return in[0]; }

// Constants are kept sign-extended, so a zero extension of a negative one is another. A run from below zero up breaks there,
// unless it begins at a multiple of its length, as zero does.
AxisInfo extendUnsigned(arith::ExtUIOp, Infos in) {
  AxisInfo info = in[0];
  if (!info.nonNegative)
    for (unsigned axis = 0; axis < info.getRank(); ++axis)
      info.contiguity[axis] = std::gcd(info.contiguity[axis], info.divisibility[axis]);
  if (info.constant && *info.constant < 0)
    info.constant.reset();
  info.nonNegative = true;
  return info;
}

AxisInfo truncate(arith::TruncIOp op, Infos in) {
  AxisInfo info = in[0];
  info.nonNegative = false;
  if (info.constant)
    info.constant = llvm::SignExtend64(uint64_t(*info.constant),
                                       getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth());
  return info;
}

} // namespace

void registerAxisModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
#define TIGON_AXIS_MODEL(Op, infer) arith::Op::attachInterface<Model<arith::Op, infer>>(*context)
    TIGON_AXIS_MODEL(ConstantOp, constant);
    TIGON_AXIS_MODEL(AddIOp, add);
    TIGON_AXIS_MODEL(SubIOp, subtract);
    TIGON_AXIS_MODEL(MulIOp, multiply);
    TIGON_AXIS_MODEL(DivSIOp, divideSigned);
    TIGON_AXIS_MODEL(DivUIOp, divideUnsigned);
    TIGON_AXIS_MODEL(RemSIOp, remainderSigned);
    TIGON_AXIS_MODEL(RemUIOp, remainderUnsigned);
    TIGON_AXIS_MODEL(ShLIOp, shiftLeft);
    TIGON_AXIS_MODEL(ShRSIOp, shiftRightSigned);
    TIGON_AXIS_MODEL(ShRUIOp, shiftRightUnsigned);
    TIGON_AXIS_MODEL(AndIOp, bitAnd);
    TIGON_AXIS_MODEL(OrIOp, bitOr);
    TIGON_AXIS_MODEL(CmpIOp, compare);
    TIGON_AXIS_MODEL(SelectOp, select);
    TIGON_AXIS_MODEL(MinSIOp, minSigned);
    TIGON_AXIS_MODEL(MaxSIOp, maxSigned);
    TIGON_AXIS_MODEL(MinUIOp, minUnsigned);
    TIGON_AXIS_MODEL(MaxUIOp, maxUnsigned);
    TIGON_AXIS_MODEL(ExtSIOp, extendSigned);
    TIGON_AXIS_MODEL(ExtUIOp, extendUnsigned);
    TIGON_AXIS_MODEL(TruncIOp, truncate);
    TIGON_AXIS_MODEL(IndexCastOp, indexCast);
#undef TIGON_AXIS_MODEL
  });
}

} // namespace tigon
