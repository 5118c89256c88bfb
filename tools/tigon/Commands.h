// SPDX-License-Identifier: Apache-2.0
//
// tigon's subcommands: each adds its options to the command line and a callback that gives the exit
// status.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace tigon::cli {

/// Set by the subcommand that was called.
using Action = std::function<int()>;

void addCompile(CLI::App &app, Action &action);
void addRun(CLI::App &app, Action &action);
void addBench(CLI::App &app, Action &action);
void addDoctor(CLI::App &app, Action &action);

/// Print an error on stderr; exit status 1.
int complain(const std::string &message);

} // namespace tigon::cli
