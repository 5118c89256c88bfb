// SPDX-License-Identifier: Apache-2.0
//
// tigon-conform: holds Tigon against recordings of real Triton programs. Prints a table; exit
// status 1 if a kernel crashed something, computes wrong results or does not survive printing.
#include "dialect/Session.h"
#include "tests/peers/conform/Stages.h"
#include "tests/peers/conform/Summary.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <set>
#include <unistd.h>

using namespace tigon::conform;

namespace {

struct Arguments {
  std::vector<std::string> folders, filters, phases;
  std::string list, output;
  size_t limit = 0;
  StageOptions stages;
  WorkerLimits workers;
  bool isQuiet = false;
};

int complain(const std::string &message) {
  std::fprintf(stderr, "tigon-conform: %s\n", message.c_str());
  return 2;
}

void describe(CLI::App &app, Arguments &arguments) {
  app.add_option("FOLDER", arguments.folders, "recordings: *.ttir and launches-*.json, any depth")
      ->required();
  app.add_option("--filter", arguments.filters, "only texts whose name has this; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--list", arguments.list, "only texts that this file names, one a line");
  app.add_option("--jobs", arguments.workers.jobs, "processes at once (1)");
  app.add_option("--limit", arguments.limit, "only so many kernels");
  app.add_option("--phase", arguments.phases, "parse, compile, assemble, compare; default: all")
      ->allow_extra_args(false)
      ->delimiter(',');
  app.add_option("--strips", arguments.stages.strips,
                 "comparisons on the CPU: auto, off, each, or a number of steps "
                 "(auto,off,1,2,8)")
      ->allow_extra_args(false)
      ->delimiter(',');
  app.add_option("--targets", arguments.stages.targets, "cpu,sm_80,sm_90")
      ->allow_extra_args(false)
      ->delimiter(',');
  app.add_option("--device", arguments.stages.device,
                 "cuda:0: also compares what this device computes");
  app.add_option("--ptxas", arguments.stages.ptxas, "NVIDIA's assembler; default: on PATH");
  app.add_option("--timeout", arguments.workers.secondsPerStep, "seconds a step may take (20)");
  app.add_option("--budget", arguments.stages.interpretSeconds,
                 "seconds of interpreting, from which a slice of a large grid is run (2)");
  app.add_option("-o,--output", arguments.output, "a line of JSON for each kernel");
  app.add_flag("-q,--quiet", arguments.isQuiet, "no progress on stderr");
}

bool choosePhases(Arguments &arguments) {
  if (arguments.phases.empty())
    return true;
  StageOptions &stages = arguments.stages;
  stages.parse = stages.compile = stages.assemble = stages.compare = false;
  for (const std::string &phase : arguments.phases) {
    bool *chosen = phase == "parse"      ? &stages.parse
                   : phase == "compile"  ? &stages.compile
                   : phase == "assemble" ? &stages.assemble
                   : phase == "compare"  ? &stages.compare
                                         : nullptr;
    if (!chosen)
      return false;
    *chosen = true;
  }
  return true;
}

/// The cases that were asked for.
std::vector<Case> choose(std::vector<Case> cases, const Arguments &arguments) {
  std::set<std::string> listed;
  std::ifstream list(arguments.list);
  for (std::string line; std::getline(list, line);)
    listed.insert(std::filesystem::path(line).filename());
  std::erase_if(cases, [&](const Case &task) {
    std::string name = std::filesystem::path(task.file).filename();
    bool isNamed = arguments.filters.empty();
    for (const std::string &filter : arguments.filters)
      isNamed |= task.file.find(filter) != std::string::npos;
    return !isNamed || (!arguments.list.empty() && !listed.count(name));
  });
  if (arguments.limit && cases.size() > arguments.limit)
    cases.erase(cases.begin() + ptrdiff_t(arguments.limit), cases.end());
  return cases;
}

int run(Arguments &arguments) {
  std::vector<Case> cases;
  for (const std::string &folder : arguments.folders) {
    std::vector<std::string> complaints;
    auto read = readRecording(folder, complaints);
    if (!read)
      return complain(read.error().text());
    for (const std::string &complaint : complaints)
      std::fprintf(stderr, "tigon-conform: %s\n", complaint.c_str());
    cases.insert(cases.end(), std::make_move_iterator(read->begin()),
                 std::make_move_iterator(read->end()));
  }
  if (!arguments.list.empty() && !std::filesystem::exists(arguments.list))
    return complain(fmt::format("cannot read '{}'", arguments.list));
  if (!arguments.stages.device.empty())
    arguments.workers.memoryBytes = 0; // a GPU's driver reserves addresses for all of its memory
  cases = choose(std::move(cases), arguments);
  if (cases.empty())
    return complain("found no kernel, expected folders with *.ttir of which some are chosen");

  std::ofstream lines;
  if (!arguments.output.empty()) {
    lines.open(arguments.output);
    if (!lines)
      return complain(fmt::format("cannot write '{}'", arguments.output));
  }
  std::string folder = std::filesystem::temp_directory_path() / "tigon-conform-XXXXXX";
  if (!mkdtemp(folder.data()))
    return complain("cannot make a temporary folder");
  arguments.stages.folder = folder;

  {
    tigon::Session warm;
  } // workers inherit its context, which takes a while to make
  Summary summary;
  size_t finished = 0;
  runWorkers(
      cases.size(), arguments.workers,
      [&](size_t i, Reporter &reporter) { runStages(cases[i], arguments.stages, reporter); },
      [&](size_t i, const Outcome &outcome) {
        summary.add(cases[i], outcome);
        if (lines.is_open())
          lines << toJson(cases[i], outcome) << std::endl;
        if (!arguments.isQuiet)
          std::fprintf(stderr, "\r%zu of %zu", ++finished, cases.size());
      });
  if (!arguments.isQuiet)
    std::fputc('\n', stderr);
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  std::fputs(summary.text().c_str(), stdout);
  return summary.hasFaults();
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Hold Tigon against recordings of Triton programs", "tigon-conform");
  Arguments arguments;
  describe(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (!choosePhases(arguments))
    return complain("found an unknown phase, expected parse, compile, assemble or compare");
  return run(arguments);
}
