// SPDX-License-Identifier: Apache-2.0
//
// Artifact: what the compiler hands over and the runtime loads. Plain data, so that a cache can
// keep it and a test can write it by hand.
//
// The two calling conventions of `code`:
//   GPU  the arguments in order, then the address of global scratch, then that of profile scratch
//   (null), both always
//        there; sharedBytes of dynamic shared memory; blocks of (threads, 1, 1); `cluster` blocks a
//        program.
//   CPU  void f(const void *const *arguments, int64_t begin, int64_t end, const uint32_t grid[3],
//   void *arena):
//        runs programs begin to end - 1, in ascending order, of linear id (z * grid[1] + y) *
//        grid[0] + x; arguments[i] points to the value of argument i; the arena is the calling
//        thread's own.
#pragma once

#include "tigon/Module.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tigon {

struct KernelMetadata {
  /// The symbol to launch.
  std::string name;
  /// "cpu:x86-64-v3", "sm_90".
  std::string target;
  std::string buildId;
  std::vector<ArgumentInfo> arguments;
  /// Threads of a block (32 times the warps), and blocks of a cluster. On the CPU both are 1.
  uint32_t threads = 1, cluster = 1;
  uint32_t sharedBytes = 0;
  /// Global scratch: this many bytes for each program, found by its linear id.
  uint64_t scratchBytesPerProgram = 0;
  uint32_t scratchAlignment = 128;
  /// CPU: memory of each thread that runs programs, aligned to 64 bytes.
  uint64_t arenaBytes = 0;
};

struct Artifact {
  KernelMetadata metadata;
  /// PTX text, a cubin, or a relocatable ELF object of the host.
  std::string code;
};

} // namespace tigon
