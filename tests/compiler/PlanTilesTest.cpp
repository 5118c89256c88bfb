// SPDX-License-Identifier: Apache-2.0
//
// The plan as a function of a few facts: a table of kernels and targets.
#include "compiler/PlanTiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tigon {
namespace {

struct Case {
  const char *what;
  const char *target;
  TileFacts facts;
  PlanOptions asked;
  PlanOptions expected;
};

const Case cases[] = {
    {"a scalar kernel", "sm_90", {1, 1}, {}, {.warps = 1, .strip = 1, .ctas = 16}},
    {"16 elements a thread", "sm_90", {1024, 1}, {}, {.warps = 2, .strip = 1024, .ctas = 16}},
    {"an odd size", "sm_90", {1000, 1}, {}, {.warps = 2, .strip = 1024, .ctas = 16}},
    {"a row that fits", "sm_90", {4096, 2}, {}, {.warps = 8, .strip = 4096, .ctas = 4}},
    {"two programs share a processor",
     "sm_90",
     {16384, 2, 1, false, 16},
     {},
     {.warps = 16, .strip = 16384, .ctas = 2}},
    {"fewer threads with more registers",
     "sm_90",
     {16384, 1},
     {},
     {.warps = 8, .strip = 16384, .ctas = 2}},
    {"all threads, of one program",
     "sm_90",
     {32768, 1, 1, false, 16},
     {},
     {.warps = 32, .strip = 32768, .ctas = 1}},
    {"nothing kept: few registers",
     "sm_90",
     {16384, 3, 0},
     {},
     {.warps = 16, .strip = 4096, .ctas = 2}},
    {"a stream's accesses of 16 bytes",
     "sm_90",
     {1024, 8, 0, false, 16, 48},
     {},
     {.warps = 4, .strip = 1024, .ctas = 8}},
    {"narrower ones, as many are alive",
     "sm_90",
     {1024, 9, 0, false, 16, 48},
     {},
     {.warps = 8, .strip = 1024, .ctas = 4}},
    {"a loop's loads ahead",
     "sm_90",
     {1024, 4, 3, false, 16, 16, 16},
     {},
     {.warps = 4, .strip = 1024, .ctas = 8, .stages = 2}},
    {"no room for them",
     "sm_90",
     {1024, 5, 4, false, 32, 64, 64},
     {},
     {.warps = 4, .strip = 1024, .ctas = 8, .stages = 1}},
    {"a loop that loads much",
     "sm_90",
     {8192, 4, 2, false, 32, 112, 48},
     {},
     {.warps = 16, .strip = 8192, .ctas = 2, .stages = 1}},
    {"a loop that loads much and divides: more than 64 registers",
     "sm_90",
     {8192, 4, 2, false, 32, 112, 48, true},
     {},
     {.warps = 16, .strip = 8192, .ctas = 1, .stages = 1}},
    {"more threads, so that tiles fit", "sm_90", {4096, 6, 4}, {}, {.warps = 16, .strip = 4096}},
    {"strips", "sm_90", {65536, 2}, {}, {.warps = 16, .strip = 8192, .ctas = 2}},
    {"more rows than the cache holds",
     "sm_90",
     {262144, 2, 1, false, 16, 16},
     {},
     {.warps = 32, .strip = 16384, .ctas = 1, .hold = -1}},
    {"a row that is held",
     "sm_90",
     {65536, 2, 1, false, 16, 16},
     {},
     {.warps = 16, .strip = 8192, .ctas = 1, .hold = 1}},
    {"two rows that are held",
     "sm_90",
     {32768, 2, 1, false, 16, 16},
     {},
     {.warps = 16, .strip = 8192, .ctas = 2, .hold = 1}},
    {"most of a row",
     "sm_90",
     {131072, 2, 1, false, 16, 16},
     {},
     {.warps = 16, .strip = 8192, .ctas = 1, .hold = 1}},
    {"no more than twice the shared memory",
     "sm_80",
     {131072, 2, 1, false, 32, 32},
     {},
     {.warps = 32, .strip = 16384, .ctas = 1, .hold = -1}},
    {"short strips, as many are alive", "sm_90", {65536, 5}, {}, {.warps = 16, .strip = 4096}},
    {"warps asked for", "sm_90", {65536, 1}, {.warps = 4}, {.warps = 4, .strip = 2048, .ctas = 8}},
    {"a strip asked for", "sm_90", {65536, 1}, {.strip = 512}, {.warps = 16, .strip = 512}},
    {"all asked for", "sm_80", {65536, 9}, {8, 1, 1024, 3}, {8, 1, 1024, 3}},
    {"SIMD registers", "cpu:x86-64-v3", {4096, 1}, {}, {.warps = 1, .strip = 32, .ctas = 1}},
    {"narrower ones", "cpu:x86-64-v2", {4096, 1}, {}, {.warps = 1, .strip = 16, .ctas = 1}},
    {"half of them a tile", "cpu:x86-64-v3", {4096, 6}, {}, {.warps = 1, .strip = 16, .ctas = 1}},
    {"more alive than fit", "cpu:x86-64-v3", {4096, 40}, {}, {.warps = 1, .strip = 8, .ctas = 1}},
    {"warps mean nothing", "cpu:x86-64-v3", {64, 1}, {.warps = 8}, {.warps = 1, .strip = 32}},
};

TEST(PlanTiles, DecidesAsTheTableSays) {
  for (const Case &row : cases) {
    SCOPED_TRACE(row.what);
    std::vector<std::string> reasons;
    PlanOptions plan = planTiles(row.facts, *Target::parse(row.target), row.asked, reasons);
    EXPECT_EQ(plan.warps, row.expected.warps);
    EXPECT_EQ(plan.strip, row.expected.strip);
    if (row.expected.stages)
      EXPECT_EQ(plan.stages, row.expected.stages);
    if (row.expected.hold)
      EXPECT_EQ(plan.hold, row.expected.hold);
    if (row.expected.ctas)
      EXPECT_EQ(plan.ctas, row.expected.ctas);
  }
}

TEST(PlanTiles, GivesAReasonForWhatItDecidedAndForNothingElse) {
  std::vector<std::string> reasons;
  planTiles({65536, 9}, *Target::parse("sm_90"), {8, 1, 1024, 3, 1, 1}, reasons);
  EXPECT_THAT(reasons, testing::IsEmpty());
  planTiles({65536, 2}, *Target::parse("sm_90"), {.ctas = 2, .hold = -1}, reasons);
  EXPECT_THAT(reasons, testing::ElementsAre(
                           testing::HasSubstr(
                               "16 warps: tiles of 65536 elements, 1 kept and 2 alive, in strips"),
                           testing::HasSubstr("strip of 8192 elements")));
}

// What any plan must be for what follows to run, whatever the facts.
TEST(PlanTiles, KeepsToTheTarget) {
  for (const char *name : {"sm_80", "sm_90", "sm_120", "cpu:x86-64-v2", "cpu:skylake-avx512"}) {
    Target target = *Target::parse(name);
    for (int64_t largest = 1; largest <= int64_t(1) << 20; largest *= 2)
      for (int live = 1; live <= 64; live += 3) {
        std::vector<std::string> reasons;
        PlanOptions plan = planTiles({largest, live, live / 2}, target, {}, reasons);
        EXPECT_GE(plan.warps, 1);
        EXPECT_LE(plan.warps, target.maxWarps);
        EXPECT_EQ(plan.warps & (plan.warps - 1), 0);
        EXPECT_EQ(plan.strip & (plan.strip - 1), 0) << largest << " " << live;
        EXPECT_GE(plan.strip, 1);
        EXPECT_GE(plan.ctas, 1);
        // Registers that a thread may have: 65536 shared by all that should fit.
        if (target.lanesAreThreads)
          EXPECT_LE(plan.ctas * plan.warps * target.lanes, 2048) << largest << " " << live;
      }
  }
}

} // namespace
} // namespace tigon
