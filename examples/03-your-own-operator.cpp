// SPDX-License-Identifier: Apache-2.0
//
// Lesson 3: an operator of your own. A transformer adds what a layer computed to the hidden state and
// norms the sum for the next one: h = h + x, y = h / sqrt(mean(h^2) + eps) * w. Two kernels would read
// h twice and write it once; one reads h and x, writes h and y, and moves two thirds of the bytes.
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

// A program a row, in place: what a program has loaded nobody else needs.
tigon::Module addAndNorm(int64_t block) {
  using namespace tigon::lang;
  tigon::lang::Kernel k("add_rms_norm");
  Value hs = k.pointer("h", BF16), xs = k.pointer("x", BF16), ws = k.pointer("w", BF16);
  Value ys = k.pointer("y", BF16), n = k.scalar("n", I32), eps = k.scalar("eps", F32);
  Value row = programId(0).to(I64) * n;
  Value columns = arange(0, block), mask = columns < n;
  auto read = [&](Value at) { return load(at + columns, {.mask = mask, .other = 0}).to(F32); };
  // Rounded to bf16 as the hidden state is, so that y is the norm of what is stored.
  Value h = (read(hs + row) + read(xs + row)).to(BF16).to(F32);
  store(hs + row + columns, h, {.mask = mask});
  Value y = h * rsqrt(sum(h * h, 0) / n + eps) * read(ws);
  store(ys + row + columns, y, {.mask = mask});
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

// Whether y is right to the last bit of bf16, but for what f32 loses, and h exactly.
bool isRight(const HostTensor &before, const HostTensor &x, const HostTensor &w,
             const HostTensor &after, const HostTensor &y, double eps) {
  int64_t rows = x.shape()[0], n = x.shape()[1];
  auto differs = [](const char *what, int64_t row, int64_t c, double got, double want) {
    fprintf(stderr, "error: %s[%ld, %ld] is %g, expected %g\n", what, long(row), long(c), got,
            want);
    return false;
  };
  for (int64_t row = 0; row < rows; ++row) {
    double squares = 0;
    for (int64_t i = row * n; i < (row + 1) * n; ++i) {
      uint64_t bits = tigon::encodeElement(tigon::DType::BF16, before.get(i) + x.get(i));
      if (after.get(i) != tigon::decodeElement(tigon::DType::BF16, bits))
        return differs("h", row, i - row * n, after.get(i), before.get(i) + x.get(i));
      squares += after.get(i) * after.get(i);
    }
    for (int64_t c = 0; c < n; ++c) {
      double got = y.get(row * n + c);
      double want = after.get(row * n + c) / std::sqrt(squares / double(n) + eps) * w.get(c);
      if (!(std::fabs(got - want) <= 0x1.01p-8 * std::fabs(want)))
        return differs("y", row, c, got, want);
    }
  }
  return true;
}

int main() {
  constexpr int64_t rows = 512, n = 5000;
  constexpr float eps = 1e-6f;

  auto cuda = tigon::Device::open("cuda:0");
  tigon::Device device = cuda ? *cuda : check(tigon::Device::open("cpu"));
  tigon::Stream stream = check(tigon::Stream::create(device));
  auto upload = [&](const HostTensor &tensor) {
    auto buffer = check(tigon::Buffer::allocate(device, tensor.bytes()));
    check(buffer.copyFrom(tensor.data(), tensor.bytes()));
    return buffer;
  };

  using tigon::DType;
  HostTensor hs = check(HostTensor::randn(DType::BF16, {rows, n}, /*seed=*/1));
  HostTensor xs = check(HostTensor::randn(DType::BF16, {rows, n}, /*seed=*/2));
  HostTensor ws = check(HostTensor::randn(DType::BF16, {n}, /*seed=*/3));
  HostTensor sums = check(HostTensor::zeros(DType::BF16, {rows, n}));
  HostTensor ys = check(HostTensor::zeros(DType::BF16, {rows, n}));
  auto h = upload(hs), x = upload(xs), w = upload(ws), y = upload(ys);

  auto norm = check(tigon::Jit::create(device, addAndNorm(std::bit_ceil(uint64_t(n)))));
  auto launch = [&] { check(norm.launch(stream, {.x = rows}, h, x, w, y, int32_t(n), eps)); };
  launch();
  check(h.copyTo(sums.data(), sums.bytes()));
  check(y.copyTo(ys.data(), ys.bytes()));
  if (!isRight(hs, xs, ws, sums, ys, eps))
    return 1;

  double bytes = 4.0 * double(xs.bytes());
  double ofKernel = milliseconds(stream, launch);
  double ofCopies = milliseconds(stream, [&] { // as many bytes
    check(y.copyFrom(stream, x, xs.bytes()));
    check(x.copyFrom(stream, h, hs.bytes()));
  });
  printf("%s: adds and norms %ld rows of %ld in %.3f ms, %.0f GB/s; a plain copy moves %.0f GB/s\n",
         device.properties().model.c_str(), long(rows), long(n), ofKernel, 1e-6 * bytes / ofKernel,
         1e-6 * bytes / ofCopies);
}
