// SPDX-License-Identifier: Apache-2.0
//
// VerifyLowered: the border to the code generator, which ends the process on what it cannot select. So what may reach it
// is listed here: the LLVM and NVVM dialects, and of LLVM's intrinsics those that both back ends have an instruction or
// an expansion for.
#include "compiler/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace tigon {
#define GEN_PASS_DEF_VERIFYLOWERED
#include "compiler/Passes.h.inc"

namespace {

using namespace mlir;

// NVPTX has no library to call for these; LowerMath has replaced them.
bool callsLibrary(Operation *op) {
  return isa<LLVM::SinOp, LLVM::CosOp, LLVM::TanOp, LLVM::SinhOp, LLVM::CoshOp, LLVM::TanhOp,
             LLVM::ASinOp, LLVM::ACosOp, LLVM::ATanOp, LLVM::ATan2Op, LLVM::ExpOp, LLVM::Exp2Op,
             LLVM::Exp10Op, LLVM::LogOp, LLVM::Log2Op, LLVM::Log10Op, LLVM::PowOp, LLVM::PowIOp>(
      op);
}

// Nor has a kernel anything to be linked with: it calls what its own module defines.
bool callsOutside(Operation *op) {
  auto call = dyn_cast<LLVM::CallOp>(op);
  if (!call)
    return false;
  auto callee = SymbolTable::lookupNearestSymbolFrom<LLVM::LLVMFuncOp>(op, call.getCalleeAttr());
  return !callee || callee.isExternal();
}

struct VerifyLowered : impl::VerifyLoweredBase<VerifyLowered> {
  void runOnOperation() override {
    WalkResult selectable = getOperation().walk([&](Operation *op) {
      if (!isa<ModuleOp>(op) && !isa<LLVM::LLVMDialect, NVVM::NVVMDialect>(op->getDialect())) {
        op->emitError() << "found '" << op->getName()
                        << "' after lowering, expected the LLVM dialect alone";
        return WalkResult::interrupt();
      }
      if (callsLibrary(op) || callsOutside(op)) {
        op->emitError() << "found '" << op->getName()
                        << "' after lowering, expected arithmetic that the target has";
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    if (selectable.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
} // namespace tigon
