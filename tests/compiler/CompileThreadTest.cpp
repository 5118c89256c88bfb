// SPDX-License-Identifier: Apache-2.0
#include "compiler/CompileThread.h"

#include "llvm/Support/ErrorHandling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

namespace tigon {
namespace {

TEST(CompileThread, LlvmsFatalErrorsAreErrorsAndTheNextWorkRuns) {
  for (int round = 0; round < 3; ++round) {
    auto failed = runOnCompileThread([] { llvm::report_fatal_error("cannot select"); });
    ASSERT_FALSE(failed);
    EXPECT_THAT(failed.error().text(), testing::HasSubstr("gave up: cannot select"));
    bool ran = false;
    ASSERT_TRUE(runOnCompileThread([&] { ran = true; }));
    EXPECT_TRUE(ran);
  }
}

TEST(CompileThread, TakesNoSignalsButItsOwnFaultsAndLeavesTheCallersMask) {
  sigset_t before, after, there;
  pthread_sigmask(SIG_BLOCK, nullptr, &before);
  ASSERT_TRUE(runOnCompileThread([&] { pthread_sigmask(SIG_BLOCK, nullptr, &there); }));
  pthread_sigmask(SIG_BLOCK, nullptr, &after);
  for (int number = 1; number < 32; ++number)
    EXPECT_EQ(sigismember(&after, number), sigismember(&before, number)) << number;
  for (int number : {SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGALRM, SIGCHLD, SIGPROF})
    EXPECT_TRUE(sigismember(&there, number)) << number;
  for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    EXPECT_FALSE(sigismember(&there, number)) << number;
}

} // namespace
} // namespace tigon
