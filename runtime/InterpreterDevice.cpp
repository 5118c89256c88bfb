// SPDX-License-Identifier: Apache-2.0
#include "runtime/InterpreterDevice.h"

#include "dialect/Session.h"
#include "dialect/interpreter/Interpreter.h"
#include "dialect/tt/TT.h"
#include "runtime/Agreement.h"
#include "runtime/CpuDevice.h"
#include "runtime/HostTensor.h"

#include "mlir/Support/DebugStringHelper.h"

#include <cstring>
#include <fmt/format.h>
#include <map>
#include <mutex>

namespace tigon {
namespace {

/// A buffer, and in wide mode the unrounded values of its elements, once a kernel has said of which
/// type they are.
struct Allocation {
  size_t bytes = 0;
  DType dtype = DType::F32;
  std::vector<double> wide;

  /// Forget what was unrounded in these bytes, which the host has written.
  void refresh(const char *base, size_t begin, size_t end) {
    size_t width = dtypeBytes(dtype);
    for (size_t i = begin / width; i < wide.size() && i * width < end; ++i) {
      uint64_t bits = 0;
      std::memcpy(&bits, base + i * width, width);
      wide[i] = decodeElement(dtype, bits);
    }
  }
};

/// Streams, events and memory are those of the host's CPU.
class InterpreterDevice final : public DeviceBackend {
public:
  explicit InterpreterDevice(bool wide) : isWide(wide), host(openCpuDevice(1)) {
    properties = host->properties;
    properties.kind = DeviceKind::Interpreter;
    properties.name = wide ? "interpreter:wide" : "interpreter";
    properties.target = "interpreter";
    properties.features.clear();
  }

  Result<void> synchronize() override { return {}; }

  Result<void *> allocate(size_t bytes) override {
    auto address = host->allocate(bytes);
    if (address && *address) {
      std::lock_guard lock(mutex);
      allocations[static_cast<char *>(*address)].bytes = bytes;
    }
    return address;
  }
  void release(void *address) override {
    {
      std::lock_guard lock(mutex);
      allocations.erase(static_cast<char *>(address));
    }
    host->release(address);
  }
  Result<void> copy(void *to, const void *from, size_t bytes, void *stream) override {
    auto copied = host->copy(to, from, bytes, stream);
    noteWrite(to, bytes);
    return copied;
  }
  Result<void> fill(void *to, uint8_t byte, size_t bytes, void *stream) override {
    auto filled = host->fill(to, byte, bytes, stream);
    noteWrite(to, bytes);
    return filled;
  }

  Result<void *> createStream() override { return host->createStream(); }
  void destroyStream(void *stream) override { host->destroyStream(stream); }
  Result<void> synchronizeStream(void *) override { return {}; }
  Result<void *> createEvent() override { return host->createEvent(); }
  void destroyEvent(void *event) override { host->destroyEvent(event); }
  Result<void> recordEvent(void *event, void *stream) override {
    return host->recordEvent(event, stream);
  }
  Result<void> waitForEvent(void *, void *) override { return {}; }
  Result<void> synchronizeEvent(void *) override { return {}; }
  Result<double> elapsedMilliseconds(void *start, void *end) override {
    return host->elapsedMilliseconds(start, end);
  }

  Result<void> beginCapture(void *) override {
    return fail(ErrorCode::Unsupported,
                fmt::format("found a graph on device {}, which has none; launch the kernels one by "
                            "one",
                            properties.name));
  }
  Result<void *> endCapture(void *, bool) override { return static_cast<void *>(nullptr); }
  Result<void> launchGraph(void *, void *) override { return {}; }
  void destroyGraph(void *) override {}

  Result<Artifact> assemble(const Artifact &artifact) override { return artifact; }
  Result<std::shared_ptr<LoadedKernel>> load(const Artifact &artifact,
                                             Signature signature) override;

  /// The allocation that `address` points into, or the end. The mutex must be held.
  std::map<char *, Allocation>::iterator find(const void *address) {
    auto *byte = static_cast<char *>(const_cast<void *>(address));
    auto after = allocations.upper_bound(byte);
    if (after == allocations.begin())
      return allocations.end();
    auto found = std::prev(after);
    return byte < found->first + found->second.bytes ? found : allocations.end();
  }

  const bool isWide;
  /// Of `allocations`, and of the buffers' unrounded values: launches take turns.
  std::mutex mutex;
  std::map<char *, Allocation> allocations;

private:
  void noteWrite(void *to, size_t bytes) {
    if (!isWide)
      return;
    std::lock_guard lock(mutex);
    auto found = find(to);
    if (found == allocations.end())
      return;
    size_t begin = size_t(static_cast<char *>(to) - found->first);
    found->second.refresh(found->first, begin, begin + bytes);
  }

  const std::shared_ptr<DeviceBackend> host;
};

class InterpreterKernel final : public LoadedKernel {
public:
  InterpreterKernel(std::shared_ptr<InterpreterDevice> device, KernelMetadata metadata,
                    Signature signature)
      : LoadedKernel(std::move(metadata), std::move(signature)), owner(std::move(device)) {}

  Result<void> parse(const std::string &text) {
    auto parsed = session.parse(text, metadata.name);
    if (!parsed)
      return parsed.error();
    module = std::move(*parsed);
    function = module->lookupSymbol<tt::FuncOp>(metadata.name);
    if (!function || function.isExternal())
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("found no kernel '{}' in the artifact's text", metadata.name));
    return checkArguments();
  }

  Result<void> prepare(int64_t) override { return {}; }

  Result<void> launch(void *, const Grid &grid, int64_t, const void **values,
                      const Scratch &) override {
    // An MLIR context is for one thread at a time, and so are the values beside buffers.
    std::lock_guard lock(owner->mutex);
    interpreter::Options options;
    options.mode = owner->isWide ? interpreter::Mode::Wide : interpreter::Mode::Exact;
    llvm::SmallVector<interpreter::Buffer> buffers = describeBuffers();
    if (findElements(values, buffers))
      options.buffers = buffers;
    interpreter::Grid axes = {uint32_t(grid.x), uint32_t(grid.y), uint32_t(grid.z)};
    llvm::Error error = interpreter::interpret(
        function, llvm::ArrayRef(values, metadata.arguments.size()), axes, options);
    if (error)
      return fail(ErrorCode::InvalidProgram, llvm::toString(std::move(error)));
    return {};
  }

  const DeviceBackend &device() const override { return *owner; }

private:
  /// What is read at a launch is what the signature says was passed.
  Result<void> checkArguments() {
    bool fits = function.getNumArguments() == metadata.arguments.size();
    for (unsigned i = 0; fits && i < function.getNumArguments(); ++i) {
      mlir::Type type = function.getArgument(i).getType();
      unsigned bytes = type.isIntOrFloat() ? (type.getIntOrFloatBitWidth() + 7) / 8 : 8;
      if (!type.isIntOrFloat() && !llvm::isa<tt::PointerType>(type))
        return fail(ErrorCode::Unsupported,
                    fmt::format("kernel '{}', argument {} '{}': found {}, expected a pointer, an "
                                "integer or a float; a launch passes nothing else",
                                metadata.name, i, metadata.arguments[i].name,
                                mlir::debugString(type)));
      fits = bytes == metadata.arguments[i].bytes;
    }
    if (!fits)
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("kernel '{}': found metadata that describes other arguments than the "
                              "artifact's text; take both from one compilation",
                              metadata.name));
    return {};
  }

  llvm::SmallVector<interpreter::Buffer> describeBuffers() {
    llvm::SmallVector<interpreter::Buffer> buffers;
    for (auto &[address, allocation] : owner->allocations)
      buffers.push_back({address, int64_t(allocation.bytes), {}, nullptr});
    return buffers;
  }

  /// Gives the buffers that arguments point into their type of elements, and in wide mode room for
  /// unrounded values. False if a pointer points elsewhere.
  bool findElements(const void *const *values, llvm::MutableArrayRef<interpreter::Buffer> buffers) {
    bool allKnown = true;
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      auto type = llvm::dyn_cast<tt::PointerType>(function.getArgument(i).getType());
      void *address = nullptr;
      if (type)
        std::memcpy(&address, values[i], sizeof(address));
      if (!address) // not a pointer, or one that must not be followed
        continue;
      auto found = owner->find(address);
      if (found == owner->allocations.end()) {
        allKnown = false;
        continue;
      }
      interpreter::Buffer &buffer =
          buffers[size_t(std::distance(owner->allocations.begin(), found))];
      std::optional<DType> dtype =
          parseDType(std::string_view(metadata.arguments[i].type).substr(1));
      if (!owner->isWide || buffer.element || !dtype || *dtype < DType::F8E4M3)
        continue;
      Allocation &allocation = found->second;
      if (allocation.wide.empty() || allocation.dtype != *dtype) {
        allocation.dtype = *dtype;
        allocation.wide.assign(allocation.bytes / dtypeBytes(*dtype), 0);
        allocation.refresh(found->first, 0, allocation.bytes);
      }
      buffer.element = type.getPointeeType();
      buffer.wide = allocation.wide.data();
    }
    return allKnown;
  }

  const std::shared_ptr<InterpreterDevice> owner;
  Session session; // before what lives in its context
  mlir::OwningOpRef<mlir::ModuleOp> module;
  tt::FuncOp function;
};

Result<std::shared_ptr<LoadedKernel>> InterpreterDevice::load(const Artifact &artifact,
                                                              Signature signature) {
  const KernelMetadata &metadata = artifact.metadata;
  if (metadata.target != "interpreter")
    return fail(ErrorCode::InvalidArgument,
                fmt::format("kernel '{}': found code for {}, expected a tile program; compile for "
                            "target 'interpreter'",
                            metadata.name, metadata.target));
  auto self = std::static_pointer_cast<InterpreterDevice>(shared_from_this());
  auto kernel =
      std::make_shared<InterpreterKernel>(std::move(self), metadata, std::move(signature));
  if (auto parsed = kernel->parse(artifact.code); !parsed)
    return parsed.error();
  return std::shared_ptr<LoadedKernel>(std::move(kernel));
}

} // namespace

std::shared_ptr<DeviceBackend> openInterpreterDevice(bool wide) {
  return std::make_shared<InterpreterDevice>(wide);
}

Result<std::vector<double>> unroundedValues(const Buffer &buffer, DType dtype) {
  size_t width = dtypeBytes(dtype), count = buffer.bytes() / width;
  std::vector<char> bytes(buffer.bytes());
  if (auto copied = buffer.copyTo(bytes.data(), bytes.size()); !copied)
    return copied.error();
  std::vector<double> values(count);
  for (size_t i = 0; i < count; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + i * width, width);
    values[i] = decodeElement(dtype, bits);
  }
  auto *device = dynamic_cast<InterpreterDevice *>(const_cast<DeviceBackend *>(buffer.internal()));
  if (!device || !buffer.data())
    return values;
  std::lock_guard lock(device->mutex);
  auto found = device->find(buffer.data());
  if (found == device->allocations.end() || found->first != buffer.data() ||
      found->second.dtype != dtype)
    return values;
  std::copy_n(found->second.wide.begin(), std::min(count, found->second.wide.size()),
              values.begin());
  return values;
}

} // namespace tigon
