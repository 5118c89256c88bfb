// SPDX-License-Identifier: Apache-2.0
#include "runtime/CpuHost.h"
#include "runtime/Runtime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

namespace tigon {
namespace {

using testing::HasSubstr;

TEST(CpuDevice, IsAlwaysThereAndFirst) {
  auto names = Device::list({.cudaDriver = "/nowhere/libcuda.so.1"});
  EXPECT_THAT(names, testing::ElementsAre("cpu"));
}

TEST(CpuDevice, UnknownNamesAreRefused) {
  for (const char *name : {"", "gpu", "cpu:0", "cuda:", "cuda:x", "cuda:-1", "cuda:1x"}) {
    auto device = Device::open(name);
    ASSERT_FALSE(device) << name;
    EXPECT_EQ(device.error().code, ErrorCode::InvalidArgument);
    EXPECT_THAT(device.error().message, HasSubstr("expected cpu, cuda, cuda:N"));
  }
  auto device = Device::open("cuda:0", {.cudaDriver = "/nowhere/libcuda.so.1"});
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, ErrorCode::Unavailable);
}

TEST(CpuDevice, ThreadsFollowTheAffinityMaskOrTheOption) {
  EXPECT_EQ(Device::open("cpu", {.threads = 7})->properties().processors, 7u);
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  int first = 0;
  while (!CPU_ISSET(first, &before))
    ++first;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(Device::open("cpu")->properties().processors, 1u);
  sched_setaffinity(0, sizeof(before), &before);
  EXPECT_EQ(Device::open("cpu")->properties().processors, unsigned(CPU_COUNT(&before)));
}

TEST(CpuDevice, PropertiesDescribeTheHost) {
  auto device = Device::open("cpu");
  const DeviceProperties &properties = device->properties();
  EXPECT_EQ(properties.kind, DeviceKind::Cpu);
  EXPECT_EQ(properties.name, "cpu");
  EXPECT_FALSE(properties.model.empty());
  EXPECT_THAT(properties.target, testing::StartsWith("cpu:"));
  EXPECT_GT(properties.memoryBytes, uint64_t(1) << 28);
#if defined(__x86_64__)
  EXPECT_THAT(properties.features, HasSubstr("+sse2"));
#endif
}

TEST(CpuDevice, HostRunsItsOwnTargetAndNothingItLacks) {
  EXPECT_TRUE(checkHostRuns("cpu"));
  EXPECT_TRUE(checkHostRuns("cpu:native"));
  EXPECT_TRUE(checkHostRuns(Device::open("cpu")->properties().target));
  EXPECT_FALSE(checkHostRuns("sm_90"));
  EXPECT_FALSE(checkHostRuns("cpu:no-such-processor"));
#if defined(__x86_64__)
  EXPECT_TRUE(checkHostRuns("cpu:x86-64"));
  auto amd = checkHostRuns("cpu:bdver4"); // has FMA4 and XOP, which no processor of today has
  ASSERT_FALSE(amd);
  EXPECT_THAT(amd.error().message, HasSubstr("but this host lacks"));
#endif
}

TEST(CpuDevice, BuffersCopyFillAndKeepCudasAlignment) {
  auto device = Device::open("cpu");
  auto stream = Stream::create(*device);
  auto a = Buffer::allocate(*device, 12), b = Buffer::allocate(*device, 12);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(a->data()) % 256, 0u);
  const int from[3] = {1, 2, 3};
  int to[3] = {};
  ASSERT_TRUE(a->copyFrom(from, 12));
  ASSERT_TRUE(b->fill(*stream, 0xff));
  ASSERT_TRUE(b->copyFrom(*stream, *a, 8));
  ASSERT_TRUE(b->copyTo(*stream, to, 12));
  EXPECT_THAT(to, testing::ElementsAre(1, 2, -1));
  EXPECT_FALSE(b->copyTo(to, 16));
  auto outside = Buffer::wrap(*device, to, 12);
  ASSERT_TRUE(outside.copyFrom(*stream, *a, 12));
  EXPECT_EQ(to[2], 3);
}

TEST(CpuDevice, ImpossibleBuffersAreErrors) {
  auto device = Device::open("cpu");
  for (size_t bytes : {SIZE_MAX, SIZE_MAX / 2}) {
    auto buffer = Buffer::allocate(*device, bytes);
    ASSERT_FALSE(buffer);
    EXPECT_EQ(buffer.error().code, ErrorCode::OutOfResources);
  }
}

TEST(CpuDevice, EventsTellTimeAndGraphsAreRefused) {
  auto device = Device::open("cpu");
  auto stream = Stream::create(*device);
  auto start = Event::create(*device), end = Event::create(*device);
  EXPECT_FALSE(Event::elapsedMilliseconds(*start, *end));
  ASSERT_TRUE(start->record(*stream));
  ASSERT_TRUE(end->record(*stream));
  EXPECT_GE(*Event::elapsedMilliseconds(*start, *end), 0);
  auto graph = Graph::capture(*stream, [] { return Result<void>(); });
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().code, ErrorCode::Unsupported);
}

} // namespace
} // namespace tigon
