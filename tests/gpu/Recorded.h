// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace tigon::gpu {

/// Compiles each text of a recording (tests/peers) that was launched and that we take to PTX for an
/// H200, into `folder`: the text, the code, and in recorded.json all launches and why the others are
/// not among them. Gives the exit status.
int compileRecording(const std::string &recording, const std::filesystem::path &folder);

} // namespace tigon::gpu
