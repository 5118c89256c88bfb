// SPDX-License-Identifier: Apache-2.0
//
// What `tigon bench` times: an operator, its tensors' type and shape, and how it is planned, as a line of text:
//
//     OPERATOR:DTYPE:ROWSxN[:FIELD=VALUE,...]      rms_norm:bf16:8192x4096   softmax:f32:4096x32768:warps=16,hold=1
//
// A field is one of the compiler's plan (warps, strip, ctas, stages, hold) or of Tuning (block, programs).
#pragma once

#include "tigon/Ops.h"

#include <map>
#include <string>
#include <vector>

namespace tigon::bench {

struct Case {
  std::string text = {}, name = {};
  DType dtype = DType::F32;
  int64_t rows = 0, n = 0;
  ops::Tuning tuning = {};
};

/// A tensor of a case.
struct Operand {
  std::string name;
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  /// What it holds before: "normal" numbers, "out" where it is written only, "softmax", "targets" (classes), ...
  std::string holds;

  uint64_t bytes() const;
};

/// Collects a case's tensors as its operator is made: at `addresses`, in order, or at made-up ones, 1, 2, ...
class Operands {
public:
  explicit Operands(std::vector<void *> addresses = {}) : addresses(std::move(addresses)) {}

  ops::Tensor operator()(const std::string &name, DType dtype, std::vector<int64_t> shape,
                         const std::string &holds);
  const std::vector<Operand> &list() const { return operands; }

private:
  std::vector<void *> addresses;
  std::vector<Operand> operands;
};

Result<Case> readCase(const std::string &text);
/// The operator of a case, planned for a device.
Result<ops::Plan> planCase(const Case &at, Operands &operands, const DeviceProperties &device);
/// The names of all that can be timed.
std::vector<std::string> operatorNames();
/// What is timed if nothing is asked for: shapes of Llama 3 8B, in bf16 and f32.
std::vector<std::string> standardCases();

} // namespace tigon::bench
