// SPDX-License-Identifier: Apache-2.0
//
// The function pipeline is small on purpose. Vectorisation and unrolling are decided long before (a strip is the unrolled
// body), and LLVM's -O3 on a softmax takes as long as all of Tigon's passes: measured 3 ms against 0.9 for what stands here.
#include "compiler/CodeGen.h"

#include "compiler/Remainders.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Target/LLVMIR/LLVMTranslationInterface.h"

#include <chrono>
#include <fmt/format.h>
#include <mutex>

namespace tigon {
namespace {

class Timer {
public:
  Timer(std::vector<PhaseTime> &times, std::string name)
      : times(times), name(std::move(name)), start(std::chrono::steady_clock::now()) {}
  ~Timer() {
    auto elapsed = std::chrono::steady_clock::now() - start;
    times.push_back({name, std::chrono::duration<double, std::milli>(elapsed).count()});
  }

private:
  std::vector<PhaseTime> &times;
  std::string name;
  std::chrono::steady_clock::time_point start;
};

Result<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(const Target &target,
                                                                 int ptxVersion) {
  static std::once_flag initialized;
  std::call_once(initialized, [] {
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
  std::string message, features = target.features;
  llvm::Triple triple(target.triple);
  const llvm::Target *found = llvm::TargetRegistry::lookupTarget(triple, message);
  if (!found)
    return fail(ErrorCode::Unsupported,
                fmt::format("found no code generator for '{}': {}", target.triple, message));
  if (target.lanesAreThreads)
    features = fmt::format("+ptx{}", std::max(ptxVersion, target.ptxVersion));
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard; // contraction is said by flags on ops
  return std::unique_ptr<llvm::TargetMachine>(
      found->createTargetMachine(triple, target.cpu, features, options, llvm::Reloc::PIC_,
                                 std::nullopt, llvm::CodeGenOptLevel::Default));
}

void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()),
                                                       /*UseMemorySSA=*/true));
  passes.addPass(llvm::GVNPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      passes.run(function, functions);
}

} // namespace

Result<Code> generateCode(mlir::ModuleOp module, const Target &target, int ptxVersion, Emit emit,
                          std::vector<PhaseTime> &times) {
  Result<std::unique_ptr<llvm::TargetMachine>> machine = createTargetMachine(target, ptxVersion);
  if (!machine)
    return machine.error();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated;
  {
    Timer timer(times, "translate to LLVM IR");
    translated = mlir::translateModuleToLLVMIR(module, context);
    if (!translated)
      return fail(ErrorCode::Internal, "found IR that does not translate to LLVM IR");
    translated->setTargetTriple(llvm::Triple(target.triple));
    translated->setDataLayout((*machine)->createDataLayout());
    if (target.lanesAreThreads)
      expandRemainders(*translated);
    else
      for (llvm::Function &function : *translated)
        function.addFnAttr("prefer-vector-width", std::to_string(target.lanes * 32));
  }
  {
    Timer timer(times, "optimize LLVM IR");
    optimize(*translated, **machine);
  }
  Code code;
  if (emit == Emit::Llvm) {
    llvm::raw_string_ostream os(code.llvm);
    translated->print(os, nullptr);
    return code;
  }
  Timer timer(times, "generate code");
  llvm::SmallString<0> buffer;
  llvm::raw_svector_ostream os(buffer);
  llvm::legacy::PassManager passes;
  auto type = target.lanesAreThreads ? llvm::CodeGenFileType::AssemblyFile
                                     : llvm::CodeGenFileType::ObjectFile;
  if ((*machine)->addPassesToEmitFile(passes, os, nullptr, type))
    return fail(ErrorCode::Internal, "found a code generator that writes no such file");
  passes.run(*translated);
  code.object = std::string(buffer);
  return code;
}

void loadTranslations(mlir::MLIRContext &context) {
  auto *dialect = context.getOrLoadDialect<mlir::LLVM::LLVMDialect>();
  if (dialect->getRegisteredInterface<mlir::LLVMTranslationDialectInterface>())
    return;
  mlir::DialectRegistry registry;
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerNVVMDialectTranslation(registry);
  context.appendDialectRegistry(registry);
}

} // namespace tigon
