// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/OpTest.h"

#include <thread>

namespace tigon::ops {
namespace {

class VectorAddOp : public OpTest {};
TIGON_TEST_ON_DEVICES(VectorAddOp);

TEST_P(VectorAddOp, Adds) {
  for (DType dtype : {DType::F32, DType::BF16, DType::F16})
    for (int64_t n : {0, 1, 7, 1023, 1024, 5000}) {
      Tensor x = normal(dtype, {n}, 1), y = normal(dtype, {n}, 2), out = fresh(dtype, {n});
      ASSERT_EQ(run(VectorAdd{x, y, out}), "");
      std::vector<double> a = values(x), b = values(y), sum;
      for (int64_t i = 0; i < n; ++i)
        sum.push_back(a[i] + b[i]);
      expectNear(values(out), sum, dtype, 1, {0});
    }
}

TEST_P(VectorAddOp, InPlaceAndMixed) {
  Tensor x = normal(DType::F32, {33}, 1), y = normal(DType::BF16, {33}, 2);
  std::vector<double> a = values(x), b = values(y);
  ASSERT_EQ(run(VectorAdd{x, y, x}), "");
  for (size_t i = 0; i < a.size(); ++i)
    EXPECT_EQ(values(x)[i], double(float(a[i] + b[i])));
}

TEST_P(VectorAddOp, HonoursStrides) {
  Tensor all = normal(DType::F32, {40}, 1), out = fresh(DType::F32, {5, 4});
  Tensor every = {.data = all.data, .shape = {5, 4}, .strides = {8, 2}};
  Tensor one = {.data = all.data, .shape = {5, 4}, .strides = {0, 0}};
  ASSERT_EQ(run(VectorAdd{every, one, out}), "");
  std::vector<double> a = values(all), sum = values(out);
  for (int64_t i = 0; i < 20; ++i)
    EXPECT_EQ(sum[i], double(float(a[2 * i] + a[0])));
}

TEST_P(VectorAddOp, KeepsNanInfinityAndNegativeZero) {
  HostTensor x = *HostTensor::zeros(DType::F32, {3});
  x.set(0, NAN), x.set(1, -INFINITY), x.set(2, -0.0);
  Tensor tensor = upload(x), out = fresh(DType::F32, {3});
  ASSERT_EQ(run(VectorAdd{tensor, tensor, out}), "");
  std::vector<double> sum = values(out);
  EXPECT_TRUE(std::isnan(sum[0]));
  EXPECT_EQ(sum[1], -INFINITY);
  EXPECT_TRUE(sum[2] == 0 && std::signbit(sum[2]));
}

// On a CPU such results go past the cache; the last tile is not full, the address no multiple of 32.
TEST_P(VectorAddOp, LargeResults) {
  if (device.properties().kind == DeviceKind::Interpreter)
    return; // has no cache, and would take a minute
  const int64_t n = (5 << 20) + 5;
  Tensor x = normal(DType::F32, {n}, 1), out = fresh(DType::F32, {n + 4});
  out.data = static_cast<float *>(out.data) + 4;
  out.shape = {n};
  ASSERT_EQ(run(VectorAdd{x, x, out}), "");
  std::vector<double> a = values(x), sum = values(out);
  int64_t wrong = 0;
  for (int64_t i = 0; i < n; ++i)
    wrong += sum[i] != 2 * a[i];
  EXPECT_EQ(wrong, 0);
  bool isStreamed =
      plan(VectorAdd{x, x, out}, device.properties())->launches.front().kernel.find("streamed") !=
      std::string::npos;
  EXPECT_EQ(isStreamed, device.properties().kind == DeviceKind::Cpu);
}

TEST_P(VectorAddOp, CompilesAFewTimesForManyLengths) {
  for (int64_t n = 1; n <= 64; ++n) {
    Tensor x = normal(DType::F32, {n}, 1), out = fresh(DType::F32, {n});
    ASSERT_EQ(run(VectorAdd{x, x, out}), "");
  }
  EXPECT_EQ(library.compilations(), 4u); // n is 1, divisible by 16, by 8, or neither
}

TEST_P(VectorAddOp, ThreadsShareALibrary) {
  Tensor x = normal(DType::F32, {512}, 1);
  std::vector<Tensor> sums;
  for (int i = 0; i < 8; ++i)
    sums.push_back(fresh(DType::F32, {512}));
  std::vector<std::thread> threads;
  for (const Tensor &sum : sums)
    threads.emplace_back([&] { EXPECT_EQ(run(VectorAdd{x, x, sum}), ""); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(library.compilations(), 1u);
  for (const Tensor &sum : sums)
    EXPECT_EQ(values(sum), values(sums.front()));
}

TEST_P(VectorAddOp, RefusesWhatItCannotAdd) {
  Tensor x = normal(DType::F32, {8}, 1), y = normal(DType::F32, {9}, 2);
  EXPECT_EQ(run(VectorAdd{x, y, x}),
            "VectorAdd: found x f32[8], y f32[9] and out f32[8], expected one shape");
  EXPECT_EQ(run(VectorAdd{x, {.shape = {8}}, x}),
            "VectorAdd, y: found no data for f32[8], expected an address in the device's memory");
  Tensor columns = {.data = x.data, .shape = {2, 2, 2}, .strides = {1, 4, 2}};
  EXPECT_EQ(run(VectorAdd{columns, columns, columns}),
            "VectorAdd, x: found f32[2, 2, 2] with strides [1, 4, 2], expected that a single "
            "stride leads through the first 3 axes; copy it to row-major order");
}

} // namespace
} // namespace tigon::ops
