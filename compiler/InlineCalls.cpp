// SPDX-License-Identifier: Apache-2.0
//
// InlineCalls: device functions are inlined wherever they are called (`noinline` is a hint that costs more than it
// saves: a call would force every tile argument into memory). Afterwards the module holds kernels only.
#include "compiler/Passes.h"
#include "dialect/tt/TT.h"

#include "llvm/ADT/DenseSet.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"

namespace tigon {
#define GEN_PASS_DEF_INLINECALLS
#include "compiler/Passes.h.inc"

namespace {

using namespace mlir;

struct InlineCalls : impl::InlineCallsBase<InlineCalls> {
  // Functions whose calls are inlined already, and those on the way to the one in work.
  DenseSet<Operation *> done, active;

  // Inline all calls inside `function`, callees first.
  LogicalResult inlineInto(tt::FuncOp function, SymbolTable &symbols) {
    if (done.contains(function))
      return success();
    active.insert(function);
    SmallVector<tt::CallOp> calls;
    function.walk([&](tt::CallOp call) { calls.push_back(call); });
    for (tt::CallOp call : calls) {
      auto callee = symbols.lookup<tt::FuncOp>(call.getCallee());
      if (callee.isExternal())
        return call.emitError() << "found a call of '" << call.getCallee()
                                << "', which has no body";
      if (active.contains(callee))
        return call.emitError() << "found a recursive call of '" << call.getCallee()
                                << "', expected device functions that do not call themselves";
      if (failed(inlineInto(callee, symbols)))
        return failure();
      inlineOne(call, callee);
    }
    active.erase(function);
    done.insert(function);
    return success();
  }

  static void inlineOne(tt::CallOp call, tt::FuncOp callee) {
    OpBuilder builder(call);
    IRMapping map;
    map.map(callee.getArguments(), call.getArgs());
    for (Operation &op : callee.getBody().front().without_terminator())
      builder.clone(op, map)->walk([&](Operation *inner) {
        inner->setLoc(CallSiteLoc::get(inner->getLoc(), call.getLoc()));
      });
    Operation *terminator = callee.getBody().front().getTerminator();
    for (auto [result, value] : llvm::zip(call.getResults(), terminator->getOperands()))
      result.replaceAllUsesWith(map.lookupOrDefault(value));
    call.erase();
  }

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<tt::FuncOp> functions(getOperation().getOps<tt::FuncOp>());
    for (tt::FuncOp function : functions)
      if (failed(inlineInto(function, symbols)))
        return signalPassFailure();
    for (tt::FuncOp function : functions)
      if (!function.isPublic())
        function.erase();
  }
};

} // namespace
} // namespace tigon
