// SPDX-License-Identifier: Apache-2.0
//
// The CPU through the public interface, with kernels made from LLVM IR.
#include "runtime/Runtime.h"
#include "tests/runtime/Allocations.h"
#include "tests/runtime/HostCode.h"

#include <atomic>
#include <cfenv>
#include <cmath>
#include <dirent.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace tigon {
namespace {

using testing::Each;
using testing::HasSubstr;

const ArgumentInfo pointerX = {"x", "*f32", ArgumentKind::Pointer, 8};

/// x[pid] = pid * factor + 1, for each program.
Artifact makeScale() {
  return makeHostKernel("scale", {pointerX, {"factor", "f32", ArgumentKind::Float, 4}}, R"(
    %x = load ptr, ptr %args
    %x.address = load ptr, ptr %x
    %factor.at = getelementptr ptr, ptr %args, i64 1
    %factor.address = load ptr, ptr %factor.at
    %factor = load float, ptr %factor.address
    br label %loop
  loop:
    %pid = phi i64 [ %begin, %0 ], [ %next, %loop ]
    %wide = sitofp i64 %pid to float
    %scaled = fmul float %wide, %factor
    %value = fadd float %scaled, 1.0
    %at = getelementptr float, ptr %x.address, i64 %pid
    store float %value, ptr %at
    %next = add i64 %pid, 1
    %more = icmp slt i64 %next, %end
    br i1 %more, label %loop, label %done
  done:
    ret void
)");
}

/// Adds end - begin to *total, and 1 to *calls: any number of programs in no time.
Artifact makeCount() {
  return makeHostKernel(
      "count",
      {{"total", "*i64", ArgumentKind::Pointer, 8}, {"calls", "*i64", ArgumentKind::Pointer, 8}},
      R"(
    %total.value = load ptr, ptr %args
    %total = load ptr, ptr %total.value
    %calls.at = getelementptr ptr, ptr %args, i64 1
    %calls.value = load ptr, ptr %calls.at
    %calls = load ptr, ptr %calls.value
    %programs = sub i64 %end, %begin
    %a = atomicrmw add ptr %total, i64 %programs seq_cst
    %b = atomicrmw add ptr %calls, i64 1 seq_cst
    ret void
)");
}

size_t countThreads() {
  size_t count = 0;
  DIR *tasks = opendir("/proc/self/task");
  while (dirent *entry = readdir(tasks))
    count += entry->d_name[0] != '.';
  closedir(tasks);
  return count;
}

struct CpuKernelTest : testing::Test {
  Device open(unsigned threads) { return *Device::open("cpu", {.threads = threads}); }
  Kernel load(const Device &device, const Artifact &artifact) {
    auto kernel = Kernel::load(device, artifact);
    EXPECT_TRUE(kernel) << kernel.error().message;
    return *kernel;
  }
  Device device = open(3);
  Stream stream = *Stream::create(device);
};

TEST_F(CpuKernelTest, EveryProgramRunsOnceForAnyNumberOfThreads) {
  Artifact artifact = makeScale();
  for (unsigned threads : {1u, 2u, 5u}) {
    Device device = open(threads);
    Stream stream = *Stream::create(device);
    Kernel kernel = load(device, artifact);
    for (int64_t programs : {1, 2, 3, 16, 17, 1000, 4097}) {
      auto x = Buffer::allocate(device, size_t(programs) * 4);
      ASSERT_TRUE(kernel.launch(stream, {.x = programs}, *x, 0.5f));
      auto *values = static_cast<float *>(x->data());
      for (int64_t i = 0; i < programs; ++i)
        ASSERT_EQ(values[i], float(i) * 0.5f + 1) << threads << " threads, program " << i;
    }
  }
}

TEST_F(CpuKernelTest, GridAndItsProductBeyond32BitsArriveWhole) {
  int64_t total = 0, calls = 0;
  Kernel count = load(device, makeCount());
  ASSERT_TRUE(count.launch(stream, {.x = 65536, .y = 65535, .z = 3}, &total, &calls));
  EXPECT_EQ(total, int64_t(65536) * 65535 * 3);
  EXPECT_GE(calls, 3);
  EXPECT_LE(calls, 3 * 16 + 3);
  total = 0; // the largest of all: the counter of ranges must not wrap
  ASSERT_TRUE(count.launch(stream, {.x = 2147483647, .y = 65535, .z = 65535}, &total, &calls));
  EXPECT_EQ(total, int64_t(2147483647) * 65535 * 65535);

  Kernel axes =
      load(device, makeHostKernel("axes", {{"out", "*i32", ArgumentKind::Pointer, 8}}, R"(
    %out.value = load ptr, ptr %args
    %out = load ptr, ptr %out.value
    call void @llvm.memcpy.p0.p0.i64(ptr %out, ptr %grid, i64 12, i1 false)
    ret void
)",
                                  "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"));
  uint32_t out[3] = {};
  ASSERT_TRUE(axes.launch(stream, {.x = 7, .y = 1, .z = 9}, &out[0]));
  EXPECT_THAT(out, testing::ElementsAre(7, 1, 9));
}

TEST_F(CpuKernelTest, EmptyGridsRunNothing) {
  int64_t total = 0, calls = 0;
  Kernel count = load(device, makeCount());
  ASSERT_TRUE(count.launch(stream, {.x = 0, .y = 4}, &total, &calls));
  EXPECT_EQ(calls, 0);
}

TEST_F(CpuKernelTest, ProgramsMayWaitForLowerOnes) {
  // Each program spins until the one before it has set its flag.
  Kernel chain = load(device, makeHostKernel("chain", {{"flags", "*i32", ArgumentKind::Pointer, 8}},
                                             R"(
    %flags.value = load ptr, ptr %args
    %flags = load ptr, ptr %flags.value
    br label %loop
  loop:
    %pid = phi i64 [ %begin, %0 ], [ %next, %set ]
    %at = getelementptr i32, ptr %flags, i64 %pid
    br label %wait
  wait:
    %flag = load atomic i32, ptr %at acquire, align 4
    %ready = icmp ne i32 %flag, 0
    br i1 %ready, label %set, label %wait
  set:
    %next = add i64 %pid, 1
    %after = getelementptr i32, ptr %flags, i64 %next
    store atomic i32 1, ptr %after release, align 4
    %more = icmp slt i64 %next, %end
    br i1 %more, label %loop, label %done
  done:
    ret void
)"));
  std::vector<int32_t> flags(202);
  flags[0] = 1;
  ASSERT_TRUE(chain.launch(stream, {.x = 201}, flags.data()));
  EXPECT_THAT(flags, Each(1));
}

TEST_F(CpuKernelTest, EachThreadHasAnArenaOfItsOwn) {
  // out[pid] = arena; the arena is written from end to end.
  Artifact artifact = makeHostKernel("arena", {{"out", "*i64", ArgumentKind::Pointer, 8}}, R"(
    %out.value = load ptr, ptr %args
    %out = load ptr, ptr %out.value
    call void @llvm.memset.p0.i64(ptr %arena, i8 1, i64 100001, i1 false)
    br label %loop
  loop:
    %pid = phi i64 [ %begin, %0 ], [ %next, %loop ]
    %at = getelementptr ptr, ptr %out, i64 %pid
    store ptr %arena, ptr %at
    %next = add i64 %pid, 1
    %more = icmp slt i64 %next, %end
    br i1 %more, label %loop, label %done
  done:
    ret void
)",
                                     "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)");
  artifact.metadata.arenaBytes = 100001;
  Kernel kernel = load(device, artifact);
  std::vector<uint64_t> arenas(10000);
  ASSERT_TRUE(kernel.launch(stream, {.x = 10000}, arenas.data()));
  std::sort(arenas.begin(), arenas.end());
  arenas.erase(std::unique(arenas.begin(), arenas.end()), arenas.end());
  EXPECT_GE(arenas.size(), 1u);
  EXPECT_LE(arenas.size(), 3u);
  for (size_t i = 0; i < arenas.size(); ++i) {
    EXPECT_EQ(arenas[i] % 64, 0u);
    if (i)
      EXPECT_GE(arenas[i] - arenas[i - 1], 100001u);
  }
}

TEST_F(CpuKernelTest, LibraryFunctionsComeFromTheTableAlone) {
  Kernel kernel = load(device, makeHostKernel("libm", {pointerX}, R"(
    %x.value = load ptr, ptr %args
    %x = load ptr, ptr %x.value
    %a = load float, ptr %x
    %b = call float @erff(float %a)
    %h = fptrunc float %b to half
    %c = fpext half %h to float
    store float %c, ptr %x
    ret void
)",
                                              "declare float @erff(float)"));
  float x = 0.5f;
  ASSERT_TRUE(kernel.launch(stream, {}, &x));
  EXPECT_NEAR(x, std::erf(0.5f), 1e-3);

  auto unknown =
      Kernel::load(device, makeHostKernel("escape", {}, "call void @getpid()\n ret void\n",
                                          "declare void @getpid()"));
  ASSERT_FALSE(unknown);
  EXPECT_THAT(
      unknown.error().message,
      HasSubstr("kernel 'escape': its code calls getpid, which the runtime does not offer"));
}

TEST_F(CpuKernelTest, ArgumentsAreCheckedAsOnAnyDevice) {
  Kernel kernel = load(device, makeScale());
  float x[4] = {};
  auto done = kernel.launch(stream, {.x = 4}, &x[0], 0.5);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message,
            "kernel 'scale', argument 1 'factor': found a float of 8 bytes, expected f32 (4 "
            "bytes); pass a float");
  EXPECT_FALSE(kernel.launch(stream, {.y = 65536}, &x[0], 0.5f));
}

TEST_F(CpuKernelTest, UnusableArtifactsAreRefused) {
  auto messageOf = [&](const Artifact &artifact) {
    auto kernel = Kernel::load(device, artifact);
    return kernel ? std::string() : kernel.error().message;
  };
  Artifact artifact = makeScale();
  artifact.metadata.name = "other";
  EXPECT_EQ(messageOf(artifact), "kernel 'other': found no function of this name in its own code");
  artifact = makeScale();
  artifact.metadata.target = "sm_90";
  EXPECT_THAT(messageOf(artifact), HasSubstr("found code for target 'sm_90', expected one for cpu; "
                                             "compile it for cpu:"));
  artifact.metadata.target = "cpu:z80";
  EXPECT_THAT(messageOf(artifact), HasSubstr("found code for target 'cpu:z80'"));
  artifact = makeScale();
  artifact.metadata.threads = 128;
  EXPECT_THAT(messageOf(artifact), HasSubstr("found 128 threads"));
  artifact = makeScale();
  artifact.metadata.arenaBytes = uint64_t(1) << 62;
  EXPECT_THAT(messageOf(artifact), HasSubstr("kernel 'scale': cannot allocate arenas of"));
  artifact = makeScale();
  artifact.code = ".version 8.3";
  EXPECT_THAT(messageOf(artifact), HasSubstr("found code that is no ELF object"));
  artifact = makeScale();
  artifact.code.resize(artifact.code.size() / 2);
  EXPECT_NE(messageOf(artifact), "");
  artifact = makeScale();
  artifact.code[18] = 40; // e_machine: ARM
  EXPECT_NE(messageOf(artifact), "");
}

TEST_F(CpuKernelTest, LoadingStartsNoThreads) {
  Artifact artifact = makeScale();
  size_t before = countThreads();
  std::vector<Kernel> kernels;
  for (int i = 0; i < 100; ++i)
    kernels.push_back(load(device, artifact));
  EXPECT_EQ(countThreads(), before);
}

TEST_F(CpuKernelTest, ThreadsStartWithTheFirstLaunchThatNeedsThemAndEndWithTheDevice) {
  size_t before = countThreads();
  float x[100];
  {
    Device device = open(4);
    Stream stream = *Stream::create(device);
    Kernel kernel = load(device, makeScale());
    ASSERT_TRUE(kernel.launch(stream, {.x = 1}, &x[0], 1.0f));
    EXPECT_EQ(countThreads(), before);
    for (int i = 0; i < 10; ++i)
      ASSERT_TRUE(kernel.launch(stream, {.x = 100}, &x[0], 1.0f));
    EXPECT_EQ(countThreads(), before + 3);
  }
  // A joined thread may stand in /proc for a moment longer.
  for (int i = 0; i < 1000 && countThreads() != before; ++i)
    usleep(1000);
  EXPECT_EQ(countThreads(), before);
}

TEST_F(CpuKernelTest, ForkedChildrenLaunchWithThreadsOfTheirOwn) {
  Kernel kernel = load(device, makeScale());
  std::vector<float> x(1000);
  ASSERT_TRUE(kernel.launch(stream, {.x = 1000}, x.data(), 1.0f));
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);
    auto done = kernel.launch(stream, {.x = 1000}, x.data(), 2.0f);
    auto loaded = Kernel::load(device, makeScale());
    _exit(done && loaded && x[999] == 1999 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  ASSERT_TRUE(kernel.launch(stream, {.x = 1000}, x.data(), 3.0f));
  EXPECT_EQ(x[999], 2998);
}

TEST_F(CpuKernelTest, LaunchesFromSeveralThreadsTakeTurns) {
  Kernel kernel = load(device, makeScale());
  std::atomic<int> failures = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::vector<float> x(300);
      for (int i = 0; i < 50; ++i) {
        auto done = kernel.launch(stream, {.x = 300}, x.data(), float(t));
        failures += !done || x[299] != 299 * float(t) + 1;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
}

TEST_F(CpuKernelTest, LaunchesAllocateNothing) {
  Kernel kernel = load(device, makeScale());
  float x[100];
  ASSERT_TRUE(kernel.launch(stream, {.x = 100}, &x[0], 1.0f)); // starts the threads
  size_t before = countAllocations();
  for (int i = 0; i < 100; ++i)
    ASSERT_TRUE(kernel.launch(stream, {.x = 100}, &x[0], 1.0f));
  EXPECT_EQ(countAllocations(), before);
}

TEST_F(CpuKernelTest, ResultsDoNotDependOnTheCallersRounding) {
  Kernel kernel = load(device, makeHostKernel("third", {pointerX}, R"(
    %x.value = load ptr, ptr %args
    %x = load ptr, ptr %x.value
    %a = load float, ptr %x
    %b = fdiv float %a, 3.0
    store float %b, ptr %x
    ret void
)"));
  float x = 1;
  std::fesetround(FE_UPWARD);
  bool isDone = bool(kernel.launch(stream, {}, &x));
  int after = std::fegetround();
  std::fesetround(FE_TONEAREST);
  ASSERT_TRUE(isDone);
  EXPECT_EQ(after, FE_UPWARD);
  EXPECT_EQ(x, 1.0f / 3.0f);
}

} // namespace
} // namespace tigon
