// SPDX-License-Identifier: Apache-2.0
//
// The interpreter as a device: what docs/semantics.md says a kernel does, behind the handles that
// other devices have. Its memory is the host's, its kernels are the tile program's text.
//
// It knows how long its buffers are. If all pointers of a launch point into buffers of this device,
// an access outside of them is an error; pointers to other memory are followed unchecked.
#pragma once

#include "runtime/Backend.h"

#include <memory>

namespace tigon {

/// `wide`: floats stay doubles from load to store, and the values stored can be had unrounded.
std::shared_ptr<DeviceBackend> openInterpreterDevice(bool wide);

} // namespace tigon
