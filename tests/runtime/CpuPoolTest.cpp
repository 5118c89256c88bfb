// SPDX-License-Identifier: Apache-2.0
#include "runtime/CpuPool.h"

#include <atomic>
#include <gtest/gtest.h>
#include <map>
#include <mutex>
#include <pthread.h>
#include <signal.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tigon {
namespace {

/// What the ranges handed out were, by the thread that ran them.
struct Log {
  std::mutex mutex;
  std::vector<std::pair<int64_t, int64_t>> ranges;
  std::vector<std::thread::id> threads;
};

void record(const void *const *arguments, int64_t begin, int64_t end, const uint32_t *, void *) {
  auto *log = static_cast<Log *>(const_cast<void *>(arguments[0]));
  std::lock_guard lock(log->mutex);
  log->ranges.push_back({begin, end});
  log->threads.push_back(std::this_thread::get_id());
}

TEST(CpuPool, RangesCoverAllProgramsOnceAndEachThreadSeesThemAscend) {
  CpuPool pool(4);
  const uint32_t grid[3] = {1, 1, 1};
  for (int64_t programs : {1, 3, 4, 63, 64, 65, 100000}) {
    Log log;
    const void *arguments[] = {&log};
    ASSERT_TRUE(pool.run(record, arguments, grid, programs));
    for (size_t i = 0; i < log.ranges.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if (log.threads[i] == log.threads[j])
          ASSERT_LT(log.ranges[j].second, log.ranges[i].second);
    std::sort(log.ranges.begin(), log.ranges.end());
    int64_t expected = 0;
    for (auto [begin, end] : log.ranges) {
      ASSERT_EQ(begin, expected);
      ASSERT_LT(begin, end);
      expected = end;
    }
    ASSERT_EQ(expected, programs);
    ASSERT_LE(log.ranges.size(), 2 * 4 * 16u);
  }
}

TEST(CpuPool, NothingToRunIsDoneAtOnce) {
  CpuPool pool(2);
  EXPECT_TRUE(pool.run(nullptr, nullptr, nullptr, 0));
}

TEST(CpuPool, ManyShortLaunchesInARowAllComplete) {
  CpuPool pool(3);
  std::atomic<int64_t> total = 0;
  const void *arguments[] = {&total};
  const uint32_t grid[3] = {1, 1, 1};
  auto add = [](const void *const *given, int64_t begin, int64_t end, const uint32_t *, void *) {
    *static_cast<std::atomic<int64_t> *>(const_cast<void *>(given[0])) += end - begin;
  };
  int64_t expected = 0;
  for (int64_t i = 1; i <= 3000; ++i) {
    ASSERT_TRUE(pool.run(add, arguments, grid, i % 5 + 1));
    expected += i % 5 + 1;
    ASSERT_EQ(total, expected); // done when it returns
  }
}

TEST(CpuPool, WorkersTakeNoSignalsButTheirOwnFaults) {
  struct Masks {
    std::mutex mutex;
    std::map<std::thread::id, sigset_t> of;
  } masks;
  auto note = [](const void *const *given, int64_t, int64_t, const uint32_t *, void *) {
    usleep(1000); // until the workers are there
    auto *masks = static_cast<Masks *>(const_cast<void *>(given[0]));
    std::lock_guard lock(masks->mutex);
    pthread_sigmask(SIG_BLOCK, nullptr, &masks->of[std::this_thread::get_id()]);
  };
  CpuPool pool(3);
  const uint32_t grid[3] = {1, 1, 1};
  const void *arguments[] = {&masks};
  for (int round = 0; round < 1000 && masks.of.size() < 2; ++round)
    ASSERT_TRUE(pool.run(note, arguments, grid, 10));
  masks.of.erase(std::this_thread::get_id());
  ASSERT_FALSE(masks.of.empty());
  for (const auto &[thread, mask] : masks.of) {
    for (int number : {SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGALRM, SIGCHLD})
      EXPECT_TRUE(sigismember(&mask, number)) << number;
    for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) // tigon run explains these
      EXPECT_FALSE(sigismember(&mask, number)) << number;
  }
}

TEST(CpuPool, ArenasGrowAndStayAligned) {
  CpuPool pool(2);
  const uint32_t grid[3] = {1, 1, 1};
  auto check = [](const void *const *given, int64_t, int64_t, const uint32_t *, void *arena) {
    if (arena && reinterpret_cast<uintptr_t>(arena) % 64 == 0)
      ++*static_cast<std::atomic<int> *>(const_cast<void *>(given[0]));
  };
  for (uint64_t bytes : {1, 64, 65, 1000000}) {
    ASSERT_TRUE(pool.reserveArena(bytes));
    std::atomic<int> good = 0;
    const void *arguments[] = {&good};
    ASSERT_TRUE(pool.run(check, arguments, grid, 2));
    EXPECT_EQ(good, 2);
  }
  EXPECT_FALSE(pool.reserveArena(UINT64_MAX));
  EXPECT_FALSE(pool.reserveArena(uint64_t(1) << 62));
}

} // namespace
} // namespace tigon
