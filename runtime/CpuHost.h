// SPDX-License-Identifier: Apache-2.0
//
// What the machine under us is.
#pragma once

#include "runtime/Runtime.h"

#include <string>

namespace tigon {

/// CPUs that this process may run on.
unsigned availableThreads();

/// Properties of device "cpu" with so many threads.
DeviceProperties describeHost(unsigned threads);

/// Checks that the host has every feature that code for `target` ("cpu", "cpu:x86-64-v3",
/// "cpu:sapphirerapids") may use; without them it would die of an illegal instruction.
Result<void> checkHostRuns(const std::string &target);

} // namespace tigon
