// SPDX-License-Identifier: Apache-2.0
//
// A driver made from CudaDriver.def: every function records its call, fails if told to, and else
// does what a test installed, or what it does by default on a make-believe H200 whose memory is the
// host's.
//
//     MockCuda mock;
//     mock.failures["cuMemAlloc_v2"] = cuda::Status::OutOfMemory;
//     auto device = mock.open();
#pragma once

#include "runtime/CudaDriver.h"
#include "runtime/Runtime.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tigon {

namespace cuda {
/// What the functions do, by their names in the table.
struct Handlers {
#define CUDA_FUNCTION(name, symbol, parameters) std::function<Status parameters> name;
#include "runtime/CudaDriver.def"
};
} // namespace cuda

class MockCuda {
public:
  struct Call {
    std::string symbol;
    /// Numbers and addresses as they were passed.
    std::vector<uint64_t> arguments;
  };

  /// One at a time: the driver's functions have no place for a pointer to it.
  MockCuda();
  ~MockCuda();

  Device open(int ordinal = 0);

  /// Calls of one function, or of all.
  std::vector<Call> callsOf(const std::string &symbol) const;
  /// Their names, in order.
  std::string sequence() const;

  CudaDriver driver;
  cuda::Handlers on;
  /// Functions that fail from now on.
  std::map<std::string, cuda::Status> failures;
  std::vector<Call> calls;
  bool isRecording = true;

  /// What is alive: memory, streams, events, graphs, modules, linkers.
  std::set<void *> alive;
  std::vector<cuda::Context> contextStack;
  /// The values that the last launch's parameters pointed to, of so many bytes each, as the test
  /// says before.
  std::vector<uint64_t> parameters;
  std::vector<size_t> parameterBytes;
  /// What the kernel's attributes say.
  std::map<cuda::FunctionAttribute, int> attributes;

private:
  void installDefaults();
  void *make(size_t bytes = 1);
  cuda::Status drop(void *what);
};

} // namespace tigon
