// SPDX-License-Identifier: Apache-2.0
//
// The runtime: devices, memory, streams, and kernels launched on them. A GPU and the host's CPU
// stand behind the same handles, so that code written for one runs on the other.
//
//     auto device = tigon::Device::open("cuda:0");                     // or "cpu"
//     auto kernel = tigon::Kernel::load(*device, compilation->artifact);
//     auto stream = tigon::Stream::create(*device);
//     auto x = tigon::Buffer::allocate(*device, 4096 * sizeof(float));
//     auto done = kernel->launch(*stream, {.x = 4}, *x, int32_t(4096), 0.5f);
//     if (!done)
//       return complain(done.error().text());   // kernel 'scale', argument 1 'n': found ...
//
// Nothing here waits for a device unless it is named synchronize or copies without a stream.
// docs/runtime.md is the page on it.
#pragma once

#include "tigon/Artifact.h"
#include "tigon/Result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tigon {

class DeviceBackend; ///< Internal.
class LoadedKernel;  ///< Internal.

/// Releases what a handle stands for and keeps its device open until then. Internal.
struct HandleRelease {
  std::shared_ptr<DeviceBackend> device;
  void (DeviceBackend::*release)(void *) = nullptr;
  TIGON_API void operator()(void *handle) const;
};
using Handle = std::unique_ptr<void, HandleRelease>;

// ---- Devices ---------------------------------------------------------------------------------

enum class DeviceKind : uint8_t { Cpu, Cuda, Interpreter };

struct DeviceOptions {
  /// CPU: threads that run programs, the launching thread among them; 0: as many as the process
  /// may use (its affinity mask).
  unsigned threads = 0;
  /// CUDA: the driver library to load; empty: libcuda.so.1 as the dynamic linker finds it, then
  /// where WSL and NixOS keep it.
  std::string cudaDriver = {};
};

struct DeviceProperties {
  DeviceKind kind = DeviceKind::Cpu;
  /// "cpu", "cuda:0", "interpreter".
  std::string name;
  /// "NVIDIA H200"; on the CPU what /proc/cpuinfo says.
  std::string model;
  /// What CompileOptions::target takes: "sm_90"; on the CPU the highest level that the host has,
  /// "cpu:x86-64-v3".
  std::string target;
  /// CPU: the host's features as LLVM spells them ("+avx2,-avx512f,..."); for cache keys.
  std::string features;
  /// CUDA: 90 for 9.0.
  unsigned computeCapability = 0;
  /// Multiprocessors; on the CPU the threads that run programs.
  unsigned processors = 0;
  uint64_t l2Bytes = 0;
  /// CUDA: shared memory that one block may ask for.
  uint64_t sharedBytesPerBlock = 0;
  uint64_t memoryBytes = 0;
  /// CUDA: as cuDriverGetVersion gives it, 13000 for 13.0.
  int driverVersion = 0;
  /// CUDA: the newest PTX ISA that the driver takes, times ten; what CompileOptions::ptxVersion
  /// may be at most.
  int maxPtxVersion = 0;
};

/// The newest PTX ISA, times ten, that a driver of this version takes: 85 for 12050 and 12060.
/// A driver newer than this table takes what the newest known one takes.
TIGON_API int maxPtxVersion(int driverVersion);

/// A device, kept open by everything made on it. Cheap to copy, safe to share between threads.
class TIGON_API Device {
public:
  /// "cpu", "cuda" or "cuda:N". Fails as Unavailable if there is no such device or no driver.
  /// "interpreter" and "interpreter:wide" evaluate tile programs op by op, slowly, by the book: the
  /// oracle of tests (tigon/Agreement.h). They run what was compiled for target "interpreter".
  static Result<Device> open(std::string_view name, const DeviceOptions &options = {});
  /// Names of the processors that `open` would open; "cpu" is first and always there.
  static std::vector<std::string> list(const DeviceOptions &options = {});

  const DeviceProperties &properties() const;
  const std::string &name() const { return properties().name; }

  /// Waits for all work on the device.
  Result<void> synchronize() const;

  /// The artifact with PTX replaced by the machine code that the driver makes of it, for a cache
  /// to keep. Others come back as they are.
  Result<Artifact> assemble(const Artifact &artifact) const;

  explicit Device(std::shared_ptr<DeviceBackend> backend) : backend(std::move(backend)) {}
  const std::shared_ptr<DeviceBackend> &internal() const { return backend; }

private:
  std::shared_ptr<DeviceBackend> backend;
};

// ---- Streams ---------------------------------------------------------------------------------

class Event;

/// A queue of work. On the CPU all work is done when the call that gives it returns.
class TIGON_API Stream {
public:
  /// A stream of its own, which does not wait for CUDA's default stream nor it for this one.
  static Result<Stream> create(const Device &device);
  /// The caller's CUstream, which stays the caller's; null is CUDA's default stream.
  static Stream wrap(const Device &device, void *handle);

  /// Waits for all work given to the stream.
  Result<void> synchronize() const;
  /// Work given from here on waits for the event; the caller does not.
  Result<void> wait(const Event &event) const;

  /// The CUstream.
  void *handle() const { return stream.get(); }
  Device device() const { return Device(stream.get_deleter().device); }
  const DeviceBackend *internal() const { return stream.get_deleter().device.get(); }

private:
  explicit Stream(Handle stream) : stream(std::move(stream)) {}
  Handle stream;
};

/// A point in a stream's work.
class TIGON_API Event {
public:
  static Result<Event> create(const Device &device);

  Result<void> record(const Stream &stream) const;
  /// Waits until the work before the last `record` is done.
  Result<void> synchronize() const;
  /// Time from one recorded and finished event to another.
  static Result<double> elapsedMilliseconds(const Event &start, const Event &end);

  void *handle() const { return event.get(); }
  const DeviceBackend *internal() const { return event.get_deleter().device.get(); }

private:
  explicit Event(Handle event) : event(std::move(event)) {}
  Handle event;
};

/// Work recorded once and launched as a whole. CUDA only.
class TIGON_API Graph {
public:
  /// Records what `body` gives to the stream, without running it. If `body` fails, so does this.
  static Result<Graph> capture(const Stream &stream, const std::function<Result<void>()> &body);

  Result<void> launch(const Stream &stream) const;

private:
  explicit Graph(Handle graph) : graph(std::move(graph)) {}
  Handle graph;
};

// ---- Memory ----------------------------------------------------------------------------------

/// Memory of a device, uninitialised, aligned to 256 bytes.
class TIGON_API Buffer {
public:
  /// Fails as OutOfResources, with what is free. No bytes give a null buffer.
  static Result<Buffer> allocate(const Device &device, size_t bytes);
  /// Memory that is the caller's and stays so.
  static Buffer wrap(const Device &device, void *address, size_t bytes);

  void *data() const { return address; }
  size_t bytes() const { return size; }

  /// Waits for all work on the device, copies, and returns when the copy is done.
  Result<void> copyFrom(const void *host, size_t bytes, size_t offset = 0) const;
  Result<void> copyTo(void *host, size_t bytes, size_t offset = 0) const;

  /// Copies as part of a stream's work; the host's memory must stay as it is until then.
  Result<void> copyFrom(const Stream &stream, const void *host, size_t bytes,
                        size_t offset = 0) const;
  Result<void> copyTo(const Stream &stream, void *host, size_t bytes, size_t offset = 0) const;
  /// From the start of another buffer of the same device; they may not overlap.
  Result<void> copyFrom(const Stream &stream, const Buffer &source, size_t bytes) const;
  /// Sets every byte.
  Result<void> fill(const Stream &stream, uint8_t byte) const;

  /// Where the address stands, as a launch takes it.
  const void *argument() const { return &address; }
  const DeviceBackend *internal() const { return memory.get_deleter().device.get(); }

private:
  Buffer(Handle memory, void *address, size_t size)
      : memory(std::move(memory)), address(address), size(size) {}
  Handle memory;
  void *address;
  size_t size;
};

// ---- Kernels ---------------------------------------------------------------------------------

/// How many programs run, along three axes. x may be up to 2^31 - 1, y and z up to 65535; an axis
/// of 0 means that nothing runs.
struct Grid {
  int64_t x = 1, y = 1, z = 1;
};

/// f16 and bf16 scalars, as their bits; see encodeElement in tigon/HostTensor.h.
struct Float16 {
  uint16_t bits = 0;
};
struct BFloat16 {
  uint16_t bits = 0;
};

/// An argument of a launch: where its value stands, and what it is.
struct Argument {
  const void *value = nullptr;
  ArgumentKind kind = ArgumentKind::Pointer;
  uint32_t bytes = 0;
  /// Whose memory a pointer points to, where that is known.
  const DeviceBackend *device = nullptr;
};

/// What `Kernel::launch` takes as an argument: a buffer, a pointer to an object, a number.
template <typename T>
concept LaunchArgument =
    std::is_same_v<T, Buffer> || std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16> ||
    (std::is_pointer_v<T> && !std::is_function_v<std::remove_pointer_t<T>>) ||
    std::is_integral_v<T> || std::is_same_v<T, float> || std::is_same_v<T, double>;

template <LaunchArgument T> Argument makeArgument(const T &value) {
  if constexpr (std::is_same_v<T, Buffer>)
    return {value.argument(), ArgumentKind::Pointer, sizeof(void *), value.internal()};
  else if constexpr (std::is_pointer_v<T>)
    return {&value, ArgumentKind::Pointer, sizeof(T)};
  else if constexpr (std::is_integral_v<T>)
    return {&value, ArgumentKind::Integer, sizeof(T)};
  else
    return {&value, ArgumentKind::Float, sizeof(T)};
}

/// Memory for a launch of a kernel that needs global scratch.
struct Scratch {
  void *address = nullptr;
  uint64_t bytes = 0;
};

/// What became of a kernel on its device.
struct KernelReport {
  unsigned registers = 0;
  /// Spills and stack of one thread.
  unsigned localBytes = 0;
  /// Beside the dynamic bytes of the metadata.
  unsigned staticSharedBytes = 0;
  unsigned constantBytes = 0;
  /// Threads of a block that the registers allow.
  unsigned maxThreads = 0;
  /// What the driver's assembler said.
  std::string log;
};

/// Code on a device, ready to launch. Cheap to copy; launches from several threads are fine, but a
/// kernel with reserved scratch must not run on two streams at once (pass scratch instead). Keep a
/// copy until its launches are done, and as long as a graph has captured them.
class TIGON_API Kernel {
public:
  /// Assembles PTX, links host code, sets attributes, and refuses what cannot run here: another
  /// target, more shared memory or threads than there are.
  static Result<Kernel> load(const Device &device, const Artifact &artifact);

  /// Reserves global scratch for grids of up to this many programs; does nothing for kernels that
  /// need none. Memory reserved before is kept, since a captured graph may point to it.
  Result<void> prepare(Grid largest) const;

  /// Checks the arguments (count, kind, width, what the code was promised) and the grid, and gives
  /// the launch to the stream. Neither allocates nor waits nor takes a lock on a GPU; can be
  /// captured in a graph. An empty grid launches nothing.
  template <LaunchArgument... Ts>
  Result<void> launch(const Stream &stream, Grid grid, const Ts &...arguments) const {
    if constexpr (sizeof...(Ts) == 0) {
      return launch(stream, grid, std::span<const Argument>());
    } else {
      const Argument list[] = {makeArgument(arguments)...};
      return launch(stream, grid, std::span<const Argument>(list));
    }
  }

  /// The same for arguments that are known at run time only. Scratch, if passed, is used in place
  /// of what `prepare` reserved.
  Result<void> launch(const Stream &stream, Grid grid, std::span<const Argument> arguments,
                      Scratch scratch = {}) const;

  /// Bytes of scratch that a launch of this grid needs.
  Result<uint64_t> scratchBytes(Grid grid) const;

  const KernelMetadata &metadata() const;
  /// Registers, spills and so on; all 0 on the CPU.
  const KernelReport &report() const;

private:
  explicit Kernel(std::shared_ptr<LoadedKernel> kernel) : kernel(std::move(kernel)) {}
  std::shared_ptr<LoadedKernel> kernel;
};

} // namespace tigon
