// SPDX-License-Identifier: Apache-2.0
#include "runtime/CudaDriver.h"

#include "runtime/Runtime.h"
#include "tests/runtime/MockCuda.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tigon {
namespace {

using cuda::Status;
using testing::HasSubstr;

TEST(CudaDriver, MissingLibraryIsNamedAndSaysWhatToDo) {
  auto driver = CudaDriver::load("/nowhere/libcuda.so.1");
  ASSERT_FALSE(driver);
  EXPECT_EQ(driver.error().code, ErrorCode::Unavailable);
  EXPECT_THAT(driver.error().message, HasSubstr("/nowhere/libcuda.so.1"));
  EXPECT_THAT(driver.error().message, HasSubstr("use device cpu"));
}

TEST(CudaDriver, LibraryThatIsNoDriverNamesWhatItLacks) {
  auto driver = CudaDriver::load("libm.so.6");
  ASSERT_FALSE(driver);
  EXPECT_EQ(driver.error().code, ErrorCode::Unavailable);
  EXPECT_THAT(driver.error().message, HasSubstr("lacks cuInit, cuDriverGetVersion"));
  EXPECT_THAT(driver.error().message, HasSubstr("cuLaunchKernel;"));
  EXPECT_THAT(driver.error().message, testing::Not(HasSubstr("cuLaunchKernelEx")));
}

TEST(CudaDriver, FailuresCarryTheFunctionAndTheDriversNameForThem) {
  MockCuda mock;
  Error error = mock.driver.failure(Status::OutOfMemory, "cuMemAlloc_v2", "cannot do it");
  EXPECT_EQ(error.code, ErrorCode::OutOfResources);
  EXPECT_EQ(error.message, "cannot do it: cuMemAlloc_v2 failed with CUDA_ERROR_OUT_OF_MEMORY (2), "
                           "in other words");
  error = mock.driver.failure(Status(12345), "cuInit");
  EXPECT_EQ(error.code, ErrorCode::DeviceFailure);
  EXPECT_THAT(error.message, HasSubstr("an error unknown to this driver (12345)"));
}

TEST(CudaDriver, FaultsOfEarlierKernelsAreExplained) {
  MockCuda mock;
  Error error = mock.driver.failure(Status::IllegalAddress, "cuStreamSynchronize");
  EXPECT_THAT(error.message, HasSubstr("a kernel launched before this call faulted"));
}

TEST(CudaDriver, PtxVersionFollowsTheDriver) {
  EXPECT_EQ(maxPtxVersion(10020), 0);
  EXPECT_EQ(maxPtxVersion(11080), 78);
  EXPECT_EQ(maxPtxVersion(12000), 80);
  EXPECT_EQ(maxPtxVersion(12050), 85);
  EXPECT_EQ(maxPtxVersion(12060), 85);
  EXPECT_EQ(maxPtxVersion(12080), 87);
  EXPECT_EQ(maxPtxVersion(12090), 88);
  EXPECT_EQ(maxPtxVersion(13000), 90);
  EXPECT_EQ(maxPtxVersion(13010), 91);
  EXPECT_EQ(maxPtxVersion(14000), 90); // unknown: what surely works
}

} // namespace
} // namespace tigon
