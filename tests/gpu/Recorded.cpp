// SPDX-License-Identifier: Apache-2.0
//
// A launch in recorded.json is as the recorder wrote it (tests/peers/ttir_recorder.py), with the types that the text's
// arguments have and what a launch of our code takes. The code relies on what the text promises of its arguments and on
// nothing else, so Triton's, compiled from the same text, has the same to go by.
#include "tests/gpu/Recorded.h"

#include "tests/peers/conform/Recording.h"
#include "tigon/Compiler.h"

#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

using nlohmann::json;

namespace tigon::gpu {
namespace {

using conform::RecordedArgument;
using conform::RecordedLaunch;
using conform::RecordedTensor;

json describe(const RecordedTensor &tensor) {
  json result = {{"dtype", tensor.dtype}, {"address", tensor.address}};
  if (!tensor.storage)
    return result;
  result.update({{"first", tensor.first},
                 {"shape", tensor.shape},
                 {"strides", tensor.strides},
                 {"storage", {tensor.storage->first, tensor.storage->second}}});
  if (tensor.range)
    result["range"] = {tensor.range->first, tensor.range->second};
  if (!tensor.values.empty())
    result["values"] = std::vector<int64_t>(tensor.values.begin(), tensor.values.end());
  return result;
}

Result<json> describe(const RecordedArgument &argument, const ArgumentInfo &info) {
  using Kind = RecordedArgument::Kind;
  json result = {{"name", argument.name}, {"type", info.type}};
  if ((argument.kind == Kind::Tensor) != (info.kind == ArgumentKind::Pointer))
    return fail(ErrorCode::Unsupported, "an argument is of another kind than the text's");
  if (argument.kind == Kind::Tensor)
    result["tensor"] = describe(argument.tensor);
  else if (argument.kind == Kind::Integer)
    result["value"] = int64_t(argument.integer);
  else if (argument.kind == Kind::Float && std::isfinite(argument.real))
    result["value"] = argument.real;
  else if (argument.kind == Kind::Float)
    result["value"] = fmt::format("{}", argument.real); // nan, inf, -inf
  else
    return fail(ErrorCode::Unsupported, "an argument is no number and no tensor");
  return result;
}

Result<json> compileLaunch(const std::string &text, const std::string &stem,
                           const RecordedLaunch &launch, const std::filesystem::path &folder) {
  auto module = Module::parse(text, stem);
  if (!module)
    return module.error();
  auto compilation = compile(*module, {.target = "sm_90", .kernel = launch.kernel});
  if (!compilation)
    return compilation.error();
  const KernelMetadata &metadata = compilation->artifact.metadata;
  if (metadata.arguments.size() != launch.arguments.size())
    return fail(ErrorCode::Unsupported, "other arguments were recorded than the text has");
  json arguments = json::array();
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    auto argument = describe(launch.arguments[i], metadata.arguments[i]);
    if (!argument)
      return argument.error();
    arguments.push_back(*argument);
  }
  std::ofstream(folder / (stem + ".ptx"), std::ios::binary) << compilation->artifact.code;
  std::ofstream(folder / (stem + ".ttir"), std::ios::binary) << text;
  return json{{"text", stem},
              {"kernel", metadata.name},
              {"options", json::parse(launch.options)},
              {"grid", launch.grid},
              {"arguments", arguments},
              {"threads", metadata.threads},
              {"shared", metadata.sharedBytes},
              {"scratch", metadata.scratchBytesPerProgram}};
}

} // namespace

int compileRecording(const std::string &recording, const std::filesystem::path &folder) {
  std::vector<std::string> complaints;
  auto cases = conform::readRecording(recording, complaints);
  if (!cases)
    complaints.push_back(cases.error().text());
  for (const std::string &complaint : complaints)
    fmt::print(stderr, "{}\n", complaint);
  if (!complaints.empty())
    return 1;
  json kernels = json::array(), refused = json::object();
  std::set<std::string> seen;
  for (const conform::Case &at : *cases) {
    if (!at.launch || !seen.insert(at.file).second)
      continue;
    std::ifstream stream(std::filesystem::path(at.folder) / at.file, std::ios::binary);
    std::string text(std::istreambuf_iterator<char>(stream), {});
    std::string stem = std::filesystem::path(at.file).stem().string();
    auto compiled = compileLaunch(text, stem, *at.launch, folder);
    if (compiled)
      kernels.push_back(*compiled);
    else
      refused[stem] = compiled.error().message;
  }
  std::ofstream(folder / "recorded.json")
      << json{{"kernels", kernels}, {"refused", refused}}.dump();
  fmt::print("{} of {} recorded kernels in {}\n", kernels.size(), seen.size(), folder.string());
  return 0;
}

} // namespace tigon::gpu
