// SPDX-License-Identifier: Apache-2.0
#include "compiler/TileLayouts.h"

#include "dialect/TileMap.h"
#include "dialect/tt/TT.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tigon {

bool wantsOneLayout(Operation *op) {
  return !isa<TileMapOpInterface>(op) &&
         (op->hasTrait<OpTrait::Elementwise>() || isa<TileAccessOpInterface>(op));
}

bool resultLeads(Operation *op) {
  if (!isa<TileMapOpInterface>(op) || !isa<RankedTensorType>(op->getResult(0).getType()))
    return false;
  for (OpOperand &operand : op->getOpOperands())
    for (unsigned bit = 0; bit < getTileBits(operand.get().getType()); ++bit)
      if (!getResultBit(op, operand.getOperandNumber(), bit))
        return false;
  return true;
}

LinearLayout operandLayout(Operation *op, unsigned operand, const LinearLayout &result) {
  auto shape = cast<RankedTensorType>(op->getOperand(operand).getType()).getShape();
  return result.mapBits(shape, [&](unsigned bit) { return getResultBit(op, operand, bit); })
      .dropFreeRegisters();
}

RankedTensorType withLayout(RankedTensorType type, const LinearLayout &layout) {
  return RankedTensorType::get(type.getShape(), type.getElementType(),
                               tg::LayoutAttr::get(type.getContext(), layout));
}

void setLayout(Value value, const LinearLayout &layout) {
  value.setType(withLayout(cast<RankedTensorType>(value.getType()), layout));
  if (auto constant = value.getDefiningOp<arith::ConstantOp>())
    if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue()))
      constant.setValueAttr(elements.reshape(cast<ShapedType>(value.getType())));
}

} // namespace tigon
