// SPDX-License-Identifier: Apache-2.0
//
// The table over all cases, and a line of JSON for each.
#pragma once

#include "tests/peers/conform/Recording.h"
#include "tests/peers/conform/Workers.h"

#include <string>

namespace tigon::conform {

std::string toJson(const Case &task, const Outcome &outcome);

class Summary {
public:
  void add(const Case &task, const Outcome &outcome);
  std::string text() const;
  /// Crashes, hangs, results that disagree, texts that do not survive printing.
  bool hasFaults() const { return !faults.empty(); }

private:
  void addStep(const std::string &name, const std::string &result, const Outcome &outcome);

  struct Step {
    int ok = 0;
    std::map<std::string, int> others; ///< by message, places and numbers taken out
  };
  int cases = 0, compared = 0, slices = 0;
  std::map<std::string, Step> steps;
  std::map<std::string, int> notCompared;
  std::map<std::string, std::vector<double>> numbers;
  std::vector<std::string> faults;
};

} // namespace tigon::conform
