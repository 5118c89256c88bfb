// SPDX-License-Identifier: Apache-2.0
//
// tigon doctor: what this machine has, whether kernels run on it, and what to do about what lacks.
#include "tigon/Compiler.h"
#include "tigon/Runtime.h"
#include "tools/tigon/Commands.h"

#include <cstdio>
#include <filesystem>
#include <fmt/format.h>

namespace tigon::cli {
namespace {

// x[i] += i
constexpr const char *probe = R"(
tt.func public @probe(%x: !tt.ptr<i32>) {
  %range = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %xs = tt.splat %x : !tt.ptr<i32> -> tensor<64x!tt.ptr<i32>>
  %at = tt.addptr %xs, %range : tensor<64x!tt.ptr<i32>>, tensor<64xi32>
  %v = tt.load %at : tensor<64x!tt.ptr<i32>>
  %sum = arith.addi %v, %range : tensor<64xi32>
  tt.store %at, %sum : tensor<64x!tt.ptr<i32>>
  tt.return
})";

Result<void> tryDevice(const Device &device) {
  auto module = Module::parse(probe, "probe");
  if (!module)
    return module.error();
  CompileOptions options;
  options.target = device.properties().target;
  auto compiled = compile(*module, options);
  if (!compiled)
    return compiled.error();
  auto kernel = Kernel::load(device, compiled->artifact);
  if (!kernel)
    return kernel.error();
  auto stream = Stream::create(device);
  if (!stream)
    return stream.error();
  int32_t values[64], results[64];
  for (int32_t i = 0; i < 64; ++i)
    values[i] = 1000 + i;
  auto x = Buffer::allocate(device, sizeof(values));
  if (!x)
    return x.error();
  if (auto done = x->copyFrom(values, sizeof(values)); !done)
    return done;
  if (auto done = kernel->launch(*stream, {}, *x); !done)
    return done;
  if (auto done = x->copyTo(results, sizeof(results)); !done)
    return done;
  for (int32_t i = 0; i < 64; ++i)
    if (results[i] != 1000 + 2 * i)
      return fail(ErrorCode::Internal,
                  fmt::format("found {} at element {} of a result, expected {}", results[i], i,
                              1000 + 2 * i));
  return {};
}

/// The features that decide what code for the CPU looks like.
std::string listFeatures(const std::string &all) {
  std::string shown;
  for (const char *feature : {"avx2", "fma", "f16c", "avx512f", "avx512bw", "avx512vl", "avx512dq",
                              "avx512bf16", "avx512fp16", "amx-tile"})
    if (all.find(fmt::format("+{},", feature)) != std::string::npos ||
        all.ends_with(fmt::format("+{}", feature)))
      shown += fmt::format(" {}", feature);
  return shown.empty() ? " none of AVX2 and later" : shown;
}

bool report(const Device &device) {
  const DeviceProperties &properties = device.properties();
  std::printf("%s: %s, target %s, %u %s, %.1f GB\n", properties.name.c_str(),
              properties.model.c_str(), properties.target.c_str(), properties.processors,
              properties.kind == DeviceKind::Cuda ? "processors" : "threads",
              double(properties.memoryBytes) / 1e9);
  if (properties.kind == DeviceKind::Cuda)
    std::printf("  driver %d.%d, takes PTX up to %d.%d\n", properties.driverVersion / 1000,
                properties.driverVersion % 1000 / 10, properties.maxPtxVersion / 10,
                properties.maxPtxVersion % 10);
  else
    std::printf("  features:%s\n", listFeatures(properties.features).c_str());
  auto works = tryDevice(device);
  std::printf("  %s\n", works ? "a kernel compiles, runs and is right"
                              : fmt::format("broken: {}", works.error().text()).c_str());
  return bool(works);
}

/// Why there is no GPU, and what to do.
void explainMissing(const Error &error) {
  std::printf("cuda: none. %s\n", error.text().c_str());
  if (!std::filesystem::exists("/dev/nvidiactl") && !std::filesystem::exists("/dev/dxg"))
    std::printf("  There are no device files either (/dev/nvidiactl). With an NVIDIA GPU in the "
                "machine, install its driver;\n  in a container, start it with the GPU "
                "(docker run --gpus all). Without one, use the CPU: all but launching on a\n  GPU "
                "works, compiling for it too.\n");
  else
    std::printf("  The device files are there, so the kernel's part of the driver is: install the "
                "library that belongs to it\n  (Debian: libcuda1), or, in a container, mount it "
                "(docker run --gpus all).\n");
}

int diagnose() {
  std::printf("tigon, with LLVM %s\n", llvmVersion().c_str());
  bool works = true;
  for (const std::string &name : Device::list()) {
    auto device = Device::open(name);
    if (device) {
      works &= report(*device);
    } else {
      std::printf("%s: broken: %s\n", name.c_str(), device.error().text().c_str());
      works = false;
    }
  }
  if (auto cuda = Device::open("cuda:0"); !cuda)
    explainMissing(cuda.error());
  auto interpreter = Device::open("interpreter");
  auto interprets = interpreter ? tryDevice(*interpreter) : Result<void>(interpreter.error());
  std::printf("interpreter: %s\n", interprets ? "works" : interprets.error().text().c_str());
  std::fflush(stdout);
  return works && interprets ? 0 : complain("found a device that is there and does not work");
}

} // namespace

void addDoctor(CLI::App &app, Action &action) {
  CLI::App *command = app.add_subcommand(
      "doctor", "what this machine has, what is missing and what to do about it");
  command->footer("Example:\n  tigon doctor");
  command->callback([&action] { action = diagnose; });
}

} // namespace tigon::cli
