// SPDX-License-Identifier: Apache-2.0
//
// What NVIDIA's assembler makes of the operators' kernels: registers and spills, without a GPU. Skipped where there is no
// ptxas (PATH, or the toolkit's usual place); nothing but this test runs it.
#include "compiler/Compiler.h"
#include "ops/Ops.h"
#include "tests/runtime/TemporaryFolder.h"

#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <optional>
#include <regex>
#include <unistd.h>

namespace tigon::ops {
namespace {

std::string findAssembler() {
  const char *path = std::getenv("PATH");
  std::string folders = fmt::format("{}:/usr/local/cuda/bin", path ? path : "");
  for (size_t begin = 0; begin < folders.size();) {
    size_t end = std::min(folders.find(':', begin), folders.size());
    std::string program = folders.substr(begin, end - begin) + "/ptxas";
    if (access(program.c_str(), X_OK) == 0)
      return program;
    begin = end + 1;
  }
  return "";
}

// Nothing is launched, so any address will do.
Tensor tensor(DType dtype, std::vector<int64_t> shape) {
  return {.data = reinterpret_cast<void *>(256), .dtype = dtype, .shape = std::move(shape)};
}

DeviceProperties h200() {
  DeviceProperties device;
  device.processors = 132;
  return device;
}

struct Assembled {
  int registers = 0, spilledBytes = 0;
};

struct Registers : testing::Test {
  void SetUp() override {
    assembler = findAssembler();
    if (assembler.empty())
      GTEST_SKIP() << "found no ptxas";
  }

  std::optional<Assembled> assemble(const Launch &launch, const std::string &target = "sm_90") {
    lang::Kernel kernel(launch.kernel);
    launch.write(kernel);
    auto module = kernel.build();
    EXPECT_TRUE(bool(module)) << module.error().text();
    auto compiled =
        compile(*module, {.target = target, .plan = launch.compile, .facts = factsOf(launch)});
    if (!compiled) {
      ADD_FAILURE() << launch.kernel << ": " << compiled.error().text();
      return std::nullopt;
    }
    std::string ptx = folder.write("kernel.ptx", compiled->artifact.code);
    std::string report,
        command = fmt::format("'{}' -v -arch={} '{}' -o /dev/null 2>&1", assembler, target, ptx);
    FILE *pipe = popen(command.c_str(), "r");
    char line[512];
    while (fgets(line, sizeof line, pipe))
      report += line;
    EXPECT_EQ(pclose(pipe), 0) << report;
    std::smatch registers, stores, loads;
    if (!std::regex_search(report, registers, std::regex("Used (\\d+) registers")) ||
        !std::regex_search(report, stores, std::regex("(\\d+) bytes spill stores")) ||
        !std::regex_search(report, loads, std::regex("(\\d+) bytes spill loads"))) {
      ADD_FAILURE() << launch.kernel << ": " << report;
      return std::nullopt;
    }
    RecordProperty(launch.kernel, registers[1]);
    return Assembled{std::stoi(registers[1]), std::stoi(stores[1]) + std::stoi(loads[1])};
  }

  std::string assembler;
  TemporaryFolder folder;
};

// The acceptance kernel: a row of f32 alone would be 64 registers of 256 threads, and so would dw.
TEST_F(Registers, RmsNormBackwardOf16384ColumnsTakesAtMost64) {
  for (DType dtype : {DType::F32, DType::BF16})
    for (Casting casting : {Casting::Llama, Casting::Gemma, Casting::None}) {
      Tensor x = tensor(dtype, {4096, 16384}), w = tensor(dtype, {16384});
      Tensor rstd = tensor(DType::F32, {4096});
      Plan backward = *plan(
          RmsNormBackward{
              .dy = x, .x = x, .w = w, .rstd = rstd, .dx = x, .dw = w, .casting = casting},
          h200());
      const Launch &launch = backward.launches.front();
      if (auto assembled = assemble(launch)) {
        EXPECT_LE(assembled->registers, 64) << launch.kernel;
        EXPECT_EQ(assembled->spilledBytes, 0) << launch.kernel;
      }
    }
}

TEST_F(Registers, NoKernelSpills) {
  for (DType dtype : {DType::F32, DType::BF16, DType::F16})
    for (int64_t n : {1000, 1001, 4096, 16001, 32768, 131072}) {
      if (dtype == DType::F16 && n != 1000 && n != 16001) // as bf16
        continue;
      Tensor x = tensor(dtype, {4096, n}), w = tensor(dtype, {n}),
             rstd = tensor(DType::F32, {4096});
      std::vector<Plan> plans = {
          *plan(VectorAdd{x, x, x}, h200()),
          *plan(Softmax{x, x}, h200()),
          *plan(SoftmaxBackward{x, x, x}, h200()),
          *plan(LayerNorm{x, w, w, x, rstd, rstd}, h200()),
          *plan(LayerNormBackward{x, x, w, rstd, rstd, x, w, w}, h200()),
          *plan(SwiGlu{x, x, x}, h200()),
          *plan(SwiGluBackward{x, x, x, x, x}, h200()),
          *plan(GeGlu{x, x, x}, h200()),
          *plan(GeGluBackward{x, x, x, x, x}, h200()),
      };
      for (Casting casting : {Casting::Llama, Casting::Gemma, Casting::None}) {
        plans.push_back(
            *plan(RmsNorm{.x = x, .w = w, .y = x, .rstd = rstd, .casting = casting}, h200()));
        for (Tensor dw : {w, Tensor{}})
          plans.push_back(*plan(
              RmsNormBackward{
                  .dy = x, .x = x, .w = w, .rstd = rstd, .dx = x, .dw = dw, .casting = casting},
              h200()));
      }
      Tensor target = tensor(DType::I64, {4096}), loss = tensor(DType::F32, {});
      Tensor apart = x;
      apart.data = reinterpret_cast<void *>(512);
      for (const Tensor &dlogits : {x, apart, Tensor{}})
        plans.push_back(*plan(CrossEntropy{x, target, loss, dlogits}, h200()));
      for (float beta : {0.0f, 0.5f, 1.0f})
        plans.push_back(*plan(Jsd{x, x, loss, x, target, beta}, h200()));
      if (n <= 1024) {
        int64_t d = n / 16 * 2; // 124 or 128
        Tensor q = tensor(dtype, {4, 2048, 32, d}), k = tensor(dtype, {4, 2048, 8, d});
        Tensor table = tensor(dtype, {1, 2048, d});
        plans.push_back(*plan(Rope{q, k, table, table, q, k}, h200()));
      }
      for (const Plan &plan : plans)
        for (const Launch &launch : plan.launches)
          for (const char *target : {"sm_80", "sm_90"})
            if (auto assembled = assemble(launch, target))
              EXPECT_EQ(assembled->spilledBytes, 0) << launch.kernel << " for " << target << ": "
                                                    << assembled->registers << " registers";
    }
}

// GPT-2's vocabulary: loaded element by element, each with an address.
TEST_F(Registers, LossesOf50257ColumnsDoNotSpill) {
  for (DType dtype : {DType::F32, DType::BF16, DType::F16}) {
    Tensor x = tensor(dtype, {4096, 50257}), apart = x;
    apart.data = reinterpret_cast<void *>(512);
    Tensor target = tensor(DType::I64, {4096}), loss = tensor(DType::F32, {});
    for (const Plan &plan : {*plan(CrossEntropy{x, target, loss, x}, h200()),
                             *plan(CrossEntropy{x, target, loss, apart}, h200()),
                             *plan(Jsd{x, apart, loss, x, target}, h200())})
      for (const Launch &launch : plan.launches)
        if (auto assembled = assemble(launch))
          EXPECT_EQ(assembled->spilledBytes, 0) << launch.kernel;
  }
}

} // namespace
} // namespace tigon::ops
