// SPDX-License-Identifier: Apache-2.0
//
// NumPy's .npy files (numpy.lib.format, versions 1 to 3).
//
//     auto x = tigon::readNpy("x.npy");
//     if (!x)
//       return complain(x.error().text());   // x.npy: found descr '>f4', expected ...
#pragma once

#include "tigon/HostTensor.h"

#include <string>

namespace tigon {

/// Reads little-endian arrays in C order. Unsigned integers become the integers of their width,
/// bit for bit; bf16 is what ml_dtypes writes, '<V2', or 'bfloat16'. Bytes short or over are
/// errors.
TIGON_API Result<HostTensor> readNpy(const std::string &path);

/// Writes version 1. fp8 has no name of its own in such files and is refused.
TIGON_API Result<void> writeNpy(const std::string &path, const HostTensor &tensor);

} // namespace tigon
