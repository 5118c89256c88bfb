// SPDX-License-Identifier: Apache-2.0
//
// What every launch is checked for, whatever the device: the arguments against the kernel's
// signature and promises, and the grid against the limits. No allocation unless a check fails.
#pragma once

#include "runtime/Runtime.h"

#include <span>
#include <string>
#include <vector>

namespace tigon {

/// Arguments a kernel may have; their addresses stand on the stack of a launch.
inline constexpr size_t maxArguments = 256;

/// A kernel's arguments, as far as a launch needs them.
class Signature {
public:
  /// Checks that the metadata makes sense.
  static Result<Signature> create(const KernelMetadata &metadata);

  /// Checks the arguments and writes where their values stand to `values`.
  Result<void> check(std::span<const Argument> arguments, const void **values) const;

  size_t size() const { return checks.size(); }

private:
  struct Check {
    ArgumentKind kind;
    uint32_t bytes;
    int64_t divisibility;
    bool hasValue;
    int64_t value;
  };

  Error explain(size_t index, const Argument &found) const;
  Error explainPromise(size_t index, int64_t found) const;

  std::string kernel;
  std::vector<Check> checks;
  std::vector<ArgumentInfo> infos; // for messages
};

/// The number of programs of a grid whose programs are clusters of so many blocks; 0 if it is
/// empty. Fails if an axis is negative or over its limit. The limits are CUDA's on every device, so
/// that a launch that works on one works on the other.
Result<int64_t> countPrograms(const Grid &grid, uint32_t cluster, const std::string &kernel);

/// Scratch of a launch, in bytes.
Result<uint64_t> scratchBytes(const KernelMetadata &metadata, int64_t programs);

} // namespace tigon
