// SPDX-License-Identifier: Apache-2.0
//
// The threads that run programs on the CPU. The launching thread is one of them; the others start
// when a launch first has work for them, sleep between launches, and end with the pool. Ranges of
// programs are handed out in ascending order and run to completion, so a program may wait for one
// with a lower id: that one is done, or another thread is at it.
//
// Fork: a child has none of the parent's threads. It finds that out at its first launch, leaves
// what it inherited as it is (locks in it may be held by threads that are not there), and starts
// afresh.
#pragma once

#include "dialect/Result.h"

#include <atomic>
#include <cstdint>

namespace tigon {

/// A kernel for the CPU; see compiler/Artifact.h.
using CpuFunction = void (*)(const void *const *arguments, int64_t begin, int64_t end,
                             const uint32_t grid[3], void *arena);

class CpuPool {
public:
  explicit CpuPool(unsigned threads);
  ~CpuPool();
  CpuPool(const CpuPool &) = delete;
  CpuPool &operator=(const CpuPool &) = delete;

  unsigned threads() const { return size; }

  /// From now on each thread's arena has at least so many bytes, aligned to 64. Not while a program
  /// of this thread runs; waits for those of others.
  Result<void> reserveArena(uint64_t bytes);

  /// Runs programs 0 to `programs` - 1 and returns when all are done. Launches of several threads
  /// take turns.
  Result<void> run(CpuFunction function, const void *const *arguments, const uint32_t grid[3],
                   int64_t programs);

private:
  class Crew;
  Crew &findCrew();

  const unsigned size;
  std::atomic<uint64_t> arenaBytes = 0;
  std::atomic<Crew *> crew = nullptr;
};

} // namespace tigon
