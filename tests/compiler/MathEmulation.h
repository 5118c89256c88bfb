// SPDX-License-Identifier: Apache-2.0
//
// What a GPU computes, on a CPU: the formulas as they are for a target that approximates, with each approximation taken in
// double and then put off by about as much as the instruction may be.
#pragma once

#include <string>

namespace tigon {

/// `program`, its functions lowered for sm_90, and what sm_90 approximates in arithmetic that any target has.
std::string emulateApproximations(const std::string &program);

} // namespace tigon
