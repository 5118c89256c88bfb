// SPDX-License-Identifier: Apache-2.0
//
// Code is made once for each set of facts about the arguments.
#include "runtime/Jit.h"

#include "dialect/lang/Lang.h"
#include "runtime/Runtime.h"

#include <gtest/gtest.h>
#include <numeric>
#include <thread>

namespace tigon {
namespace {

// out[i] = x[i * stride] + x[i * stride], i < n
Module twice() {
  using namespace lang;
  lang::Kernel k("twice");
  Value x = k.pointer("x", lang::F32), out = k.pointer("out", lang::F32);
  Value n = k.scalar("n", lang::I32), stride = k.scalar("stride", lang::I64);
  Value i = programId(0) * 64 + arange(0, 64), mask = i < n;
  Value value = load(x + i * stride, {.mask = mask});
  store(out + i, value + value, {.mask = mask});
  return *k.build();
}

struct JitOnCpu : testing::Test {
  Device device = *Device::open("cpu", {.threads = 2});
  Stream stream = *Stream::create(device);
  Jit jit = *Jit::create(device, twice());
  alignas(64) float x[4096], out[2048];

  // How many results are wrong.
  int64_t wrong(int32_t n, int64_t stride, size_t misaligned = 0) {
    std::iota(std::begin(x), std::end(x), 1.0f);
    std::fill(std::begin(out), std::end(out), -1.0f);
    const float *from = x + misaligned;
    float *to = out;
    auto done = jit.launch(stream, {.x = (n + 63) / 64}, from, to, n, stride);
    EXPECT_TRUE(bool(done)) << (done ? "" : done.error().text());
    int64_t wrong = 0;
    for (int64_t i = 0; i < int64_t(std::size(out)); ++i)
      wrong += out[i] != (i < n ? 2 * from[i * stride] : -1.0f);
    return wrong;
  }
};

TEST_F(JitOnCpu, CompilesForOneForMultiplesOf16AndForOthers) {
  EXPECT_EQ(wrong(1, 1), 0);
  EXPECT_EQ(wrong(1024, 1), 0);
  EXPECT_EQ(wrong(333, 1), 0);
  EXPECT_EQ(jit.compilations(), 3u);
  EXPECT_EQ(wrong(1, 1), 0);
  EXPECT_EQ(wrong(48, 1), 0);
  EXPECT_EQ(wrong(335, 1), 0);
  EXPECT_EQ(jit.compilations(), 3u);
}

TEST_F(JitOnCpu, StridesAndAddressesAreFactsToo) {
  EXPECT_EQ(wrong(100, 2), 0);
  EXPECT_EQ(wrong(100, 16), 0);
  EXPECT_EQ(wrong(100, 16, /*misaligned=*/1), 0);
  EXPECT_EQ(jit.compilations(), 3u);
}

TEST_F(JitOnCpu, EightsAreAFactOfTheirOwn) {
  EXPECT_EQ(wrong(1000, 1), 0);
  EXPECT_EQ(wrong(1004, 1), 0);
  EXPECT_EQ(wrong(1008, 1), 0);
  EXPECT_EQ(jit.compilations(), 3u);
  EXPECT_EQ(wrong(72, 1), 0);
  EXPECT_EQ(jit.compilations(), 3u);
}

TEST_F(JitOnCpu, CodeForSomeFactsRefusesOtherArguments) {
  const float *from = x;
  float *to = out;
  int32_t n = 32;
  int64_t stride = 1;
  const Argument arguments[] = {makeArgument(from), makeArgument(to), makeArgument(n),
                                makeArgument(stride)};
  auto kernel = jit.specialize(arguments);
  ASSERT_TRUE(bool(kernel)) << kernel.error().text();
  stride = 2;
  auto done = kernel->launch(stream, {.x = 1}, std::span<const Argument>(arguments));
  ASSERT_FALSE(bool(done));
  EXPECT_EQ(done.error().text(),
            "kernel 'twice', argument 3 'stride': found 2, expected the value 1, which the code "
            "was compiled for; pass that, or compile without this promise");
}

TEST_F(JitOnCpu, ThreadsShareWhatOneCompiles) {
  std::vector<std::thread> threads;
  std::vector<std::vector<float>> results(8, std::vector<float>(64));
  std::fill(std::begin(x), std::end(x), 1.5f);
  for (std::vector<float> &result : results)
    threads.emplace_back([&, to = result.data()] {
      for (int repeat = 0; repeat < 20; ++repeat)
        EXPECT_TRUE(bool(jit.launch(stream, {.x = 1}, static_cast<const float *>(x), to,
                                    int32_t(64), int64_t(1))));
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::vector<float> &result : results)
    EXPECT_EQ(result, std::vector<float>(64, 3.0f));
  EXPECT_LE(jit.compilations(), 2u); // vectors are aligned to 16 bytes, or not
}

TEST_F(JitOnCpu, ChecksBeforeItCompiles) {
  float *from = x, *to = out;
  auto done = jit.launch(stream, {.x = 1}, from, to, int32_t(64), int32_t(1));
  ASSERT_FALSE(bool(done));
  EXPECT_EQ(done.error().text(), "kernel 'twice', argument 3 'stride': found an integer of 4 "
                                 "bytes, expected i64 (8 bytes); pass an int64_t");
  EXPECT_EQ(jit.compilations(), 0u);
}

TEST(Jit, NeedsToKnowWhichKernel) {
  Device device = *Device::open("cpu");
  auto two = Module::parse("tt.func public @a() { tt.return }\ntt.func public @b() { tt.return }",
                           "two.ttir");
  auto jit = Jit::create(device, *two);
  ASSERT_FALSE(bool(jit));
  EXPECT_EQ(jit.error().text(),
            "two.ttir: found 2 kernels (a, b), expected one, or CompileOptions::kernel");
  EXPECT_TRUE(bool(Jit::create(device, *two, {.kernel = "b"})));
  EXPECT_EQ(Jit::create(device, *two, {.kernel = "c"}).error().text(),
            "found no kernel 'c', expected one of: a, b");
}

} // namespace
} // namespace tigon
