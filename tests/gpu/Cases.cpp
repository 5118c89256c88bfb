// SPDX-License-Identifier: Apache-2.0
//
// tigon-gpu-cases FOLDER [CASE ...]: operators planned for an H200 and compiled to PTX, with their tensors and what their
// launches take, for bench.py to time beside others. No GPU is needed here, nor a compiler there.
//
// CASE: OPERATOR:DTYPE:ROWSxN[:FIELD=VALUE,...], a field of the plan (warps, strip, ctas, stages, hold) or of Tuning (block,
// programs); default: the list below.
#include "tigon/Ops.h"

#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace tigon;
using namespace tigon::ops;
using nlohmann::json;

namespace {

struct Case {
  std::string text, name;
  DType dtype = DType::F32;
  int64_t rows = 0, n = 0;
  Tuning tuning = {};
};

/// The tensors of a case by name, at addresses that bench.py replaces.
class Operands {
public:
  /// What it holds before: "normal", "out" where it is written only, or a name that bench.py knows.
  Tensor operator()(const std::string &name, DType dtype, std::vector<int64_t> shape,
                    const std::string &holds) {
    list.push_back(
        {{"name", name}, {"dtype", dtypeName(dtype)}, {"shape", shape}, {"holds", holds}});
    return {.data = reinterpret_cast<void *>(list.size()), .dtype = dtype, .shape = shape};
  }
  std::string nameOf(void *address) const {
    return list[reinterpret_cast<uintptr_t>(address) - 1]["name"];
  }
  json list = json::array();
};

using Make = std::function<Result<Plan>(const Case &, Operands &, const DeviceProperties &)>;

/// Rows of n, and what else operators of rows take.
struct RowOperands {
  RowOperands(const Case &at, Operands &operands) : at(at), operands(operands) {}
  Tensor in(const std::string &name, const std::string &holds = "normal") {
    return operands(name, at.dtype, {at.rows, at.n}, holds);
  }
  Tensor out(const std::string &name) { return in(name, "out"); }
  Tensor line(const std::string &name, const std::string &holds = "normal") {
    return operands(name, at.dtype, {at.n}, holds);
  }
  Tensor perRow(const std::string &name, const std::string &holds) {
    return operands(name, DType::F32, {at.rows}, holds);
  }
  const Case &at;
  Operands &operands;
};

template <typename Function> Make rows(Function function) {
  return [function](const Case &at, Operands &operands, const DeviceProperties &device) {
    RowOperands of(at, operands);
    return plan(function(of), device, at.tuning);
  };
}

// Four sequences with heads of 128, a quarter as many of keys as of queries: n is that of a token's heads together.
Rope rope(RowOperands &o, bool backward) {
  int64_t heads = o.at.n / 128, keys = heads / 5, length = o.at.rows / 4;
  auto tensor = [&](const char *name, int64_t count, const char *holds) {
    return o.operands(name, o.at.dtype, {4, length, count, 128}, holds);
  };
  Rope rope = {.q = tensor(backward ? "dq_out" : "q", heads - keys, "normal"),
               .k = tensor(backward ? "dk_out" : "k", keys, "normal"),
               .cos = o.operands("cos", o.at.dtype, {1, length, 128}, "angles"),
               .sin = o.operands("sin", o.at.dtype, {1, length, 128}, "angles"),
               .outQ = tensor(backward ? "dq" : "q_out", heads - keys, "out"),
               .outK = tensor(backward ? "dk" : "k_out", keys, "out")};
  rope.backward = backward;
  return rope;
}

const std::map<std::string, Make> makers = {
    {"vector_add", rows([](RowOperands &o) {
       return VectorAdd{.x = o.in("x"), .y = o.in("dy"), .out = o.out("out")};
     })},
    {"softmax", rows([](RowOperands &o) { return Softmax{.x = o.in("x"), .y = o.out("out")}; })},
    {"softmax_backward", rows([](RowOperands &o) {
       return SoftmaxBackward{.y = o.in("y", "softmax"), .dy = o.in("dy"), .dx = o.out("dx")};
     })},
    {"rms_norm", rows([](RowOperands &o) {
       return RmsNorm{
           .x = o.in("x"), .w = o.line("w"), .y = o.out("out"), .rstd = o.perRow("rstd", "out")};
     })},
    {"rms_norm_backward", rows([](RowOperands &o) {
       return RmsNormBackward{.dy = o.in("dy"),
                              .x = o.in("x"),
                              .w = o.line("w"),
                              .rstd = o.perRow("rstd", "rms_rstd"),
                              .dx = o.out("dx"),
                              .dw = o.line("dw", "out")};
     })},
    {"cross_entropy", rows([](RowOperands &o) {
       return CrossEntropy{.logits = o.in("x"),
                           .target = o.operands("targets", DType::I64, {o.at.rows}, "targets"),
                           .loss = o.operands("loss", DType::F32, {}, "out"),
                           .dlogits = o.out("dx")};
     })},
    {"jsd", rows([](RowOperands &o) {
       return Jsd{.x = o.in("x", "log_softmax"),
                  .y = o.in("y", "log_softmax"),
                  .loss = o.operands("loss", DType::F32, {}, "out"),
                  .dx = o.out("dx")};
     })},
    {"rope", rows([](RowOperands &o) { return rope(o, /*backward=*/false); })},
    {"rope_backward", rows([](RowOperands &o) { return rope(o, /*backward=*/true); })},
};

// Of Llama 3 8B: hidden states of 4096, 14336 inside the gated units, a vocabulary of 128256, 32 heads of queries and 8 of keys.
const char *const standard[] = {"vector_add:8192x4096",
                                "softmax:8192x4096",
                                "softmax:4096x32768",
                                "softmax:4096x16384",
                                "softmax:16384x1000",
                                "softmax_backward:4096x32768",
                                "softmax_backward:8192x4096",
                                "rms_norm:8192x4096",
                                "rms_norm:4096x32768",
                                "rms_norm:16384x1000",
                                "rms_norm_backward:8192x4096",
                                "rms_norm_backward:4096x32768",
                                "rms_norm_backward:4096x16384",
                                "rms_norm_backward:16384x1000",
                                "rope:8192x5120",
                                "rope_backward:8192x5120",
                                "cross_entropy:8192x128256",
                                "jsd:4096x128256"};

json describe(const LaunchValue &value, const Operands &operands) {
  if (auto *pointer = std::get_if<void *>(&value))
    return {"tensor", operands.nameOf(*pointer)};
  if (auto *place = std::get_if<InWorkspace>(&value))
    return {"workspace", place->offset};
  if (auto *integer = std::get_if<int32_t>(&value))
    return {"i32", *integer};
  if (auto *integer = std::get_if<int64_t>(&value))
    return {"i64", *integer};
  return {"f32", std::get<float>(value)};
}

Result<json> compileCase(const Case &at, const std::filesystem::path &folder, size_t &files) {
  static const DeviceProperties h200{
      .kind = DeviceKind::Cuda, .target = "sm_90", .processors = 132};
  auto maker = makers.find(at.name);
  if (maker == makers.end())
    return fail(ErrorCode::InvalidArgument, fmt::format("found no operator '{}'", at.name));
  Operands operands;
  auto plan = maker->second(at, operands, h200);
  if (!plan)
    return plan.error();
  json result = {{"case", at.text},
                 {"name", at.name},
                 {"dtype", dtypeName(at.dtype)},
                 {"rows", at.rows},
                 {"n", at.n},
                 {"tensors", operands.list},
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
    json arguments = json::array();
    for (const LaunchValue &value : launch.arguments)
      arguments.push_back(describe(value, operands));
    result["launches"].push_back({{"kernel", artifact.metadata.name},
                                  {"file", file},
                                  {"threads", artifact.metadata.threads},
                                  {"shared", artifact.metadata.sharedBytes},
                                  {"scratch", artifact.metadata.scratchBytesPerProgram},
                                  {"grid", launch.grid.x},
                                  {"arguments", arguments}});
  }
  return result;
}

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, separator);)
    words.push_back(word);
  return words;
}

Result<Case> readCase(const std::string &text) {
  Case at;
  at.text = text;
  std::vector<std::string> words = split(text, ':');
  auto wrong = [&](const std::string &what) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("case '{}': found '{}', expected OPERATOR:DTYPE:ROWSxN[:FIELD=VALUE,"
                            "...]",
                            text, what));
  };
  if (words.size() < 3)
    return wrong(text);
  at.name = words[0];
  if (words[1] == "bf16")
    at.dtype = DType::BF16;
  else if (words[1] == "f16")
    at.dtype = DType::F16;
  else if (words[1] != "f32")
    return wrong(words[1]);
  if (std::sscanf(words[2].c_str(), "%ldx%ld", &at.rows, &at.n) != 2)
    return wrong(words[2]);
  if (words.size() > 3)
    for (const std::string &field : split(words[3], ',')) {
      auto parts = split(field, '=');
      int value = 0;
      if (parts.size() != 2 ||
          std::from_chars(parts[1].data(), parts[1].data() + parts[1].size(), value).ptr !=
              parts[1].data() + parts[1].size())
        return wrong(field);
      PlanOptions &plan = at.tuning.compile;
      const std::pair<const char *, int *> ofPlan[] = {{"warps", &plan.warps},
                                                       {"strip", &plan.strip},
                                                       {"ctas", &plan.ctas},
                                                       {"stages", &plan.stages},
                                                       {"hold", &plan.hold}};
      const std::pair<const char *, int64_t *> ofTuning[] = {{"block", &at.tuning.block},
                                                             {"programs", &at.tuning.programs}};
      bool known = false;
      for (auto [name, place] : ofPlan)
        if (parts[0] == name)
          *place = value, known = true;
      for (auto [name, place] : ofTuning)
        if (parts[0] == name)
          *place = value, known = true;
      if (!known)
        return wrong(field);
    }
  return at;
}

} // namespace

int main(int argc, char **argv) {
  std::filesystem::path folder = argc > 1 ? argv[1] : "gpu-cases";
  std::vector<std::string> wanted(argv + std::min(argc, 2), argv + argc);
  if (wanted.empty())
    for (const char *dtype : {"bf16", "f32"})
      for (const std::string text : standard)
        wanted.push_back(text.substr(0, text.find(':') + 1) + dtype + text.substr(text.find(':')));
  std::filesystem::create_directories(folder);
  json cases = json::array();
  size_t files = 0;
  bool failed = false;
  for (const std::string &text : wanted) {
    auto at = readCase(text);
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
