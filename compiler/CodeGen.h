// SPDX-License-Identifier: Apache-2.0
//
// CodeGen: from the LLVM dialect to PTX or a host object.
#pragma once

#include "compiler/Compiler.h"
#include "compiler/Target.h"

#include "mlir/IR/BuiltinOps.h"

namespace tigon {

struct Code {
  std::string llvm;   ///< LLVM IR as text, if asked for
  std::string object; ///< PTX text or an ELF object
};

/// Make sure that the LLVM and NVVM dialects of `context` translate to LLVM IR.
void loadTranslations(mlir::MLIRContext &context);

/// Translate, optimise and select. `times` gets a line a step.
Result<Code> generateCode(mlir::ModuleOp module, const Target &target, int ptxVersion, Emit emit,
                          std::vector<PhaseTime> &times);

} // namespace tigon
