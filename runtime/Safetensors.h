// SPDX-License-Identifier: Apache-2.0
//
// Hugging Face's .safetensors files: an 8-byte length, a JSON header of names, types, shapes and
// offsets, then the bytes (github.com/huggingface/safetensors, "Format").
//
//     auto file = tigon::Safetensors::open("model.safetensors");
//     auto w = file->read("lm_head.weight");
#pragma once

#include "tigon/HostTensor.h"

#include <map>
#include <memory>
#include <string>

namespace tigon {

/// A file whose header has been read and found sound: types known or their bytes at least counted,
/// shapes and offsets in agreement, no gap, no overlap, no byte too many, no name twice.
class TIGON_API Safetensors {
public:
  struct Entry {
    /// As in the file: "BF16".
    std::string type;
    std::vector<int64_t> shape;
    /// Bytes from `begin` to `end` - 1 of the file.
    uint64_t begin = 0, end = 0;
  };

  static Result<Safetensors> open(const std::string &path);

  const std::map<std::string, Entry> &entries() const { return tensors; }

  /// Reads one tensor. Unsigned integers become the integers of their width, bit for bit. Fails if
  /// there is none of this name, or its type is none of ours.
  Result<HostTensor> read(const std::string &name) const;

private:
  std::string path;
  std::map<std::string, Entry> tensors;
};

/// Writes a file of these tensors.
TIGON_API Result<void> writeSafetensors(const std::string &path,
                                        const std::map<std::string, const HostTensor *> &tensors);

} // namespace tigon
