// SPDX-License-Identifier: Apache-2.0
//
// Lesson 4: the operators of tigon/Ops.h. Each is run on a GPU if there is one, else on the CPU,
// held against plain loops in double, and timed beside a copy that moves as many bytes.
//
//   04-operators [FOLDER]     also writes the kernels as PTX there, for sm_80 and sm_90
#include "tigon/HostTensor.h"
#include "tigon/Ops.h"
#include "tigon/Runtime.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>

using namespace tigon;

// The lesson ends with the message of what failed.
template <typename T> T check(Result<T> result) {
  if (!result) {
    fprintf(stderr, "error: %s\n", result.error().text().c_str());
    exit(1);
  }
  if constexpr (!std::is_void_v<T>)
    return std::move(*result);
}

// A tensor on the device, and what it was made of.
struct OnDevice {
  HostTensor host;
  Buffer buffer;

  OnDevice(const Device &device, HostTensor from)
      : host(std::move(from)), buffer(check(Buffer::allocate(device, host.bytes()))) {
    check(buffer.copyFrom(host.data(), host.bytes()));
  }
  operator ops::Tensor() const {
    return {.data = buffer.data(), .dtype = host.dtype(), .shape = host.shape()};
  }
};

// A row of the reference: from operands' rows, in double.
using Row = std::vector<double>;
using Reference = std::function<Row(const Row &x, const Row &second)>;

Row readRow(const HostTensor &tensor, int64_t row, int64_t n) {
  Row values(n);
  int64_t first = row * n % tensor.elements(); // a weight of n elements is the same for each row
  for (int64_t i = 0; i < n; ++i)
    values[i] = tensor.get(first + i);
  return values;
}

// The largest error, relative to the largest value of a row.
double worstError(const HostTensor &x, const HostTensor &second, const HostTensor &got,
                  const Reference &reference) {
  double worst = 0;
  int64_t n = got.shape().back();
  for (int64_t row = 0; row < got.elements() / n; ++row) {
    Row want = reference(readRow(x, row, n), readRow(second, row, n)), have = readRow(got, row, n);
    double error = 0, largest = 0;
    for (int64_t i = 0; i < n; ++i) {
      double difference = std::fabs(have[i] - want[i]);
      error = difference <= error ? error : difference; // NaN stays
      largest = std::max(largest, std::fabs(want[i]));
    }
    worst = error / largest <= worst ? worst : error / largest;
  }
  return worst;
}

// The fastest of some runs of what `body` gives to the stream.
template <typename F> double milliseconds(const Stream &stream, F body) {
  auto start = check(Event::create(stream.device())), end = check(Event::create(stream.device()));
  double best = 1e9;
  for (int run = 0; run < 10; ++run) {
    check(start.record(stream));
    body();
    check(end.record(stream));
    check(end.synchronize());
    best = std::min(best, check(Event::elapsedMilliseconds(start, end)));
  }
  return best;
}

// What a compiler's output is without a GPU: text, for any of them.
void writePtx(const ops::Plan &plan, const std::string &folder) {
  for (const ops::Launch &launch : plan.launches) {
    lang::Kernel kernel(launch.kernel);
    launch.write(kernel);
    Module module = check(kernel.build());
    for (const char *target : {"sm_80", "sm_90"}) {
      Compilation compiled = check(compile(module, {.target = target, .plan = launch.compile}));
      std::ofstream(folder + "/" + launch.kernel + "." + target + ".ptx") << compiled.artifact.code;
    }
  }
}

int main(int argc, char **argv) {
  constexpr int64_t rows = 1024, n = 4000; // of which no power of two is a multiple
  auto cuda = Device::open("cuda:0");
  Device device = cuda ? *cuda : check(Device::open("cpu"));
  Stream stream = check(Stream::create(device));
  ops::Library library(device);
  auto random = [&](DType dtype, std::vector<int64_t> shape, uint64_t seed) {
    return OnDevice(device, check(HostTensor::randn(dtype, std::move(shape), seed)));
  };
  printf("%s, %ld rows of %ld\n", device.properties().model.c_str(), long(rows), long(n));
  printf("%-28s %12s %9s %14s %12s\n", "", "worst error", "time", "bytes moved", "a copy's");

  bool allRight = true;
  // Runs an operator of x and a second operand (x again where there is one only).
  auto show = [&](const char *name, const auto &op, const OnDevice &x, const OnDevice &second,
                  OnDevice &out, int64_t bytes, const Reference &reference) {
    ops::Plan plan = check(ops::plan(op, device.properties()));
    Buffer workspace = check(Buffer::allocate(device, plan.workspaceBytes));
    auto launch = [&] { check(library.run(stream, plan, {workspace.data(), workspace.bytes()})); };
    launch(); // compiles
    check(stream.synchronize());
    check(out.buffer.copyTo(out.host.data(), out.host.bytes()));
    double error = worstError(x.host, second.host, out.host, reference);
    // Half a unit in the last place of bf16 is 2^-8 of a value, one of f32 2^-24; f32's sums and
    // exponentials lose a little more.
    double allowed = out.host.dtype() == DType::BF16 ? 0x1.01p-8 : 0x1p-20;
    allRight &= error <= allowed;
    double ofKernel = milliseconds(stream, launch);
    double ofCopy = milliseconds(
        stream, [&] { check(out.buffer.copyFrom(stream, x.buffer, out.host.bytes())); });
    printf("%-28s %12.1e %6.3f ms %9.1f GB/s %7.1f GB/s%s\n", name, error, ofKernel,
           1e-6 * double(bytes) / ofKernel, 2e-6 * double(out.host.bytes()) / ofCopy,
           error <= allowed ? "" : "   WRONG");
    if (argc > 1)
      writePtx(plan, argv[1]);
  };

  const Reference add = [](const Row &x, const Row &y) {
    Row sum(x.size());
    for (size_t i = 0; i < x.size(); ++i)
      sum[i] = x[i] + y[i];
    return sum;
  };
  const Reference softmax = [](const Row &x, const Row &) {
    Row y(x.size());
    double most = *std::max_element(x.begin(), x.end()), total = 0;
    for (size_t i = 0; i < x.size(); ++i)
      total += y[i] = std::exp(x[i] - most);
    for (double &value : y)
      value /= total;
    return y;
  };
  const Reference rmsNorm = [](const Row &x, const Row &w) {
    Row y(x.size());
    double squares = 0;
    for (double value : x)
      squares += value * value;
    for (size_t i = 0; i < x.size(); ++i)
      y[i] = x[i] / std::sqrt(squares / double(x.size()) + 1e-6) * w[i];
    return y;
  };

  for (DType dtype : {DType::F32, DType::BF16}) {
    OnDevice x = random(dtype, {rows, n}, 1), y = random(dtype, {rows, n}, 2);
    OnDevice w = random(dtype, {n}, 3), out = random(dtype, {rows, n}, 4);
    std::string type(dtypeName(dtype));
    int64_t bytes = int64_t(x.host.bytes());
    show(("vector add, " + type).c_str(), ops::VectorAdd{x, y, out}, x, y, out, 3 * bytes, add);
    show(("softmax, " + type).c_str(), ops::Softmax{x, out}, x, x, out, 2 * bytes, softmax);
    show(("RMS norm, " + type).c_str(),
         ops::RmsNorm{.x = x, .w = w, .y = out, .eps = 1e-6f, .casting = ops::Casting::Gemma}, x, w,
         out, 2 * bytes, rmsNorm);
  }
  return allRight ? 0 : 1;
}
