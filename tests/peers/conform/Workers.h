// SPDX-License-Identifier: Apache-2.0
//
// Workers: cases in processes of their own, so that a crash or a hang is a result like any other.
// A case is a list of steps. The process that dies in one of them leaves the steps before it done,
// and a fresh one goes on behind it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tigon::conform {

/// What is known of a case: by key a text ("steps") or a number.
struct Outcome {
  std::map<std::string, std::string> texts;
  std::map<std::string, double> numbers;

  /// A step's result: "ok", or what was wrong. Empty if it did not run.
  std::string step(const std::string &name) const {
    auto found = texts.find(name);
    return found == texts.end() ? std::string() : found->second;
  }
};

/// Reports from inside a worker.
class Reporter {
public:
  explicit Reporter(int pipe, const Outcome &known) : known(known), pipe(pipe) {}

  /// Run a step unless an earlier process was through with it. It returns its result.
  void step(const std::string &name, const std::function<std::string()> &body);
  void number(const std::string &key, double value);
  void text(const std::string &key, const std::string &value);

  /// What is known so far.
  Outcome known;

private:
  void send(char kind, const std::string &key, const std::string &value);
  int pipe;
};

struct WorkerLimits {
  unsigned jobs = 1;
  double secondsPerStep = 20;
  uint64_t memoryBytes = uint64_t(4) << 30; ///< of addresses; 0: any
};

/// Run `work(i, reporter)` for i below `cases`, each in a process of its own; `done` is called here,
/// with what became of it, as they finish.
void runWorkers(size_t cases, const WorkerLimits &limits,
                const std::function<void(size_t, Reporter &)> &work,
                const std::function<void(size_t, const Outcome &)> &done);

} // namespace tigon::conform
