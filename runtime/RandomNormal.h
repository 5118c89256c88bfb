// SPDX-License-Identifier: Apache-2.0
//
// Normal numbers by counter: the pair at `index` depends on the seed and the index alone.
#pragma once

#include <cstdint>
#include <utility>

namespace tigon {

std::pair<double, double> randomNormalPair(uint64_t seed, uint64_t index);

} // namespace tigon
