// SPDX-License-Identifier: Apache-2.0
#include "dialect/LinearLayout.h"

#include <gtest/gtest.h>

namespace tigon {
namespace {

TEST(LinearLayout, BlockedFillsVectorLanesWarpsRegisters) {
  LinearLayout layout = LinearLayout::blocked({1024}, {0}, 4, 32, 4);
  EXPECT_EQ(layout.str(),
            "1024, register = [1, 2, 512], lane = [4, 8, 16, 32, 64], warp = [128, 256]");
  EXPECT_TRUE(layout.isSurjective());
}

} // namespace
} // namespace tigon
