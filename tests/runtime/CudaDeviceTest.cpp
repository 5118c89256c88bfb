// SPDX-License-Identifier: Apache-2.0
#include "runtime/CudaDevice.h"

#include "tests/runtime/MockCuda.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tigon {
namespace {

using cuda::Status;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(CudaDevice, PropertiesAreTheDrivers) {
  MockCuda mock;
  Device device = mock.open(1);
  const DeviceProperties &properties = device.properties();
  EXPECT_EQ(properties.kind, DeviceKind::Cuda);
  EXPECT_EQ(properties.name, "cuda:1");
  EXPECT_EQ(properties.model, "NVIDIA H200");
  EXPECT_EQ(properties.target, "sm_90");
  EXPECT_EQ(properties.computeCapability, 90u);
  EXPECT_EQ(properties.processors, 132u);
  EXPECT_EQ(properties.l2Bytes, uint64_t(60) << 20);
  EXPECT_EQ(properties.sharedBytesPerBlock, 232448u);
  EXPECT_EQ(properties.memoryBytes, uint64_t(141) << 30);
  EXPECT_EQ(properties.driverVersion, 13000);
  EXPECT_EQ(properties.maxPtxVersion, 90);
}

TEST(CudaDevice, OrdinalsBeyondTheLastAreUnavailable) {
  MockCuda mock;
  auto device = openCudaDevice(mock.driver, 2);
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().code, ErrorCode::Unavailable);
  EXPECT_EQ(device.error().message,
            "found no device cuda:2, expected 0 to 1 (the process sees 2 GPUs)");
}

TEST(CudaDevice, ContextIsRetainedOnceAndReleasedWithTheLastHandle) {
  MockCuda mock;
  {
    auto buffer = Buffer::allocate(mock.open(), 16); // the device lives on in it
    ASSERT_TRUE(buffer);
    EXPECT_EQ(mock.callsOf("cuDevicePrimaryCtxRetain").size(), 1u);
    EXPECT_EQ(mock.callsOf("cuDevicePrimaryCtxRelease_v2").size(), 0u);
  }
  EXPECT_EQ(mock.callsOf("cuDevicePrimaryCtxRelease_v2").size(), 1u);
  EXPECT_TRUE(mock.alive.empty());
}

TEST(CudaDevice, CallersContextIsPutBack) {
  MockCuda mock;
  Device device = mock.open();
  auto other = reinterpret_cast<cuda::Context>(0xbeef);
  mock.contextStack = {other};
  ASSERT_TRUE(device.synchronize());
  EXPECT_THAT(mock.contextStack, ElementsAre(other));
  EXPECT_EQ(mock.callsOf("cuCtxPushCurrent_v2").size(), 1u);

  auto ours = reinterpret_cast<cuda::Context>(0xc0);
  mock.contextStack = {ours};
  ASSERT_TRUE(device.synchronize());
  EXPECT_EQ(mock.callsOf("cuCtxPushCurrent_v2").size(), 1u); // it was current
}

TEST(CudaDevice, UseAfterForkIsExplained) {
  MockCuda mock;
  Device device = mock.open();
  mock.failures["cuCtxGetCurrent"] = Status::NotInitialized;
  auto done = device.synchronize();
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("open the device in the child only"));
}

TEST(CudaDevice, OutOfMemorySaysWhatWasWantedAndWhatIsFree) {
  MockCuda mock;
  Device device = mock.open();
  mock.failures["cuMemAlloc_v2"] = Status::OutOfMemory;
  mock.on.memGetInfo = [](size_t *free, size_t *total) {
    return *free = 1000, *total = 2000, Status::Success;
  };
  auto buffer = Buffer::allocate(device, 4096);
  ASSERT_FALSE(buffer);
  EXPECT_EQ(buffer.error().code, ErrorCode::OutOfResources);
  EXPECT_THAT(buffer.error().message,
              HasSubstr("cannot allocate 4096 bytes on cuda:0, where 1000 of 2000 are free"));
}

TEST(CudaDevice, EmptyBuffersAskTheDriverForNothing) {
  MockCuda mock;
  Device device = mock.open();
  auto buffer = Buffer::allocate(device, 0);
  ASSERT_TRUE(buffer);
  EXPECT_EQ(buffer->data(), nullptr);
  EXPECT_TRUE(buffer->copyFrom(nullptr, 0));
  EXPECT_TRUE(mock.callsOf("cuMemAlloc_v2").empty());
}

TEST(CudaDevice, CopiesWithoutAStreamWaitForTheDevice) {
  MockCuda mock;
  Device device = mock.open();
  auto buffer = Buffer::allocate(device, 8);
  const int from[2] = {7, 9};
  int to[2] = {};
  mock.calls.clear();
  ASSERT_TRUE(buffer->copyFrom(from, 8));
  std::erase_if(mock.calls, [](auto &call) { return call.symbol.starts_with("cuCtxP"); });
  std::erase_if(mock.calls, [](auto &call) { return call.symbol == "cuCtxGetCurrent"; });
  EXPECT_EQ(mock.sequence(), "cuCtxSynchronize cuMemcpyAsync cuStreamSynchronize");
  ASSERT_TRUE(buffer->copyTo(to, 4, 4));
  EXPECT_EQ(to[0], 9);
}

TEST(CudaDevice, CopiesOnAStreamDoNotWait) {
  MockCuda mock;
  Device device = mock.open();
  auto buffer = Buffer::allocate(device, 8), other = Buffer::allocate(device, 8);
  Stream stream = Stream::wrap(device, reinterpret_cast<void *>(0x5));
  const int from[2] = {7, 9};
  int to[2] = {};
  ASSERT_TRUE(buffer->copyFrom(stream, from, 8));
  ASSERT_TRUE(other->copyFrom(stream, *buffer, 8));
  ASSERT_TRUE(other->copyTo(stream, to, 8));
  ASSERT_TRUE(buffer->fill(stream, 0));
  EXPECT_THAT(to, ElementsAre(7, 9));
  EXPECT_EQ(mock.callsOf("cuMemcpyAsync").size(), 3u);
  EXPECT_EQ(mock.callsOf("cuMemcpyAsync")[0].arguments[3], 0x5u);
  EXPECT_TRUE(mock.callsOf("cuCtxSynchronize").empty());
  EXPECT_TRUE(mock.callsOf("cuStreamSynchronize").empty());
}

TEST(CudaDevice, CopiesBeyondABufferAreRefused) {
  MockCuda mock;
  auto buffer = Buffer::allocate(mock.open(), 8);
  char host[16] = {};
  auto done = buffer->copyFrom(host, 4, 6);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message,
            "found a copy of 4 bytes at offset 6, but the buffer has 8 bytes");
  EXPECT_FALSE(buffer->copyTo(host, 16));
  EXPECT_FALSE(buffer->copyTo(host, SIZE_MAX, 4));
}

TEST(CudaDevice, OwnStreamsDoNotBlockAndAreDestroyedWrappedOnesStay) {
  MockCuda mock;
  Device device = mock.open();
  {
    auto stream = Stream::create(device);
    ASSERT_TRUE(stream);
    EXPECT_EQ(mock.callsOf("cuStreamCreate")[0].arguments[1], cuda::streamNonBlocking);
    Stream wrapped = Stream::wrap(device, reinterpret_cast<void *>(0x1));
    EXPECT_EQ(wrapped.handle(), reinterpret_cast<void *>(0x1));
    ASSERT_TRUE(wrapped.synchronize());
  }
  EXPECT_EQ(mock.callsOf("cuStreamDestroy_v2").size(), 1u);
  EXPECT_EQ(mock.callsOf("cuStreamSynchronize")[0].arguments[0], 0x1u);
}

TEST(CudaDevice, EventsOrderStreamsAndTellTime) {
  MockCuda mock;
  Device device = mock.open();
  auto stream = Stream::create(device), other = Stream::create(device);
  auto start = Event::create(device), end = Event::create(device);
  ASSERT_TRUE(start->record(*stream));
  ASSERT_TRUE(end->record(*stream));
  ASSERT_TRUE(other->wait(*end));
  ASSERT_TRUE(end->synchronize());
  auto time = Event::elapsedMilliseconds(*start, *end);
  ASSERT_TRUE(time);
  EXPECT_EQ(*time, 1.5);
  auto waits = mock.callsOf("cuStreamWaitEvent");
  EXPECT_EQ(waits[0].arguments[0], reinterpret_cast<uint64_t>(other->handle()));
  EXPECT_EQ(waits[0].arguments[1], reinterpret_cast<uint64_t>(end->handle()));
}

TEST(CudaDevice, GraphsAreCapturedInstantiatedAndLaunched) {
  MockCuda mock;
  Device device = mock.open();
  {
    auto stream = Stream::create(device);
    auto buffer = Buffer::allocate(device, 8);
    mock.calls.clear();
    auto graph = Graph::capture(*stream, [&] { return buffer->fill(*stream, 1); });
    ASSERT_TRUE(graph);
    ASSERT_TRUE(graph->launch(*stream));
    std::erase_if(mock.calls, [](auto &call) { return call.symbol.starts_with("cuCtx"); });
    EXPECT_EQ(mock.sequence(), "cuStreamBeginCapture_v2 cuMemsetD8Async cuStreamEndCapture "
                               "cuGraphInstantiateWithFlags cuGraphDestroy cuGraphLaunch");
    EXPECT_EQ(mock.calls[0].arguments[1], uint64_t(cuda::CaptureMode::ThreadLocal));
  }
  EXPECT_TRUE(mock.alive.empty());
}

TEST(CudaDevice, FailedCaptureEndsAndReportsTheBody) {
  MockCuda mock;
  Device device = mock.open();
  auto stream = Stream::create(device);
  auto graph = Graph::capture(
      *stream, []() -> Result<void> { return fail(ErrorCode::Internal, "the body's own"); });
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.error().message, "the body's own");
  EXPECT_EQ(mock.callsOf("cuStreamEndCapture").size(), 1u);
  EXPECT_TRUE(mock.callsOf("cuGraphInstantiateWithFlags").empty());
  EXPECT_EQ(mock.alive.size(), 1u); // the stream
}

TEST(CudaDevice, HandlesOfOtherDevicesAreRefused) {
  MockCuda mock;
  Device first = mock.open(0), again = mock.open(0), second = mock.open(1);
  auto buffer = Buffer::allocate(first, 8);
  auto same = Stream::create(again), foreign = Stream::create(second);
  EXPECT_TRUE(buffer->fill(*same, 0)); // opened twice, it is one device
  auto done = buffer->fill(*foreign, 0);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "found a stream of device cuda:1, expected one of cuda:0");
}

} // namespace
} // namespace tigon
