// SPDX-License-Identifier: Apache-2.0
#include "tigon/Compiler.h"
#include "tools/tigon/Commands.h"
#include "tools/tigon/Inputs.h"

#include <cstdio>
#include <fmt/format.h>
#include <memory>

namespace tigon::cli {
namespace {

constexpr const char *examples = R"(Examples:
  tigon compile softmax.ttir --target=sm_90                       PTX on standard output
  tigon compile softmax.ttir --target=cpu -o softmax.o            an object for this host
  tigon compile softmax.ttir --target=sm_90 --explain             passes, plan and decisions
  tigon compile softmax.ttir --target=sm_80 --emit=layout         the program with layouts
  tigon compile softmax.ttir --target=sm_90 --plan=warps=8,strip=2048 --timing -o softmax.ptx)";

struct CompileArguments {
  std::string file, output, emit = "code";
  CompileFlags flags;
  bool timing = false, explain = false;
};

Result<Emit> readEmit(const std::string &name, const std::string &target) {
  const std::pair<const char *, Emit> stages[] = {
      {"tile", Emit::Tile},  {"layout", Emit::Layout}, {"lowered", Emit::Lowered},
      {"llvm", Emit::Llvm},  {"code", Emit::Code},     {"ptx", Emit::Code},
      {"object", Emit::Code}};
  bool isCpu = target.starts_with("cpu");
  if ((name == "ptx" && isCpu) || (name == "object" && !isCpu))
    return fail(ErrorCode::InvalidArgument,
                fmt::format("--emit: found '{}' for target '{}', expected {}", name, target,
                            isCpu ? "object" : "ptx"));
  for (auto &[known, stage] : stages)
    if (name == known)
      return stage;
  return fail(
      ErrorCode::InvalidArgument,
      fmt::format("--emit: found '{}', expected tile, layout, lowered, llvm, ptx or object", name));
}

/// The passes, what they decided, and nothing else: the code is there without --explain.
std::string explain(const std::string &passes, const Compilation &compiled) {
  std::string text = passes;
  const KernelMetadata &metadata = compiled.artifact.metadata;
  text +=
      fmt::format("\n{} for {}: {} threads, {} bytes of shared memory, {} of scratch a program, "
                  "{} of arena a thread\n",
                  metadata.name, metadata.target, metadata.threads, metadata.sharedBytes,
                  metadata.scratchBytesPerProgram, metadata.arenaBytes);
  for (const std::string &remark : compiled.remarks)
    text += remark + "\n";
  return text;
}

int compileFile(const CompileArguments &arguments) {
  auto options = arguments.flags.read();
  if (!options)
    return complain(options.error().text());
  auto emit = readEmit(arguments.emit, options->target);
  if (!emit)
    return complain(emit.error().text());
  auto module = readModule(arguments.file);
  if (!module)
    return complain(module.error().text());
  auto passes = describePipeline(options->target);
  if (!passes)
    return complain(passes.error().text());
  auto compiled = compile(*module, *options, *emit);
  if (!compiled) {
    if (arguments.explain)
      (void)writeOutput("", *passes);
    return complain(compiled.error().text());
  }
  if (arguments.timing)
    for (const PhaseTime &time : compiled->times)
      std::fprintf(stderr, "%8.2f ms  %s\n", time.milliseconds, time.name.c_str());
  if (arguments.explain)
    if (auto written = writeOutput("", explain(*passes, *compiled)); !written)
      return complain(written.error().text());
  if (arguments.explain && arguments.output.empty())
    return 0;
  const std::string &result = *emit == Emit::Code ? compiled->artifact.code : compiled->text;
  auto written = writeOutput(arguments.output, result);
  return written ? 0 : complain(written.error().text());
}

} // namespace

void addCompile(CLI::App &app, Action &action) {
  auto arguments = std::make_shared<CompileArguments>();
  CLI::App *command =
      app.add_subcommand("compile", "compile a tile program to PTX or a host object");
  command->add_option("FILE", arguments->file, "TTIR text; - for standard input")->required();
  command->add_option("-o,--output", arguments->output, "where to write; default: standard output");
  command->add_option("--target", arguments->flags.options.target,
                      "cpu (default), cpu:x86-64-v3, sm_80 to sm_121");
  command->add_option("--emit", arguments->emit, "tile, layout, lowered, llvm, ptx or object");
  arguments->flags.add(*command);
  command->add_flag("--explain", arguments->explain,
                    "print the passes, the plan and each decision instead of the code");
  command->add_flag("--timing", arguments->timing, "print what each phase took, on stderr");
  command->footer(examples);
  command->callback(
      [arguments, &action] { action = [arguments] { return compileFile(*arguments); }; });
}

} // namespace tigon::cli
