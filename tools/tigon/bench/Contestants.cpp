// SPDX-License-Identifier: Apache-2.0
#include "tools/tigon/bench/Contestants.h"

#include "tigon/HostTensor.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <thread>

namespace tigon::bench {
namespace {

using Work = std::function<Result<void>(size_t set, const Stream &stream)>;

/// What stands in front of a case's numbers repeats after a million of them.
Result<HostTensor> pattern(const Operand &operand, const Case &at) {
  int64_t count = int64_t(operand.bytes() / dtypeBytes(operand.dtype));
  std::vector<int64_t> shape = {std::min<int64_t>(count, 1 << 20)};
  bool isNormal = operand.holds == "normal" || operand.holds == "log_softmax";
  auto tensor = isNormal ? HostTensor::randn(operand.dtype, shape, 1)
                         : HostTensor::zeros(operand.dtype, shape);
  if (!tensor)
    return tensor;
  for (int64_t i = 0; i < shape[0]; ++i)
    if (operand.holds == "log_softmax")
      tensor->set(i, tensor->get(i) - std::log(double(at.n)) - 0.5);
    else if (operand.holds == "targets")
      tensor->set(i, double(i * 7919 % at.n));
    else if (operand.holds == "softmax")
      tensor->set(i, double(1 + i % 7) / double(4 * at.n));
    else if (operand.holds == "rms_rstd" || operand.holds == "layer_rstd")
      tensor->set(i, 1);
    else if (operand.holds == "angles")
      tensor->set(i, std::cos(double(i % 1000)));
  return tensor;
}

Result<void> fill(const Buffer &buffer, const Operand &operand, const Case &at,
                  const Device &device, const Stream &stream) {
  if (!buffer.bytes())
    return {};
  auto host = pattern(operand, at);
  if (!host)
    return host.error();
  uint64_t done = std::min<uint64_t>(host->bytes(), buffer.bytes());
  if (auto copied = buffer.copyFrom(host->data(), done); !copied)
    return copied;
  auto *base = static_cast<char *>(buffer.data());
  while (done < buffer.bytes()) {
    uint64_t more = std::min<uint64_t>(done, buffer.bytes() - done);
    Buffer target = Buffer::wrap(device, base + done, more);
    if (auto copied = target.copyFrom(stream, Buffer::wrap(device, base, more), more); !copied)
      return copied;
    done += more;
  }
  return stream.synchronize();
}

bool isGpu(const Device &device) { return device.properties().kind == DeviceKind::Cuda; }

/// `runs` runs over the sets in turn.
class Timed : public Contestant {
public:
  static Result<std::unique_ptr<Contestant>> make(std::string name, const Arena &arena, Work work) {
    auto stream = Stream::create(arena.device);
    if (!stream)
      return stream.error();
    auto start = Event::create(arena.device), end = Event::create(arena.device);
    if (!start || !end)
      return (start ? end : start).error();
    auto timed = std::unique_ptr<Timed>(new Timed(std::move(name), arena.runs, arena.sets.size(),
                                                  std::move(work), std::move(*stream),
                                                  std::move(*start), std::move(*end)));
    // Compiles what is not compiled yet, which a capture could not.
    if (auto done = timed->work(0, timed->stream); !done)
      return done.error();
    if (auto done = timed->stream.synchronize(); !done)
      return done.error();
    if (isGpu(arena.device)) {
      auto graph = Graph::capture(timed->stream, [&] { return timed->runAll(); });
      if (!graph)
        return graph.error();
      timed->graph.emplace(std::move(*graph));
    }
    return std::unique_ptr<Contestant>(std::move(timed));
  }

  std::string name() const override { return label; }

  Result<double> milliseconds() override {
    if (!graph) {
      auto begin = std::chrono::steady_clock::now();
      if (auto done = runAll(); !done)
        return done.error();
      std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
      return taken.count() / runs;
    }
    for (auto step : {std::function([&] { return start.record(stream); }),
                      std::function([&] { return graph->launch(stream); }),
                      std::function([&] { return end.record(stream); }),
                      std::function([&] { return stream.synchronize(); })})
      if (auto done = step(); !done)
        return done.error();
    auto elapsed = Event::elapsedMilliseconds(start, end);
    if (!elapsed)
      return elapsed;
    return *elapsed / runs;
  }

private:
  Timed(std::string label, int runs, size_t sets, Work work, Stream stream, Event start, Event end)
      : label(std::move(label)), runs(runs), sets(sets), work(std::move(work)),
        stream(std::move(stream)), start(std::move(start)), end(std::move(end)) {}

  Result<void> runAll() {
    for (int i = 0; i < runs; ++i)
      if (auto done = work(size_t(i) % sets, stream); !done)
        return done;
    return {};
  }

  std::string label;
  int runs;
  size_t sets;
  Work work;
  Stream stream;
  Event start, end;
  std::optional<Graph> graph;
};

/// On a CPU: each thread a part.
void copyInThreads(void *target, const void *source, uint64_t bytes, unsigned threads) {
  uint64_t part = (bytes / threads + 63) / 64 * 64;
  auto copy = [&](unsigned thread) {
    uint64_t begin = std::min(bytes, thread * part), end = std::min(bytes, begin + part);
    std::memcpy(static_cast<char *>(target) + begin, static_cast<const char *>(source) + begin,
                end - begin);
  };
  std::vector<std::jthread> others;
  for (unsigned thread = 1; thread < threads; ++thread)
    others.emplace_back(copy, thread);
  copy(0);
}

} // namespace

Result<Arena> Arena::make(const Device &device, const Case &at) {
  Arena arena{.device = device, .workspace = Buffer::wrap(device, nullptr, 0)};
  const DeviceProperties &properties = device.properties();
  Operands shapes;
  if (auto plan = planCase(at, shapes, properties); !plan)
    return plan.error();
  arena.operands = shapes.list();
  for (const Operand &operand : arena.operands)
    arena.bytes += operand.bytes();
  // A CPU's last cache is not told; 64 MiB is more than what a core of most has.
  uint64_t cache = isGpu(device) ? std::max<uint64_t>(properties.l2Bytes, 1 << 20) : 64 << 20;
  uint64_t sets = std::clamp<uint64_t>(4 * cache / std::max<uint64_t>(1, arena.bytes) + 1, 1, 64);
  // A graph is long enough that its start is lost in it: some 500 us at 4 TB/s; on a CPU 50 ms at 10 GB/s.
  uint64_t round = isGpu(device) ? uint64_t(2) << 30 : uint64_t(500) << 20;
  arena.runs = int(std::clamp<uint64_t>(round / std::max<uint64_t>(1, arena.bytes), 2, 64));
  sets = std::min<uint64_t>(sets, uint64_t(arena.runs));

  auto stream = Stream::create(device);
  if (!stream)
    return stream.error();
  uint64_t workspace = 0;
  for (uint64_t set = 0; set < sets; ++set) {
    std::vector<Buffer> buffers;
    std::vector<void *> addresses;
    for (const Operand &operand : arena.operands) {
      auto buffer = Buffer::allocate(device, operand.bytes());
      if (!buffer)
        return buffer.error();
      if (auto filled = fill(*buffer, operand, at, device, *stream); !filled)
        return filled.error();
      addresses.push_back(buffer->data());
      buffers.push_back(std::move(*buffer));
    }
    arena.sets.push_back(std::move(buffers));
    Operands here(addresses);
    auto plan = planCase(at, here, properties);
    if (!plan)
      return plan.error();
    workspace = std::max(workspace, plan->workspaceBytes);
    arena.plans.push_back(std::move(*plan));
  }
  auto allocated = Buffer::allocate(device, workspace);
  if (!allocated)
    return allocated.error();
  arena.workspace = std::move(*allocated);
  return arena;
}

Result<std::unique_ptr<Contestant>> makeOurs(const Arena &arena) {
  auto library = std::make_shared<ops::Library>(arena.device);
  return Timed::make("tigon", arena, [library, &arena](size_t set, const Stream &stream) {
    return library->run(stream, arena.plans[set],
                        {arena.workspace.data(), arena.workspace.bytes()});
  });
}

Result<std::unique_ptr<Contestant>> makeCopy(const Arena &arena) {
  struct Pair {
    Buffer source, target;
  };
  auto pairs = std::make_shared<std::vector<Pair>>();
  uint64_t half = arena.bytes / 2;
  for (size_t set = 0; set < arena.sets.size(); ++set) {
    auto source = Buffer::allocate(arena.device, half),
         target = Buffer::allocate(arena.device, half);
    if (!source || !target)
      return (source ? target : source).error();
    pairs->push_back({std::move(*source), std::move(*target)});
  }
  unsigned threads = std::max(1u, arena.device.properties().processors);
  bool onGpu = isGpu(arena.device);
  // Memory that was never written to is no memory.
  for (Pair &pair : *pairs)
    if (!onGpu)
      std::memset(pair.source.data(), 1, half), std::memset(pair.target.data(), 1, half);
  return Timed::make("copy", arena, [=](size_t set, const Stream &stream) -> Result<void> {
    const Pair &pair = (*pairs)[set];
    if (onGpu)
      return pair.target.copyFrom(stream, pair.source, half);
    copyInThreads(pair.target.data(), pair.source.data(), half, threads);
    return {};
  });
}

} // namespace tigon::bench
