// SPDX-License-Identifier: Apache-2.0
//
// tigon: compile, run and look at tile programs. Exit status 0, or 1 with a message on stderr.
#include "tools/tigon/Commands.h"

#include <cstdio>

int tigon::cli::complain(const std::string &message) {
  std::fprintf(stderr, "tigon: %s\n", message.c_str());
  return 1;
}

int main(int argc, char **argv) {
  CLI::App app("Triton without Python: compiles and runs tile programs (TTIR)", "tigon");
  app.require_subcommand(1);
  tigon::cli::Action action;
  tigon::cli::addCompile(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 1;
  }
  return action();
}
