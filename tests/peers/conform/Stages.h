// SPDX-License-Identifier: Apache-2.0
//
// What is asked of a recorded kernel, step by step.
#pragma once

#include "tests/peers/conform/Recording.h"
#include "tests/peers/conform/Workers.h"

#include <string>
#include <vector>

namespace tigon::conform {

struct StageOptions {
  std::vector<std::string> targets = {"cpu", "sm_80", "sm_90"};
  std::vector<std::string> strips = {"auto", "off", "1", "2", "8"};
  bool parse = true, compile = true, assemble = true, compare = true;
  std::string device; ///< "cuda:0": also compares what it computes
  std::string ptxas = "ptxas";
  std::string folder; ///< for temporary files
  double interpretSeconds = 2;
};

/// All steps on one case. Texts: "parse", "round-trip", "compile:TARGET", "assemble:TARGET",
/// "interpret", "compare:STRIPS", "compare:DEVICE"; "outside" names what the text has beyond tier 1. Numbers: registers
/// and so on, as "registers:sm_90".
void runStages(const Case &task, const StageOptions &options, Reporter &reporter);

} // namespace tigon::conform
