// SPDX-License-Identifier: Apache-2.0
#include "dialect/Dialects.h"

#include "dialect/tg/TG.h"
#include "dialect/tt/TT.h"
#include "dialect/ttg/TTG.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/InlinerInterfaceImpl.h"

namespace tigon {

void registerTileDialects(mlir::DialectRegistry &registry) {
  registry.insert<tt::TTDialect, tg::TGDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                  mlir::scf::SCFDialect, mlir::cf::ControlFlowDialect, mlir::ub::UBDialect,
                  mlir::LLVM::LLVMDialect, mlir::gpu::GPUDialect>();
  ttg::registerRefusedDialects(registry);
  registerAxisModels(registry);
  mlir::LLVM::registerInlinerInterface(registry);
}

} // namespace tigon
