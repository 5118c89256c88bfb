// SPDX-License-Identifier: Apache-2.0
//
// A kernel on a GPU. Everything that may allocate, wait or load happens in `load` and `prepare`, so
// that `launch` is one call of the driver and can be captured in a graph.
//
// Modules, not libraries (cuLibraryLoadData): a kernel belongs to one device, so a library's
// independence of contexts would buy nothing, and one way is taken with every driver.
#pragma once

#include "runtime/CudaAssembler.h"
#include "runtime/CudaDevice.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace tigon {

class CudaKernel final : public LoadedKernel {
public:
  static Result<std::shared_ptr<LoadedKernel>> load(std::shared_ptr<CudaDevice> device,
                                                    const Artifact &artifact, Signature signature);
  ~CudaKernel() override;

  Result<void> prepare(int64_t programs) override;
  Result<void> launch(void *stream, const Grid &grid, int64_t programs, const void **values,
                      const Scratch &scratch) override;
  const DeviceBackend &device() const override { return *owner; }

private:
  CudaKernel(std::shared_ptr<CudaDevice> device, KernelMetadata metadata, Signature signature)
      : LoadedKernel(std::move(metadata), std::move(signature)), owner(std::move(device)) {}

  Result<void> loadModule(const std::string &code);
  Result<void> readReport();
  Result<void> setAttributes();
  Result<void *> findScratch(int64_t programs, const Scratch &passed) const;

  const std::shared_ptr<CudaDevice> owner;
  cuda::Module module = nullptr;
  cuda::Function function = nullptr;

  // Launches read `reserved` without a lock. What was reserved before is kept until the kernel
  // goes: launches under way and captured graphs may point to it.
  std::mutex reserving;
  std::vector<std::unique_ptr<const Scratch>> kept;
  std::atomic<const Scratch *> reserved = nullptr;
};

} // namespace tigon
