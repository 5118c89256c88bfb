// SPDX-License-Identifier: Apache-2.0
#include "tests/peers/conform/Stages.h"

#include "compiler/Compiler.h"
#include "dialect/Session.h"
#include "runtime/CpuObject.h"
#include "tests/peers/conform/Replay.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <regex>
#include <unistd.h>

using namespace mlir;

namespace tigon::conform {
namespace {

// Names of ops that COMPILER.md leaves to later tiers.
constexpr const char *laterOps[] = {"tt.dot",
                                    "tt.scan",
                                    "tt.atomic",
                                    "tt.trans",
                                    "tt.join",
                                    "tt.split",
                                    "tt.cat",
                                    "tt.gather",
                                    "tt.histogram",
                                    "tt.descriptor",
                                    "tt.map_elementwise",
                                    "tt.elementwise_inline_asm",
                                    "tt.make_tensor_ptr",
                                    "tt.make_tensor_descriptor",
                                    "tt.print",
                                    "tt.assert"};

std::string findLaterOps(const std::string &text) {
  std::string found;
  for (llvm::StringRef op : laterOps)
    if (text.find(op.str()) != std::string::npos)
      found += (found.empty() ? "" : ", ") + op.drop_front(3).str();
  return found;
}

std::string print(ModuleOp module, OpPrintingFlags flags) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, flags);
  return text;
}

/// In a place that the text names itself, or else in "<recording>", which this drops.
std::string printGeneric(ModuleOp module) {
  std::string text =
      print(module, OpPrintingFlags().printGenericOpForm().enableDebugInfo().useLocalScope());
  static const std::regex here("\"<recording>\":[0-9]+:[0-9]+");
  return std::regex_replace(text, here, "here");
}

std::string roundTrip(const std::string &text) {
  Session session;
  auto named = [](ModuleOp module) {
    return print(module, OpPrintingFlags().enableDebugInfo().printNameLocAsPrefix());
  };
  auto first = session.parse(text, "<recording>");
  if (!first)
    return first.error().text();
  std::string printed = named(**first);
  auto second = session.parse(printed, "<recording>");
  if (!second)
    return "its print does not parse: " + second.error().text();
  if (named(**second) != printed)
    return "printing is no fixed point";
  if (printGeneric(**first) != printGeneric(**second))
    return "the module read back is another one";
  return "ok";
}

std::string quote(const std::string &path) {
  std::string quoted = "'";
  for (char c : path)
    quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

/// Accesses of global memory and those of less than 16 bytes a thread.
std::pair<int, int> countAccesses(const std::string &ptx) {
  int all = 0, narrow = 0;
  for (llvm::StringRef line : llvm::split(ptx, '\n')) {
    line = line.trim();
    if (line.consume_front("@"))
      line = line.split(' ').second.trim();
    llvm::StringRef op = line.split(' ').first.split('\t').first;
    if (!op.starts_with("ld.global") && !op.starts_with("st.global"))
      continue;
    int count = 1, bits = 0;
    for (llvm::StringRef part : llvm::split(op, '.'))
      if (part == "v2" || part == "v4" || part == "v8")
        count = part[1] - '0';
      else if (part.size() >= 2 && llvm::StringRef("bufs").contains(part[0]))
        (void)part.drop_front().getAsInteger(10, bits);
    ++all;
    narrow += count * bits < 128;
  }
  return {all, narrow};
}

int count(const std::string &text, const std::string &word) {
  int found = 0;
  for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size())
    ++found;
  return found;
}

std::string assemble(const std::string &ptx, const std::string &target, const StageOptions &options,
                     Reporter &reporter) {
  std::string stem = fmt::format("{}/{}", options.folder, getpid());
  std::ofstream(stem + ".ptx") << ptx;
  std::string command = fmt::format("{} -v -arch={} -o {} {} 2>&1", quote(options.ptxas), target,
                                    quote(stem + ".cubin"), quote(stem + ".ptx"));
  std::string said;
  FILE *pipe = popen(command.c_str(), "r");
  if (!pipe)
    return "cannot run ptxas";
  char bytes[4096];
  for (size_t size; (size = fread(bytes, 1, sizeof(bytes), pipe)) > 0;)
    said.append(bytes, size);
  int status = pclose(pipe);
  std::error_code ignored;
  std::filesystem::remove(stem + ".ptx", ignored);
  std::filesystem::remove(stem + ".cubin", ignored);
  if (status)
    return "ptxas: " + said;
  auto number = [&](const char *pattern, const char *key) {
    std::smatch match;
    if (std::regex_search(said, match, std::regex(pattern)))
      reporter.number(fmt::format("{}:{}", key, target), std::stod(match[1]));
  };
  number("Used ([0-9]+) registers", "registers");
  number("([0-9]+) bytes spill stores", "spill-bytes");
  number("([0-9]+) bytes stack frame", "stack-bytes");
  return "ok";
}

class Stages {
public:
  Stages(const Case &task, const StageOptions &options, Reporter &reporter)
      : task(task), options(options), reporter(reporter) {}

  void run() {
    if (!readText())
      return;
    reporter.step("parse", [&] {
      auto module = Module::parse(text, task.file);
      return module ? "ok" : module.error().text();
    });
    if (reporter.known.step("parse") != "ok")
      return;
    if (options.parse)
      reporter.step("round-trip", [&] { return roundTrip(text); });
    if (auto parsed = Module::parse(text, task.file))
      module = *parsed;
    kernel = task.launch ? task.launch->kernel : module->kernels().front();
    for (const std::string &target : options.targets) {
      if (options.compile || options.assemble)
        reporter.step("compile:" + target, [&] { return compileFor(target); });
      if (options.assemble && target.starts_with("sm_") &&
          reporter.known.step("compile:" + target) == "ok")
        reporter.step("assemble:" + target, [&] {
          auto compiled = compile(*module, optionsFor(target));
          return compiled ? assemble(compiled->artifact.code, target, options, reporter)
                          : compiled.error().text();
        });
    }
    if (options.compare)
      compareAll();
  }

private:
  bool readText() {
    std::ifstream stream(task.folder + "/" + task.file, std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(stream), {});
    if (!stream.is_open())
      reporter.text("parse", "cannot read the file");
    else
      reporter.text("outside", findLaterOps(text));
    return stream.is_open();
  }

  CompileOptions optionsFor(const std::string &target) const {
    CompileOptions compileOptions;
    compileOptions.target = target;
    compileOptions.kernel = kernel;
    return compileOptions;
  }

  std::string compileFor(const std::string &target) {
    auto start = std::chrono::steady_clock::now();
    auto compiled = compile(*module, optionsFor(target));
    std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
    if (!compiled)
      return compiled.error().text();
    reporter.number("milliseconds:" + target, taken.count());
    if (!target.starts_with("sm_"))
      return "ok";
    auto [accesses, narrow] = countAccesses(compiled->artifact.code);
    reporter.number("accesses:" + target, accesses);
    reporter.number("narrow-accesses:" + target, narrow);
    reporter.number("threads:" + target, compiled->artifact.metadata.threads);
    reporter.number("shared-bytes:" + target, compiled->artifact.metadata.sharedBytes);
    if (auto layouts = compile(*module, optionsFor(target), Emit::Layout))
      reporter.number("conversions:" + target, count(layouts->text, "tg.convert_layout"));
    return "ok";
  }

  void compareAll() {
    if (!task.launch) {
      reporter.text("not-compared", "no launch recorded");
      return;
    }
    // Interpreting takes longest, so what does not compile is sorted out before.
    bool anyCompiles = !options.device.empty();
    for (const std::string &strips : options.strips) {
      if (!reporter.known.step("compare:" + strips).empty())
        continue;
      reporter.step("compile:cpu, strips=" + strips, [&] {
        auto compiled = compile(*module, cpuOptions(strips));
        return compiled ? "ok" : compiled.error().text();
      });
      std::string result = reporter.known.step("compile:cpu, strips=" + strips);
      if (result == "ok")
        anyCompiles = true;
      else
        reporter.text("compare:" + strips, "not compiled: " + result);
    }
    if (!anyCompiles)
      return;
    reporter.step("interpret", [&] { return interpret(); });
    if (reporter.known.step("interpret") != "ok")
      return;
    for (const std::string &strips : options.strips)
      reporter.step("compare:" + strips, [&] { return compareWith(strips); });
    if (!options.device.empty())
      reporter.step("compare:" + options.device, [&] { return compareOnDevice(); });
  }

  std::string compareOnDevice() {
    if (!replay)
      if (std::string again = interpret(); again != "ok")
        return again;
    auto device = Device::open(options.device);
    if (!device)
      return device.error().text();
    auto compiled = compile(*module, optionsFor(device->properties().target));
    if (!compiled)
      return "not compiled: " + compiled.error().text();
    std::string found = replay->compareOn(*device, compiled->artifact);
    return found == "ok" || found.starts_with("not ") ? found : "disagrees: " + found;
  }

  CompileOptions cpuOptions(const std::string &strips) const {
    CompileOptions compileOptions = optionsFor("cpu");
    compileOptions.strips = strips;
    return compileOptions;
  }

  std::string interpret() {
    session = std::make_unique<Session>();
    auto again = session->parse(text, task.file);
    if (!again)
      return again.error().text();
    parsed = std::move(*again);
    auto function = parsed->lookupSymbol<tt::FuncOp>(kernel);
    if (!function)
      return fmt::format("found no kernel '{}' in the text", kernel);
    auto made = Replay::create(*task.launch, function);
    if (!made)
      return made.error().message;
    replay = std::move(*made);
    if (auto done = replay->interpret(options.interpretSeconds); !done)
      return done.error().message;
    reporter.number("programs", double(replay->programs()));
    reporter.number("programs-run", double(replay->programsRun()));
    return "ok";
  }

  std::string compareWith(const std::string &strips) {
    if (!replay) // this process is a second one
      if (std::string again = interpret(); again != "ok")
        return again;
    auto compiled = compile(*module, cpuOptions(strips));
    if (!compiled)
      return "not compiled: " + compiled.error().text();
    auto object = CpuObject::load(compiled->artifact.code, compiled->artifact.metadata.name);
    if (!object)
      return "not loaded: " + object.error().text();
    std::string found =
        replay->compare((*object)->function(), compiled->artifact.metadata.arenaBytes);
    if (replay->isDamaged())
      replay.release(); // and leave what it broke alone
    return found == "ok" ? found : "disagrees: " + found;
  }

  const Case &task;
  const StageOptions &options;
  Reporter &reporter;
  std::string text, kernel;
  std::optional<Module> module;
  std::unique_ptr<Session> session;
  OwningOpRef<ModuleOp> parsed;
  std::unique_ptr<Replay> replay;
};

} // namespace

void runStages(const Case &task, const StageOptions &options, Reporter &reporter) {
  Stages(task, options, reporter).run();
}

} // namespace tigon::conform
