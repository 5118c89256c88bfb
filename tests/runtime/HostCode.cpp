// SPDX-License-Identifier: Apache-2.0
#include "tests/runtime/HostCode.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

namespace tigon {

std::string compileHostCode(const std::string &ir) {
  [[maybe_unused]] static bool isReady =
      !llvm::InitializeNativeTarget() && !llvm::InitializeNativeTargetAsmPrinter();
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(ir, diagnostic, context);
  if (!module) {
    diagnostic.print("test", llvm::errs());
    std::abort();
  }
  llvm::Triple triple(llvm::sys::getProcessTriple());
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, "x86-64-v2", "", {}, llvm::Reloc::PIC_, llvm::CodeModel::Small));
  module->setTargetTriple(triple);
  module->setDataLayout(machine->createDataLayout());
  llvm::SmallVector<char> code;
  llvm::raw_svector_ostream stream(code);
  llvm::legacy::PassManager passes;
  machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile);
  passes.run(*module);
  return {code.begin(), code.end()};
}

Artifact makeHostKernel(const std::string &name, std::vector<ArgumentInfo> arguments,
                        const std::string &body, const std::string &declarations) {
  Artifact artifact;
  artifact.metadata.name = name;
  artifact.metadata.target = "cpu:x86-64-v2";
  artifact.metadata.arguments = std::move(arguments);
  artifact.code = compileHostCode(declarations + "\ndefine void @" + name +
                                  "(ptr %args, i64 %begin, i64 %end, ptr %grid, ptr %arena) {\n" +
                                  body + "}\n");
  return artifact;
}

} // namespace tigon
