// SPDX-License-Identifier: Apache-2.0
//
// DecomposePointers: a tile of pointers becomes a scalar pointer, the same for all lanes, and a tile of offsets. Scalars are
// computed once a program and not once a lane, and an address is then one register plus what the lane adds.
//
//   addptr (addptr (splat %p), %tile), (splat %a)   ->   addptr (splat (addptr %p, %a)), %tile
//   broadcast (addptr (splat %p), %column)          ->   addptr (splat %p), (broadcast %column)
//   scf.for iter_args(%tile = %start) { ... yield (addptr %tile, (splat %s)) }
//                                                   ->   iter_args(%sum = 0) { %tile = addptr %start, (splat %sum) ... }
//
// Offsets keep their own width and are added in 64 bits, as tt.addptr says, so nothing that did not wrap does.
#include "compiler/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tigon {
#define GEN_PASS_DEF_DECOMPOSEPOINTERS
#include "compiler/Passes.h.inc"

namespace {

using namespace mlir;

// The scalar that fills the integer tile `offset`; null if it is no splat.
Value uniformOffset(Value offset, OpBuilder &builder) {
  if (auto splat = offset.getDefiningOp<tt::SplatOp>())
    return splat.getSrc();
  Attribute value;
  if (!isa<RankedTensorType>(offset.getType()) || !matchPattern(offset, m_Constant(&value)))
    return {};
  auto elements = dyn_cast<SplatElementsAttr>(value);
  if (!elements)
    return {};
  return arith::ConstantOp::create(builder, offset.getLoc(), elements.getSplatValue<IntegerAttr>());
}

struct UniformOffsetToBase : OpRewritePattern<tt::AddPtrOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tt::AddPtrOp op, PatternRewriter &rewriter) const override {
    auto base = op.getPtr().getDefiningOp<tt::SplatOp>();
    if (!base)
      return rewriter.notifyMatchFailure(op, "the base is no splat");
    Value offset = uniformOffset(op.getOffset(), rewriter);
    if (!offset)
      return rewriter.notifyMatchFailure(op, "the offset differs by lane");
    Value scalar =
        tt::AddPtrOp::create(rewriter, op.getLoc(), base.getSrc().getType(), base.getSrc(), offset);
    rewriter.replaceOpWithNewOp<tt::SplatOp>(op, op.getType(), scalar);
    return success();
  }
};

// Towards the base, past offsets that differ by lane.
struct UniformOffsetInward : OpRewritePattern<tt::AddPtrOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tt::AddPtrOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getPtr().getDefiningOp<tt::AddPtrOp>();
    auto isUniform = [](Value offset) {
      return offset.getDefiningOp<tt::SplatOp>() || matchPattern(offset, m_Constant());
    };
    if (!inner || !isa<RankedTensorType>(op.getType()) || !isUniform(op.getOffset()) ||
        isUniform(inner.getOffset()))
      return rewriter.notifyMatchFailure(op, "no uniform offset outside one that differs by lane");
    Value base =
        tt::AddPtrOp::create(rewriter, op.getLoc(), op.getType(), inner.getPtr(), op.getOffset());
    rewriter.replaceOpWithNewOp<tt::AddPtrOp>(op, op.getType(), base, inner.getOffset());
    return success();
  }
};

// Shape ops go to the offsets, where they end as renamings of a range.
template <typename ShapeOp> struct ShapeOfAddPtr : OpRewritePattern<ShapeOp> {
  using OpRewritePattern<ShapeOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(ShapeOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getSrc().template getDefiningOp<tt::AddPtrOp>();
    if (!inner)
      return rewriter.notifyMatchFailure(op, "not of an addptr");
    auto shaped = [&](Value value) -> Value {
      auto type = cast<RankedTensorType>(op.getType()).clone(getElementTypeOrSelf(value.getType()));
      Operation *clone = rewriter.clone(*op);
      clone->setOperand(0, value);
      clone->getResult(0).setType(type);
      return clone->getResult(0);
    };
    Value pointer = shaped(inner.getPtr()), offset = shaped(inner.getOffset());
    rewriter.replaceOpWithNewOp<tt::AddPtrOp>(op, op.getType(), pointer, offset);
    return success();
  }
};

//===-- loops ---------------------------------------------------------------------------------------------===//

// The scalars that the loop adds to `carried` in each iteration; none if it does anything else to it.
std::optional<SmallVector<Value>> uniformSteps(Value yielded, BlockArgument carried,
                                               OpBuilder &builder) {
  SmallVector<Value> steps;
  while (yielded != carried) {
    auto add = yielded.getDefiningOp<tt::AddPtrOp>();
    Value step = add ? uniformOffset(add.getOffset(), builder) : Value();
    if (!step)
      return std::nullopt;
    steps.push_back(step);
    yielded = add.getPtr();
  }
  return steps;
}

// A carried tile of pointers that moves by the same amount in all lanes is its start and a carried sum.
void stepByScalar(scf::ForOp loop, unsigned number) {
  BlockArgument carried = loop.getRegionIterArg(number);
  auto tile = dyn_cast<RankedTensorType>(carried.getType());
  if (!tile || !isa<tt::PointerType>(tile.getElementType()))
    return;
  Operation *terminator = loop.getBody()->getTerminator();
  OpBuilder last(terminator);
  std::optional<SmallVector<Value>> steps =
      uniformSteps(terminator->getOperand(number), carried, last);
  if (!steps)
    return;
  Location loc = carried.getLoc();
  Type i64 = last.getI64Type();
  OpBuilder before(loop), inside = OpBuilder::atBlockBegin(loop.getBody());
  Value start = loop.getInitArgs()[number];
  auto pointerAt = [&](OpBuilder &builder, Value sum) -> Value {
    Value offset = tt::SplatOp::create(builder, loc, tile.clone(i64), sum);
    return tt::AddPtrOp::create(builder, loc, tile, start, offset);
  };
  // The argument becomes the sum; whoever used it gets the pointers it stands for.
  carried.setType(i64);
  Value pointers = pointerAt(inside, carried);
  carried.replaceAllUsesExcept(pointers,
                               pointers.getDefiningOp<tt::AddPtrOp>().getOffset().getDefiningOp());
  Value sum = carried;
  for (Value step : *steps) {
    if (step.getType() != i64)
      step = arith::ExtSIOp::create(last, loc, i64, step);
    sum = arith::AddIOp::create(last, loc, sum, step);
  }
  terminator->setOperand(number, sum);
  loop.getInitArgsMutable()[number].set(arith::ConstantIntOp::create(before, loc, i64, 0));
  Value result = loop.getResult(number);
  result.setType(i64);
  if (result.use_empty())
    return;
  OpBuilder after(loop->getContext());
  after.setInsertionPointAfter(loop);
  Value end = pointerAt(after, result);
  result.replaceAllUsesExcept(end, end.getDefiningOp<tt::AddPtrOp>().getOffset().getDefiningOp());
}

struct DecomposePointers : impl::DecomposePointersBase<DecomposePointers> {
  void runOnOperation() override {
    getOperation().walk([](scf::ForOp loop) {
      for (unsigned number = 0; number < loop.getNumResults(); ++number)
        stepByScalar(loop, number);
    });
    RewritePatternSet patterns(&getContext());
    patterns.add<UniformOffsetToBase, UniformOffsetInward, ShapeOfAddPtr<tt::BroadcastOp>,
                 ShapeOfAddPtr<tt::ExpandDimsOp>, ShapeOfAddPtr<tt::ReshapeOp>,
                 ShapeOfAddPtr<tt::TransOp>>(&getContext());
    for (RegisteredOperationName shape : getContext().getRegisteredOperationsByDialect("tt"))
      shape.getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace tigon
