// SPDX-License-Identifier: Apache-2.0
//
// Ways of doing a case, each timed a round at a time, so that rounds can be interleaved.
#pragma once

#include "tools/tigon/bench/Cases.h"

#include <memory>
#include <optional>

namespace tigon::bench {

class Contestant {
public:
  virtual ~Contestant() = default;
  virtual std::string name() const = 0;
  /// Of one run, as one round measures it.
  virtual Result<double> milliseconds() = 0;
};

/// A case's tensors in a device's memory, several times over, so that together they are larger than four times its cache
/// and no run finds in the cache what another left there.
struct Arena {
  static Result<Arena> make(const Device &device, const Case &at);

  Device device;
  std::vector<Operand> operands = {};
  std::vector<std::vector<Buffer>> sets = {};
  std::vector<ops::Plan> plans = {}; // one a set
  Buffer workspace;
  /// What must be read and written: the bytes of all tensors.
  uint64_t bytes = 0;
  /// Runs of a round.
  int runs = 1;
};

/// Tigon's kernels: on a GPU alone in a CUDA graph, on a CPU by the clock.
Result<std::unique_ptr<Contestant>> makeOurs(const Arena &arena);
/// Copies of half the case's bytes: as many read and as many written as the case has in all. On a CPU with memcpy, in as
/// many threads as the device has.
Result<std::unique_ptr<Contestant>> makeCopy(const Arena &arena);

} // namespace tigon::bench
