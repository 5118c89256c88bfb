// SPDX-License-Identifier: Apache-2.0
//
// NVIDIA's driver: libcuda.so.1, found when a CUDA device is first asked for. There is no link to
// it and none to the toolkit, so that all but launching on a GPU works without either.
#pragma once

#include "dialect/Result.h"
#include "runtime/CudaTypes.h"

#include <string>
#include <string_view>

namespace tigon {

/// One function of the driver, and its name for messages.
template <typename Signature> struct CudaFunction;
template <typename... Ts> struct CudaFunction<cuda::Status(Ts...)> {
  const char *symbol;
  cuda::Status (*pointer)(Ts...) = nullptr;

  cuda::Status operator()(Ts... arguments) const { return pointer(arguments...); }
  explicit operator bool() const { return pointer; }
};

namespace cuda {
/// The table.
struct Functions {
#define CUDA_FUNCTION(name, symbol, parameters) CudaFunction<Status parameters> name{#symbol};
#include "runtime/CudaDriver.def"
};
} // namespace cuda

struct CudaDriver : cuda::Functions {
  /// The library's functions; loaded once, kept until the process ends. An empty name means the
  /// places where the driver is found. Thread-safe.
  static Result<const CudaDriver *> load(const std::string &library);

  /// Calls a function and turns a failure into an Error.
  template <typename... Ts, typename... As>
  Result<void> call(const CudaFunction<cuda::Status(Ts...)> &function, As... arguments) const {
    cuda::Status status = function(arguments...);
    if (status == cuda::Status::Success)
      return {};
    return failure(status, function.symbol);
  }

  /// "`doing`: cuMemAlloc_v2 failed with CUDA_ERROR_OUT_OF_MEMORY (2), out of memory; what to do".
  Error failure(cuda::Status status, std::string_view symbol, std::string_view doing = {}) const;
};

} // namespace tigon
