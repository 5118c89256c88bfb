// SPDX-License-Identifier: Apache-2.0
//
// Lesson 1: sum = x + y. A kernel in the tile language, compiled at its first launch, on a GPU if
// there is one, else on the CPU. Triton's twin of it is the first lesson of Triton's tutorials.
#include "tigon/HostTensor.h"
#include "tigon/Jit.h"
#include "tigon/Lang.h"
#include "tigon/Runtime.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using tigon::HostTensor;

// The lesson ends with the message of what failed.
template <typename T> T check(tigon::Result<T> result) {
  if (!result) {
    fprintf(stderr, "error: %s\n", result.error().text().c_str());
    exit(1);
  }
  if constexpr (!std::is_void_v<T>)
    return std::move(*result);
}

// A program adds `block` elements: the elements of its tile that are below n.
tigon::Module vectorAdd(int64_t block) {
  using namespace tigon::lang;
  tigon::lang::Kernel k("vector_add");
  Value x = k.pointer("x", F32), y = k.pointer("y", F32), sum = k.pointer("sum", F32);
  Value n = k.scalar("n", I32);
  Value offsets = programId(0) * block + arange(0, block);
  Value mask = offsets < n;
  Value a = load(x + offsets, {.mask = mask});
  Value b = load(y + offsets, {.mask = mask});
  store(sum + offsets, a + b, {.mask = mask});
  return check(k.build());
}

// The fastest of some runs of what `body` gives to the stream.
template <typename F> double milliseconds(const tigon::Stream &stream, F body) {
  auto start = check(tigon::Event::create(stream.device()));
  auto end = check(tigon::Event::create(stream.device()));
  double best = 1e9;
  for (int run = 0; run < 10; ++run) {
    check(start.record(stream));
    body();
    check(end.record(stream));
    check(end.synchronize());
    best = std::min(best, check(tigon::Event::elapsedMilliseconds(start, end)));
  }
  return best;
}

int main() {
  constexpr int64_t n = 4'000'001, block = 1024;
  constexpr size_t bytes = n * sizeof(float);

  auto cuda = tigon::Device::open("cuda:0");
  tigon::Device device = cuda ? *cuda : check(tigon::Device::open("cpu"));
  tigon::Stream stream = check(tigon::Stream::create(device));

  HostTensor xs = check(HostTensor::randn(tigon::DType::F32, {n}, /*seed=*/1));
  HostTensor ys = check(HostTensor::randn(tigon::DType::F32, {n}, /*seed=*/2));
  HostTensor sums = check(HostTensor::zeros(tigon::DType::F32, {n}));
  auto x = check(tigon::Buffer::allocate(device, bytes));
  auto y = check(tigon::Buffer::allocate(device, bytes));
  auto sum = check(tigon::Buffer::allocate(device, bytes));
  check(x.copyFrom(xs.data(), bytes));
  check(y.copyFrom(ys.data(), bytes));

  auto add = check(tigon::Jit::create(device, vectorAdd(block)));
  auto launch = [&] {
    check(add.launch(stream, {.x = (n + block - 1) / block}, x, y, sum, int32_t(n)));
  };
  launch();
  check(sum.copyTo(sums.data(), bytes));
  for (int64_t i = 0; i < n; ++i)
    if (sums.get(i) != double(float(xs.get(i) + ys.get(i)))) {
      fprintf(stderr, "error: element %ld is %g, expected %g\n", long(i), sums.get(i),
              xs.get(i) + ys.get(i));
      return 1;
    }

  double ofKernel = milliseconds(stream, launch);
  double ofCopy = milliseconds(stream, [&] { check(sum.copyFrom(stream, x, bytes)); });
  printf("%s: adds %ld numbers in %.3f ms, %.0f GB/s; a plain copy moves %.0f GB/s\n",
         device.properties().model.c_str(), long(n), ofKernel, 3e-6 * bytes / ofKernel,
         2e-6 * bytes / ofCopy);
}
