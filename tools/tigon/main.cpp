// SPDX-License-Identifier: Apache-2.0
//
// tigon: compile, run and look at tile programs. Exit status 0, or 1 with a message on stderr;
// never a signal.
#include "tools/tigon/Commands.h"

#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>

int tigon::cli::complain(const std::string &message) {
  std::fflush(stdout);
  std::fprintf(stderr, "tigon: %s\n", message.c_str());
  return 1;
}

namespace {

/// What CLI11 found, and where to read on.
std::string explain(const CLI::App &app, const CLI::ParseError &error, int argc, char **argv) {
  std::string names;
  for (const CLI::App *command : app.get_subcommands(nullptr)) {
    if (argc > 1 && command->get_name() == argv[1])
      return std::string(error.what()) + "; see tigon " + argv[1] + " --help";
    names += (names.empty() ? "" : ", ") + command->get_name();
  }
  return (argc > 1 ? "found '" + std::string(argv[1]) + "'" : std::string("found no subcommand")) +
         ", expected one of: " + names + "; see tigon --help";
}

/// The exit status, once all that was printed has reached its reader.
int finish(int status) {
  if (std::cout.flush() && !std::fflush(stdout) && !std::ferror(stdout))
    return status;
  return status ? status : tigon::cli::complain("cannot write to standard output");
}

} // namespace

int main(int argc, char **argv) {
  std::signal(SIGPIPE, SIG_IGN); // a reader that went away makes a write fail, and that is reported
  CLI::App app("Triton without Python: compiles and runs tile programs (TTIR)", "tigon");
  app.require_subcommand(1);
  app.footer("`tigon SUBCOMMAND --help` has examples.");
  tigon::cli::Action action;
  tigon::cli::addCompile(app, action);
  tigon::cli::addRun(app, action);
  tigon::cli::addBench(app, action);
  tigon::cli::addDoctor(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) { // --help
      app.exit(error);
      return finish(0);
    }
    return tigon::cli::complain(explain(app, error, argc, argv));
  }
  try {
    return finish(action());
  } catch (const std::exception &exception) { // memory, most likely
    return tigon::cli::complain(std::string("found ") + exception.what());
  }
}
