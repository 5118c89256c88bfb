// SPDX-License-Identifier: Apache-2.0
//
// What came of it: a line a case, JSON with every round, and a picture of time over size.
#pragma once

#include "tools/tigon/bench/Cases.h"

#include <optional>

namespace tigon::bench {

struct Times {
  std::string name;
  std::vector<double> milliseconds; // a round each, of one run
};

struct CaseResult {
  Case at;
  uint64_t bytes = 0;
  std::vector<Times> times; // "tigon" first, then "copy"

  const Times *find(const std::string &name) const;
  double median(const std::string &name) const;
  /// The median over the rounds of a's time divided by b's.
  std::optional<double> ratio(const std::string &a, const std::string &b) const;
};

/// "rms_norm:bf16:8192x4096   34.7 us  3866 GB/s  0.96 of copy  liger 1.05, compile 1.20".
std::string line(const CaseResult &result);
std::string toJson(const std::vector<CaseResult> &results, const DeviceProperties &device,
                   const std::map<std::string, std::string> &notTimed);
/// Time over bytes, both logarithmic, a curve an operator and contestant, the copy as the floor.
std::string toSvg(const std::vector<CaseResult> &results, const DeviceProperties &device);

} // namespace tigon::bench
