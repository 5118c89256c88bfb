// SPDX-License-Identifier: Apache-2.0
#include "runtime/CpuHost.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include <fmt/format.h>
#include <fstream>
#include <map>
#include <optional>
#include <sched.h>
#include <thread>
#include <unistd.h>

namespace tigon {
namespace {

/// The host's features, by name so that their order is fixed.
std::map<std::string, bool> hostFeatures() {
  std::map<std::string, bool> features;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    features[feature.first().str()] = feature.second;
  return features;
}

bool isX86() {
  return llvm::Triple(llvm::sys::getProcessTriple()).getArch() == llvm::Triple::x86_64;
}

/// A feature that `cpu` has and the host lacks. Features that the host does not report either way
/// (the oldest, and tuning flags) count as there.
std::optional<std::string> missingFeature(llvm::StringRef cpu) {
  llvm::SmallVector<llvm::StringRef> wanted;
  llvm::X86::getFeaturesForCPU(cpu, wanted);
  std::map<std::string, bool> has = hostFeatures();
  for (llvm::StringRef feature : wanted)
    if (auto found = has.find(feature.str()); found != has.end() && !found->second)
      return found->first;
  return std::nullopt;
}

std::string hostTarget() {
  if (isX86())
    for (const char *level : {"x86-64-v4", "x86-64-v3", "x86-64-v2", "x86-64"})
      if (!missingFeature(level))
        return fmt::format("cpu:{}", level);
  return fmt::format("cpu:{}", llvm::sys::getHostCPUName().str());
}

std::string hostModel() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (size_t colon = line.find(": "); line.starts_with("model name") && colon != line.npos)
      return line.substr(colon + 2);
  return llvm::sys::getHostCPUName().str();
}

uint64_t positive(long value) { return value > 0 ? uint64_t(value) : 0; }

} // namespace

unsigned availableThreads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    if (int count = CPU_COUNT(&set); count > 0)
      return unsigned(count);
  return std::max(1u, std::thread::hardware_concurrency()); // more CPUs than a cpu_set_t holds
}

DeviceProperties describeHost(unsigned threads) {
  DeviceProperties properties;
  properties.kind = DeviceKind::Cpu;
  properties.name = "cpu";
  properties.model = hostModel();
  properties.target = hostTarget();
  for (const auto &[feature, present] : hostFeatures())
    properties.features +=
        fmt::format("{}{}{}", properties.features.empty() ? "" : ",", present ? "+" : "-", feature);
  properties.processors = threads;
  properties.l2Bytes = positive(sysconf(_SC_LEVEL2_CACHE_SIZE));
  properties.memoryBytes = positive(sysconf(_SC_PHYS_PAGES)) * positive(sysconf(_SC_PAGESIZE));
  return properties;
}

Result<void> checkHostRuns(const std::string &target) {
  llvm::StringRef cpu = target;
  if (!cpu.consume_front("cpu"))
    return fail(ErrorCode::InvalidArgument,
                fmt::format("found code for target '{}', expected one for cpu; compile it for {}",
                            target, hostTarget()));
  cpu.consume_front(":");
  // Named after the host, code was compiled for the features that the host really has, which on a
  // virtual machine may be fewer than the processor's.
  if (cpu.empty() || cpu == "native" || cpu == llvm::sys::getHostCPUName())
    return {};
  if (!isX86() || llvm::X86::parseArchX86(cpu, /*Only64Bit=*/true) == llvm::X86::CK_None)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("found code for target '{}', expected a CPU like this host; compile it "
                            "for {}",
                            target, hostTarget()));
  if (std::optional<std::string> feature = missingFeature(cpu))
    return fail(ErrorCode::Unavailable,
                fmt::format("found code for target '{}', but this host lacks {}; compile it for {}",
                            target, *feature, hostTarget()));
  return {};
}

} // namespace tigon
