// SPDX-License-Identifier: Apache-2.0
//
// Every operator's kernels compile for GPUs, whether there is one or not.
#include "compiler/Compiler.h"
#include "ops/Ops.h"

#include <gtest/gtest.h>

namespace tigon::ops {
namespace {

// Nothing is launched, so any address will do.
Tensor tensor(DType dtype, std::vector<int64_t> shape) {
  return {.data = reinterpret_cast<void *>(256), .dtype = dtype, .shape = std::move(shape)};
}

std::vector<Plan> plansOf(DType dtype, int64_t n) {
  DeviceProperties device;
  device.processors = 132;
  Tensor x = tensor(dtype, {4096, n}), w = tensor(dtype, {n}), rstd = tensor(DType::F32, {4096});
  Tensor half = tensor(dtype, {4096, n / 2});
  half.strides = {n, 1};
  std::vector<Plan> plans = {*plan(VectorAdd{x, x, x}, device), *plan(Softmax{x, x}, device),
                             *plan(SoftmaxBackward{x, x, x}, device),
                             *plan(LayerNorm{x, w, w, x, rstd, rstd}, device),
                             *plan(LayerNormBackward{x, x, w, rstd, rstd, x, w, w}, device)};
  for (const Tensor &a : {x, half}) {
    plans.push_back(*plan(SwiGlu{a, a, a}, device));
    plans.push_back(*plan(SwiGluBackward{a, a, a, a, a}, device));
    plans.push_back(*plan(GeGlu{a, a, a}, device));
    plans.push_back(*plan(GeGluBackward{a, a, a, a, a}, device));
  }
  for (Casting casting : {Casting::Llama, Casting::Gemma, Casting::None}) {
    plans.push_back(
        *plan(RmsNorm{.x = x, .w = w, .y = x, .rstd = rstd, .casting = casting}, device));
    plans.push_back(*plan(
        RmsNormBackward{
            .dy = x, .x = x, .w = w, .rstd = rstd, .dx = x, .dw = w, .casting = casting},
        device));
  }
  Tensor target = tensor(DType::I64, {4096}), loss = tensor(DType::F32, {});
  for (Tensor dlogits : {x, Tensor{}})
    plans.push_back(*plan(CrossEntropy{x, target, loss, dlogits}, device));
  for (float beta : {0.0f, 0.5f, 1.0f})
    plans.push_back(*plan(Jsd{x, x, loss, x, target, beta}, device));
  Tensor heads = tensor(dtype, {2, 2048, 3, n}), table = tensor(dtype, {1, 2048, n});
  plans.push_back(*plan(Rope{heads, heads, table, table, heads, heads}, device));
  return plans;
}

TEST(GpuCode, EveryKernelCompiles) {
  for (DType dtype : {DType::F32, DType::BF16, DType::F16})
    for (int64_t n : {100, 4096, 65536})
      for (const Plan &plan : plansOf(dtype, n))
        for (const Launch &launch : plan.launches) {
          lang::Kernel kernel(launch.kernel);
          launch.write(kernel);
          auto module = kernel.build();
          ASSERT_TRUE(bool(module)) << module.error().text();
          auto compiled = compile(*module, {.target = "sm_90"});
          ASSERT_TRUE(bool(compiled)) << launch.kernel << ": " << compiled.error().text();
          EXPECT_NE(compiled->artifact.code.find(".entry " + launch.kernel), std::string::npos);
        }
}

} // namespace
} // namespace tigon::ops
