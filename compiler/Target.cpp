// SPDX-License-Identifier: Apache-2.0
#include "compiler/Target.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace tigon {
namespace {

struct GpuGeneration {
  int capability;
  int ptxVersion; // lowest that LLVM's back end accepts for the processor
  int sharedKilobytes;
};

// NVIDIA CUDA C++ Programming Guide, table "Technical Specifications per Compute Capability":
// shared memory per block.
constexpr GpuGeneration generations[] = {
    {80, 70, 163},  {86, 71, 99},   {87, 74, 163},  {88, 90, 99},  {89, 78, 99},  {90, 78, 227},
    {100, 86, 227}, {103, 88, 227}, {110, 90, 227}, {120, 87, 99}, {121, 88, 99},
};

Result<Target> parseGpu(std::string_view name) {
  llvm::StringRef rest(name);
  if (!rest.consume_front("sm_"))
    rest.consume_front("cuda:");
  bool specific = rest.consume_back("a");
  rest.consume_back(":32"); // Triton's `cuda:90:32` names the warp size too
  int capability = 0;
  const GpuGeneration *generation = nullptr;
  if (!rest.getAsInteger(10, capability))
    for (const GpuGeneration &known : generations)
      if (known.capability == capability)
        generation = &known;
  if (!generation) {
    std::string known = llvm::join(
        llvm::map_range(generations,
                        [](const GpuGeneration &g) { return fmt::format("sm_{}", g.capability); }),
        ", ");
    return fail(ErrorCode::InvalidArgument,
                fmt::format("found target '{}', expected cpu, cpu:NAME, interpreter or one of {}",
                            name, known));
  }
  Target target;
  target.name = fmt::format("sm_{}{}", capability, specific ? "a" : "");
  target.triple = "nvptx64-nvidia-cuda";
  target.cpu = target.name;
  target.lanesAreThreads = true;
  target.lanes = 32;
  target.maxWarps = 32;
  target.accessBytes = 16;
  target.approximates = target.fusesMultiplyAdd = true;
  target.convertsToBFloat = capability >= 90;
  target.convertsBytes = capability >= 90; // 89 has it too, from PTX 8.1 on
  target.sharedBytes = int64_t(generation->sharedKilobytes) << 10;
  target.processors = 132;
  target.cacheBytes = int64_t(50) << 20;
  target.ptxVersion = std::max(generation->ptxVersion, specific ? 80 : 0);
  target.computeCapability = capability;
  return target;
}

// Names of CPU levels, and the features that the compiler itself decides by.
Result<Target> parseCpu(llvm::StringRef cpu) {
  Target target;
  std::map<std::string, bool> features;
  if (cpu.empty() || cpu == "native") {
    target.cpu = llvm::sys::getHostCPUName().str();
    for (auto &feature : llvm::sys::getHostCPUFeatures())
      features[feature.first().str()] = feature.second;
    llvm::SmallVector<std::string> spelled;
    for (auto &[feature, present] : features)
      spelled.push_back((present ? "+" : "-") + feature);
    target.features = llvm::join(spelled, ",");
  } else {
    llvm::SmallVector<llvm::StringRef> known, has;
    llvm::X86::fillValidCPUArchList(known, /*Only64Bit=*/true);
    if (!llvm::is_contained(known, cpu))
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("found CPU '{}', expected native, x86-64, x86-64-v2, x86-64-v3, "
                              "x86-64-v4 or a processor "
                              "that LLVM knows (znver4, sapphirerapids, ...)",
                              cpu.str()));
    target.cpu = cpu.str();
    llvm::X86::getFeaturesForCPU(cpu, has);
    llvm::StringMap<bool> implied;
    for (llvm::StringRef feature : has)
      llvm::X86::updateImpliedFeatures(feature.ltrim("+"), true, implied);
    for (llvm::StringRef feature : has)
      implied[feature.ltrim("+")] = true;
    for (auto &feature : implied)
      features[feature.first().str()] = feature.second;
  }
  target.name = "cpu:" + target.cpu;
  target.triple = llvm::sys::getDefaultTargetTriple();
  bool avx512 = features["avx512f"] && features["avx512vl"] && features["avx512dq"];
  bool avx2 = features["avx2"] && features["fma"];
  target.lanes = avx512 ? 16 : avx2 ? 8 : 4;
  target.accessBytes = target.lanes * 4;
  target.liveVectors = avx512 ? 24 : 12;
  target.narrowFloatsAreIntegers = true;
  target.divisionTraps = true;
  target.fusesMultiplyAdd = features["fma"];
  target.convertsHalf = features["f16c"];
  target.masksWords = avx2 || avx512;
  target.masksBytes = avx512 && features["avx512bw"];
  return target;
}

} // namespace

Result<Target> Target::parse(std::string_view name) {
  llvm::StringRef spelled(name);
  if (spelled == "cpu")
    return parseCpu("");
  if (spelled.consume_front("cpu:"))
    return parseCpu(spelled);
  return parseGpu(name);
}

} // namespace tigon
