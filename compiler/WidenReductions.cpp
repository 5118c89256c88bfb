// SPDX-License-Identifier: Apache-2.0
//
// WidenReductions: sums of f16 and bf16 are kept in f32 and rounded once, at the end. A bf16 sum loses what is below 2^-8 of
// it: the sum of 1024 ones, added one by one, is 256. Also where the target has no arithmetic on narrow floats, each
// combination would widen and round anyway.
#include "compiler/Passes.h"
#include "compiler/ProgramFacts.h"

#include "mlir/IR/IRMapping.h"

namespace tigon {
#define GEN_PASS_DEF_WIDENREDUCTIONS
#include "compiler/Passes.h.inc"

namespace {

using namespace mlir;

bool isNarrow(Type type) {
  auto floating = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return floating && floating.getWidth() == 16;
}

Type widened(Type type) {
  if (!isNarrow(type))
    return type;
  Type f32 = Float32Type::get(type.getContext());
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? Type(tile.clone(f32)) : f32;
}

// Whether the region computes the same in f32, but for roundings: plain arithmetic, and nothing from outside.
bool canWiden(tt::ReduceOp reduce, bool hasNarrowArithmetic) {
  if (llvm::none_of(reduce.getSrcs().getTypes(), isNarrow))
    return false;
  bool rounds = false;
  for (Operation &op : reduce.getCombineOp().front().without_terminator()) {
    if (!isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::CmpFOp, arith::SelectOp,
             arith::MaxNumFOp, arith::MinNumFOp, arith::MaximumFOp, arith::MinimumFOp>(op) &&
        !(isa<arith::ArithDialect>(op.getDialect()) && !isa<arith::ConstantOp>(op) &&
          llvm::none_of(op.getOperandTypes(), isNarrow) &&
          llvm::none_of(op.getResultTypes(), isNarrow)))
      return false;
    rounds |= isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op);
    for (Value operand : op.getOperands())
      if (isNarrow(operand.getType()) && operand.getParentBlock() != op.getBlock())
        return false;
  }
  return rounds || !hasNarrowArithmetic;
}

void widen(tt::ReduceOp reduce) {
  OpBuilder b(reduce);
  Location loc = reduce.getLoc();
  for (OpOperand &operand : reduce->getOpOperands())
    if (isNarrow(operand.get().getType()))
      operand.set(arith::ExtFOp::create(b, loc, widened(operand.get().getType()), operand.get()));
  Block &body = reduce.getCombineOp().front();
  for (BlockArgument argument : body.getArguments())
    argument.setType(widened(argument.getType()));
  for (Operation &op : body)
    for (OpResult result : op.getResults())
      result.setType(widened(result.getType()));
  b.setInsertionPointAfter(reduce);
  for (OpResult result : reduce->getResults()) {
    Type narrow = result.getType();
    if (!isNarrow(narrow))
      continue;
    result.setType(widened(narrow));
    auto rounded = arith::TruncFOp::create(b, loc, narrow, result);
    result.replaceAllUsesExcept(rounded, rounded);
  }
}

struct WidenReductions : impl::WidenReductionsBase<WidenReductions> {
  void runOnOperation() override {
    bool hasNarrowArithmetic = !targetOf(getOperation()).narrowFloatsAreIntegers;
    getOperation().walk([&](tt::ReduceOp reduce) {
      if (canWiden(reduce, hasNarrowArithmetic))
        widen(reduce);
    });
  }
};

} // namespace
} // namespace tigon
