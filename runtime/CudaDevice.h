// SPDX-License-Identifier: Apache-2.0
//
// A GPU through the driver: its primary context (the one that PyTorch and the CUDA runtime use, so
// that their pointers and streams are ours too), memory, streams, events and graphs.
#pragma once

#include "runtime/Backend.h"
#include "runtime/CudaDriver.h"

#include <memory>

namespace tigon {

/// Opens GPU `ordinal`. The driver must outlive the device.
Result<std::shared_ptr<DeviceBackend>> openCudaDevice(const CudaDriver &driver, int ordinal);

/// GPUs that can be opened; 0 if the driver cannot say.
int countCudaDevices(const CudaDriver &driver);

/// Makes a context current on this thread while it lives, and puts back what was current before:
/// we are a guest in the caller's thread. Costs one thread-local read if it is current already.
class CurrentContext {
public:
  CurrentContext(const CudaDriver &driver, cuda::Context context) : driver(driver) {
    cuda::Context current = nullptr;
    status = driver.contextGetCurrent(&current);
    if (status == cuda::Status::Success && current != context) {
      status = driver.contextPushCurrent(context);
      isPushed = status == cuda::Status::Success;
    }
  }
  ~CurrentContext() {
    cuda::Context popped;
    if (isPushed)
      driver.contextPopCurrent(&popped);
  }
  CurrentContext(const CurrentContext &) = delete;
  CurrentContext &operator=(const CurrentContext &) = delete;

  explicit operator bool() const { return status == cuda::Status::Success; }
  Error error() const {
    return driver.failure(status, driver.contextPushCurrent.symbol, "cannot use the GPU's context");
  }

private:
  const CudaDriver &driver;
  cuda::Status status;
  bool isPushed = false;
};

class CudaDevice final : public DeviceBackend {
public:
  static Result<std::shared_ptr<CudaDevice>> open(const CudaDriver &driver, int ordinal);
  CudaDevice(const CudaDriver &driver, cuda::Ordinal ordinal, cuda::Context context)
      : driver(driver), context(context), ordinal(ordinal) {}
  ~CudaDevice() override;

  Result<void> synchronize() override;

  Result<void *> allocate(size_t bytes) override;
  void release(void *address) override;
  Result<void> copy(void *to, const void *from, size_t bytes, void *stream) override;
  Result<void> fill(void *to, uint8_t byte, size_t bytes, void *stream) override;

  Result<void *> createStream() override;
  void destroyStream(void *stream) override;
  Result<void> synchronizeStream(void *stream) override;

  Result<void *> createEvent() override;
  void destroyEvent(void *event) override;
  Result<void> recordEvent(void *event, void *stream) override;
  Result<void> waitForEvent(void *stream, void *event) override;
  Result<void> synchronizeEvent(void *event) override;
  Result<double> elapsedMilliseconds(void *start, void *end) override;

  Result<void> beginCapture(void *stream) override;
  Result<void *> endCapture(void *stream, bool wanted) override;
  Result<void> launchGraph(void *graph, void *stream) override;
  void destroyGraph(void *graph) override;

  Result<Artifact> assemble(const Artifact &artifact) override;
  Result<std::shared_ptr<LoadedKernel>> load(const Artifact &artifact,
                                             Signature signature) override;

  const CudaDriver &driver;
  const cuda::Context context;

private:
  /// Calls a function of the driver with the context current.
  template <typename Function, typename... As>
  Result<void> call(const Function &function, As... arguments) const {
    CurrentContext current(driver, context);
    if (!current)
      return current.error();
    return driver.call(function, arguments...);
  }

  const cuda::Ordinal ordinal;
};

} // namespace tigon
