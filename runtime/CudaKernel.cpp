// SPDX-License-Identifier: Apache-2.0
#include "runtime/CudaKernel.h"

#include <fmt/format.h>

namespace tigon {
namespace {

using cuda::FunctionAttribute;
using cuda::Status;

// More than this a block gets only if the function asks for it (CUDA C++ Programming Guide,
// "Technical Specifications per Compute Capability").
constexpr unsigned sharedBytesUnasked = 48 << 10;
// Larger clusters run on some devices only, and only if the function asks for it.
constexpr unsigned portableCluster = 8;
constexpr unsigned memoryAlignment = 256; // of cuMemAlloc

/// Refuses before anything is assembled what cannot run on the device.
Result<void> checkResources(const DeviceProperties &device, const KernelMetadata &metadata) {
  if (metadata.sharedBytes > device.sharedBytesPerBlock)
    return fail(ErrorCode::OutOfResources,
                fmt::format("kernel '{}' needs {} bytes of shared memory, a block of {} can have "
                            "{}; compile it with a smaller strip or fewer stages",
                            metadata.name, metadata.sharedBytes, device.name,
                            device.sharedBytesPerBlock));
  if (metadata.threads > 1024)
    return fail(ErrorCode::OutOfResources,
                fmt::format("kernel '{}' needs {} threads, a block can have 1024; compile it with "
                            "at most 32 warps",
                            metadata.name, metadata.threads));
  if (metadata.scratchBytesPerProgram &&
      (!metadata.scratchAlignment || memoryAlignment % metadata.scratchAlignment))
    return fail(ErrorCode::InvalidArgument,
                fmt::format("kernel '{}': found scratch alignment {}, expected a power of two up "
                            "to {}",
                            metadata.name, metadata.scratchAlignment, memoryAlignment));
  return {};
}

} // namespace

Result<std::shared_ptr<LoadedKernel>> CudaKernel::load(std::shared_ptr<CudaDevice> device,
                                                       const Artifact &artifact,
                                                       Signature signature) {
  if (auto fits = checkResources(device->properties, artifact.metadata); !fits)
    return fits.error();
  auto assembled = assembleCuda(*device, artifact);
  if (!assembled)
    return assembled.error();
  CurrentContext current(device->driver, device->context);
  if (!current)
    return current.error();
  std::shared_ptr<CudaKernel> kernel(
      new CudaKernel(std::move(device), artifact.metadata, std::move(signature)));
  kernel->report.log = std::move(assembled->log);
  if (auto loaded = kernel->loadModule(assembled->code); !loaded)
    return loaded.error();
  if (auto read = kernel->readReport(); !read)
    return read.error();
  if (auto set = kernel->setAttributes(); !set)
    return set.error();
  return std::shared_ptr<LoadedKernel>(std::move(kernel));
}

CudaKernel::~CudaKernel() {
  for (const auto &scratch : kept)
    owner->release(scratch->address);
  CurrentContext current(owner->driver, owner->context);
  if (current && module)
    owner->driver.moduleUnload(module);
}

Result<void> CudaKernel::loadModule(const std::string &code) {
  const CudaDriver &driver = owner->driver;
  JitLog log;
  Status status =
      driver.moduleLoadData(&module, code.data(), log.count(), log.keys(), log.values());
  if (status != Status::Success) {
    Error error = driver.failure(status, driver.moduleLoadData.symbol,
                                 fmt::format("kernel '{}' cannot be loaded", metadata.name));
    if (std::string text = log.error(); !text.empty())
      error.message += "; the driver says:\n" + text;
    return error;
  }
  status = driver.moduleGetFunction(&function, module, metadata.name.c_str());
  if (status == Status::NotFound)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("found no kernel '{}' in its own code", metadata.name));
  if (status != Status::Success)
    return driver.failure(status, driver.moduleGetFunction.symbol,
                          fmt::format("kernel '{}' cannot be loaded", metadata.name));
  // Else a lazily loading driver (CUDA_MODULE_LOADING) loads it in the first launch, which may be
  // one under capture.
  if (driver.functionLoad)
    return driver.call(driver.functionLoad, function);
  return {};
}

Result<void> CudaKernel::readReport() {
  const struct {
    unsigned *value;
    FunctionAttribute attribute;
  } fields[] = {{&report.registers, FunctionAttribute::NumRegs},
                {&report.localBytes, FunctionAttribute::LocalSizeBytes},
                {&report.staticSharedBytes, FunctionAttribute::SharedSizeBytes},
                {&report.constantBytes, FunctionAttribute::ConstSizeBytes},
                {&report.maxThreads, FunctionAttribute::MaxThreadsPerBlock}};
  for (auto [value, attribute] : fields) {
    int read = 0;
    if (auto done =
            owner->driver.call(owner->driver.functionGetAttribute, &read, attribute, function);
        !done)
      return done;
    *value = unsigned(read);
  }
  if (report.maxThreads < metadata.threads)
    return fail(ErrorCode::OutOfResources,
                fmt::format("kernel '{}' has {} threads of {} registers, of which {} fit; compile "
                            "it with fewer warps or a smaller strip",
                            metadata.name, metadata.threads, report.registers, report.maxThreads));
  return {};
}

Result<void> CudaKernel::setAttributes() {
  const CudaDriver &driver = owner->driver;
  uint64_t shared = uint64_t(metadata.sharedBytes) + report.staticSharedBytes;
  if (shared > owner->properties.sharedBytesPerBlock)
    return fail(ErrorCode::OutOfResources,
                fmt::format("kernel '{}' needs {} + {} bytes of shared memory, a block of {} can "
                            "have {}; compile it with a smaller strip or fewer stages",
                            metadata.name, metadata.sharedBytes, report.staticSharedBytes,
                            owner->properties.name, owner->properties.sharedBytesPerBlock));
  auto set = [&](FunctionAttribute attribute, int value) {
    return driver.call(driver.functionSetAttribute, function, attribute, value);
  };
  if (shared > sharedBytesUnasked) {
    if (auto done = set(FunctionAttribute::MaxDynamicSharedSizeBytes, int(metadata.sharedBytes));
        !done)
      return done;
    // All of the cache that can be: else the driver's guess may leave room for one block only.
    if (auto done = set(FunctionAttribute::PreferredSharedMemoryCarveout, 100); !done)
      return done;
  }
  if (metadata.cluster > 1 && !driver.launchKernelEx)
    return fail(ErrorCode::Unavailable,
                fmt::format("kernel '{}' uses clusters of {}, which need a driver of CUDA 11.8 or "
                            "newer",
                            metadata.name, metadata.cluster));
  if (metadata.cluster > portableCluster)
    return set(FunctionAttribute::NonPortableClusterSizeAllowed, 1);
  return {};
}

Result<void> CudaKernel::prepare(int64_t programs) {
  auto bytes = tigon::scratchBytes(metadata, programs);
  if (!bytes)
    return bytes.error();
  std::lock_guard lock(reserving);
  const Scratch *has = reserved.load(std::memory_order_relaxed);
  if (!*bytes || (has && has->bytes >= *bytes))
    return {};
  auto address = owner->allocate(*bytes);
  if (!address)
    return address.error();
  kept.push_back(std::make_unique<const Scratch>(Scratch{*address, *bytes}));
  reserved.store(kept.back().get(), std::memory_order_release);
  return {};
}

Result<void *> CudaKernel::findScratch(int64_t programs, const Scratch &passed) const {
  if (!metadata.scratchBytesPerProgram)
    return static_cast<void *>(nullptr);
  auto needed = tigon::scratchBytes(metadata, programs);
  if (!needed)
    return needed.error();
  Scratch scratch = passed;
  if (!scratch.address)
    if (const Scratch *has = reserved.load(std::memory_order_acquire))
      scratch = *has;
  if (scratch.bytes < *needed)
    return fail(ErrorCode::OutOfResources,
                fmt::format("kernel '{}' needs {} bytes of scratch for {} programs, found {}; call "
                            "prepare with the largest grid first, or pass scratch",
                            metadata.name, *needed, programs, scratch.bytes));
  if (reinterpret_cast<uintptr_t>(scratch.address) % metadata.scratchAlignment)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("kernel '{}': found scratch at {}, expected a multiple of {}",
                            metadata.name, scratch.address, metadata.scratchAlignment));
  return scratch.address;
}

Result<void> CudaKernel::launch(void *stream, const Grid &grid, int64_t programs,
                                const void **values, const Scratch &scratch) {
  auto scratchAddress = findScratch(programs, scratch);
  if (!scratchAddress)
    return scratchAddress.error();
  void *profileAddress = nullptr;
  values[signature.size()] = &*scratchAddress;
  values[signature.size() + 1] = &profileAddress;
  void **parameters = const_cast<void **>(values);

  const CudaDriver &driver = owner->driver;
  CurrentContext current(driver, owner->context);
  if (!current)
    return current.error();
  auto queue = static_cast<cuda::Stream>(stream);
  // The checks of the grid guarantee that all of it fits.
  unsigned x = unsigned(grid.x) * metadata.cluster, y = unsigned(grid.y), z = unsigned(grid.z);
  Status status;
  std::string_view symbol;
  if (metadata.cluster == 1) {
    symbol = driver.launchKernel.symbol;
    status = driver.launchKernel(function, x, y, z, metadata.threads, 1, 1, metadata.sharedBytes,
                                 queue, parameters, nullptr);
  } else {
    cuda::LaunchAttribute attributes[2] = {};
    attributes[0].id = cuda::LaunchAttributeId::ClusterDimension;
    attributes[0].value.clusterDimension = {metadata.cluster, 1, 1};
    attributes[1].id = cuda::LaunchAttributeId::ClusterSchedulingPolicyPreference;
    attributes[1].value.clusterScheduling = cuda::clusterSchedulingSpread;
    cuda::LaunchConfig config = {x,     y,          z, metadata.threads, 1, 1, metadata.sharedBytes,
                                 queue, attributes, 2};
    symbol = driver.launchKernelEx.symbol;
    status = driver.launchKernelEx(&config, function, parameters, nullptr);
  }
  if (status == Status::Success)
    return {};
  return driver.failure(status, symbol,
                        fmt::format("kernel '{}' on {} with grid ({}, {}, {})", metadata.name,
                                    owner->properties.name, grid.x, grid.y, grid.z));
}

} // namespace tigon
