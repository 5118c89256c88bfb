// SPDX-License-Identifier: Apache-2.0
//
// What subcommands share: reading and writing files, and the options that change code.
#pragma once

#include "tigon/Compiler.h"
#include "tigon/Module.h"
#include "tigon/Result.h"

#include <CLI/CLI.hpp>
#include <string>

namespace tigon::cli {

/// A tile program from a file, or from standard input as "-".
Result<Module> readModule(const std::string &path);

/// Writes to a file, or to standard output if there is no path. A reader that went away is an error
/// like any other.
Result<void> writeOutput(const std::string &path, const std::string &bytes);

/// The words between separators; none of an empty text.
std::vector<std::string> splitWords(const std::string &text, char separator);

/// Options of the command line for CompileOptions.
struct CompileFlags {
  CompileOptions options;
  std::string contract = "on", plan;

  void add(CLI::App &command);
  Result<CompileOptions> read() const;
};

} // namespace tigon::cli
