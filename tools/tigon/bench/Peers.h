// SPDX-License-Identifier: Apache-2.0
//
// PyTorch and what is built on it, in a Python process of its own that runs a round when it is told to (peers.py).
#pragma once

#include "tools/tigon/bench/Contestants.h"

#include <nlohmann/json_fwd.hpp>
#include <sys/types.h>

namespace tigon::bench {

class Peers {
public:
  /// Fails if `python` cannot be started. `script` is peers.py.
  static Result<std::unique_ptr<Peers>> start(const std::string &python, const std::string &script);
  ~Peers();

  /// Those of `against` that have the operator, and PyTorch's copy_. What the rest lacks is added to `notTimed`.
  Result<std::vector<std::unique_ptr<Contestant>>>
  prepare(const Arena &arena, const Case &at, const std::vector<std::string> &against,
          std::map<std::string, std::string> &notTimed);

  Result<nlohmann::json> ask(const nlohmann::json &request);

private:
  Peers() = default;
  pid_t process = -1;
  std::FILE *requests = nullptr, *answers = nullptr;
};

} // namespace tigon::bench
