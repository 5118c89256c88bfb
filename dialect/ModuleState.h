// SPDX-License-Identifier: Apache-2.0
//
// What is behind Module, for the compiler and the interpreter.
#pragma once

#include "dialect/Module.h"
#include "dialect/tt/TT.h"

namespace tigon {

struct Module::State {
  std::string name, text, textWithLocations;
  std::vector<std::string> kernels;
  std::vector<std::vector<ArgumentInfo>> arguments;
};

/// Name, type and promises of a kernel's argument.
ArgumentInfo describeArgument(tt::FuncOp kernel, mlir::BlockArgument argument);

} // namespace tigon
