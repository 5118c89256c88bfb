// SPDX-License-Identifier: Apache-2.0
//
// The host as a device. A launch runs on the launching thread and the device's pool and is done
// when it returns, so streams are empty names and events are readings of a clock.
#pragma once

#include "runtime/Backend.h"

#include <memory>

namespace tigon {

/// Opens the host with so many threads; 0: as many as the process may use.
std::shared_ptr<DeviceBackend> openCpuDevice(unsigned threads);

} // namespace tigon
