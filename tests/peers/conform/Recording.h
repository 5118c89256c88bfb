// SPDX-License-Identifier: Apache-2.0
//
// Recordings as ttir_recorder.py writes them: texts, and how each was launched first.
#pragma once

#include "dialect/Result.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tigon::conform {

struct RecordedTensor {
  std::string dtype;
  /// What was passed, and where the element of index 0 stands.
  uint64_t address = 0, first = 0;
  std::vector<int64_t> shape, strides;
  /// The memory it lies in. Without: a bare pointer.
  std::optional<std::pair<uint64_t, uint64_t>> storage;
  /// Of the finite floats.
  std::optional<std::pair<double, double>> range;
  /// All elements, row-major; integers only.
  std::vector<uint64_t> values;

  int64_t elements() const {
    int64_t count = 1;
    for (int64_t extent : shape)
      if (__builtin_mul_overflow(count, extent, &count) || count < 0)
        return -1;
    return count;
  }
};

struct RecordedArgument {
  enum class Kind { Integer, Float, Tensor, Descriptor, Other };
  std::string name;
  Kind kind = Kind::Other;
  uint64_t integer = 0;
  double real = 0;
  RecordedTensor tensor; ///< of a descriptor: its base
  std::vector<int64_t> shape, strides;
};

struct RecordedLaunch {
  std::string kernel;
  std::string options; ///< that Triton compiled it with, as JSON
  std::array<int64_t, 3> grid = {1, 1, 1};
  std::vector<RecordedArgument> arguments;
};

/// A text, and one of its launches.
struct Case {
  std::string folder, file;
  std::optional<RecordedLaunch> launch;
};

/// All texts below `folder`, each with its distinct launches or, if none was recorded, without.
/// Records that do not make sense are listed in `complaints`.
Result<std::vector<Case>> readRecording(const std::string &folder,
                                        std::vector<std::string> &complaints);

} // namespace tigon::conform
