// SPDX-License-Identifier: Apache-2.0
//
// What stands behind the public handles: one class for a device and one for a kernel, implemented
// once for CUDA and once for the CPU. Checks that do not depend on the device (arguments, grids,
// bounds of copies) are made above this line, in Kernel.cpp and Runtime.cpp.
#pragma once

#include "runtime/LaunchChecks.h"
#include "runtime/Runtime.h"

#include <memory>

namespace tigon {

/// Code on a device.
class LoadedKernel {
public:
  LoadedKernel(KernelMetadata metadata, Signature signature)
      : metadata(std::move(metadata)), signature(std::move(signature)) {}
  virtual ~LoadedKernel() = default;
  LoadedKernel(const LoadedKernel &) = delete;
  LoadedKernel &operator=(const LoadedKernel &) = delete;

  /// Reserves scratch for so many programs.
  virtual Result<void> prepare(int64_t programs) = 0;

  /// `values` point to the checked arguments; two more places behind them are the launch's own.
  /// The grid is checked and not empty.
  virtual Result<void> launch(void *stream, const Grid &grid, int64_t programs, const void **values,
                              const Scratch &scratch) = 0;

  virtual const DeviceBackend &device() const = 0;

  const KernelMetadata metadata;
  const Signature signature;
  KernelReport report;
};

/// A device. Streams, events, graphs and memory are plain handles here; null streams are CUDA's
/// default stream. Functions that release ignore the driver's answer: they run in destructors, and
/// what they could report (a context that an earlier kernel has broken) was reported before.
class DeviceBackend : public std::enable_shared_from_this<DeviceBackend> {
public:
  DeviceBackend() = default;
  virtual ~DeviceBackend() = default;
  DeviceBackend(const DeviceBackend &) = delete;
  DeviceBackend &operator=(const DeviceBackend &) = delete;

  /// Opened twice, a device is still the same: one context, one memory.
  bool isSame(const DeviceBackend &other) const {
    return this == &other || properties.name == other.properties.name;
  }

  virtual Result<void> synchronize() = 0;

  virtual Result<void *> allocate(size_t bytes) = 0;
  virtual void release(void *address) = 0;
  /// Between any two of host and device memory.
  virtual Result<void> copy(void *to, const void *from, size_t bytes, void *stream) = 0;
  virtual Result<void> fill(void *to, uint8_t byte, size_t bytes, void *stream) = 0;

  virtual Result<void *> createStream() = 0;
  virtual void destroyStream(void *stream) = 0;
  virtual Result<void> synchronizeStream(void *stream) = 0;

  virtual Result<void *> createEvent() = 0;
  virtual void destroyEvent(void *event) = 0;
  virtual Result<void> recordEvent(void *event, void *stream) = 0;
  virtual Result<void> waitForEvent(void *stream, void *event) = 0;
  virtual Result<void> synchronizeEvent(void *event) = 0;
  virtual Result<double> elapsedMilliseconds(void *start, void *end) = 0;

  virtual Result<void> beginCapture(void *stream) = 0;
  /// Ends the capture in any case; gives null in place of a graph that is not wanted.
  virtual Result<void *> endCapture(void *stream, bool wanted) = 0;
  virtual Result<void> launchGraph(void *graph, void *stream) = 0;
  virtual void destroyGraph(void *graph) = 0;

  virtual Result<Artifact> assemble(const Artifact &artifact) = 0;
  virtual Result<std::shared_ptr<LoadedKernel>> load(const Artifact &artifact,
                                                     Signature signature) = 0;

  DeviceProperties properties;
};

} // namespace tigon
