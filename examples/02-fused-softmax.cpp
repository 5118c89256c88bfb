// SPDX-License-Identifier: Apache-2.0
//
// Lesson 2: y = exp(x - max x) / sum exp(x - max x), for each row of x [rows, n], in one trip to memory.
// A tile is a whole row, whatever its length: the compiler walks it in strips that fit into registers.
#include "tigon/HostTensor.h"
#include "tigon/Jit.h"
#include "tigon/Lang.h"
#include "tigon/Runtime.h"

#include <algorithm>
#include <bit>
#include <cmath>
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

// A program a row. The block is a power of two, so its last elements may be beyond the row: they
// read -inf, whose exponential is 0, and are not stored.
tigon::Module softmax(int64_t block) {
  using namespace tigon::lang;
  tigon::lang::Kernel k("softmax");
  Value xs = k.pointer("x", BF16), ys = k.pointer("y", BF16);
  Value n = k.scalar("n", I32);
  Value row = programId(0).to(I64) * n;
  Value columns = arange(0, block), mask = columns < n;
  Value x = load(xs + row + columns, {.mask = mask, .other = -INFINITY}).to(F32);
  Value e = exp(x - max(x, 0));
  store(ys + row + columns, e / sum(e, 0), {.mask = mask}); // rounded to bf16
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

// Whether y is right to the last bit of bf16, but for what f32 loses.
bool isRight(const HostTensor &x, const HostTensor &y) {
  int64_t rows = x.shape()[0], n = x.shape()[1];
  for (int64_t row = 0; row < rows; ++row) {
    double most = -INFINITY, sum = 0;
    for (int64_t c = 0; c < n; ++c)
      most = std::max(most, x.get(row * n + c));
    for (int64_t c = 0; c < n; ++c)
      sum += std::exp(x.get(row * n + c) - most);
    for (int64_t c = 0; c < n; ++c) {
      double want = std::exp(x.get(row * n + c) - most) / sum, got = y.get(row * n + c);
      if (!(std::fabs(got - want) <= 0x1.01p-8 * want)) {
        fprintf(stderr, "error: y[%ld, %ld] is %g, expected %g\n", long(row), long(c), got, want);
        return false;
      }
    }
  }
  return true;
}

int main() {
  constexpr int64_t rows = 512, n = 5000;

  auto cuda = tigon::Device::open("cuda:0");
  tigon::Device device = cuda ? *cuda : check(tigon::Device::open("cpu"));
  tigon::Stream stream = check(tigon::Stream::create(device));

  HostTensor xs = check(HostTensor::randn(tigon::DType::BF16, {rows, n}, /*seed=*/1));
  HostTensor ys = check(HostTensor::zeros(tigon::DType::BF16, {rows, n}));
  auto x = check(tigon::Buffer::allocate(device, xs.bytes()));
  auto y = check(tigon::Buffer::allocate(device, ys.bytes()));
  check(x.copyFrom(xs.data(), xs.bytes()));

  auto kernel = check(tigon::Jit::create(device, softmax(std::bit_ceil(uint64_t(n)))));
  auto launch = [&] { check(kernel.launch(stream, {.x = rows}, x, y, int32_t(n))); };
  launch();
  check(y.copyTo(ys.data(), ys.bytes()));
  if (!isRight(xs, ys))
    return 1;

  double bytes = 2.0 * double(xs.bytes());
  double ofKernel = milliseconds(stream, launch);
  double ofCopy = milliseconds(stream, [&] { check(y.copyFrom(stream, x, xs.bytes())); });
  printf("%s: softmax of %ld rows of %ld in %.3f ms, %.0f GB/s; a plain copy moves %.0f GB/s\n",
         device.properties().model.c_str(), long(rows), long(n), ofKernel, 1e-6 * bytes / ofKernel,
         1e-6 * bytes / ofCopy);
}
