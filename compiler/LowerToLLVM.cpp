// SPDX-License-Identifier: Apache-2.0
//
// LowerToLLVM: scf to branches, then arith, math, cf and ub to the LLVM dialect, by upstream's patterns in one conversion, but for
// loops whose variable may be unable to pass the upper bound (docs/semantics.md, section 7): these are left by what is left to go.
#include "compiler/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tigon {
#define GEN_PASS_DEF_LOWERTOLLVM
#include "compiler/Passes.h.inc"

namespace {

using namespace mlir;

// Whether the variable may wrap before it passes the upper bound.
bool mayWrap(scf::ForOp loop) {
  APInt step, bound;
  if (!matchPattern(loop.getStep(), m_ConstantInt(&step)))
    return true;
  if (step.isOne())
    return false;
  if (!matchPattern(loop.getUpperBound(), m_ConstantInt(&bound)))
    return true;
  unsigned bits = bound.getBitWidth();
  return loop.getUnsignedCmp() ? bound.ugt(APInt::getMaxValue(bits) - (step - 1))
                               : bound.sgt(APInt::getSignedMaxValue(bits) - (step - 1));
}

// Within the loop the variable is below the bound, so what is left is right as an unsigned number.
struct LeaveByWhatIsLeft : OpRewritePattern<scf::ForOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(scf::ForOp loop, PatternRewriter &rewriter) const override {
    if (!mayWrap(loop))
      return failure();
    Location loc = loop.getLoc();
    Value bound = loop.getUpperBound(), step = loop.getStep();
    Block *before = rewriter.getInsertionBlock();
    Block *after = rewriter.splitBlock(before, rewriter.getInsertionPoint());
    after->addArguments(loop.getResultTypes(), SmallVector<Location>(loop.getNumResults(), loc));
    Block *first = loop.getBody(), *last = &loop.getRegion().back();
    rewriter.inlineRegionBefore(loop.getRegion(), after);

    Operation *yield = last->getTerminator();
    rewriter.setInsertionPoint(yield);
    Value variable = first->getArgument(0);
    Value left = arith::SubIOp::create(rewriter, loc, bound, variable);
    Value more = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ugt, left, step);
    SmallVector<Value> carried = {arith::AddIOp::create(rewriter, loc, variable, step)};
    llvm::append_range(carried, yield->getOperands());
    auto again = cf::CondBranchOp::create(rewriter, loc, more, first, carried, after,
                                          ValueRange(carried).drop_front());
    again->setDiscardableAttrs(loop->getDiscardableAttrDictionary()); // llvm.loop_annotation
    rewriter.eraseOp(yield);

    rewriter.setInsertionPointToEnd(before);
    auto predicate = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
    Value any = arith::CmpIOp::create(rewriter, loc, predicate, loop.getLowerBound(), bound);
    SmallVector<Value> initial = {loop.getLowerBound()};
    llvm::append_range(initial, loop.getInitArgs());
    cf::CondBranchOp::create(rewriter, loc, any, first, initial, after, loop.getInitArgs());
    rewriter.replaceOp(loop, after->getArguments());
    return success();
  }
};

struct LowerToLLVM : impl::LowerToLLVMBase<LowerToLLVM> {
  void runOnOperation() override {
    LowerToLLVMOptions options(&getContext());
    options.overrideIndexBitwidth(64);
    LLVMTypeConverter types(&getContext(), options);
    RewritePatternSet patterns(&getContext());
    populateSCFToControlFlowConversionPatterns(patterns);
    patterns.add<LeaveByWhatIsLeft>(&getContext(), /*benefit=*/2);
    cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
    arith::populateArithToLLVMConversionPatterns(types, patterns);
    populateMathToLLVMConversionPatterns(types, patterns);
    ub::populateUBToLLVMConversionPatterns(types, patterns);
    LLVMConversionTarget target(getContext());
    target.addLegalDialect<NVVM::NVVMDialect>();
    target.addLegalOp<ModuleOp>();
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace tigon
