// SPDX-License-Identifier: Apache-2.0
//
// However the compiler walks a row, the operators give the same: whole, in strips of some number,
// an op at a time.
#include "runtime/Jit.h"
#include "tests/ops/OpTest.h"

namespace tigon::ops {
namespace {

class Strips : public OpTest {
protected:
  // As Library::run, compiled with these options.
  template <typename Op> std::string runWith(const Op &op, const CompileOptions &options) {
    auto planned = plan(op, device.properties());
    if (!planned)
      return planned.error().text();
    Buffer workspace = *Buffer::allocate(device, planned->workspaceBytes);
    char *begin = static_cast<char *>(workspace.data());
    std::deque<void *> places;
    for (const Launch &launch : planned->launches) {
      lang::Kernel kernel(launch.kernel);
      launch.write(kernel);
      auto jit = Jit::create(device, *kernel.build(), options);
      std::vector<Argument> arguments;
      for (const LaunchValue &value : launch.arguments)
        arguments.push_back(std::visit(
            [&](const auto &held) {
              if constexpr (std::is_same_v<std::decay_t<decltype(held)>, InWorkspace>)
                return makeArgument(places.emplace_back(begin + held.offset));
              else
                return makeArgument(held);
            },
            value));
      auto ran = jit->launch(stream, launch.grid, std::span<const Argument>(arguments));
      if (!ran)
        return launch.kernel + ": " + ran.error().text();
    }
    return device.synchronize() ? "" : "failed";
  }
};
INSTANTIATE_TEST_SUITE_P(On, Strips, testing::Values("cpu"));

TEST_P(Strips, AllGiveTheSame) {
  for (int64_t n : {5, 100}) // few, since a tile in a single strip is unrolled
    for (DType dtype : {DType::F32, DType::BF16}) {
      std::vector<int64_t> shape = {3, n};
      Tensor x = normal(dtype, shape, 1), dy = normal(dtype, shape, 2), w = normal(dtype, {n}, 3);
      std::vector<std::vector<double>> first;
      for (const char *strips : {"off", "each", "4"}) {
        SCOPED_TRACE(testing::Message() << strips << ", rows of " << n << " " << dtypeName(dtype));
        CompileOptions options = {.strips = strips, .verifyEach = true};
        Tensor y = fresh(dtype, shape), rstd = fresh(DType::F32, {3}), dx = fresh(dtype, shape);
        Tensor dw = fresh(dtype, {n}), p = fresh(dtype, shape), dp = fresh(dtype, shape);
        Tensor inPlace = normal(dtype, shape, 2);
        ASSERT_EQ(runWith(RmsNorm{x, w, y, rstd}, options), "");
        ASSERT_EQ(runWith(RmsNormBackward{dy, x, w, rstd, dx, dw}, options), "");
        ASSERT_EQ(runWith(RmsNormBackward{inPlace, x, w, rstd, inPlace, dw}, options), "");
        ASSERT_EQ(runWith(Softmax{x, p}, options), "");
        ASSERT_EQ(runWith(SoftmaxBackward{p, dy, dp}, options), "");
        EXPECT_EQ(values(inPlace), values(dx));
        Tensor mean = fresh(DType::F32, {3}), normed = fresh(dtype, shape);
        Tensor ofX = fresh(dtype, shape), ofW = fresh(dtype, {n}), ofB = fresh(dtype, {n});
        ASSERT_EQ(runWith(LayerNorm{x, w, w, normed, mean, rstd}, options), "");
        ASSERT_EQ(runWith(LayerNormBackward{dy, x, w, mean, rstd, ofX, ofW, ofB}, options), "");
        Tensor da = fresh(dtype, shape), db = fresh(dtype, shape);
        ASSERT_EQ(runWith(GeGluBackward{dy, x, p, da, db}, options), "");
        std::vector<std::vector<double>> all;
        for (const Tensor &each : {y, dx, dw, p, dp, normed, ofX, ofW, ofB, da, db})
          all.push_back(values(each));
        if (first.empty())
          first = all;
        for (size_t i = 0; i < all.size(); ++i)
          expectNear(all[i], first[i], dtype, 2.01, {1e-5});
      }
    }
}

} // namespace
} // namespace tigon::ops
