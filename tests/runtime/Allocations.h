// SPDX-License-Identifier: Apache-2.0
//
// Counts what this thread allocates with new, for tests of paths that must not.
#pragma once

#include <cstddef>

namespace tigon {

/// Allocations of this thread so far.
size_t countAllocations();

} // namespace tigon
