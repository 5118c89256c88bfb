// SPDX-License-Identifier: Apache-2.0
#include "dialect/interpreter/Interpreter.h"

#include "dialect/interpreter/Evaluator.h"

using namespace mlir;

namespace tigon::interpreter {

llvm::Error interpret(tt::FuncOp kernel, ArrayRef<const void *> arguments, Grid grid,
                      const Options &options) {
  Evaluator evaluator(kernel, arguments, grid, options);
  auto evaluate = [&]() -> LogicalResult {
    if (failed(evaluator.start()))
      return failure();
    // A grid's product may pass 2^64; the programs of one that does cannot all be run anyway.
    unsigned __int128 programs = (unsigned __int128)grid.x * grid.y * grid.z;
    for (uint64_t linear = options.firstProgram; linear < options.endProgram && linear < programs;
         ++linear)
      if (failed(evaluator.runProgram(linear)))
        return failure();
    return success();
  };
  if (succeeded(evaluate()))
    return llvm::Error::success();
  return llvm::createStringError(evaluator.getMessage());
}

} // namespace tigon::interpreter
