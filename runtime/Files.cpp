// SPDX-License-Identifier: Apache-2.0
#include "runtime/Files.h"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tigon {
namespace {

Error fileError(const std::string &path, std::string message,
                ErrorCode code = ErrorCode::InvalidArgument) {
  return Error{code, std::move(message), {path}};
}

Error systemError(const std::string &path, const char *doing) {
  return fileError(path, fmt::format("cannot {}: {}", doing, std::strerror(errno)),
                   ErrorCode::Unavailable);
}

} // namespace

Result<InputFile> InputFile::open(const std::string &path) {
  FILE *file = std::fopen(path.c_str(), "rbe");
  if (!file)
    return systemError(path, "open");
  struct stat status;
  if (fstat(fileno(file), &status) || !S_ISREG(status.st_mode)) {
    std::fclose(file);
    return fileError(path, "found no regular file");
  }
  return InputFile(path, file, uint64_t(status.st_size));
}

Result<void> InputFile::read(uint64_t offset, void *to, size_t bytes) const {
  if (fseeko(file.get(), off_t(offset), SEEK_SET))
    return systemError(name, "seek");
  if (std::fread(to, 1, bytes, file.get()) != bytes)
    return error(fmt::format("found fewer than {} bytes at offset {}", bytes, offset));
  return {};
}

Result<std::string> InputFile::readText(uint64_t offset, size_t bytes) const {
  std::string text(bytes, '\0');
  if (auto done = read(offset, text.data(), bytes); !done)
    return done.error();
  return text;
}

Error InputFile::error(std::string message) const { return fileError(name, std::move(message)); }

Result<void> writeFile(const std::string &path, std::span<const std::string_view> pieces) {
  std::string temporary = fmt::format("{}.{}.tmp", path, getpid());
  FILE *file = std::fopen(temporary.c_str(), "wbe");
  if (!file)
    return systemError(path, "create");
  bool written = true;
  for (std::string_view piece : pieces)
    written = written && std::fwrite(piece.data(), 1, piece.size(), file) == piece.size();
  written = std::fclose(file) == 0 && written;
  if (written && std::rename(temporary.c_str(), path.c_str()) == 0)
    return {};
  Error error = systemError(path, "write");
  std::remove(temporary.c_str());
  return error;
}

} // namespace tigon
