// SPDX-License-Identifier: Apache-2.0
//
// Kernels for the CPU from LLVM IR text, as the compiler would make them.
#pragma once

#include "tigon/Artifact.h"

#include <string>

namespace tigon {

/// A relocatable object of this host. Text that does not parse ends the test program.
std::string compileHostCode(const std::string &ir);

/// A kernel whose body is the text of an LLVM function of (ptr %args, i64 %begin, i64 %end,
/// ptr %grid, ptr %arena); `declarations` stand before it.
Artifact makeHostKernel(const std::string &name, std::vector<ArgumentInfo> arguments,
                        const std::string &body, const std::string &declarations = {});

} // namespace tigon
