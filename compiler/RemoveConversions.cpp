// SPDX-License-Identifier: Apache-2.0
//
// RemoveConversions: what a few instructions can make again in another layout (a range, a mask, an offset) does not go
// through shared memory to get there. A conversion of such a value is replaced by a copy of the ops behind it, in the
// layout that is wanted, beside the originals, so that nothing moves into a loop. Loads stay: reading memory twice costs
// more than a conversion.
#include "compiler/Passes.h"
#include "compiler/Remake.h"
#include "compiler/TileLayouts.h"

namespace tigon {
#define GEN_PASS_DEF_REMOVECONVERSIONS
#include "compiler/Passes.h.inc"

namespace {

using namespace mlir;

class Remaker {
public:
  // `value` in `layout`; null if that takes a load, control flow, or too many ops.
  Value remake(Value value, const LinearLayout &layout) {
    unsigned budget = 32;
    return canRemake(value, layout, budget) ? build(value, layout) : Value();
  }

private:
  static bool hasLayout(Value value, const LinearLayout &layout) {
    return *tg::getLayout(value.getType()) == layout;
  }

  static LinearLayout layoutOfOperand(OpOperand &operand, const LinearLayout &result) {
    Operation *op = operand.getOwner();
    return wantsOneLayout(op) ? result : operandLayout(op, operand.getOperandNumber(), result);
  }

  static bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }

  static bool canRemake(Value value, const LinearLayout &layout, unsigned &budget) {
    if (hasLayout(value, layout))
      return true;
    Operation *op = value.getDefiningOp();
    if (!op || budget-- == 0)
      return false;
    if (auto convert = dyn_cast<tg::ConvertLayoutOp>(op))
      return canRemake(convert.getSrc(), layout, budget);
    bool isSource = llvm::none_of(op->getOperands(), isTile);
    if (op->getNumResults() != 1 || !isCheap(op) ||
        !(isSource || wantsOneLayout(op) || resultLeads(op)))
      return false;
    return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
      return !isTile(operand.get()) ||
             canRemake(operand.get(), layoutOfOperand(operand, layout), budget);
    });
  }

  Value build(Value value, const LinearLayout &layout) {
    if (hasLayout(value, layout))
      return value;
    Operation *op = value.getDefiningOp();
    if (auto convert = dyn_cast<tg::ConvertLayoutOp>(op))
      return build(convert.getSrc(), layout);
    Value &made = known[{value, tg::LayoutAttr::get(value.getContext(), layout)}];
    if (made)
      return made;
    IRMapping operands;
    for (OpOperand &operand : op->getOpOperands())
      if (isTile(operand.get()))
        operands.map(operand.get(), build(operand.get(), layoutOfOperand(operand, layout)));
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    Value copy = builder.clone(*op, operands)->getResult(0);
    setLayout(copy, layout);
    return known[{value, tg::LayoutAttr::get(value.getContext(), layout)}] = copy;
  }

  DenseMap<std::pair<Value, Attribute>, Value> known;
};

struct RemoveConversions : impl::RemoveConversionsBase<RemoveConversions> {
  void runOnOperation() override {
    Remaker remaker;
    SmallVector<tg::ConvertLayoutOp> conversions;
    getOperation().walk([&](tg::ConvertLayoutOp convert) { conversions.push_back(convert); });
    for (tg::ConvertLayoutOp convert : conversions)
      if (Value made = remaker.remake(convert.getSrc(), *tg::getLayout(convert.getType())))
        convert.replaceAllUsesWith(made);
  }
};

} // namespace
} // namespace tigon
