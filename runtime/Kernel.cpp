// SPDX-License-Identifier: Apache-2.0
//
// Loading and launching, as far as it is the same on every device.
#include "runtime/Backend.h"
#include "runtime/LaunchChecks.h"
#include "runtime/Runtime.h"

#include <fmt/format.h>

namespace tigon {

Result<Kernel> Kernel::load(const Device &device, const Artifact &artifact) {
  auto signature = Signature::create(artifact.metadata);
  if (!signature)
    return signature.error();
  auto kernel = device.internal()->load(artifact, std::move(*signature));
  if (!kernel)
    return kernel.error();
  return Kernel(std::move(*kernel));
}

Result<void> Kernel::prepare(Grid largest) const {
  const KernelMetadata &metadata = kernel->metadata;
  auto programs = countPrograms(largest, metadata.cluster, metadata.name);
  if (!programs)
    return programs.error();
  return kernel->prepare(*programs);
}

Result<void> Kernel::launch(const Stream &stream, Grid grid, std::span<const Argument> arguments,
                            Scratch scratch) const {
  const KernelMetadata &metadata = kernel->metadata;
  const DeviceBackend &device = kernel->device();
  auto foreign = [&](const char *what, const DeviceBackend &found) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("kernel '{}' is loaded on device {}, found {} of device {}",
                            metadata.name, device.properties.name, what, found.properties.name));
  };
  if (!device.isSame(*stream.internal()))
    return foreign("a stream", *stream.internal());
  for (const Argument &argument : arguments)
    if (argument.device && !device.isSame(*argument.device))
      return foreign("a buffer", *argument.device);
  const void *values[maxArguments + 2];
  if (auto valid = kernel->signature.check(arguments, values); !valid)
    return valid;
  auto programs = countPrograms(grid, metadata.cluster, metadata.name);
  if (!programs)
    return programs.error();
  if (!*programs)
    return {};
  return kernel->launch(stream.handle(), grid, *programs, values, scratch);
}

Result<uint64_t> Kernel::scratchBytes(Grid grid) const {
  const KernelMetadata &metadata = kernel->metadata;
  auto programs = countPrograms(grid, metadata.cluster, metadata.name);
  if (!programs)
    return programs.error();
  return tigon::scratchBytes(metadata, *programs);
}

const KernelMetadata &Kernel::metadata() const { return kernel->metadata; }

const KernelReport &Kernel::report() const { return kernel->report; }

} // namespace tigon
