// SPDX-License-Identifier: Apache-2.0
//
// Kernels written in tests: what their module says, or what is wrong with them.
#pragma once

#include "dialect/lang/Lang.h"

#include <gtest/gtest.h>

namespace tigon::lang {

/// The kernel's text. It verifies, and parsed again it prints the same, locations included.
inline std::string textOf(Kernel &kernel) {
  Result<Module> module = kernel.build();
  if (!module) {
    ADD_FAILURE() << module.error().text();
    return "";
  }
  std::string text = module->text(/*locations=*/true);
  if (Result<Module> again = Module::parse(text, module->name()))
    EXPECT_EQ(again->text(/*locations=*/true), text);
  else
    ADD_FAILURE() << again.error().text();
  return module->text();
}

/// "LINE: MESSAGE" of the first mistake in a kernel that stands in the file of the caller.
inline std::string mistakeOf(Kernel &kernel, Where where = Where::current()) {
  Result<Module> module = kernel.build();
  if (module)
    return "no mistake in " + module->text();
  const Error &error = module.error();
  EXPECT_EQ(error.code, ErrorCode::InvalidProgram);
  EXPECT_EQ(error.location.file, where.file_name());
  return std::to_string(error.location.line) + ": " + error.message;
}

} // namespace tigon::lang
