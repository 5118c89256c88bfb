// SPDX-License-Identifier: Apache-2.0
//
// The types of NVIDIA's driver API, as far as CudaDriver.def uses them, so that nothing of the
// toolkit is needed to build. Names are ours, numbers and layouts are the driver's binary
// interface; tests/runtime/CudaPrototypesTest.cpp compares them with cuda.h where that is present.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tigon::cuda {

/// CUresult; those that the runtime and its tests name. All have names through cuGetErrorName.
enum class Status : uint32_t {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NotInitialized = 3,
  StubLibrary = 34,
  NoDevice = 100,
  InvalidDevice = 101,
  InvalidImage = 200,
  InvalidPtx = 218,
  JitCompilerNotFound = 221,
  UnsupportedPtxVersion = 222,
  NotFound = 500,
  IllegalAddress = 700,
  LaunchOutOfResources = 701,
  LaunchTimeout = 702,
  Assert = 710,
  HardwareStackError = 714,
  IllegalInstruction = 715,
  MisalignedAddress = 716,
  InvalidAddressSpace = 717,
  InvalidPc = 718,
  LaunchFailed = 719,
  SystemDriverMismatch = 803,
  Unknown = 999,
};

using Ordinal = int32_t; // CUdevice
using DevicePointer = unsigned long long;
using Context = struct ContextTag *;
using Module = struct ModuleTag *;
using Function = struct FunctionTag *;
using Stream = struct StreamTag *;
using Event = struct EventTag *;
using Graph = struct GraphTag *;
using GraphExec = struct GraphExecTag *;
using LinkState = struct LinkStateTag *;

enum class DeviceAttribute : int32_t {
  MultiprocessorCount = 16,
  L2CacheSize = 38,
  ComputeCapabilityMajor = 75,
  ComputeCapabilityMinor = 76,
  MaxSharedMemoryPerBlockOptin = 97,
};

enum class FunctionAttribute : int32_t {
  MaxThreadsPerBlock = 0,
  SharedSizeBytes = 1,
  ConstSizeBytes = 2,
  LocalSizeBytes = 3,
  NumRegs = 4,
  MaxDynamicSharedSizeBytes = 8,
  PreferredSharedMemoryCarveout = 9,
  NonPortableClusterSizeAllowed = 14,
};

enum class JitOption : int32_t {
  InfoLogBuffer = 3,
  InfoLogBufferSizeBytes = 4,
  ErrorLogBuffer = 5,
  ErrorLogBufferSizeBytes = 6,
  LogVerbose = 12,
  GenerateLineInfo = 13,
};

enum class JitInput : int32_t { Ptx = 1 };

enum class CaptureMode : int32_t { Global = 0, ThreadLocal = 1, Relaxed = 2 };

inline constexpr unsigned streamNonBlocking = 1; // CU_STREAM_NON_BLOCKING

enum class LaunchAttributeId : int32_t {
  ClusterDimension = 4,
  ClusterSchedulingPolicyPreference = 5,
};

inline constexpr int32_t clusterSchedulingSpread = 1; // CU_CLUSTER_SCHEDULING_POLICY_SPREAD

struct LaunchAttribute {
  LaunchAttributeId id;
  char padding[4];
  union {
    char bytes[64];
    void *alignment;
    struct {
      uint32_t x, y, z;
    } clusterDimension;
    int32_t clusterScheduling;
  } value;
};

struct LaunchConfig {
  uint32_t gridX, gridY, gridZ;
  uint32_t blockX, blockY, blockZ;
  uint32_t sharedBytes;
  Stream stream;
  LaunchAttribute *attributes;
  uint32_t attributeCount;
};

} // namespace tigon::cuda
