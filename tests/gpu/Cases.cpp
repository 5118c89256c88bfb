// SPDX-License-Identifier: Apache-2.0
//
// tigon-gpu-cases FOLDER: operators on given shapes, planned for an H200 and compiled to PTX, with what their launches take,
// for bench.py to time beside PyTorch. No GPU is needed here, nor a compiler there.
#include "tigon/Ops.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

using namespace tigon;
using namespace tigon::ops;
using nlohmann::json;

namespace {

// Tensors are named by small addresses, which bench.py replaces.
enum Name : uintptr_t { X = 1, Y, Dy, Dx, W, Dw, Rstd, Out, Target, Cos, Sin };

struct Shape {
  int64_t rows, n;
  Tensor tensor(Name name, DType dtype) const {
    return {.data = reinterpret_cast<void *>(name), .dtype = dtype, .shape = {rows, n}};
  }
  Tensor weight(Name name, DType dtype) const {
    return {.data = reinterpret_cast<void *>(name), .dtype = dtype, .shape = {n}};
  }
  Tensor perRow(Name name) const {
    return {.data = reinterpret_cast<void *>(name), .dtype = DType::F32, .shape = {rows}};
  }
};

Tensor named(Name name, DType dtype, std::vector<int64_t> shape) {
  return {.data = reinterpret_cast<void *>(name), .dtype = dtype, .shape = std::move(shape)};
}

json describe(const LaunchValue &value) {
  if (auto *pointer = std::get_if<void *>(&value))
    return {"tensor", reinterpret_cast<uintptr_t>(*pointer)};
  if (auto *place = std::get_if<InWorkspace>(&value))
    return {"workspace", place->offset};
  if (auto *integer = std::get_if<int32_t>(&value))
    return {"i32", *integer};
  if (auto *integer = std::get_if<int64_t>(&value))
    return {"i64", *integer};
  return {"f32", std::get<float>(value)};
}

Result<json> compileCase(const std::string &name, const Plan &plan,
                         const std::filesystem::path &folder, size_t &files) {
  json result = {{"name", name}, {"workspace", plan.workspaceBytes}, {"launches", json::array()}};
  for (const Launch &launch : plan.launches) {
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
      arguments.push_back(describe(value));
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

} // namespace

int main(int argc, char **argv) {
  std::filesystem::path folder = argc > 1 ? argv[1] : "gpu-cases";
  std::filesystem::create_directories(folder);
  DeviceProperties h200{.kind = DeviceKind::Cuda, .target = "sm_90", .processors = 132};
  json cases = json::array();
  size_t files = 0;
  bool failed = false;
  auto addCase = [&](const char *name, DType dtype, Shape s, const Result<Plan> &plan, int moved) {
    auto compiled = plan ? compileCase(name, *plan, folder, files) : Result<json>(plan.error());
    if (!compiled) {
      fmt::print(stderr, "{} of {} x {}: {}\n", name, s.rows, s.n, compiled.error().text());
      failed = true;
      return;
    }
    compiled->update({{"dtype", dtypeName(dtype)}, {"rows", s.rows}, {"n", s.n}, {"moved", moved}});
    cases.push_back(*compiled);
  };
  for (DType dtype : {DType::BF16, DType::F32})
    for (Shape s :
         {Shape{8192, 4096}, Shape{4096, 32768}, Shape{16384, 1000}, Shape{4096, 16384}}) {
      auto add = [&](const char *name, const Result<Plan> &plan, int moved) {
        addCase(name, dtype, s, plan, moved);
      };
      Tensor x = s.tensor(X, dtype), y = s.tensor(Y, dtype), dy = s.tensor(Dy, dtype),
             dx = s.tensor(Dx, dtype), w = s.weight(W, dtype), dw = s.weight(Dw, dtype),
             rstd = s.perRow(Rstd);
      add("vector_add", plan(VectorAdd{.x = x, .y = dy, .out = y}, h200), 3);
      add("softmax", plan(Softmax{.x = x, .y = y}, h200), 2);
      add("rms_norm", plan(RmsNorm{.x = x, .w = w, .y = y, .rstd = rstd}, h200), 2);
      add("rms_norm_backward",
          plan(RmsNormBackward{.dy = dy, .x = x, .w = w, .rstd = rstd, .dx = dx, .dw = dw}, h200),
          3);
    }
  // A vocabulary of 128256, as Llama 3 has.
  for (DType dtype : {DType::BF16, DType::F32}) {
    Shape s = {dtype == DType::BF16 ? 8192 : 4096, 128256};
    Tensor target = named(Target, DType::I64, {s.rows}), loss = named(Out, DType::F32, {});
    Tensor x = s.tensor(X, dtype), y = s.tensor(Y, dtype), dx = s.tensor(Dx, dtype);
    addCase("cross_entropy", dtype, s,
            plan(CrossEntropy{.logits = x, .target = target, .loss = loss, .dlogits = dx}, h200),
            2);
    addCase("jsd", dtype, s, plan(Jsd{.x = x, .y = y, .loss = loss, .dx = dx}, h200), 3);
  }
  // 32 heads of queries and 8 of keys.
  for (DType dtype : {DType::BF16, DType::F32}) {
    Shape s = {8192, 40 * 128};
    Tensor q = named(X, dtype, {4, 2048, 32, 128}), k = named(Y, dtype, {4, 2048, 8, 128});
    Tensor outQ = named(Dx, dtype, q.shape), outK = named(Dy, dtype, k.shape);
    Tensor cos = named(Cos, dtype, {1, 2048, 128}), sin = named(Sin, dtype, {1, 2048, 128});
    addCase("rope", dtype, s,
            plan(Rope{.q = q, .k = k, .cos = cos, .sin = sin, .outQ = outQ, .outK = outK}, h200),
            2);
  }
  std::ofstream(folder / "cases.json") << cases.dump(1);
  fmt::print("{} cases, {} kernels in {}\n", cases.size(), files, folder.string());
  return failed;
}
