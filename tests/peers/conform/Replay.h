// SPDX-License-Identifier: Apache-2.0
//
// Replay: a recorded launch on memory of our own. Shapes, strides, aliasing and the alignment of
// addresses are the recording's, so are integers; floats are drawn from the recorded range. Each
// block of memory lies between guard pages, with a pattern around it that nobody may change.
//
// The interpreter runs first, in both modes, then compiled code as often as wanted, each time on
// the same contents.
#pragma once

#include "dialect/interpreter/Interpreter.h"
#include "runtime/CpuPool.h"
#include "runtime/HostTensor.h"
#include "runtime/Runtime.h"
#include "tests/peers/conform/Recording.h"

#include <memory>

namespace tigon::conform {

/// A block of recorded memory, and our copy of it.
struct Block {
  uint64_t recorded = 0, bytes = 0;
  char *data = nullptr;
  char *pages = nullptr; ///< readable and writable, `data` inside
  size_t pageBytes = 0;
  std::string name; ///< of the first argument in it
  mlir::Type element;
  std::vector<char> initial, exact, wide;
  std::vector<double> unrounded;
};

class Replay {
public:
  /// Makes the memory. The error says why the launch cannot be replayed.
  static Result<std::unique_ptr<Replay>> create(const RecordedLaunch &launch, tt::FuncOp kernel);

  /// Runs as many programs of the grid as fit in the time, the first, the last and some between.
  Result<void> interpret(double seconds);
  /// Runs the same programs and compares what they leave in memory. "ok", or what is wrong.
  std::string compare(CpuFunction function, uint64_t arenaBytes);
  /// The same on a device of the runtime, which runs the whole grid: all of it must have been
  /// interpreted.
  std::string compareOn(const Device &device, const Artifact &artifact);

  uint64_t programs() const { return total; }
  uint64_t programsRun() const;
  /// Something wrote around a block: this process is not to be trusted any more.
  bool isDamaged() const { return damaged; }

private:
  using Range = std::pair<uint64_t, uint64_t>;

  Replay(tt::FuncOp kernel) : kernel(kernel) {}
  Result<void> makeBlocks(const RecordedLaunch &launch);
  Result<void> makeBlock(Block &block);
  Result<void> fill(const RecordedTensor &tensor, uint64_t seed);
  Result<void> makeArguments(const RecordedLaunch &launch);
  Result<uint64_t> placeOf(const RecordedTensor &tensor);
  Result<void> setScalar(const RecordedArgument &argument, mlir::Type type, uint64_t &slot);
  Block *find(uint64_t recorded);
  void restore();
  Result<void> run(interpreter::Mode mode);
  std::string findDamage() const;
  std::string judgeBlocks();
  Result<void> runOn(const Device &device, const Artifact &artifact);

  tt::FuncOp kernel;
  std::vector<Block> blocks; ///< in ascending order of `recorded`
  std::vector<uint64_t> slots;
  std::vector<interpreter::TensorDescriptor> descriptors;
  std::vector<const void *> arguments;
  interpreter::Grid grid;
  uint64_t total = 1;
  std::vector<Range> ranges;
  bool damaged = false;
};

} // namespace tigon::conform
