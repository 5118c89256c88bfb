// SPDX-License-Identifier: Apache-2.0
#include "compiler/Compiler.h"

#include "compiler/CodeGen.h"
#include "compiler/CompileThread.h"
#include "compiler/LocalMemory.h"
#include "compiler/Pipeline.h"
#include "compiler/ProgramFacts.h"
#include "dialect/ModuleState.h"
#include "dialect/Session.h"
#include "dialect/tt/TT.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/Pass/PassManager.h"

#include <chrono>
#include <fmt/format.h>

using namespace mlir;

namespace tigon {

namespace {

Result<tt::FuncOp> findKernel(ModuleOp module, const std::string &wanted) {
  SmallVector<tt::FuncOp> kernels;
  for (tt::FuncOp function : module.getOps<tt::FuncOp>())
    if (function.isPublic() && !function.isExternal()) {
      if (function.getName() == wanted)
        return function;
      kernels.push_back(function);
    }
  std::string names = llvm::join(
      llvm::map_range(kernels, [](tt::FuncOp kernel) { return kernel.getName().str(); }), ", ");
  if (!wanted.empty())
    return fail(ErrorCode::InvalidArgument,
                fmt::format("found no kernel '{}', expected one of: {}", wanted, names));
  if (kernels.size() > 1)
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("found {} kernels, expected the name of one of: {}", kernels.size(), names));
  return kernels.front();
}

Result<void> checkOptions(const CompileOptions &options, const Target &target) {
  auto powerOfTwo = [](const char *what, int value, int most) -> Result<void> {
    if (value < 0 || value > most || (value && !llvm::isPowerOf2_32(value)))
      return fail(
          ErrorCode::InvalidArgument,
          fmt::format("found {} = {}, expected a power of two from 1 to {}, or 0 to leave it open",
                      what, value, most));
    return {};
  };
  if (auto ok =
          powerOfTwo("warps", options.plan.warps, target.lanesAreThreads ? target.maxWarps : 32);
      !ok)
    return ok;
  if (auto ok = powerOfTwo("strip", options.plan.strip, tt::maxTileElements); !ok)
    return ok;
  if (options.plan.cluster < 0 || options.plan.cluster > 1)
    return fail(ErrorCode::Unsupported,
                fmt::format("found cluster = {}, expected 1: clusters are not compiled yet",
                            options.plan.cluster));
  if (options.plan.ctas < 0 || options.plan.ctas > 32)
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("found ctas = {}, expected 1 to 32, or 0 to leave it open", options.plan.ctas));
  if (options.plan.stages)
    if (auto ok = powerOfTwo("stages", options.plan.stages, 16); !ok)
      return ok;
  if (options.plan.hold < -1 || options.plan.hold > 1)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("found hold = {}, expected 1 or -1 (not), or 0 to leave it open",
                            options.plan.hold));
  int steps = 0;
  if (options.strips != "auto" && options.strips != "off" && options.strips != "each" &&
      (llvm::StringRef(options.strips).getAsInteger(10, steps) || steps < 1 ||
       !llvm::isPowerOf2_32(steps)))
    return fail(ErrorCode::InvalidArgument,
                fmt::format("found strips = '{}', expected auto, off, each or a power of two",
                            options.strips));
  if (options.ptxVersion && (options.ptxVersion < 70 || options.ptxVersion > 90))
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("found PTX version {}, expected 70 to 90 (7.0 to 9.0)", options.ptxVersion));
  if (options.ptxVersion && target.lanesAreThreads && options.ptxVersion < target.ptxVersion)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("found PTX version {}, expected at least {} for '{}'",
                            options.ptxVersion, target.ptxVersion, target.name));
  return {};
}

Result<void> applyFacts(tt::FuncOp kernel, const std::vector<ArgumentFact> &facts) {
  for (const ArgumentFact &fact : facts) {
    if (fact.argument >= kernel.getNumArguments())
      return fail(
          ErrorCode::InvalidArgument,
          fmt::format("found a fact about argument {}, expected one of the {} arguments of '{}'",
                      fact.argument, kernel.getNumArguments(), kernel.getName().str()));
    Builder builder(kernel.getContext());
    // A promise in the text may be the stronger one.
    auto promised = kernel.getArgAttrOfType<IntegerAttr>(fact.argument, "tt.divisibility");
    if (fact.divisibility > (promised ? promised.getInt() : 1))
      kernel.setArgAttr(fact.argument, "tt.divisibility",
                        builder.getI32IntegerAttr(int32_t(fact.divisibility)));
    if (!fact.equals)
      continue;
    BlockArgument argument = kernel.getArgument(fact.argument);
    if (!isa<IntegerType>(argument.getType()))
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("found a value for argument {}, expected an integer argument",
                              fact.argument));
    OpBuilder atStart = OpBuilder::atBlockBegin(&kernel.getBody().front());
    Value constant = arith::ConstantOp::create(
        atStart, argument.getLoc(), builder.getIntegerAttr(argument.getType(), *fact.equals));
    argument.replaceAllUsesWith(constant);
  }
  return {};
}

// A launch passes numbers and addresses.
Result<void> checkSignature(tt::FuncOp kernel) {
  auto printed = [](Type type) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return text;
  };
  for (auto [number, type] : llvm::enumerate(kernel.getArgumentTypes()))
    if (!type.isIntOrFloat() && !isa<tt::PointerType>(type))
      return fail(ErrorCode::Unsupported,
                  fmt::format("found argument {} of kernel '{}' of type {}, expected a number or a "
                              "pointer, as a launch can pass",
                              number, kernel.getName().str(), printed(type)));
  if (kernel.getNumResults())
    return fail(ErrorCode::Unsupported,
                fmt::format("found kernel '{}' that returns {}, expected one that returns nothing; "
                            "device functions are private",
                            kernel.getName().str(), printed(kernel.getResultTypes().front())));
  return {};
}

void writeOptions(ModuleOp module, tt::FuncOp kernel, const Target &target,
                  const CompileOptions &options) {
  Builder builder(module.getContext());
  module->setAttr(targetAttr, builder.getStringAttr(target.name));
  if (options.contract)
    module->setAttr(contractAttr, builder.getUnitAttr());
  if (options.fastMath)
    module->setAttr(fastMathAttr, builder.getUnitAttr());
  const PlanOptions &plan = options.plan;
  kernel->setAttr(planAttr, tg::PlanAttr::get(module.getContext(), plan.warps, plan.cluster,
                                              plan.strip, plan.ctas, plan.stages, plan.hold));
  kernel->setAttr(stripsAttr, builder.getStringAttr(options.strips));
}

void addFact(ArgumentInfo &argument, const ArgumentFact &fact) {
  argument.divisibility = std::max(argument.divisibility, fact.divisibility);
  if (fact.equals)
    argument.equals = fact.equals;
}

class Compile {
public:
  Compile(const Module &module, const CompileOptions &options, Emit emit)
      : module(module), options(options), emit(emit) {}

  Result<Compilation> run() {
    if (options.target == "interpreter")
      return keepText();
    Result<Target> parsed = Target::parse(options.target);
    if (!parsed)
      return parsed.error();
    target = *parsed;
    if (auto valid = checkOptions(options, target); !valid)
      return valid.error();
    auto session = std::make_unique<Session>();
    Result<Compilation> result = fail(ErrorCode::Internal, "found no result of a compilation");
    auto finished = runOnCompileThread([&] { result = compileIn(*session); });
    if (!finished) {
      (void)session.release(); // in an unknown state, and so left alone
      return finished.error();
    }
    return result;
  }

private:
  /// The interpreter runs what was written, so no pass runs and no option but facts means anything.
  Result<Compilation> keepText() {
    if (emit != Emit::Code)
      return fail(ErrorCode::InvalidArgument,
                  "found a stage of compilation for target 'interpreter', which has none; ask for "
                  "the code, which is the tile program");
    const std::vector<std::string> &kernels = module.kernels();
    if (options.kernel.empty() && kernels.size() > 1)
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("found {} kernels, expected the name of one of: {}", kernels.size(),
                              llvm::join(kernels, ", ")));
    KernelMetadata &metadata = compilation.artifact.metadata;
    metadata.name = options.kernel.empty() ? kernels.front() : options.kernel;
    metadata.target = options.target;
    auto arguments = module.arguments(metadata.name);
    if (!arguments)
      return arguments.error();
    metadata.arguments = std::move(*arguments);
    for (const ArgumentFact &fact : options.facts) {
      if (fact.argument >= metadata.arguments.size())
        return fail(ErrorCode::InvalidArgument,
                    fmt::format("found a fact about argument {}, expected one of the {} arguments "
                                "of '{}'",
                                fact.argument, metadata.arguments.size(), metadata.name));
      addFact(metadata.arguments[fact.argument], fact);
    }
    compilation.artifact.code = module.text(/*locations=*/true);
    return compilation;
  }

  Result<Compilation> compileIn(Session &session) {
    Clock clock(*this);
    loadTranslations(session.context());
    auto parsed = session.parse(module.internal().textWithLocations, module.name());
    if (!parsed)
      return parsed.error();
    clock.lap("parse");
    Result<tt::FuncOp> kernel = findKernel(**parsed, options.kernel);
    if (!kernel)
      return kernel.error();
    for (tt::FuncOp other : llvm::make_early_inc_range((*parsed)->getOps<tt::FuncOp>()))
      if (other != *kernel && other.isPublic()) {
        if (SymbolTable::symbolKnownUseEmpty(other, **parsed))
          other.erase();
        else
          other.setPrivate(); // a kernel may call another
      }
    KernelMetadata &metadata = compilation.artifact.metadata;
    metadata.name = kernel->getName().str();
    metadata.target = target.name;
    for (BlockArgument argument : kernel->getArguments())
      metadata.arguments.push_back(describeArgument(*kernel, argument));
    for (const ArgumentFact &fact : options.facts)
      if (fact.argument < metadata.arguments.size())
        addFact(metadata.arguments[fact.argument], fact);
    if (auto valid = checkSignature(*kernel); !valid)
      return valid.error();
    if (auto applied = applyFacts(*kernel, options.facts); !applied)
      return applied.error();
    writeOptions(**parsed, *kernel, target, options);
    if (auto lowered = runPasses(session, **parsed, clock); !lowered)
      return lowered.error();
    if (emit == Emit::Tile || emit == Emit::Layout || emit == Emit::Lowered) {
      llvm::raw_string_ostream(compilation.text) << **parsed;
      return compilation;
    }
    Result<Code> code = generateCode(**parsed, target, options.ptxVersion, emit, compilation.times);
    if (!code)
      return code.error();
    compilation.text = std::move(code->llvm);
    compilation.artifact.code = std::move(code->object);
    return compilation;
  }

  Result<void> runPasses(Session &session, ModuleOp parsed, auto &clock) {
    PassManager passes(parsed.getContext(), ModuleOp::getOperationName());
    passes.enableVerifier(options.verifyEach);
    buildPipeline(passes, target, emit);
    session.clearDiagnostics();
    LogicalResult ran = passes.run(parsed);
    compilation.remarks = session.remarks;
    if (failed(ran))
      return session.firstError(ErrorCode::Unsupported,
                                "found a pass that failed without saying why");
    clock.lap("passes");
    readSizes(parsed);
    return {};
  }

  void readSizes(ModuleOp lowered) {
    auto read = [&](const char *name) -> int64_t {
      auto attribute = lowered->getAttrOfType<IntegerAttr>(name);
      return attribute ? attribute.getInt() : 0;
    };
    KernelMetadata &metadata = compilation.artifact.metadata;
    metadata.threads = std::max<int64_t>(1, read(threadsAttr));
    if (target.lanesAreThreads) {
      metadata.sharedBytes = read(localBytesAttr);
      // Where programs are counted, one more does not fit.
      if (int ctas = options.plan.ctas)
        metadata.sharedBytes =
            std::max<int64_t>(metadata.sharedBytes, target.sharedBytes / (ctas + 1) + 1);
    } else {
      metadata.arenaBytes = read(localBytesAttr);
    }
    metadata.scratchBytesPerProgram = read(scratchBytesAttr);
  }

  struct Clock {
    explicit Clock(Compile &owner) : owner(owner), last(std::chrono::steady_clock::now()) {}
    void lap(const char *name) {
      auto now = std::chrono::steady_clock::now();
      owner.compilation.times.push_back(
          {name, std::chrono::duration<double, std::milli>(now - last).count()});
      last = now;
    }
    Compile &owner;
    std::chrono::steady_clock::time_point last;
  };

  const Module &module;
  const CompileOptions &options;
  Emit emit;
  Target target;
  Compilation compilation;
};

} // namespace

std::string llvmVersion() { return LLVM_VERSION_STRING; }

Result<Compilation> compile(const Module &module, const CompileOptions &options, Emit emit) {
  return Compile(module, options, emit).run();
}

} // namespace tigon
