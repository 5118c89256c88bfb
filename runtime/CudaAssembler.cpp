// SPDX-License-Identifier: Apache-2.0
#include "runtime/CudaAssembler.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fmt/format.h>

namespace tigon {
namespace {

using cuda::JitOption;
using cuda::Status;

constexpr size_t logBytes = 16384;

/// "sm_90", "sm_90a", "sm_100f": a number, and a letter for features that later devices lack.
struct CudaTarget {
  unsigned capability = 0;
  char kind = 0;
};

std::optional<CudaTarget> parseTarget(std::string_view name) {
  constexpr std::string_view prefix = "sm_";
  if (!name.starts_with(prefix))
    return std::nullopt;
  CudaTarget target;
  const char *end = name.data() + name.size();
  auto [stop, status] = std::from_chars(name.data() + prefix.size(), end, target.capability);
  if (status != std::errc())
    return std::nullopt;
  if (stop != end)
    target.kind = *stop++;
  if (stop != end || (target.kind && target.kind != 'a' && target.kind != 'f'))
    return std::nullopt;
  return target;
}

/// PTX runs on its own capability and all later ones; machine code and family code ("f") on later
/// ones of the same major number; architecture code ("a") on its own alone.
Result<void> checkTarget(const CudaDevice &device, const Artifact &artifact, bool isPtx) {
  const std::string &name = artifact.metadata.target;
  unsigned has = device.properties.computeCapability;
  std::optional<CudaTarget> target = parseTarget(name);
  bool runs = target && target->capability <= has;
  if (runs && target->kind == 'a')
    runs = target->capability == has;
  else if (runs && (target->kind == 'f' || !isPtx))
    runs = target->capability / 10 == has / 10;
  if (!runs)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("kernel '{}' is compiled for {}, which {} ({}, {}) does not run; "
                            "compile it for {}",
                            artifact.metadata.name, name, device.properties.name,
                            device.properties.model, device.properties.target,
                            device.properties.target));
  return {};
}

/// "8.5" of ".version 8.5"; for messages.
std::string_view versionOf(std::string_view ptx) {
  constexpr std::string_view directive = ".version";
  size_t at = ptx.find(directive);
  if (at == std::string_view::npos)
    return "unknown";
  size_t begin = ptx.find_first_not_of(" \t", at + directive.size());
  size_t end = ptx.find_first_of(" \t\r\n", begin);
  return begin == std::string_view::npos ? "unknown" : ptx.substr(begin, end - begin);
}

Error explain(const CudaDevice &device, const Artifact &artifact, Status status,
              std::string_view symbol, const JitLog &log) {
  const DeviceProperties &properties = device.properties;
  Error error = device.driver.failure(status, symbol,
                                      fmt::format("kernel '{}' cannot be assembled for {}",
                                                  artifact.metadata.name, properties.target));
  if (status == Status::UnsupportedPtxVersion)
    error.message += fmt::format(
        "; found PTX {}, but driver {}.{} takes {}.{} at most: compile with ptxVersion = {}",
        versionOf(artifact.code), properties.driverVersion / 1000,
        properties.driverVersion % 1000 / 10, properties.maxPtxVersion / 10,
        properties.maxPtxVersion % 10, properties.maxPtxVersion);
  if (std::string text = log.error(); !text.empty())
    error.message += "; the driver says:\n" + text;
  return error;
}

/// The driver's linker, given back whatever happens.
class Linker {
public:
  Linker(const CudaDriver &driver, JitLog &log) : driver(driver) {
    status = driver.linkCreate(log.count(), log.keys(), log.values(), &state);
    symbol = driver.linkCreate.symbol;
  }
  ~Linker() {
    if (state)
      driver.linkDestroy(state);
  }
  Linker(const Linker &) = delete;
  Linker &operator=(const Linker &) = delete;

  /// The linked code, which lives as long as the linker.
  std::string_view link(const std::string &ptx, const std::string &name) {
    if (status != Status::Success)
      return {};
    symbol = driver.linkAddData.symbol;
    // PTX is text: the size counts the NUL.
    status = driver.linkAddData(state, cuda::JitInput::Ptx, const_cast<char *>(ptx.c_str()),
                                ptx.size() + 1, name.c_str(), 0, nullptr, nullptr);
    if (status != Status::Success)
      return {};
    symbol = driver.linkComplete.symbol;
    void *code = nullptr;
    size_t bytes = 0;
    status = driver.linkComplete(state, &code, &bytes);
    return {static_cast<const char *>(code), bytes};
  }

  Status status = Status::Unknown;
  std::string_view symbol;

private:
  const CudaDriver &driver;
  cuda::LinkState state = nullptr;
};

} // namespace

JitLog::JitLog() : infoText(logBytes), errorText(logBytes) {
  add(JitOption::InfoLogBuffer, reinterpret_cast<uintptr_t>(infoText.data()));
  add(JitOption::InfoLogBufferSizeBytes, infoText.size());
  add(JitOption::ErrorLogBuffer, reinterpret_cast<uintptr_t>(errorText.data()));
  add(JitOption::ErrorLogBufferSizeBytes, errorText.size());
}

void JitLog::add(JitOption option, uintptr_t value) {
  options.push_back(option);
  optionValues.push_back(reinterpret_cast<void *>(value)); // numbers travel as pointers
}

std::string JitLog::info() const { return {infoText.data(), strnlen(infoText.data(), logBytes)}; }

std::string JitLog::error() const {
  return {errorText.data(), strnlen(errorText.data(), logBytes)};
}

Result<AssembledCode> assembleCuda(const CudaDevice &device, const Artifact &artifact) {
  bool isPtx = !artifact.code.starts_with("\177ELF");
  if (auto fits = checkTarget(device, artifact, isPtx); !fits)
    return fits.error();
  if (!isPtx)
    return AssembledCode{artifact.code, {}};

  CurrentContext current(device.driver, device.context);
  if (!current)
    return current.error();
  JitLog log;
  log.add(JitOption::LogVerbose, 1);
  if (artifact.code.find("\t.loc\t") != std::string::npos)
    log.add(JitOption::GenerateLineInfo, 1);
  Linker linker(device.driver, log);
  std::string code(linker.link(artifact.code, artifact.metadata.name));
  if (linker.status != Status::Success)
    return explain(device, artifact, linker.status, linker.symbol, log);
  return AssembledCode{std::move(code), log.info()};
}

} // namespace tigon
