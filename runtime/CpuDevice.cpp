// SPDX-License-Identifier: Apache-2.0
#include "runtime/CpuDevice.h"

#include "runtime/CpuHost.h"
#include "runtime/CpuObject.h"
#include "runtime/CpuPool.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>

namespace tigon {
namespace {

constexpr size_t memoryAlignment = 256; // as cuMemAlloc gives, so that the same promises hold

using Clock = std::chrono::steady_clock;

struct CpuEvent {
  Clock::time_point time;
  bool isRecorded = false;
};

class CpuDevice final : public DeviceBackend {
public:
  explicit CpuDevice(unsigned threads) : pool(threads ? threads : availableThreads()) {
    properties = describeHost(pool.threads());
  }

  Result<void> synchronize() override { return {}; }

  Result<void *> allocate(size_t bytes) override {
    if (!bytes)
      return static_cast<void *>(nullptr);
    size_t rounded = bytes + (memoryAlignment - bytes % memoryAlignment) % memoryAlignment;
    void *address = rounded < bytes ? nullptr : std::aligned_alloc(memoryAlignment, rounded);
    if (!address)
      return fail(ErrorCode::OutOfResources,
                  fmt::format("cannot allocate {} bytes on cpu, which has {} in all", bytes,
                              properties.memoryBytes));
    return address;
  }
  void release(void *address) override { std::free(address); }

  Result<void> copy(void *to, const void *from, size_t bytes, void *) override {
    std::memcpy(to, from, bytes);
    return {};
  }
  Result<void> fill(void *to, uint8_t byte, size_t bytes, void *) override {
    std::memset(to, byte, bytes);
    return {};
  }

  Result<void *> createStream() override { return static_cast<void *>(nullptr); }
  void destroyStream(void *) override {}
  Result<void> synchronizeStream(void *) override { return {}; }

  Result<void *> createEvent() override { return static_cast<void *>(new CpuEvent()); }
  void destroyEvent(void *event) override { delete static_cast<CpuEvent *>(event); }
  Result<void> recordEvent(void *event, void *) override {
    *static_cast<CpuEvent *>(event) = {Clock::now(), true};
    return {};
  }
  Result<void> waitForEvent(void *, void *) override { return {}; }
  Result<void> synchronizeEvent(void *) override { return {}; }
  Result<double> elapsedMilliseconds(void *start, void *end) override {
    auto *first = static_cast<CpuEvent *>(start), *last = static_cast<CpuEvent *>(end);
    if (!first->isRecorded || !last->isRecorded)
      return fail(ErrorCode::InvalidArgument, "found an event that was never recorded");
    return std::chrono::duration<double, std::milli>(last->time - first->time).count();
  }

  Result<void> beginCapture(void *) override {
    return fail(ErrorCode::Unsupported,
                "found a graph on device cpu, which has none; launch the kernels one by one");
  }
  Result<void *> endCapture(void *, bool) override { return static_cast<void *>(nullptr); }
  Result<void> launchGraph(void *, void *) override { return {}; }
  void destroyGraph(void *) override {}

  Result<Artifact> assemble(const Artifact &artifact) override { return artifact; }
  Result<std::shared_ptr<LoadedKernel>> load(const Artifact &artifact,
                                             Signature signature) override;

  CpuPool pool;
};

class CpuKernel final : public LoadedKernel {
public:
  CpuKernel(std::shared_ptr<CpuDevice> device, KernelMetadata metadata, Signature signature,
            std::unique_ptr<CpuObject> object)
      : LoadedKernel(std::move(metadata), std::move(signature)), owner(std::move(device)),
        object(std::move(object)) {}

  Result<void> prepare(int64_t) override { return {}; }

  Result<void> launch(void *, const Grid &grid, int64_t programs, const void **values,
                      const Scratch &) override {
    const uint32_t axes[3] = {uint32_t(grid.x), uint32_t(grid.y), uint32_t(grid.z)};
    return owner->pool.run(object->function(), values, axes, programs);
  }

  const DeviceBackend &device() const override { return *owner; }

private:
  const std::shared_ptr<CpuDevice> owner;
  const std::unique_ptr<CpuObject> object;
};

Result<std::shared_ptr<LoadedKernel>> CpuDevice::load(const Artifact &artifact,
                                                      Signature signature) {
  const KernelMetadata &metadata = artifact.metadata;
  if (auto runs = checkHostRuns(metadata.target); !runs)
    return fail(runs.error().code,
                fmt::format("kernel '{}': {}", metadata.name, runs.error().message));
  if (metadata.threads != 1 || metadata.cluster != 1 || metadata.scratchBytesPerProgram)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("kernel '{}': found {} threads, a cluster of {} and {} bytes of global "
                            "scratch, of which code for the CPU has 1, 1 and 0",
                            metadata.name, metadata.threads, metadata.cluster,
                            metadata.scratchBytesPerProgram));
  if (auto reserved = pool.reserveArena(metadata.arenaBytes); !reserved)
    return fail(reserved.error().code,
                fmt::format("kernel '{}': {}", metadata.name, reserved.error().message));
  auto object = CpuObject::load(artifact.code, metadata.name);
  if (!object)
    return object.error();
  auto self = std::static_pointer_cast<CpuDevice>(shared_from_this());
  return std::shared_ptr<LoadedKernel>(std::make_shared<CpuKernel>(
      std::move(self), metadata, std::move(signature), std::move(*object)));
}

} // namespace

std::shared_ptr<DeviceBackend> openCpuDevice(unsigned threads) {
  return std::make_shared<CpuDevice>(threads);
}

} // namespace tigon
