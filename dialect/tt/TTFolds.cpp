// SPDX-License-Identifier: Apache-2.0
//
// Dialect tt: folds and canonicalizations. All are exact: no bit of any result changes.
#include "dialect/tt/TT.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tigon::tt {
namespace {

// A splat of `type` with the element of the splat `attribute`.
Attribute resplat(Attribute attribute, Type type) {
  auto splat = dyn_cast_or_null<SplatElementsAttr>(attribute);
  auto shaped = dyn_cast<ShapedType>(type);
  if (!splat || !shaped)
    return {};
  return SplatElementsAttr::get(shaped, splat.getSplatValue<Attribute>());
}

// A shape op of a splat is a splat.
template <typename ShapeOp> struct ShapeOfSplat : OpRewritePattern<ShapeOp> {
  using OpRewritePattern<ShapeOp>::OpRewritePattern;
  LogicalResult matchAndRewrite(ShapeOp op, PatternRewriter &rewriter) const override {
    auto splat = op.getSrc().template getDefiningOp<SplatOp>();
    if (!splat)
      return rewriter.notifyMatchFailure(op, "source is not a splat");
    rewriter.replaceOpWithNewOp<SplatOp>(op, op.getResult().getType(), splat.getSrc());
    return success();
  }
};

// `mask` is a constant with one value in all lanes.
std::optional<bool> constantMask(Value mask) {
  Attribute attribute;
  if (!mask || !matchPattern(mask, m_Constant(&attribute)))
    return std::nullopt;
  if (auto scalar = dyn_cast<BoolAttr>(attribute))
    return scalar.getValue();
  if (auto splat = dyn_cast<SplatElementsAttr>(attribute))
    return splat.getSplatValue<bool>();
  return std::nullopt;
}

// A load whose mask is constant: all lanes, or `other` (0 without one).
struct ConstantMaskLoad : OpRewritePattern<LoadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LoadOp load, PatternRewriter &rewriter) const override {
    std::optional<bool> mask = constantMask(load.getMask());
    if (!mask)
      return rewriter.notifyMatchFailure(load, "mask is not constant");
    if (*mask) {
      auto whole = LoadOp::create(rewriter, load.getLoc(), load.getPtr());
      whole->setDiscardableAttrs(load->getDiscardableAttrDictionary());
      whole.setCache(load.getCache());
      whole.setEvict(load.getEvict());
      whole.setIsVolatile(load.getIsVolatile());
      rewriter.replaceOp(load, whole);
      return success();
    }
    if (load.getIsVolatile())
      return rewriter.notifyMatchFailure(load, "a volatile load stays");
    if (load.getOther()) {
      rewriter.replaceOp(load, load.getOther());
      return success();
    }
    Type type = load.getResult().getType();
    if (isa<PointerType>(getElementTypeOrSelf(type)))
      return rewriter.notifyMatchFailure(load, "no constant of pointer type");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(load, rewriter.getZeroAttr(type));
    return success();
  }
};

struct ConstantMaskStore : OpRewritePattern<StoreOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(StoreOp store, PatternRewriter &rewriter) const override {
    std::optional<bool> mask = constantMask(store.getMask());
    if (!mask)
      return rewriter.notifyMatchFailure(store, "mask is not constant");
    if (*mask)
      rewriter.modifyOpInPlace(store, [&] { store.getMaskMutable().clear(); });
    else
      rewriter.eraseOp(store);
    return success();
  }
};

} // namespace

OpFoldResult MakeRangeOp::fold(FoldAdaptor) {
  if (int32_t(getStart()) + 1 != int32_t(getEnd()))
    return {};
  return SplatElementsAttr::get(getResult().getType(),
                                IntegerAttr::get(IntegerType::get(getContext(), 32), getStart()));
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  auto value = dyn_cast_or_null<TypedAttr>(adaptor.getSrc());
  if (!value || !isa<FloatAttr, IntegerAttr>(value))
    return {};
  return SplatElementsAttr::get(getResult().getType(), Attribute(value));
}

OpFoldResult UnsplatOp::fold(FoldAdaptor adaptor) {
  if (auto splat = getSrc().getDefiningOp<SplatOp>())
    return splat.getSrc();
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSrc()))
    return splat.getSplatValue<Attribute>();
  return {};
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) {
  return resplat(adaptor.getSrc(), getResult().getType());
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getResult().getType())
    return getSrc();
  if (auto inner = getSrc().getDefiningOp<BroadcastOp>()) {
    getSrcMutable().assign(inner.getSrc());
    return getResult();
  }
  return resplat(adaptor.getSrc(), getResult().getType());
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSrc().getType() == getResult().getType())
    return getSrc();
  if (auto inner = getSrc().getDefiningOp<ReshapeOp>()) {
    getSrcMutable().assign(inner.getSrc());
    return getResult();
  }
  return resplat(adaptor.getSrc(), getResult().getType());
}

OpFoldResult TransOp::fold(FoldAdaptor adaptor) {
  if (llvm::equal(getOrder(), llvm::seq<int32_t>(0, getOrder().size())) &&
      getSrc().getType() == getResult().getType())
    return getSrc();
  if (auto inner = getSrc().getDefiningOp<TransOp>()) {
    setOrder(llvm::map_to_vector(getOrder(), [&](int32_t axis) { return inner.getOrder()[axis]; }));
    getSrcMutable().assign(inner.getSrc());
    return getResult();
  }
  return resplat(adaptor.getSrc(), getResult().getType());
}

LogicalResult SplitOp::fold(FoldAdaptor, SmallVectorImpl<OpFoldResult> &results) {
  auto join = getSrc().getDefiningOp<JoinOp>();
  if (!join || join.getLhs().getType() != getLhs().getType())
    return failure();
  results.assign({join.getLhs(), join.getRhs()});
  return success();
}

OpFoldResult AddPtrOp::fold(FoldAdaptor adaptor) {
  if (matchPattern(adaptor.getOffset(), m_Zero()))
    return getPtr();
  return {};
}

OpFoldResult BitcastOp::fold(FoldAdaptor) {
  if (getSrc().getType() == getResult().getType())
    return getSrc();
  if (auto inner = getSrc().getDefiningOp<BitcastOp>()) {
    getSrcMutable().assign(inner.getSrc());
    return getResult();
  }
  return {};
}

OpFoldResult IntToPtrOp::fold(FoldAdaptor) {
  auto inner = getSrc().getDefiningOp<PtrToIntOp>();
  return inner && inner.getSrc().getType() == getResult().getType() ? inner.getSrc() : Value();
}

OpFoldResult PtrToIntOp::fold(FoldAdaptor) {
  auto inner = getSrc().getDefiningOp<IntToPtrOp>();
  return inner && inner.getSrc().getType() == getResult().getType() ? inner.getSrc() : Value();
}

// The product with 0 or 1 has no high half.
OpFoldResult MulhiUIOp::fold(FoldAdaptor) {
  for (Value factor : {getX(), getY()})
    if (matchPattern(factor, m_Zero()) || matchPattern(factor, m_One()))
      return Builder(getContext()).getZeroAttr(getResult().getType());
  return {};
}

OpFoldResult FpToFpOp::fold(FoldAdaptor) {
  if (getSrc().getType() == getResult().getType())
    return getSrc();
  return {};
}

void ExpandDimsOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ShapeOfSplat<ExpandDimsOp>>(context);
}

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ShapeOfSplat<BroadcastOp>>(context);
}

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ShapeOfSplat<ReshapeOp>>(context);
}

void TransOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ShapeOfSplat<TransOp>>(context);
}

void LoadOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ConstantMaskLoad>(context);
}

void StoreOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ConstantMaskStore>(context);
}

} // namespace tigon::tt
