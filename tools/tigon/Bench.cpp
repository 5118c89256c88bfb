// SPDX-License-Identifier: Apache-2.0
//
// tigon bench: operators timed beside a copy of as many bytes, and beside PyTorch, Liger and quack.
#include "tigon/Runtime.h"
#include "tools/tigon/Commands.h"
#include "tools/tigon/Inputs.h"
#include "tools/tigon/bench/Contestants.h"
#include "tools/tigon/bench/Peers.h"
#include "tools/tigon/bench/Report.h"

#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tigon::cli {
namespace {

constexpr const char *examples =
    R"(CASE is OPERATOR:DTYPE:ROWSxN[:FIELD=VALUE,...]; a field is one of the plan (warps, strip, ctas, stages, hold) or block, programs.
Examples:
  tigon bench rms_norm:f32:2048x4096 softmax:f32:2048x8192
  tigon bench --device=cuda:0 --json=times.json --svg=times.svg
  tigon bench --device=cuda:0 softmax:bf16:4096x32768 softmax:bf16:4096x32768:hold=-1
  tigon bench --device=cuda:0 --against=torch,compile,liger,quack --python=~/venv/bin/python)";

struct BenchArguments {
  std::vector<std::string> cases;
  std::string device = "cpu", json, svg, against, python = "python3", peers;
  int rounds = 9;
};

/// peers.py: beside the executable in a bundle, else in the source tree that it was built from.
std::string findPeers(const std::string &given) {
  if (!given.empty())
    return given;
  std::error_code error;
  auto binary = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (auto path :
       {binary / "../share/tigon/peers.py", binary / "../../../tools/tigon/bench/peers.py"})
    if (std::filesystem::exists(path, error))
      return path.lexically_normal().string();
  return "peers.py";
}

Result<bench::CaseResult> time(const bench::Case &at, const Device &device,
                               const BenchArguments &arguments, bench::Peers *peers,
                               std::map<std::string, std::string> &notTimed) {
  auto arena = bench::Arena::make(device, at);
  if (!arena)
    return arena.error();
  std::vector<std::unique_ptr<bench::Contestant>> contestants;
  for (auto make : {bench::makeOurs, bench::makeCopy}) {
    auto made = make(*arena);
    if (!made)
      return made.error();
    contestants.push_back(std::move(*made));
  }
  if (peers) {
    auto more = peers->prepare(*arena, at, splitWords(arguments.against, ','), notTimed);
    if (!more)
      return more.error();
    for (auto &peer : *more)
      contestants.push_back(std::move(peer));
  }
  bench::CaseResult result{.at = at, .bytes = arena->bytes, .times = {}};
  for (const auto &contestant : contestants)
    result.times.push_back({contestant->name(), {}});
  for (int round = -1; round < arguments.rounds; ++round) // the first warms up
    for (size_t i = 0; i < contestants.size(); ++i) {
      auto taken = contestants[i]->milliseconds();
      if (!taken)
        return taken.error();
      if (round >= 0)
        result.times[i].milliseconds.push_back(*taken);
    }
  return result;
}

int benchAll(const BenchArguments &arguments) {
  if (arguments.rounds < 1)
    return complain(fmt::format("--rounds: found {}, expected 1 or more", arguments.rounds));
  auto device = Device::open(arguments.device);
  if (!device)
    return complain(device.error().text());
  if (device->properties().kind == DeviceKind::Interpreter)
    return complain("--device: found an interpreter, expected cpu or cuda:N");
  std::vector<bench::Case> cases;
  for (const std::string &text :
       arguments.cases.empty() ? bench::standardCases() : arguments.cases) {
    auto at = bench::readCase(text);
    if (!at)
      return complain(at.error().text());
    cases.push_back(*at);
  }
  std::unique_ptr<bench::Peers> peers;
  if (!arguments.against.empty()) {
    auto started = bench::Peers::start(arguments.python, findPeers(arguments.peers));
    if (!started)
      return complain(started.error().text());
    peers = std::move(*started);
  }
  int status = 0;
  std::vector<bench::CaseResult> results;
  std::map<std::string, std::string> notTimed;
  for (const bench::Case &at : cases) {
    auto result = time(at, *device, arguments, peers.get(), notTimed);
    if (!result) { // one case must not hide the others
      status = complain(fmt::format("{}: {}", at.text, result.error().text()));
      continue;
    }
    std::puts(bench::line(*result).c_str());
    std::fflush(stdout);
    results.push_back(std::move(*result));
  }
  for (const auto &[what, why] : notTimed)
    fmt::print("not timed: {}: {}\n", what, why);
  std::pair<std::string, std::string> files[] = {
      {arguments.json, bench::toJson(results, device->properties(), notTimed)},
      {arguments.svg, bench::toSvg(results, device->properties())}};
  for (const auto &[path, text] : files)
    if (!path.empty())
      if (auto written = writeOutput(path, text); !written)
        return complain(written.error().text());
  return status;
}

} // namespace

void addBench(CLI::App &app, Action &action) {
  auto arguments = std::make_shared<BenchArguments>();
  CLI::App *command = app.add_subcommand(
      "bench", "time operators beside a copy of as many bytes, and beside others");
  command->footer(examples);
  command->add_option(
      "case", arguments->cases,
      fmt::format("what to time; default: all, at the shapes of Llama 3 8B. Operators: {}",
                  fmt::join(bench::operatorNames(), ", ")));
  command->add_option("--device", arguments->device, "cpu or cuda:N");
  command->add_option("--rounds", arguments->rounds, "rounds, all contestants in each");
  command->add_option("--json", arguments->json, "write all rounds there");
  command->add_option("--svg", arguments->svg, "draw time over size there");
  command->add_option("--against", arguments->against,
                      "torch, compile, liger, quack: those that --python has, with commas between");
  command->add_option("--python", arguments->python, "a Python with PyTorch");
  command->add_option("--peers", arguments->peers, "peers.py, if it is not where it was installed");
  command->callback(
      [arguments, &action] { action = [arguments] { return benchAll(*arguments); }; });
}

} // namespace tigon::cli
