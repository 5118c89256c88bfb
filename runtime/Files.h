// SPDX-License-Identifier: Apache-2.0
//
// Reading and writing whole files, with errors that say which file and where.
#pragma once

#include "dialect/Result.h"

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace tigon {

class InputFile {
public:
  static Result<InputFile> open(const std::string &path);

  const std::string &path() const { return name; }
  uint64_t size() const { return length; }
  /// Reads exactly so many bytes at an offset.
  Result<void> read(uint64_t offset, void *to, size_t bytes) const;
  Result<std::string> readText(uint64_t offset, size_t bytes) const;

  /// "`path`: `message`".
  Error error(std::string message) const;

private:
  struct Close {
    void operator()(FILE *file) const { std::fclose(file); }
  };
  InputFile(std::string path, FILE *file, uint64_t size)
      : name(std::move(path)), file(file), length(size) {}

  std::string name;
  std::unique_ptr<FILE, Close> file;
  uint64_t length;
};

/// Writes a file of these pieces, through a temporary one beside it, so that nobody sees half of
/// it.
Result<void> writeFile(const std::string &path, std::span<const std::string_view> pieces);

} // namespace tigon
