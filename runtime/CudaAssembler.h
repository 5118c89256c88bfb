// SPDX-License-Identifier: Apache-2.0
//
// PTX to machine code through the driver's linker. The linker rather than a direct load of PTX,
// because it hands out the cubin, which a cache can keep, and a log with registers and spills.
#pragma once

#include "runtime/CudaDevice.h"

#include <string>

namespace tigon {

struct AssembledCode {
  std::string code;
  std::string log;
};

/// Cubins pass as they are. Fails if the artifact is for another target, with the driver's log if
/// it refuses the text.
Result<AssembledCode> assembleCuda(const CudaDevice &device, const Artifact &artifact);

/// Buffers that the driver writes its messages to, in the form in which it takes options.
class JitLog {
public:
  JitLog();
  JitLog(const JitLog &) = delete;
  JitLog &operator=(const JitLog &) = delete;

  void add(cuda::JitOption option, uintptr_t value);
  unsigned count() const { return unsigned(options.size()); }
  cuda::JitOption *keys() { return options.data(); }
  void **values() { return optionValues.data(); }

  std::string info() const;
  std::string error() const;

private:
  std::vector<char> infoText, errorText;
  std::vector<cuda::JitOption> options;
  std::vector<void *> optionValues;
};

} // namespace tigon
