// SPDX-License-Identifier: Apache-2.0
#include "tests/peers/conform/Workers.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tigon::conform {
namespace {

using Clock = std::chrono::steady_clock;

volatile sig_atomic_t isStopped = 0;

void stop(int) { isStopped = 1; }

/// A message is a line of kind, key and value, tabs between; newlines and tabs inside are spaces.
std::string flatten(std::string text) {
  for (char &c : text)
    if (c == '\n' || c == '\t' || c == '\r')
      c = ' ';
  return text;
}

struct Worker {
  size_t number = 0;
  pid_t process = -1;
  int pipe = -1;
  int errors = -1; ///< what it wrote to stderr
  std::string unread, current;
  Clock::time_point since;
  bool timedOut = false;
  Outcome outcome;
};

void enterProcess(const WorkerLimits &limits, int errors) {
  setpgid(0, 0); // what it starts ends with it
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  rlimit none = {0, 0}, memory = {limits.memoryBytes, limits.memoryBytes};
  setrlimit(RLIMIT_CORE, &none);
  if (limits.memoryBytes &&
      !__has_feature(address_sanitizer)) // which reserves terabytes of addresses
    setrlimit(RLIMIT_AS, &memory);
  dup2(errors, STDERR_FILENO);
  // Tiles come and go; the system shall not be asked for each.
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

bool start(Worker &worker, const WorkerLimits &limits,
           const std::function<void(size_t, Reporter &)> &work) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC))
    return false;
  worker.errors = memfd_create("stderr", MFD_CLOEXEC);
  std::fflush(nullptr);
  pid_t process = fork();
  if (process < 0) {
    close(ends[0]);
    close(ends[1]);
    return false;
  }
  if (process == 0) {
    enterProcess(limits, worker.errors);
    Reporter reporter(ends[1], worker.outcome);
    work(worker.number, reporter);
    _exit(0); // no destructors: the process was ours alone
  }
  close(ends[1]);
  worker.process = process;
  worker.pipe = ends[0];
  worker.unread.clear();
  worker.current.clear();
  worker.timedOut = false;
  worker.since = Clock::now();
  return true;
}

void take(Worker &worker, const std::string &line) {
  size_t first = line.find('\t'), second = line.find('\t', first + 1);
  if (first == std::string::npos || second == std::string::npos)
    return;
  std::string key = line.substr(first + 1, second - first - 1), value = line.substr(second + 1);
  switch (line[0]) {
  case 'b':
    worker.current = key;
    worker.since = Clock::now();
    break;
  case 'e':
    worker.current.clear();
    [[fallthrough]];
  case 't':
    worker.outcome.texts[key] = value;
    break;
  case 'n':
    worker.outcome.numbers[key] = std::strtod(value.c_str(), nullptr);
    break;
  }
}

/// Read what is there; false at the end.
bool drain(Worker &worker) {
  char bytes[4096];
  ssize_t count = read(worker.pipe, bytes, sizeof(bytes));
  if (count < 0)
    return errno == EINTR || errno == EAGAIN;
  worker.unread.append(bytes, size_t(count));
  size_t begin = 0;
  for (size_t end; (end = worker.unread.find('\n', begin)) != std::string::npos; begin = end + 1)
    take(worker, worker.unread.substr(begin, end - begin));
  worker.unread.erase(0, begin);
  return count > 0;
}

/// The last line that it wrote to stderr, if it did: an assertion's, most often.
std::string lastWords(int errors) {
  char bytes[2048];
  off_t size = lseek(errors, 0, SEEK_END), from = std::max<off_t>(0, size - off_t(sizeof(bytes)));
  ssize_t count = pread(errors, bytes, sizeof(bytes), from);
  std::string text(bytes, size_t(std::max<ssize_t>(count, 0)));
  if (size_t assertion = text.rfind("Assertion"); assertion != std::string::npos)
    text.erase(0, assertion);
  return text.empty() ? text : ": " + text.substr(0, 400);
}

/// How the process ended. True if the case goes on in another.
bool finish(Worker &worker, const WorkerLimits &limits) {
  int status = 0;
  kill(-worker.process, SIGKILL); // what it may have started
  waitpid(worker.process, &status, 0);
  close(worker.pipe);
  std::string said = lastWords(worker.errors);
  close(worker.errors);
  if (worker.current.empty() && WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return false;
  std::string how = worker.timedOut ? fmt::format("timeout: after {} s", limits.secondsPerStep)
                    : WIFSIGNALED(status)
                        ? fmt::format("crash: signal {} ({}){}", WTERMSIG(status),
                                      strsignal(WTERMSIG(status)), said)
                        : fmt::format("crash: exit status {}", WEXITSTATUS(status));
  bool outside = worker.current.empty(); // between steps: nothing to go on behind
  worker.outcome.texts[outside ? "worker" : worker.current] = flatten(how);
  return !outside;
}

} // namespace

void Reporter::send(char kind, const std::string &key, const std::string &value) {
  std::string line = fmt::format("{}\t{}\t{}\n", kind, key, flatten(value));
  for (size_t sent = 0; sent < line.size();) {
    ssize_t count = write(pipe, line.data() + sent, line.size() - sent);
    if (count < 0 && errno != EINTR)
      _exit(1);
    sent += size_t(std::max<ssize_t>(count, 0));
  }
}

void Reporter::step(const std::string &name, const std::function<std::string()> &body) {
  if (known.texts.count(name))
    return;
  send('b', name, "");
  std::string result = body();
  known.texts[name] = result;
  send('e', name, result);
}

void Reporter::number(const std::string &key, double value) {
  known.numbers[key] = value;
  send('n', key, fmt::format("{:.17g}", value));
}

void Reporter::text(const std::string &key, const std::string &value) {
  known.texts[key] = value;
  send('t', key, value);
}

void runWorkers(size_t cases, const WorkerLimits &limits,
                const std::function<void(size_t, Reporter &)> &work,
                const std::function<void(size_t, const Outcome &)> &done) {
  std::vector<Worker> running;
  std::signal(SIGINT, stop);
  std::signal(SIGTERM, stop);
  for (size_t next = 0; (!isStopped && next < cases) || !running.empty();) {
    while (next < cases && running.size() < std::max(1u, limits.jobs)) {
      Worker worker;
      worker.number = next++;
      if (start(worker, limits, work)) {
        running.push_back(std::move(worker));
        continue;
      }
      worker.outcome.texts["worker"] = "crash: cannot start a process";
      done(worker.number, worker.outcome);
    }
    std::vector<pollfd> waits;
    for (const Worker &worker : running)
      waits.push_back({worker.pipe, POLLIN, 0});
    poll(waits.data(), waits.size(), 200);
    for (size_t i = running.size(); i-- > 0;) {
      Worker &worker = running[i];
      if (waits.size() > i && waits[i].revents && !drain(worker)) {
        if (finish(worker, limits) && start(worker, limits, work))
          continue;
        done(worker.number, worker.outcome);
        running.erase(running.begin() + ptrdiff_t(i));
        continue;
      }
      std::chrono::duration<double> taken = Clock::now() - worker.since;
      if (!worker.timedOut && taken.count() > limits.secondsPerStep) {
        worker.timedOut = true;
        kill(-worker.process, SIGKILL);
        kill(worker.process, SIGKILL);
      }
    }
  }
  for (Worker &worker : running) { // someone had enough: what is done counts
    kill(-worker.process, SIGKILL);
    waitpid(worker.process, nullptr, 0);
  }
}

} // namespace tigon::conform
