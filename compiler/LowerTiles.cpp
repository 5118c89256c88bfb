// SPDX-License-Identifier: Apache-2.0
//
// LowerTiles: each kernel becomes an llvm.func of the target's calling convention, its tiles registers. What each op
// becomes is in compiler/lowering/.
#include "compiler/LocalMemory.h"
#include "compiler/Passes.h"
#include "compiler/ProgramFacts.h"
#include "compiler/lowering/Lowering.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace tigon {
#define GEN_PASS_DEF_LOWERTILES
#include "compiler/Passes.h.inc"

namespace {

using namespace mlir;

KernelSizes sizesOf(tt::FuncOp function) {
  auto read = [&](const char *name) -> int64_t {
    auto attribute = function->getAttrOfType<IntegerAttr>(name);
    return attribute ? attribute.getInt() : 0;
  };
  tg::PlanAttr plan = planOf(function);
  KernelSizes sizes;
  sizes.sharedBytes = sizes.arenaBytes = read(localBytesAttr);
  sizes.scratchBytes = read(scratchBytesAttr);
  sizes.warps = std::max(1, plan.getWarps());
  sizes.ctasPerProcessor = plan.getCtas();
  return sizes;
}

struct LowerTiles : impl::LowerTilesBase<LowerTiles> {
  // What a launch must know stays behind on the module.
  void reportSizes(tt::FuncOp function) {
    for (const char *name : {localBytesAttr, scratchBytesAttr})
      if (Attribute attribute = function->getAttr(name))
        getOperation()->setAttr(name, attribute);
    const Target &target = targetOf(function);
    int64_t threads = target.lanesAreThreads ? target.lanes * sizesOf(function).warps : 1;
    getOperation()->setAttr(threadsAttr, Builder(&getContext()).getI64IntegerAttr(threads));
  }

  void runOnOperation() override {
    const Target &target = targetOf(getOperation());
    SmallVector<tt::FuncOp> functions(getOperation().getOps<tt::FuncOp>());
    for (tt::FuncOp function : functions) {
      ImplicitLocOpBuilder builder(function.getLoc(), &getContext());
      std::unique_ptr<Machine> machine = Machine::create(target, builder);
      SmallVector<Value> arguments = machine->beginKernel(function, sizesOf(function));
      Lowering lowering(function, *machine, builder);
      for (auto [argument, value] : llvm::zip(function.getArguments(), arguments))
        lowering.set(argument, {value});
      if (failed(lowering.lowerBlock(function.getBody().front())))
        return signalPassFailure();
      machine->endKernel();
      reportSizes(function);
      function.erase();
    }
  }
};

} // namespace
} // namespace tigon
