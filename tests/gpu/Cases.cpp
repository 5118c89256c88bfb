// SPDX-License-Identifier: Apache-2.0
//
// tigon-gpu-cases FOLDER [CASE ...]: operators planned for an H200 and compiled to PTX, beside their texts, with their tensors
// and what their launches take, for bench.py to time beside others. No GPU is needed here, nor a compiler there.
//
// CASE: as tools/tigon/bench/Cases.h has it; default: its standard ones.
//
// tigon-gpu-cases FOLDER --recording RECORDING: instead of operators, recorded kernels, for recorded.py.
#include "tools/tigon/bench/Cases.h"

#include "tests/gpu/Recorded.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

using namespace tigon;
using namespace tigon::ops;
using nlohmann::json;

namespace {

json describe(const LaunchValue &value, const bench::Operands &operands) {
  if (auto *pointer = std::get_if<void *>(&value))
    return {"tensor", operands.list()[reinterpret_cast<uintptr_t>(*pointer) - 1].name};
  if (auto *place = std::get_if<InWorkspace>(&value))
    return {"workspace", place->offset};
  if (auto *integer = std::get_if<int32_t>(&value))
    return {"i32", *integer};
  if (auto *integer = std::get_if<int64_t>(&value))
    return {"i64", *integer};
  return {"f32", std::get<float>(value)};
}

Result<json> compileCase(const bench::Case &at, const std::filesystem::path &folder,
                         size_t &files) {
  static const DeviceProperties h200{
      .kind = DeviceKind::Cuda, .target = "sm_90", .processors = 132};
  bench::Operands operands;
  auto plan = bench::planCase(at, operands, h200);
  if (!plan)
    return plan.error();
  json tensors = json::array();
  for (const bench::Operand &operand : operands.list())
    tensors.push_back({{"name", operand.name},
                       {"dtype", dtypeName(operand.dtype)},
                       {"shape", operand.shape},
                       {"holds", operand.holds}});
  json result = {{"case", at.text},
                 {"name", at.name},
                 {"dtype", dtypeName(at.dtype)},
                 {"rows", at.rows},
                 {"n", at.n},
                 {"tensors", tensors},
                 {"workspace", plan->workspaceBytes},
                 {"launches", json::array()}};
  for (const Launch &launch : plan->launches) {
    lang::Kernel kernel(launch.kernel);
    launch.write(kernel);
    auto module = kernel.build();
    if (!module)
      return module.error();
    CompileOptions options{.target = "sm_90", .plan = launch.compile};
    options.facts = factsOf(launch);
    auto compilation = compile(*module, options);
    if (!compilation)
      return compilation.error();
    const Artifact &artifact = compilation->artifact;
    std::string file = fmt::format("{}.ptx", files++);
    std::ofstream(folder / file, std::ios::binary) << artifact.code;
    std::ofstream(folder / (file + ".ttir")) << module->text();
    json arguments = json::array();
    for (const LaunchValue &value : launch.arguments)
      arguments.push_back(describe(value, operands));
    result["launches"].push_back({{"kernel", artifact.metadata.name},
                                  {"file", file},
                                  {"threads", artifact.metadata.threads},
                                  {"shared", artifact.metadata.sharedBytes},
                                  {"scratch", artifact.metadata.scratchBytesPerProgram},
                                  {"grid", {launch.grid.x, launch.grid.y, launch.grid.z}},
                                  {"arguments", arguments}});
  }
  return result;
}

} // namespace

int main(int argc, char **argv) {
  std::filesystem::path folder = argc > 1 ? argv[1] : "gpu-cases";
  std::vector<std::string> wanted(argv + std::min(argc, 2), argv + argc);
  std::filesystem::create_directories(folder);
  if (wanted.size() == 2 && wanted[0] == "--recording")
    return gpu::compileRecording(wanted[1], folder);
  if (wanted.empty())
    wanted = bench::standardCases();
  json cases = json::array();
  size_t files = 0;
  bool failed = false;
  for (const std::string &text : wanted) {
    auto at = bench::readCase(text);
    auto compiled = at ? compileCase(*at, folder, files) : Result<json>(at.error());
    if (compiled) {
      cases.push_back(*compiled);
      continue;
    }
    fmt::print(stderr, "{}: {}\n", text, compiled.error().text());
    failed = true;
  }
  std::ofstream(folder / "cases.json") << cases.dump(1);
  fmt::print("{} cases, {} kernels in {}\n", cases.size(), files, folder.string());
  return failed;
}
