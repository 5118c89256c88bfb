// SPDX-License-Identifier: Apache-2.0
#include "runtime/LaunchChecks.h"

#include <cstring>
#include <fmt/format.h>

namespace tigon {
namespace {

constexpr int64_t axisLimits[] = {(int64_t(1) << 31) - 1, 65535, 65535};

const char *nameOf(ArgumentKind kind) {
  switch (kind) {
  case ArgumentKind::Pointer:
    return "a pointer";
  case ArgumentKind::Integer:
    return "an integer";
  case ArgumentKind::Float:
    return "a float";
  }
  return "an argument";
}

/// What a C++ caller passes for an argument.
std::string spellingOf(const ArgumentInfo &info) {
  if (info.kind == ArgumentKind::Pointer)
    return "a Buffer or a pointer to device memory";
  if (info.kind == ArgumentKind::Integer)
    return info.bytes == 1 ? "an int8_t or a bool" : fmt::format("an int{}_t", 8 * info.bytes);
  if (info.bytes == 2)
    return info.type == "bf16" ? "a BFloat16" : "a Float16";
  return info.bytes == 4 ? "a float" : "a double";
}

std::string place(const std::string &kernel, size_t index, const ArgumentInfo &info) {
  return fmt::format("kernel '{}', argument {} '{}'", kernel, index, info.name);
}

/// The value of an integer or the address that is passed, sign-extended.
int64_t readInteger(const void *value, uint32_t bytes) {
  int64_t wide = 0;
  std::memcpy(&wide, value, bytes); // little-endian hosts only
  unsigned shift = 64 - 8 * bytes;
  return int64_t(uint64_t(wide) << shift) >> shift;
}

bool isWidth(ArgumentKind kind, uint32_t bytes) {
  switch (kind) {
  case ArgumentKind::Pointer:
    return bytes == sizeof(void *);
  case ArgumentKind::Integer:
    return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
  case ArgumentKind::Float:
    return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
  }
  return false;
}

} // namespace

Result<Signature> Signature::create(const KernelMetadata &metadata) {
  auto refuse = [&](std::string message) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("kernel '{}': {}", metadata.name, std::move(message)));
  };
  if (metadata.name.empty())
    return fail(ErrorCode::InvalidArgument, "found an artifact without a kernel's name");
  if (metadata.arguments.size() > maxArguments)
    return refuse(fmt::format("found {} arguments, at most {} can be passed",
                              metadata.arguments.size(), maxArguments));
  if (!metadata.threads || !metadata.cluster)
    return refuse(fmt::format("found {} threads and a cluster of {}, expected at least 1 of each",
                              metadata.threads, metadata.cluster));

  Signature signature;
  signature.kernel = metadata.name;
  signature.infos = metadata.arguments;
  for (const ArgumentInfo &info : metadata.arguments) {
    if (!isWidth(info.kind, info.bytes))
      return refuse(fmt::format("argument '{}' of type {} is said to be {} of {} bytes", info.name,
                                info.type, nameOf(info.kind), info.bytes));
    if (info.divisibility < 1)
      return refuse(fmt::format("argument '{}' is promised to be divisible by {}, expected 1 or "
                                "more",
                                info.name, info.divisibility));
    if (info.kind == ArgumentKind::Float && (info.divisibility != 1 || info.equals))
      return refuse(fmt::format("argument '{}' of type {} has a promise, which only pointers and "
                                "integers can have",
                                info.name, info.type));
    signature.checks.push_back({info.kind, info.bytes, info.divisibility, info.equals.has_value(),
                                info.equals.value_or(0)});
  }
  return signature;
}

Result<void> Signature::check(std::span<const Argument> arguments, const void **values) const {
  if (arguments.size() != checks.size()) {
    std::string expected;
    for (const ArgumentInfo &info : infos)
      expected += fmt::format("{}{}: {}", expected.empty() ? "" : ", ", info.name, info.type);
    return fail(ErrorCode::InvalidArgument,
                fmt::format("kernel '{}': found {} arguments, expected {} ({})", kernel,
                            arguments.size(), checks.size(), expected));
  }
  for (size_t i = 0; i < checks.size(); ++i) {
    const Check &expected = checks[i];
    const Argument &found = arguments[i];
    if (found.kind != expected.kind || found.bytes != expected.bytes || !found.value)
      return explain(i, found);
    if (expected.divisibility > 1 || expected.hasValue) {
      int64_t value = readInteger(found.value, found.bytes);
      if (value % expected.divisibility || (expected.hasValue && value != expected.value))
        return explainPromise(i, value);
    }
    values[i] = found.value;
  }
  return {};
}

Error Signature::explain(size_t index, const Argument &found) const {
  const ArgumentInfo &info = infos[index];
  std::string what = found.value ? fmt::format("{} of {} bytes", nameOf(found.kind), found.bytes)
                                 : "no value (null)";
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{}: found {}, expected {} ({} bytes); pass {}",
                          place(kernel, index, info), what, info.type, info.bytes,
                          spellingOf(info)));
}

Error Signature::explainPromise(size_t index, int64_t found) const {
  const ArgumentInfo &info = infos[index];
  std::string value = info.kind == ArgumentKind::Pointer
                          ? fmt::format("address {:#x}", uint64_t(found))
                          : fmt::format("{}", found);
  std::string promise = info.equals ? fmt::format("the value {}", *info.equals)
                                    : fmt::format("a multiple of {}", info.divisibility);
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{}: found {}, expected {}, which the code was compiled for; pass that, "
                          "or compile without this promise",
                          place(kernel, index, info), value, promise));
}

Result<int64_t> countPrograms(const Grid &grid, uint32_t cluster, const std::string &kernel) {
  const int64_t axes[] = {grid.x, grid.y, grid.z};
  for (int i = 0; i < 3; ++i) {
    int64_t limit = i == 0 ? axisLimits[0] / cluster : axisLimits[i];
    if (axes[i] < 0 || axes[i] > limit)
      return fail(
          ErrorCode::InvalidArgument,
          fmt::format("kernel '{}': found {} programs along grid axis {}, expected 0 to {}{}{}",
                      kernel, axes[i], "xyz"[i], limit,
                      i == 0 && cluster > 1 ? fmt::format(" (clusters of {})", cluster) : "",
                      i > 0 && axes[i] > limit ? "; put the longest axis on x" : ""));
  }
  // Below 2^31 * 2^16 * 2^16: no overflow.
  return grid.x * grid.y * grid.z;
}

Result<uint64_t> scratchBytes(const KernelMetadata &metadata, int64_t programs) {
  uint64_t bytes = 0;
  if (__builtin_mul_overflow(metadata.scratchBytesPerProgram, uint64_t(programs), &bytes))
    return fail(ErrorCode::OutOfResources,
                fmt::format("kernel '{}': scratch of {} programs of {} bytes is more than any "
                            "memory; launch fewer programs",
                            metadata.name, programs, metadata.scratchBytesPerProgram));
  return bytes;
}

} // namespace tigon
