// SPDX-License-Identifier: Apache-2.0
#include "runtime/CpuPool.h"

#include "compiler/HostSignals.h"

#include <algorithm>
#include <cfenv>
#include <cstdlib>
#include <exception>
#include <fmt/format.h>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <thread>
#include <vector>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace tigon {
namespace {

// Ranges a thread gets of a launch, on average: enough to even out programs of different lengths.
constexpr uint64_t rangesPerThread = 16;
constexpr size_t arenaAlignment = 64;
constexpr unsigned maxThreads = 4096;

struct FreeArena {
  void operator()(void *arena) const { std::free(arena); }
};
using Arena = std::unique_ptr<void, FreeArena>;

/// Rounding to nearest, denormals kept, no traps, as the compiler assumes, whatever the launching
/// thread has set (PyTorch's set_flush_denormal); else results would depend on who ran a program.
class DefaultFloatingPoint {
public:
#if defined(__x86_64__)
  // Compiled code does not use the x87, and fesetenv takes longer than a short launch.
  DefaultFloatingPoint() : saved(_mm_getcsr()) { _mm_setcsr(0x1f80); }
  ~DefaultFloatingPoint() { _mm_setcsr(saved); }

private:
  unsigned saved;
#else
  DefaultFloatingPoint() {
    fegetenv(&saved);
    fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatingPoint() { fesetenv(&saved); }

private:
  fenv_t saved;
#endif
};

/// How many forks lie between this process and the one that loaded the library. (getpid would do,
/// but is a system call, and this is asked at each launch.)
std::atomic<unsigned> forks = 0;

void watchForks() {
  [[maybe_unused]] static int watching =
      pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });
}

} // namespace

/// The threads and arenas of one process, and the job they are at.
///
/// A job is written while the gate is closed and nobody is inside; opening the gate publishes it.
/// Workers that find it open go in, those that come later have missed nothing: the launching thread
/// closes it when all ranges are handed out, and waits for those inside only. So a launch never
/// waits for a thread that the system has not woken yet.
class CpuPool::Crew {
public:
  explicit Crew(unsigned threads) : arenas(threads) {}
  ~Crew();

  Result<void> growArenas(uint64_t bytes);
  Result<void> run(CpuFunction function, const void *const *arguments, const uint32_t grid[3],
                   uint64_t programs, uint64_t arenaBytes);

  /// Whether these threads are of this process.
  bool isOurs() const { return fork == forks.load(std::memory_order_relaxed); }

private:
  struct Job {
    CpuFunction function;
    const void *const *arguments;
    const uint32_t *grid;
    uint64_t programs, chunk;
  };
  static constexpr uint32_t open = 1u << 31; // of the gate; the rest counts who is inside

  void hire(unsigned wanted);
  void wake(unsigned wanted);
  void work(size_t index, uint32_t seen);
  bool enter();
  void leave();
  void runRanges(void *arena);
  Result<void> growArenasLocked(uint64_t bytes);

  const unsigned fork = forks.load(std::memory_order_relaxed);
  std::mutex turn;
  std::vector<Arena> arenas; // of the launching thread, then of the workers
  uint64_t arenaBytes = 0;
  std::vector<std::thread> workers;

  Job job = {};
  std::atomic<bool> ending = false;
  // On cache lines of their own: threads wait for or write to them all the time.
  alignas(64) std::atomic<uint32_t> launches = 0; // sleepers wait for a change
  alignas(64) std::atomic<uint32_t> gate = 0;
  alignas(64) std::atomic<uint64_t> next = 0;
};

CpuPool::Crew::~Crew() {
  ending.store(true, std::memory_order_relaxed);
  launches.fetch_add(1, std::memory_order_release);
  launches.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}

/// Starts workers until there are so many, or until the system refuses more: then fewer do the job.
void CpuPool::Crew::hire(unsigned wanted) {
  if (workers.size() >= wanted)
    return;
  HostSignals keepAway;
  try {
    while (workers.size() < wanted) {
      size_t index = workers.size() + 1;
      uint32_t seen = launches.load(std::memory_order_relaxed);
      workers.emplace_back([this, index, seen] { work(index, seen); });
      pthread_setname_np(workers.back().native_handle(), "tigon-cpu");
    }
  } catch (const std::exception &) {
  }
}

void CpuPool::Crew::wake(unsigned wanted) {
  launches.fetch_add(1, std::memory_order_release);
  if (wanted >= workers.size())
    launches.notify_all();
  else
    for (unsigned i = 0; i < wanted; ++i)
      launches.notify_one();
}

void CpuPool::Crew::work(size_t index, uint32_t seen) {
  DefaultFloatingPoint scope;
  for (;;) {
    launches.wait(seen, std::memory_order_acquire);
    seen = launches.load(std::memory_order_acquire);
    if (ending.load(std::memory_order_relaxed))
      return;
    if (!enter())
      continue;
    runRanges(arenas[index].get());
    leave();
  }
}

bool CpuPool::Crew::enter() {
  uint32_t inside = gate.load(std::memory_order_relaxed);
  while (inside & open)
    if (gate.compare_exchange_weak(inside, inside + 1, std::memory_order_acquire,
                                   std::memory_order_relaxed))
      return true;
  return false;
}

void CpuPool::Crew::leave() {
  if (gate.fetch_sub(1, std::memory_order_release) == 1) // closed, and the last one out
    gate.notify_one();
}

void CpuPool::Crew::runRanges(void *arena) {
  const Job what = job;
  for (;;) {
    // Unsigned: past the end it still counts up, by at most a chunk a thread.
    uint64_t begin = next.fetch_add(what.chunk, std::memory_order_relaxed);
    if (begin >= what.programs)
      return;
    uint64_t end = std::min(begin + what.chunk, what.programs);
    what.function(what.arguments, int64_t(begin), int64_t(end), what.grid, arena);
  }
}

Result<void> CpuPool::Crew::growArenas(uint64_t bytes) {
  std::lock_guard lock(turn);
  return growArenasLocked(bytes);
}

Result<void> CpuPool::Crew::growArenasLocked(uint64_t bytes) {
  if (bytes <= arenaBytes)
    return {};
  uint64_t rounded = bytes > UINT64_MAX - arenaAlignment ? 0 : bytes + arenaAlignment - 1;
  rounded -= rounded % arenaAlignment;
  std::vector<Arena> grown(arenas.size());
  for (Arena &arena : grown) {
    // Not touched here, so that each lies near the thread that will use it.
    arena.reset(rounded ? std::aligned_alloc(arenaAlignment, rounded) : nullptr);
    if (!arena)
      return fail(ErrorCode::OutOfResources,
                  fmt::format("cannot allocate arenas of {} bytes for {} threads; compile with a "
                              "smaller strip or use fewer threads",
                              bytes, arenas.size()));
  }
  arenas = std::move(grown);
  arenaBytes = bytes;
  return {};
}

Result<void> CpuPool::Crew::run(CpuFunction function, const void *const *arguments,
                                const uint32_t grid[3], uint64_t programs, uint64_t wantedArena) {
  std::lock_guard lock(turn);
  if (auto grown = growArenasLocked(wantedArena); !grown) // in a forked child only
    return grown;
  unsigned helpers = unsigned(std::min<uint64_t>(arenas.size(), programs)) - 1;
  hire(helpers);
  helpers = std::min(helpers, unsigned(workers.size()));
  uint64_t ranges = (helpers + 1) * rangesPerThread;
  job = {function, arguments, grid, programs, std::max<uint64_t>(1, programs / ranges)};
  next.store(0, std::memory_order_relaxed);
  if (helpers) {
    gate.store(open, std::memory_order_release);
    wake(helpers);
  }
  {
    DefaultFloatingPoint scope;
    runRanges(arenas[0].get());
  }
  uint32_t inside = gate.fetch_and(~open, std::memory_order_acquire) & ~open;
  while (inside) {
    gate.wait(inside, std::memory_order_acquire);
    inside = gate.load(std::memory_order_acquire);
  }
  return {};
}

CpuPool::CpuPool(unsigned threads) : size(std::clamp(threads, 1u, maxThreads)) { watchForks(); }

CpuPool::~CpuPool() {
  Crew *last = crew.load(std::memory_order_acquire);
  // A forked child has no threads to join, and must not touch the locks.
  if (last && last->isOurs())
    delete last;
}

CpuPool::Crew &CpuPool::findCrew() {
  Crew *found = crew.load(std::memory_order_acquire);
  if (found && found->isOurs())
    return *found;
  auto fresh = std::make_unique<Crew>(size);
  if (crew.compare_exchange_strong(found, fresh.get(), std::memory_order_acq_rel))
    return *fresh.release();
  return *found; // another thread was first
}

Result<void> CpuPool::reserveArena(uint64_t bytes) {
  if (auto grown = findCrew().growArenas(bytes); !grown)
    return grown;
  uint64_t before = arenaBytes.load(std::memory_order_relaxed);
  while (before < bytes && !arenaBytes.compare_exchange_weak(before, bytes))
    ;
  return {};
}

Result<void> CpuPool::run(CpuFunction function, const void *const *arguments,
                          const uint32_t grid[3], int64_t programs) {
  if (programs <= 0)
    return {};
  return findCrew().run(function, arguments, grid, uint64_t(programs),
                        arenaBytes.load(std::memory_order_relaxed));
}

} // namespace tigon
