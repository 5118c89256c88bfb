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
enum Name : uintptr_t { X = 1, Y, Dy, Dx, W, Dw, Rstd, B, Db, Mean, Up };

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
  for (DType dtype : {DType::BF16, DType::F32})
    for (Shape s : {Shape{8192, 4096}, Shape{4096, 32768}, Shape{16384, 1000}, Shape{4096, 16384},
                    Shape{8192, 14336}}) {
      auto add = [&](const char *name, const Result<Plan> &plan, int moved) {
        auto compiled = plan ? compileCase(name, *plan, folder, files) : Result<json>(plan.error());
        if (!compiled) {
          fmt::print(stderr, "{} of {} x {}: {}\n", name, s.rows, s.n, compiled.error().text());
          failed = true;
          return;
        }
        compiled->update(
            {{"dtype", dtypeName(dtype)}, {"rows", s.rows}, {"n", s.n}, {"moved", moved}});
        cases.push_back(*compiled);
      };
      Tensor x = s.tensor(X, dtype), y = s.tensor(Y, dtype), dy = s.tensor(Dy, dtype),
             dx = s.tensor(Dx, dtype), w = s.weight(W, dtype), dw = s.weight(Dw, dtype),
             rstd = s.perRow(Rstd);
      bool isInner = s.n == 14336; // the width of Llama 3 8B inside its gated units
      if (isInner || s.n == 4096) {
        Tensor up = s.tensor(Up, dtype);
        add("swiglu", plan(SwiGlu{.a = x, .b = up, .out = y}, h200), 3);
        add("swiglu_backward",
            plan(SwiGluBackward{.dout = dy, .a = x, .b = up, .da = dx, .db = y}, h200), 5);
        add("geglu", plan(GeGlu{.a = x, .b = up, .out = y}, h200), 3);
        add("geglu_backward",
            plan(GeGluBackward{.dout = dy, .a = x, .b = up, .da = dx, .db = y}, h200), 5);
      }
      if (isInner)
        continue;
      add("vector_add", plan(VectorAdd{.x = x, .y = dy, .out = y}, h200), 3);
      add("softmax", plan(Softmax{.x = x, .y = y}, h200), 2);
      add("softmax_backward", plan(SoftmaxBackward{.y = x, .dy = dy, .dx = dx}, h200), 3);
      add("rms_norm", plan(RmsNorm{.x = x, .w = w, .y = y, .rstd = rstd}, h200), 2);
      add("rms_norm_backward",
          plan(RmsNormBackward{.dy = dy, .x = x, .w = w, .rstd = rstd, .dx = dx, .dw = dw}, h200),
          3);
      Tensor b = s.weight(B, dtype), db = s.weight(Db, dtype), mean = s.perRow(Mean);
      add("layer_norm",
          plan(LayerNorm{.x = x, .w = w, .b = b, .y = y, .mean = mean, .rstd = rstd}, h200), 2);
      add("layer_norm_backward",
          plan(LayerNormBackward{.dy = dy,
                                 .x = x,
                                 .w = w,
                                 .mean = mean,
                                 .rstd = rstd,
                                 .dx = dx,
                                 .dw = dw,
                                 .db = db},
               h200),
          3);
    }
  std::ofstream(folder / "cases.json") << cases.dump(1);
  fmt::print("{} cases, {} kernels in {}\n", cases.size(), files, folder.string());
  return failed;
}
