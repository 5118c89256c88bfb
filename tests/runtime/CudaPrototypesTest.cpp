// SPDX-License-Identifier: Apache-2.0
//
// Our table of the driver's functions against NVIDIA's own header, at compile time. Built only
// where cuda.h is found; nothing else in the project includes it.

// Names as they are in the library, old versions included, and no macros that rename them.
#define __CUDA_API_VERSION_INTERNAL
#include "runtime/CudaDriver.h"

#include <cstddef>
#include <cuda.h>
#include <gtest/gtest.h>
#include <type_traits>

namespace tigon {
namespace {

/// Whether a value of type A is passed and read like one of type B: integers and enumerations of
/// one size, pointers to such, pointers to structures.
template <typename A, typename B> constexpr bool sameBits() {
  if constexpr (std::is_pointer_v<A> && std::is_pointer_v<B>) {
    using PointeeA = std::remove_pointer_t<A>;
    using PointeeB = std::remove_pointer_t<B>;
    if constexpr (std::is_const_v<PointeeA> != std::is_const_v<PointeeB>)
      return false;
    else if constexpr (std::is_class_v<PointeeA> && std::is_class_v<PointeeB>)
      return true; // handles; the structures are compared below
    else if constexpr (std::is_void_v<PointeeA> || std::is_void_v<PointeeB>)
      return std::is_same_v<PointeeA, PointeeB>;
    else
      return sameBits<std::remove_const_t<PointeeA>, std::remove_const_t<PointeeB>>();
  } else if constexpr (std::is_integral_v<A> || std::is_enum_v<A>) {
    return (std::is_integral_v<B> || std::is_enum_v<B>) && sizeof(A) == sizeof(B);
  } else {
    return std::is_same_v<A, B>;
  }
}

template <typename A, typename B> struct SameInterface : std::false_type {};
template <typename R, typename... As, typename S, typename... Bs>
  requires(sizeof...(As) == sizeof...(Bs))
struct SameInterface<R(As...), S(Bs...)>
    : std::bool_constant<(sameBits<R, S>() && ... && sameBits<As, Bs>())> {};

#define CUDA_FUNCTION(name, symbol, parameters)                                                    \
  using Our_##name = cuda::Status parameters;                                                      \
  using Their_##name = decltype(::symbol);
namespace cuda_types {
using namespace cuda;
#include "runtime/CudaDriver.def"
} // namespace cuda_types

#define CUDA_FUNCTION(name, symbol, parameters)                                                    \
  static_assert(SameInterface<cuda_types::Our_##name, cuda_types::Their_##name>::value,            \
                "prototype of " #symbol " differs from cuda.h");
#include "runtime/CudaDriver.def"

#define EQUAL(ours, theirs) static_assert(int64_t(cuda::ours) == int64_t(theirs))
EQUAL(Status::Success, CUDA_SUCCESS);
EQUAL(Status::InvalidValue, CUDA_ERROR_INVALID_VALUE);
EQUAL(Status::OutOfMemory, CUDA_ERROR_OUT_OF_MEMORY);
EQUAL(Status::NotInitialized, CUDA_ERROR_NOT_INITIALIZED);
EQUAL(Status::StubLibrary, CUDA_ERROR_STUB_LIBRARY);
EQUAL(Status::NoDevice, CUDA_ERROR_NO_DEVICE);
EQUAL(Status::InvalidDevice, CUDA_ERROR_INVALID_DEVICE);
EQUAL(Status::InvalidImage, CUDA_ERROR_INVALID_IMAGE);
EQUAL(Status::InvalidPtx, CUDA_ERROR_INVALID_PTX);
EQUAL(Status::JitCompilerNotFound, CUDA_ERROR_JIT_COMPILER_NOT_FOUND);
EQUAL(Status::UnsupportedPtxVersion, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
EQUAL(Status::NotFound, CUDA_ERROR_NOT_FOUND);
EQUAL(Status::IllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS);
EQUAL(Status::LaunchOutOfResources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
EQUAL(Status::LaunchTimeout, CUDA_ERROR_LAUNCH_TIMEOUT);
EQUAL(Status::Assert, CUDA_ERROR_ASSERT);
EQUAL(Status::HardwareStackError, CUDA_ERROR_HARDWARE_STACK_ERROR);
EQUAL(Status::IllegalInstruction, CUDA_ERROR_ILLEGAL_INSTRUCTION);
EQUAL(Status::MisalignedAddress, CUDA_ERROR_MISALIGNED_ADDRESS);
EQUAL(Status::InvalidAddressSpace, CUDA_ERROR_INVALID_ADDRESS_SPACE);
EQUAL(Status::InvalidPc, CUDA_ERROR_INVALID_PC);
EQUAL(Status::LaunchFailed, CUDA_ERROR_LAUNCH_FAILED);
EQUAL(Status::SystemDriverMismatch, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH);
EQUAL(Status::Unknown, CUDA_ERROR_UNKNOWN);
EQUAL(DeviceAttribute::MultiprocessorCount, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
EQUAL(DeviceAttribute::L2CacheSize, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
EQUAL(DeviceAttribute::ComputeCapabilityMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
EQUAL(DeviceAttribute::ComputeCapabilityMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
EQUAL(DeviceAttribute::MaxSharedMemoryPerBlockOptin,
      CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
EQUAL(FunctionAttribute::MaxThreadsPerBlock, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
EQUAL(FunctionAttribute::SharedSizeBytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
EQUAL(FunctionAttribute::ConstSizeBytes, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
EQUAL(FunctionAttribute::LocalSizeBytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
EQUAL(FunctionAttribute::NumRegs, CU_FUNC_ATTRIBUTE_NUM_REGS);
EQUAL(FunctionAttribute::MaxDynamicSharedSizeBytes,
      CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
EQUAL(FunctionAttribute::PreferredSharedMemoryCarveout,
      CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
EQUAL(FunctionAttribute::NonPortableClusterSizeAllowed,
      CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
EQUAL(JitOption::InfoLogBuffer, CU_JIT_INFO_LOG_BUFFER);
EQUAL(JitOption::InfoLogBufferSizeBytes, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES);
EQUAL(JitOption::ErrorLogBuffer, CU_JIT_ERROR_LOG_BUFFER);
EQUAL(JitOption::ErrorLogBufferSizeBytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
EQUAL(JitOption::LogVerbose, CU_JIT_LOG_VERBOSE);
EQUAL(JitOption::GenerateLineInfo, CU_JIT_GENERATE_LINE_INFO);
EQUAL(JitInput::Ptx, CU_JIT_INPUT_PTX);
EQUAL(CaptureMode::Global, CU_STREAM_CAPTURE_MODE_GLOBAL);
EQUAL(CaptureMode::ThreadLocal, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
EQUAL(CaptureMode::Relaxed, CU_STREAM_CAPTURE_MODE_RELAXED);
EQUAL(streamNonBlocking, CU_STREAM_NON_BLOCKING);
EQUAL(LaunchAttributeId::ClusterDimension, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
EQUAL(LaunchAttributeId::ClusterSchedulingPolicyPreference,
      CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE);
EQUAL(clusterSchedulingSpread, CU_CLUSTER_SCHEDULING_POLICY_SPREAD);

static_assert(sizeof(cuda::LaunchAttribute) == sizeof(CUlaunchAttribute));
static_assert(alignof(cuda::LaunchAttribute) == alignof(CUlaunchAttribute));
static_assert(offsetof(cuda::LaunchAttribute, value) == offsetof(CUlaunchAttribute, value));
static_assert(offsetof(CUlaunchAttributeValue, clusterDim) == 0);
static_assert(offsetof(CUlaunchAttributeValue, clusterSchedulingPolicyPreference) == 0);

static_assert(sizeof(cuda::LaunchConfig) == sizeof(CUlaunchConfig));
#define SAME_OFFSET(ours, theirs)                                                                  \
  static_assert(offsetof(cuda::LaunchConfig, ours) == offsetof(CUlaunchConfig, theirs))
SAME_OFFSET(gridX, gridDimX);
SAME_OFFSET(gridZ, gridDimZ);
SAME_OFFSET(blockX, blockDimX);
SAME_OFFSET(blockZ, blockDimZ);
SAME_OFFSET(sharedBytes, sharedMemBytes);
SAME_OFFSET(stream, hStream);
SAME_OFFSET(attributes, attrs);
SAME_OFFSET(attributeCount, numAttrs);

TEST(CudaPrototypes, AgreeWithCudaHeader) {
  // The assertions above are the test; a wrong prototype must be told apart from a right one.
  static_assert(!SameInterface<int(int), int(long)>::value);
  static_assert(!SameInterface<int(int), int(int, int)>::value);
  static_assert(!SameInterface<int(char *), int(const char *)>::value);
  static_assert(!SameInterface<int(float *), int(int *)>::value);
}

} // namespace
} // namespace tigon
