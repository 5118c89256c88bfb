// SPDX-License-Identifier: Apache-2.0
//
// Arguments of a kernel as `tigon run` takes them.
#pragma once

#include "tigon/HostTensor.h"
#include "tigon/Module.h"
#include "tigon/Result.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tigon::cli {

/// What an argument's value stands for: a tensor that is copied to the device (several arguments may
/// share one), or the bits of a number.
struct ArgumentValue {
  std::shared_ptr<HostTensor> tensor;
  uint64_t bits = 0;
};

/// `spelled` are NAME=VALUE; gives a value for each of `expected`.
///
///     n=1000   x=@x.npy   w=@model.safetensors:lm_head.weight   y=zeros:f32[4,1024]
///     x=randn:bf16[4,1024]:7   y==x
Result<std::vector<ArgumentValue>> readValues(const std::vector<ArgumentInfo> &expected,
                                              const std::vector<std::string> &spelled);

/// NAME and the rest behind the first '='; nothing without one.
std::optional<std::pair<std::string, std::string>> splitAtEquals(const std::string &text);

/// "x, y, n".
std::string namesOf(const std::vector<ArgumentInfo> &arguments);

} // namespace tigon::cli
