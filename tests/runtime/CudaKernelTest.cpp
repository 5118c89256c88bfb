// SPDX-License-Identifier: Apache-2.0
#include "runtime/CudaKernel.h"

#include "tests/runtime/Allocations.h"
#include "tests/runtime/MockCuda.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tigon {
namespace {

using cuda::FunctionAttribute;
using cuda::Status;
using testing::ElementsAre;
using testing::HasSubstr;

Artifact makeArtifact() {
  KernelMetadata metadata;
  metadata.name = "scale";
  metadata.target = "sm_90";
  metadata.arguments = {{"x", "*f32", ArgumentKind::Pointer, 8},
                        {"n", "i32", ArgumentKind::Integer, 4},
                        {"factor", "f32", ArgumentKind::Float, 4}};
  metadata.threads = 128;
  return {metadata, ".version 8.3\n.target sm_90\n"};
}

struct CudaKernelTest : testing::Test {
  MockCuda mock;
  Device device = mock.open();
  Stream stream = Stream::wrap(device, reinterpret_cast<void *>(0x5));
  void *const x = reinterpret_cast<void *>(0x10000);

  Kernel load(const Artifact &artifact) {
    auto kernel = Kernel::load(device, artifact);
    EXPECT_TRUE(kernel) << kernel.error().message;
    return *kernel;
  }
  Error loadFailure(const Artifact &artifact) {
    auto kernel = Kernel::load(device, artifact);
    EXPECT_FALSE(kernel);
    return kernel.error();
  }
};

/// Copies text to the driver's log buffer of the wanted kind.
void writeLog(unsigned count, cuda::JitOption *options, void **values, cuda::JitOption which,
              const char *text) {
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == which)
      std::strcpy(static_cast<char *>(values[i]), text);
}

TEST_F(CudaKernelTest, PtxIsLinkedLoadedAndReported) {
  Artifact artifact = makeArtifact();
  mock.attributes[FunctionAttribute::LocalSizeBytes] = 24;
  mock.on.linkCreate = [&](unsigned count, cuda::JitOption *options, void **values,
                           cuda::LinkState *state) {
    writeLog(count, options, values, cuda::JitOption::InfoLogBuffer, "ptxas info: 40 registers");
    return *state = nullptr, Status::Success;
  };
  std::string linked, loaded;
  mock.on.linkAddData = [&](cuda::LinkState, cuda::JitInput, void *data, size_t bytes, const char *,
                            unsigned, cuda::JitOption *, void **) {
    return linked.assign(static_cast<char *>(data), bytes), Status::Success;
  };
  mock.on.moduleLoadData = [&](cuda::Module *, const void *image, unsigned, cuda::JitOption *,
                               void **) {
    return loaded.assign(static_cast<const char *>(image), 9), Status::Success;
  };
  Kernel kernel = load(artifact);
  EXPECT_EQ(linked, artifact.code + '\0');
  EXPECT_EQ(loaded, "\177ELFcubin");
  EXPECT_EQ(kernel.report().registers, 40u);
  EXPECT_EQ(kernel.report().localBytes, 24u);
  EXPECT_EQ(kernel.report().log, "ptxas info: 40 registers");
  EXPECT_EQ(mock.callsOf("cuFuncLoad").size(), 1u);
}

TEST_F(CudaKernelTest, CubinsAreLoadedAsTheyAre) {
  auto assembled = device.assemble(makeArtifact());
  ASSERT_TRUE(assembled);
  EXPECT_EQ(assembled->code, "\177ELFcubin");
  EXPECT_EQ(assembled->metadata.name, "scale");
  mock.calls.clear();
  load(*assembled);
  EXPECT_TRUE(mock.callsOf("cuLinkCreate_v2").empty());
}

TEST_F(CudaKernelTest, NothingIsLeftWhenAKernelGoes) {
  Artifact artifact = makeArtifact();
  artifact.metadata.scratchBytesPerProgram = 64;
  {
    Kernel kernel = load(artifact);
    ASSERT_TRUE(kernel.prepare({.x = 4}));
    EXPECT_FALSE(mock.alive.empty());
  }
  EXPECT_TRUE(mock.alive.empty());
}

TEST_F(CudaKernelTest, RefusedPtxGivesTheDriversLog) {
  mock.on.linkCreate = [&](unsigned count, cuda::JitOption *options, void **values,
                           cuda::LinkState *state) {
    writeLog(count, options, values, cuda::JitOption::ErrorLogBuffer, "line 7: unknown opcode");
    return *state = nullptr, Status::Success;
  };
  mock.failures["cuLinkAddData_v2"] = Status::InvalidPtx;
  Error error = loadFailure(makeArtifact());
  EXPECT_EQ(error.code, ErrorCode::DeviceFailure);
  EXPECT_EQ(error.message,
            "kernel 'scale' cannot be assembled for sm_90: cuLinkAddData_v2 failed with "
            "CUDA_ERROR_INVALID_PTX (218), in other words; the driver says:\nline 7: unknown "
            "opcode");
}

TEST_F(CudaKernelTest, PtxTooNewForTheDriverNamesBothVersions) {
  mock.failures["cuLinkAddData_v2"] = Status::UnsupportedPtxVersion;
  Artifact artifact = makeArtifact();
  artifact.code = "//\n.version 9.3\n.target sm_90\n";
  EXPECT_THAT(loadFailure(artifact).message,
              HasSubstr("found PTX 9.3, but driver 13.0 takes 9.0 at most: compile with "
                        "ptxVersion = 90"));
}

TEST_F(CudaKernelTest, DamagedCubinsAndMissingKernelsAreErrors) {
  mock.failures["cuModuleLoadDataEx"] = Status::InvalidImage;
  EXPECT_THAT(loadFailure(makeArtifact()).message, HasSubstr("kernel 'scale' cannot be loaded: "
                                                             "cuModuleLoadDataEx failed with"));
  mock.failures = {{"cuModuleGetFunction", Status::NotFound}};
  EXPECT_EQ(loadFailure(makeArtifact()).message, "found no kernel 'scale' in its own code");
  EXPECT_TRUE(mock.alive.empty());
}

TEST_F(CudaKernelTest, TargetsThatTheDeviceDoesNotRunAreRefused) {
  Artifact artifact = makeArtifact();
  for (const char *runs : {"sm_80", "sm_90", "sm_90a", "sm_90f"}) {
    artifact.metadata.target = runs;
    EXPECT_TRUE(Kernel::load(device, artifact)) << runs;
  }
  for (const char *refused : {"sm_100", "sm_89a", "sm_80f", "cpu:x86-64-v3", "sm_90b", "sm_"}) {
    artifact.metadata.target = refused;
    EXPECT_FALSE(Kernel::load(device, artifact)) << refused;
  }
  artifact.metadata.target = "sm_100";
  EXPECT_EQ(loadFailure(artifact).message,
            "kernel 'scale' is compiled for sm_100, which cuda:0 (NVIDIA H200, sm_90) does not "
            "run; compile it for sm_90");
  artifact.metadata.target = "sm_80"; // machine code is for its own generation
  artifact.code = "\177ELF";
  EXPECT_FALSE(Kernel::load(device, artifact));
}

TEST_F(CudaKernelTest, ParametersAreInOrderThenScratchThenProfile) {
  Artifact artifact = makeArtifact();
  artifact.metadata.scratchBytesPerProgram = 64;
  Kernel kernel = load(artifact);
  ASSERT_TRUE(kernel.prepare({.x = 6}));
  mock.parameterBytes = {8, 4, 4, 8, 8};
  ASSERT_TRUE(kernel.launch(stream, {.x = 2, .y = 3}, x, int32_t(-7), 0.5f));
  auto call = mock.callsOf("cuLaunchKernel").at(0);
  std::vector<uint64_t> head(call.arguments.begin(), call.arguments.begin() + 9);
  EXPECT_THAT(head, ElementsAre(0xf0, 2, 3, 1, 128, 1, 1, 0, 0x5));
  EXPECT_EQ(call.arguments[10], 0u);
  EXPECT_EQ(mock.parameters[0], 0x10000u);
  EXPECT_EQ(uint32_t(mock.parameters[1]), uint32_t(-7));
  EXPECT_EQ(uint32_t(mock.parameters[2]), 0x3f000000u);
  EXPECT_TRUE(mock.alive.count(reinterpret_cast<void *>(mock.parameters[3])));
  EXPECT_EQ(mock.parameters[4], 0u);
}

TEST_F(CudaKernelTest, ScratchPointersAreThereAndNullWithoutScratch) {
  Kernel kernel = load(makeArtifact());
  mock.parameterBytes = {8, 4, 4, 8, 8};
  ASSERT_TRUE(kernel.launch(stream, {}, x, 1, 1.0f));
  EXPECT_EQ(mock.parameters[3], 0u);
  EXPECT_EQ(mock.parameters[4], 0u);
}

TEST_F(CudaKernelTest, HalvesAndBuffersArePassedByTheirWidth) {
  Artifact artifact = makeArtifact();
  artifact.metadata.arguments = {{"x", "*f16", ArgumentKind::Pointer, 8},
                                 {"a", "f16", ArgumentKind::Float, 2},
                                 {"b", "bf16", ArgumentKind::Float, 2},
                                 {"c", "i1", ArgumentKind::Integer, 1}};
  Kernel kernel = load(artifact);
  auto buffer = Buffer::allocate(device, 32);
  mock.parameterBytes = {8, 2, 2, 1, 8, 8};
  ASSERT_TRUE(kernel.launch(stream, {}, *buffer, Float16{0x3c00}, BFloat16{0x3f80}, true));
  EXPECT_THAT(mock.parameters,
              ElementsAre(reinterpret_cast<uint64_t>(buffer->data()), 0x3c00, 0x3f80, 1, 0, 0));
}

TEST_F(CudaKernelTest, SharedMemoryAboveTheDefaultIsAskedForOnce) {
  Artifact artifact = makeArtifact();
  artifact.metadata.sharedBytes = 48 << 10;
  load(artifact);
  EXPECT_TRUE(mock.callsOf("cuFuncSetAttribute").empty());

  artifact.metadata.sharedBytes = (48 << 10) + 16;
  Kernel kernel = load(artifact);
  auto calls = mock.callsOf("cuFuncSetAttribute");
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_THAT(calls[0].arguments,
              ElementsAre(0xf0, uint64_t(FunctionAttribute::MaxDynamicSharedSizeBytes), 49168));
  EXPECT_THAT(calls[1].arguments,
              ElementsAre(0xf0, uint64_t(FunctionAttribute::PreferredSharedMemoryCarveout), 100));
  ASSERT_TRUE(kernel.launch(stream, {}, x, 1, 1.0f));
  EXPECT_EQ(mock.callsOf("cuLaunchKernel")[0].arguments[7], 49168u);
  EXPECT_EQ(mock.callsOf("cuFuncSetAttribute").size(), 2u);
}

TEST_F(CudaKernelTest, TooMuchSharedMemoryIsRefusedBeforeAssembly) {
  Artifact artifact = makeArtifact();
  artifact.metadata.sharedBytes = 300000;
  Error error = loadFailure(artifact);
  EXPECT_EQ(error.code, ErrorCode::OutOfResources);
  EXPECT_EQ(error.message,
            "kernel 'scale' needs 300000 bytes of shared memory, a block of cuda:0 can have "
            "232448; compile it with a smaller strip or fewer stages");
  EXPECT_TRUE(mock.callsOf("cuLinkCreate_v2").empty());

  artifact.metadata.sharedBytes = 232448;
  mock.attributes[FunctionAttribute::SharedSizeBytes] = 8;
  EXPECT_THAT(loadFailure(artifact).message, HasSubstr("needs 232448 + 8 bytes"));
}

TEST_F(CudaKernelTest, MoreThreadsThanRegistersAllowAreRefused) {
  Artifact artifact = makeArtifact();
  artifact.metadata.threads = 2048;
  EXPECT_THAT(loadFailure(artifact).message, HasSubstr("at most 32 warps"));
  artifact.metadata.threads = 1024;
  mock.attributes[FunctionAttribute::MaxThreadsPerBlock] = 768;
  mock.attributes[FunctionAttribute::NumRegs] = 80;
  EXPECT_THAT(loadFailure(artifact).message,
              HasSubstr("has 1024 threads of 80 registers, of which 768 fit"));
}

TEST_F(CudaKernelTest, ClustersMultiplyTheGridAndSpread) {
  Artifact artifact = makeArtifact();
  artifact.metadata.cluster = 16;
  Kernel kernel = load(artifact);
  EXPECT_THAT(mock.callsOf("cuFuncSetAttribute").at(0).arguments,
              ElementsAre(0xf0, uint64_t(FunctionAttribute::NonPortableClusterSizeAllowed), 1));
  cuda::LaunchConfig config = {};
  std::vector<cuda::LaunchAttribute> attributes;
  mock.on.launchKernelEx = [&](const cuda::LaunchConfig *given, cuda::Function, void **, void **) {
    config = *given;
    attributes.assign(given->attributes, given->attributes + given->attributeCount);
    return Status::Success;
  };
  ASSERT_TRUE(kernel.launch(stream, {.x = 3, .y = 2}, x, 1, 1.0f));
  EXPECT_EQ(config.gridX, 48u);
  EXPECT_EQ(config.gridY, 2u);
  EXPECT_EQ(config.blockX, 128u);
  EXPECT_EQ(attributes.at(0).id, cuda::LaunchAttributeId::ClusterDimension);
  EXPECT_EQ(attributes.at(0).value.clusterDimension.x, 16u);
  EXPECT_EQ(attributes.at(1).value.clusterScheduling, cuda::clusterSchedulingSpread);

  auto tooLong = kernel.launch(stream, {.x = int64_t(1) << 27}, x, 1, 1.0f);
  ASSERT_FALSE(tooLong);
  EXPECT_THAT(tooLong.error().message, HasSubstr("expected 0 to 134217727 (clusters of 16)"));
}

TEST_F(CudaKernelTest, ClustersNeedADriverThatHasThem) {
  Artifact artifact = makeArtifact();
  artifact.metadata.cluster = 2;
  mock.driver.launchKernelEx.pointer = nullptr;
  EXPECT_THAT(loadFailure(artifact).message, HasSubstr("need a driver of CUDA 11.8"));
  artifact.metadata.cluster = 1;
  mock.driver.functionLoad.pointer = nullptr;
  EXPECT_TRUE(Kernel::load(device, artifact));
}

TEST_F(CudaKernelTest, LaunchWithoutScratchSaysToPrepare) {
  Artifact artifact = makeArtifact();
  artifact.metadata.scratchBytesPerProgram = 100;
  Kernel kernel = load(artifact);
  auto done = kernel.launch(stream, {.x = 3}, x, 1, 1.0f);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::OutOfResources);
  EXPECT_EQ(done.error().message,
            "kernel 'scale' needs 300 bytes of scratch for 3 programs, found 0; call prepare with "
            "the largest grid first, or pass scratch");
  ASSERT_TRUE(kernel.prepare({.x = 3}));
  EXPECT_TRUE(kernel.launch(stream, {.x = 3}, x, 1, 1.0f));
  EXPECT_TRUE(kernel.launch(stream, {.x = 2}, x, 1, 1.0f));
  EXPECT_FALSE(kernel.launch(stream, {.x = 4}, x, 1, 1.0f));
}

TEST_F(CudaKernelTest, PreparedScratchGrowsAndKeepsWhatGraphsMayHold) {
  Artifact artifact = makeArtifact();
  artifact.metadata.scratchBytesPerProgram = 100;
  Kernel kernel = load(artifact);
  size_t before = mock.alive.size();
  ASSERT_TRUE(kernel.prepare({.x = 4}));
  ASSERT_TRUE(kernel.prepare({.x = 2})); // there already
  EXPECT_EQ(mock.alive.size(), before + 1);
  ASSERT_TRUE(kernel.prepare({.x = 8}));
  EXPECT_EQ(mock.alive.size(), before + 2);
  EXPECT_TRUE(mock.callsOf("cuMemFree_v2").empty());
  EXPECT_EQ(mock.callsOf("cuMemAlloc_v2").back().arguments[1], 800u);
  mock.failures["cuMemAlloc_v2"] = Status::OutOfMemory;
  EXPECT_FALSE(kernel.prepare({.x = 16}));
}

TEST_F(CudaKernelTest, PassedScratchIsUsedAndChecked) {
  Artifact artifact = makeArtifact();
  artifact.metadata.scratchBytesPerProgram = 128;
  Kernel kernel = load(artifact);
  float factor = 1;
  int32_t n = 1;
  const Argument arguments[] = {makeArgument(x), makeArgument(n), makeArgument(factor)};
  auto needed = kernel.scratchBytes({.x = 2});
  ASSERT_TRUE(needed);
  EXPECT_EQ(*needed, 256u);
  mock.parameterBytes = {8, 4, 4, 8, 8};
  void *scratch = reinterpret_cast<void *>(0x20000);
  ASSERT_TRUE(kernel.launch(stream, {.x = 2}, arguments, {scratch, *needed}));
  EXPECT_EQ(mock.parameters[3], 0x20000u);
  EXPECT_FALSE(kernel.launch(stream, {.x = 2}, arguments, {scratch, 255}));
  auto crooked = kernel.launch(stream, {.x = 2}, arguments, {reinterpret_cast<void *>(8), 256});
  ASSERT_FALSE(crooked);
  EXPECT_THAT(crooked.error().message, HasSubstr("found scratch at 0x8, expected a multiple of"));
}

TEST_F(CudaKernelTest, EmptyGridsLaunchNothing) {
  Kernel kernel = load(makeArtifact());
  EXPECT_TRUE(kernel.launch(stream, {.x = 0}, x, 1, 1.0f));
  EXPECT_TRUE(kernel.launch(stream, {.x = 5, .y = 0}, x, 1, 1.0f));
  EXPECT_TRUE(mock.callsOf("cuLaunchKernel").empty());
}

TEST_F(CudaKernelTest, GridProductsBeyond32BitsAreLaunched) {
  Kernel kernel = load(makeArtifact());
  ASSERT_TRUE(kernel.launch(stream, {.x = 65536, .y = 65535, .z = 2}, x, 1, 1.0f));
  auto call = mock.callsOf("cuLaunchKernel").at(0);
  EXPECT_EQ(call.arguments[1], 65536u);
  EXPECT_EQ(call.arguments[2], 65535u);
  EXPECT_EQ(call.arguments[3], 2u);
}

TEST_F(CudaKernelTest, FailedLaunchesNameKernelAndGrid) {
  Kernel kernel = load(makeArtifact());
  mock.failures["cuLaunchKernel"] = Status::LaunchOutOfResources;
  auto done = kernel.launch(stream, {.x = 2, .y = 3}, x, 1, 1.0f);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::OutOfResources);
  EXPECT_THAT(done.error().message, HasSubstr("kernel 'scale' on cuda:0 with grid (2, 3, 1)"));
  EXPECT_THAT(done.error().message, HasSubstr("use fewer warps"));
}

TEST_F(CudaKernelTest, MemoryOfOtherDevicesIsRefused) {
  Kernel kernel = load(makeArtifact());
  auto foreign = Buffer::allocate(mock.open(1), 16);
  auto done = kernel.launch(stream, {}, *foreign, 1, 1.0f);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message,
            "kernel 'scale' is loaded on device cuda:0, found a buffer of device cuda:1");
  Stream other = Stream::wrap(mock.open(1), nullptr);
  EXPECT_FALSE(kernel.launch(other, {}, x, 1, 1.0f));
}

TEST_F(CudaKernelTest, LaunchIsTwoCallsOfTheDriverAndAllocatesNothing) {
  Artifact artifact = makeArtifact();
  artifact.metadata.scratchBytesPerProgram = 16;
  Kernel kernel = load(artifact);
  ASSERT_TRUE(kernel.prepare({.x = 8}));
  mock.contextStack = {reinterpret_cast<cuda::Context>(0xc0)};
  mock.calls.clear();
  ASSERT_TRUE(kernel.launch(stream, {.x = 8}, x, 1, 1.0f));
  EXPECT_EQ(mock.sequence(), "cuCtxGetCurrent cuLaunchKernel");

  mock.isRecording = false;
  size_t before = countAllocations();
  for (int i = 0; i < 1000; ++i)
    ASSERT_TRUE(kernel.launch(stream, {.x = 8}, x, 1, 1.0f));
  EXPECT_EQ(countAllocations(), before);
}

} // namespace
} // namespace tigon
