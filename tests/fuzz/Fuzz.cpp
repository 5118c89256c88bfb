// SPDX-License-Identifier: Apache-2.0
//
// tigon-fuzz: random tile programs, compiled and run on the CPU under forced strips, plans and CPU levels, must give what
// the interpreter gives, to the last bit. A failure is shrunk and printed as a program.
//
//     tigon-fuzz --first=1 --count=20000
//
// Each attempt runs in a process of its own, so that a crash or a hang is a failure like any other.
#include "tests/fuzz/Program.h"
#include "tigon/Compiler.h"
#include "tigon/Runtime.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <sys/wait.h>
#include <unistd.h>

using namespace tigon;
using namespace tigon::fuzz;

namespace {

struct Setting {
  std::string target = "cpu", strips = "auto";
  PlanOptions plan;
  std::string text() const {
    return fmt::format("--target={} --strips={} --plan=warps={},strip={},stages={},hold={}", target,
                       strips, plan.warps, plan.strip, plan.stages, plan.hold);
  }
};

Setting randomSetting(const Program &program, const std::string &device) {
  std::mt19937_64 random(program.seed ^ 0x5e771465);
  const char *strips[] = {"auto", "auto", "off", "2", "8", "4", "16", "each"};
  const char *targets[] = {"cpu", "cpu:x86-64-v2", "cpu:x86-64-v3"};
  Setting setting;
  // Few strips of a large tile are code of thousands of registers: right, but a test of patience.
  setting.strips = strips[random() % std::size(strips)];
  unsigned steps = std::atoi(setting.strips.c_str()); // 0: a word
  bool heavy = (1u << (program.rows + program.columns)) / std::max(steps, 1u) > 128;
  if (heavy && setting.strips != "each")
    setting.strips = "auto";
  if (device == "cpu")
    setting.target = targets[random() % std::size(targets)];
  else
    setting.plan.warps = 1 << random() % 4;
  if (random() % 3 == 0 && setting.strips == "auto")
    setting.plan.strip = (device == "cpu" ? 32 : 512) << random() % 3;
  constexpr int stages[] = {0, 1, 2, 4, 8};
  setting.plan.stages = stages[random() % std::size(stages)];
  setting.plan.hold = int(random() % 3) - 1;
  return setting;
}

struct Outcome {
  enum Kind { Right, Wrong, Refused, Malformed } kind = Right;
  std::string message;
};

using Buffers = std::vector<std::vector<std::byte>>;

// Devices stay open: a GPU's context takes longer to make than most programs to run.
std::map<std::string, Device> &openDevices() {
  static std::map<std::string, Device> devices;
  return devices;
}

Result<Device> openDevice(const std::string &name) {
  auto found = openDevices().find(name);
  if (found != openDevices().end())
    return found->second;
  auto device = Device::open(name);
  if (device)
    openDevices().emplace(name, *device);
  return device;
}

Result<Buffers> runOn(const std::string &deviceName, const Built &built, const Program &program,
                      CompileOptions options) {
  auto device = openDevice(deviceName);
  if (!device)
    return device.error();
  if (options.target.empty())
    options.target = device->properties().target;
  auto compilation = compile(built.module, options);
  if (!compilation)
    return compilation.error();
  auto kernel = Kernel::load(*device, compilation->artifact);
  if (!kernel)
    return kernel.error();
  auto stream = Stream::create(*device);
  if (!stream)
    return stream.error();
  std::vector<Buffer> buffers;
  std::vector<Argument> arguments;
  buffers.reserve(built.buffers.size());
  for (size_t i = 0; i < built.buffers.size(); ++i) {
    HostTensor contents = initialContents(built.buffers[i], program.seed + i);
    auto buffer = Buffer::allocate(*device, contents.bytes());
    if (!buffer)
      return buffer.error();
    if (auto copied = buffer->copyFrom(contents.data(), contents.bytes()); !copied)
      return copied.error();
    buffers.push_back(std::move(*buffer));
    arguments.push_back(makeArgument(buffers.back()));
  }
  arguments.push_back(makeArgument(program.length));
  Grid grid{.x = program.grid};
  if (auto prepared = kernel->prepare(grid); !prepared)
    return prepared.error();
  if (auto launched = kernel->launch(*stream, grid, arguments); !launched)
    return launched.error();
  if (auto waited = stream->synchronize(); !waited)
    return waited.error();
  Buffers results;
  for (const Buffer &buffer : buffers) {
    results.emplace_back(buffer.bytes());
    if (auto copied = buffer.copyTo(results.back().data(), buffer.bytes()); !copied)
      return copied.error();
  }
  return results;
}

// Equal to the bit, but for NaNs, of which one is as good as another, and for permitted errors.
std::string compareBuffers(const Built &built, const Buffers &got, const Buffers &expected) {
  for (size_t i = 0; i < got.size(); ++i) {
    const BufferArgument &buffer = built.buffers[i];
    size_t bytes = dtypeBytes(buffer.dtype);
    for (int64_t k = 0; k < buffer.elements; ++k) {
      uint64_t x = 0, y = 0;
      std::memcpy(&x, got[i].data() + k * bytes, bytes);
      std::memcpy(&y, expected[i].data() + k * bytes, bytes);
      if (x == y)
        continue;
      double a = decodeElement(buffer.dtype, x), b = decodeElement(buffer.dtype, y);
      bool isInteger = buffer.dtype <= DType::I64;
      if (!isInteger && ((std::isnan(a) && std::isnan(b)) ||
                         std::abs(a - b) <= buffer.tolerance * std::max(std::abs(b), 1e-30)))
        continue;
      return fmt::format("argument {} ({}), element {}: found {} ({:#x}), expected {} ({:#x})", i,
                         dtypeName(buffer.dtype), k, a, x, b, y);
    }
  }
  return {};
}

Outcome attempt(const Program &program, const Setting &setting, const std::string &device) {
  auto built = build(program);
  if (!built)
    return {Outcome::Malformed, built.error().text()};
  CompileOptions oracle{.target = "interpreter"};
  auto expected = runOn("interpreter", *built, program, oracle);
  if (!expected)
    return {Outcome::Malformed, "interpreter: " + expected.error().text()};
  CompileOptions options;
  options.target = device == "cpu" ? setting.target : "";
  options.strips = setting.strips;
  options.plan = setting.plan;
  options.contract = false;
  auto got = runOn(device, *built, program, options);
  if (!got) {
    openDevices().clear(); // a program that broke its context shall not break the next one's
    return {Outcome::Refused, got.error().text()};
  }
  std::string difference = compareBuffers(*built, *got, *expected);
  return difference.empty() ? Outcome{} : Outcome{Outcome::Wrong, difference};
}

// In a process of its own; its message comes back through a pipe.
Outcome attemptApart(const Program &program, const Setting &setting, const std::string &device) {
  int ends[2];
  if (pipe(ends))
    return {Outcome::Malformed, "pipe failed"};
  std::fflush(nullptr);
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    alarm(60);
    Outcome outcome = attempt(program, setting, device);
    std::string message = outcome.message.substr(0, 4000);
    (void)!write(ends[1], message.data(), message.size());
    _exit(outcome.kind);
  }
  close(ends[1]);
  std::string message;
  char chunk[4096];
  for (ssize_t got; (got = read(ends[0], chunk, sizeof(chunk))) > 0;)
    message.append(chunk, got);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    return {Outcome::Wrong,
            fmt::format("signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))};
  return {Outcome::Kind(WEXITSTATUS(status)), message};
}

class Shrinker {
public:
  Shrinker(Program program, Setting setting, std::string device, Outcome::Kind kind)
      : program(std::move(program)), setting(std::move(setting)), device(std::move(device)),
        kind(kind) {}

  Program run() {
    for (bool progress = true; progress && attempts < limit;) {
      progress = shrinkList([](Program &p) -> std::vector<Statement> & { return p.statements; });
      progress |= shrinkSizes();
    }
    return program;
  }

private:
  bool fails(const Program &candidate) {
    ++attempts;
    return attemptApart(candidate, setting, device).kind == kind;
  }
  bool keepIfFailing(const Program &candidate) {
    if (attempts >= limit || !fails(candidate))
      return false;
    program = candidate;
    return true;
  }

  using ListOf = std::function<std::vector<Statement> &(Program &)>;
  bool shrinkList(const ListOf &listOf) {
    bool progress = false;
    for (size_t chunk = std::max<size_t>(listOf(program).size() / 2, 1); chunk > 0; chunk /= 2)
      for (size_t at = 0; at < listOf(program).size();) {
        Program candidate = program;
        auto &list = listOf(candidate);
        list.erase(list.begin() + at, list.begin() + std::min(at + chunk, list.size()));
        if (keepIfFailing(candidate))
          progress = true;
        else
          at += chunk;
      }
    for (size_t i = 0; i < listOf(program).size(); ++i) {
      if (listOf(program)[i].body.size())
        progress |= shrinkList(
            [&, i](Program &p) -> std::vector<Statement> & { return listOf(p)[i].body; });
      if (listOf(program)[i].other.size())
        progress |= shrinkList(
            [&, i](Program &p) -> std::vector<Statement> & { return listOf(p)[i].other; });
    }
    return progress;
  }

  bool shrinkSizes() {
    bool progress = false;
    auto lower = [&](auto member, auto least) {
      while (program.*member > least) {
        Program candidate = program;
        candidate.*member = decltype(least)(candidate.*member - 1);
        if (!keepIfFailing(candidate))
          return;
        progress = true;
      }
    };
    lower(&Program::grid, 1u);
    lower(&Program::rows, 0u);
    lower(&Program::columns, 0u);
    return progress;
  }

  static constexpr int limit = 400;
  Program program;
  Setting setting;
  std::string device;
  Outcome::Kind kind;
  int attempts = 0;
};

} // namespace

int main(int argc, char **argv) {
  uint64_t first = 1, count = 1000;
  std::string device = "cpu";
  bool verbose = false, noShrink = false;
  unsigned mostFailures = 10;
  CLI::App app("random tile programs: compiled code against the interpreter");
  app.add_option("--first", first, "seed of the first program");
  app.add_option("--count", count, "programs to run");
  app.add_option("--device", device, "cpu or cuda:0");
  app.add_option("--failures", mostFailures, "stop after as many");
  app.add_flag("--print", verbose, "print each program");
  app.add_flag("--no-shrink", noShrink, "report failures as they are");
  CLI11_PARSE(app, argc, argv);

  unsigned counts[4] = {};
  size_t statements = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    Program program = randomProgram(seed);
    statements += countStatements(program.statements);
    Setting setting = randomSetting(program, device);
    if (verbose)
      if (auto built = build(program))
        fmt::print("{}\n", built->module.text());
    Outcome outcome = device == "cpu" ? attemptApart(program, setting, device)
                                      : attempt(program, setting, device);
    ++counts[outcome.kind];
    if ((seed - first + 1) % 100 == 0)
      fmt::print(stderr, "{} programs, {} of them equal\n", seed - first + 1,
                 counts[Outcome::Right]);
    if (outcome.kind == Outcome::Right)
      continue;
    fmt::print("seed {} {}\n  {}\n", seed, setting.text(), outcome.message);
    if (!noShrink) {
      Program smallest = Shrinker(program, setting, device, outcome.kind).run();
      Outcome last = attemptApart(smallest, setting, device);
      auto built = build(smallest);
      fmt::print("  shrunk to {} statements, {} x {}, grid {}, length {}:\n  {}\n{}\n",
                 countStatements(smallest.statements), 1u << smallest.rows, 1u << smallest.columns,
                 smallest.grid, smallest.length, last.message,
                 built ? built->module.text() : built.error().text());
    }
    std::fflush(stdout);
    if (counts[1] + counts[2] + counts[3] >= mostFailures)
      break;
  }
  fmt::print("{} programs of {:.1f} statements on {}: {} equal to the interpreter's, {} wrong, {} "
             "not compiled, {} not "
             "programs\n",
             counts[0] + counts[1] + counts[2] + counts[3],
             double(statements) / std::max(1u, counts[0] + counts[1] + counts[2] + counts[3]),
             device, counts[0], counts[1], counts[2], counts[3]);
  return counts[1] + counts[2] + counts[3] ? 1 : 0;
}
