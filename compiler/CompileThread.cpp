// SPDX-License-Identifier: Apache-2.0
#include "compiler/CompileThread.h"

#include "compiler/HostSignals.h"

#include "llvm/Support/ErrorHandling.h"

#include <condition_variable>
#include <csetjmp>
#include <fmt/format.h>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <vector>

namespace tigon {
namespace {

constexpr size_t stackBytes = size_t(64) << 20;

// Where the compilation that runs on this thread began; null on threads that compile nothing.
thread_local std::jmp_buf *begin = nullptr;
thread_local std::string *fatalMessage = nullptr;

void onFatalError(void *, const char *reason, bool) {
  if (!begin)
    return; // not ours: LLVM goes on to end the process, as it would have
  *fatalMessage = reason;
  std::longjmp(*begin, 1);
}

// One thread, handed one piece of work at a time. Kept for the next one unless it gave up.
class Worker {
public:
  Worker() {
    HostSignals keepAway;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stackBytes);
    started = pthread_create(&thread, &attributes, &Worker::main, this) == 0;
    pthread_attr_destroy(&attributes);
    if (started)
      pthread_detach(thread);
  }

  bool isStarted() const { return started; }

  // False if LLVM gave up, with what it said in `message`.
  bool run(llvm::function_ref<void()> piece, std::string &message) {
    std::unique_lock lock(mutex);
    work = &piece;
    wake.notify_all();
    wake.wait(lock, [&] { return !work; });
    message = error;
    return !failed;
  }

private:
  static void *main(void *self) {
    static_cast<Worker *>(self)->loop();
    return nullptr;
  }

  void loop() {
    while (true) {
      std::unique_lock lock(mutex);
      wake.wait(lock, [&] { return work != nullptr; });
      lock.unlock();
      attempt();
      lock.lock();
      work = nullptr;
      wake.notify_all();
    }
  }

  // In a frame of its own: locals changed between setjmp and longjmp would be indeterminate.
  void attempt() {
    std::jmp_buf here;
    failed = false;
    error.clear();
    fatalMessage = &error;
    begin = &here;
    if (setjmp(here) == 0)
      (*work)();
    else
      failed = true;
    begin = nullptr;
  }

  pthread_t thread;
  bool started = false;
  std::mutex mutex;
  std::condition_variable wake;
  llvm::function_ref<void()> *work = nullptr;
  bool failed = false;
  std::string error;
};

// Idle workers. Never destroyed: their threads may outlive static destruction.
struct Pool {
  std::mutex mutex;
  std::vector<Worker *> idle;
};

Pool &pool() {
  static Pool *const all = [] {
    llvm::install_fatal_error_handler(onFatalError);
    // A forked child has none of the threads.
    pthread_atfork(nullptr, nullptr, [] { new (&pool()) Pool; });
    return new Pool;
  }();
  return *all;
}

} // namespace

Result<void> runOnCompileThread(llvm::function_ref<void()> work) {
  Worker *worker = nullptr;
  {
    std::lock_guard lock(pool().mutex);
    if (!pool().idle.empty()) {
      worker = pool().idle.back();
      pool().idle.pop_back();
    }
  }
  if (!worker) {
    worker = new Worker;
    if (!worker->isStarted()) {
      delete worker;
      return fail(ErrorCode::OutOfResources,
                  "found no memory for a compile thread (64 MB of stack)");
    }
  }
  std::string message;
  bool succeeded = worker->run(work, message);
  std::lock_guard lock(pool().mutex);
  pool().idle.push_back(worker);
  if (succeeded)
    return {};
  return fail(ErrorCode::Internal, fmt::format("LLVM's code generator gave up: {}", message));
}

} // namespace tigon
