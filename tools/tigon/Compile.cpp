// SPDX-License-Identifier: Apache-2.0
#include "tools/tigon/Commands.h"
#include "tigon/Compiler.h"

#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <memory>

namespace tigon::cli {
namespace {

struct CompileArguments {
  std::string file, output, emit = "code", plan;
  CompileOptions options;
  std::string contract = "on";
  bool timing = false, explain = false;
};

int compileFile(const CompileArguments &arguments) {
  std::ifstream stream(arguments.file, std::ios::binary);
  if (!stream)
    return complain(fmt::format("cannot read '{}'", arguments.file));
  std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  Result<Module> module = Module::parse(text, arguments.file);
  if (!module)
    return complain(module.error().text());
  CompileOptions options = arguments.options;
  options.contract = arguments.contract == "on";
  const std::pair<const char *, Emit> stages[] = {
      {"tile", Emit::Tile},  {"layout", Emit::Layout}, {"lowered", Emit::Lowered},
      {"llvm", Emit::Llvm},  {"code", Emit::Code},     {"ptx", Emit::Code},
      {"object", Emit::Code}};
  Emit emit = Emit::Code;
  for (auto &[name, stage] : stages)
    if (arguments.emit == name)
      emit = stage;
  Result<Compilation> compiled = compile(*module, options, emit);
  if (!compiled)
    return complain(compiled.error().text());
  const std::string &result = emit == Emit::Code ? compiled->artifact.code : compiled->text;
  std::FILE *out = arguments.output.empty() ? stdout : std::fopen(arguments.output.c_str(), "wb");
  if (!out)
    return complain(fmt::format("cannot write '{}'", arguments.output));
  std::fwrite(result.data(), 1, result.size(), out);
  if (out != stdout)
    std::fclose(out);
  if (arguments.timing)
    for (const PhaseTime &time : compiled->times)
      std::fprintf(stderr, "%8.2f ms  %s\n", time.milliseconds, time.name.c_str());
  return 0;
}

} // namespace

void addCompile(CLI::App &app, Action &action) {
  auto arguments = std::make_shared<CompileArguments>();
  CLI::App *command =
      app.add_subcommand("compile", "compile a tile program to PTX or a host object");
  command->add_option("FILE", arguments->file, "TTIR text")->required();
  command->add_option("-o,--output", arguments->output, "where to write; default: standard output");
  command->add_option("--target", arguments->options.target, "cpu, cpu:x86-64-v3, sm_90, ...");
  command->add_option("--kernel", arguments->options.kernel,
                      "the kernel, if the file holds several");
  command->add_option("--emit", arguments->emit, "tile, layout, lowered, llvm, ptx or object");
  command->add_option("--strips", arguments->options.strips,
                      "auto, off, each, or a number of steps");
  command->add_option("--contract", arguments->contract, "on or off: fuse multiplies and adds");
  command->add_option("--ptx-version", arguments->options.ptxVersion, "PTX ISA version times ten");
  command->add_flag("--fast-math", arguments->options.fastMath,
                    "Triton's forms of exp and division");
  command->add_flag("--timing", arguments->timing, "print what each phase took");
  command->add_flag("--verify-each", arguments->options.verifyEach, "verify after every pass");
  command->callback(
      [arguments, &action] { action = [arguments] { return compileFile(*arguments); }; });
}

} // namespace tigon::cli
