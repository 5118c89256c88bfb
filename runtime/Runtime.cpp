// SPDX-License-Identifier: Apache-2.0
//
// The public handles: checks that need no device, then one call of the backend.
#include "runtime/Runtime.h"

#include "runtime/Backend.h"
#include "runtime/CpuDevice.h"
#include "runtime/CudaDevice.h"
#include "runtime/InterpreterDevice.h"

#include <charconv>
#include <fmt/format.h>

namespace tigon {
namespace {

/// The number of "cuda:N", 0 of "cuda", nothing of anything else.
std::optional<int> parseCudaOrdinal(std::string_view name) {
  if (name == "cuda")
    return 0;
  constexpr std::string_view prefix = "cuda:";
  if (!name.starts_with(prefix))
    return std::nullopt;
  int ordinal = -1;
  const char *end = name.data() + name.size();
  auto [stop, status] = std::from_chars(name.data() + prefix.size(), end, ordinal);
  if (status != std::errc() || stop != end || ordinal < 0)
    return std::nullopt;
  return ordinal;
}

Error foreign(const char *what, const DeviceBackend &found, const DeviceBackend &expected) {
  return fail(ErrorCode::InvalidArgument,
              fmt::format("found {} of device {}, expected one of {}", what, found.properties.name,
                          expected.properties.name));
}

/// Wraps what a backend made into a handle that gives it back.
Handle own(const std::shared_ptr<DeviceBackend> &device, void *handle,
           void (DeviceBackend::*release)(void *)) {
  return Handle(handle, HandleRelease{device, release});
}

Result<void> checkRange(const Buffer &buffer, size_t bytes, size_t offset) {
  if (offset > buffer.bytes() || bytes > buffer.bytes() - offset)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("found a copy of {} bytes at offset {}, but the buffer has {} bytes",
                            bytes, offset, buffer.bytes()));
  return {};
}

/// A copy that waits for all that the device was given before, on whatever stream.
Result<void> copyNow(DeviceBackend &device, void *to, const void *from, size_t bytes) {
  if (!bytes)
    return {};
  if (auto done = device.synchronize(); !done)
    return done;
  if (auto copied = device.copy(to, from, bytes, nullptr); !copied)
    return copied;
  return device.synchronizeStream(nullptr);
}

} // namespace

void HandleRelease::operator()(void *handle) const {
  if (release)
    (device.get()->*release)(handle);
}

// ---- Device ----------------------------------------------------------------------------------

int maxPtxVersion(int driverVersion) {
  int major = driverVersion / 1000, minor = driverVersion % 1000 / 10;
  if (major >= 14)
    return 90;
  if (major == 13)
    return 90 + minor;
  if (major == 12)
    return minor < 6 ? 80 + minor : 79 + minor; // 12.5 and 12.6 share 8.5
  if (major == 11)
    return 70 + minor;
  return 0;
}

Result<Device> Device::open(std::string_view name, const DeviceOptions &options) {
  if (name == "cpu")
    return Device(openCpuDevice(options.threads));
  if (name == "interpreter" || name == "interpreter:wide")
    return Device(openInterpreterDevice(name != "interpreter"));
  std::optional<int> ordinal = parseCudaOrdinal(name);
  if (!ordinal)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("found device '{}', expected cpu, cuda, cuda:N, interpreter or "
                            "interpreter:wide",
                            name));
  auto driver = CudaDriver::load(options.cudaDriver);
  if (!driver)
    return driver.error();
  auto device = openCudaDevice(**driver, *ordinal);
  if (!device)
    return device.error();
  return Device(std::move(*device));
}

std::vector<std::string> Device::list(const DeviceOptions &options) {
  std::vector<std::string> names = {"cpu"};
  auto driver = CudaDriver::load(options.cudaDriver);
  if (!driver)
    return names;
  for (int i = 0, count = countCudaDevices(**driver); i < count; ++i)
    names.push_back(fmt::format("cuda:{}", i));
  return names;
}

const DeviceProperties &Device::properties() const { return backend->properties; }

Result<void> Device::synchronize() const { return backend->synchronize(); }

Result<Artifact> Device::assemble(const Artifact &artifact) const {
  return backend->assemble(artifact);
}

// ---- Stream, Event, Graph --------------------------------------------------------------------

Result<Stream> Stream::create(const Device &device) {
  auto stream = device.internal()->createStream();
  if (!stream)
    return stream.error();
  return Stream(own(device.internal(), *stream, &DeviceBackend::destroyStream));
}

Stream Stream::wrap(const Device &device, void *handle) {
  return Stream(own(device.internal(), handle, nullptr));
}

Result<void> Stream::synchronize() const {
  return stream.get_deleter().device->synchronizeStream(handle());
}

Result<void> Stream::wait(const Event &event) const {
  DeviceBackend &device = *stream.get_deleter().device;
  // Waiting for another GPU's event is what events are for; only the kinds may not mix.
  if (event.internal()->properties.kind != device.properties.kind)
    return foreign("an event", *event.internal(), device);
  return device.waitForEvent(handle(), event.handle());
}

Result<Event> Event::create(const Device &device) {
  auto event = device.internal()->createEvent();
  if (!event)
    return event.error();
  return Event(own(device.internal(), *event, &DeviceBackend::destroyEvent));
}

Result<void> Event::record(const Stream &stream) const {
  DeviceBackend &device = *event.get_deleter().device;
  if (!device.isSame(*stream.internal()))
    return foreign("a stream", *stream.internal(), device);
  return device.recordEvent(handle(), stream.handle());
}

Result<void> Event::synchronize() const {
  return event.get_deleter().device->synchronizeEvent(handle());
}

Result<double> Event::elapsedMilliseconds(const Event &start, const Event &end) {
  DeviceBackend &device = *start.event.get_deleter().device;
  if (!device.isSame(*end.internal()))
    return foreign("an event", *end.internal(), device);
  return device.elapsedMilliseconds(start.handle(), end.handle());
}

Result<Graph> Graph::capture(const Stream &stream, const std::function<Result<void>()> &body) {
  Device owner = stream.device();
  DeviceBackend &device = *owner.internal();
  if (auto begun = device.beginCapture(stream.handle()); !begun)
    return begun.error();
  Result<void> recorded = body();
  auto graph = device.endCapture(stream.handle(), bool(recorded));
  if (!recorded) // says more than what the driver then thinks of the capture
    return recorded.error();
  if (!graph)
    return graph.error();
  return Graph(own(owner.internal(), *graph, &DeviceBackend::destroyGraph));
}

Result<void> Graph::launch(const Stream &stream) const {
  DeviceBackend &device = *graph.get_deleter().device;
  if (!device.isSame(*stream.internal()))
    return foreign("a stream", *stream.internal(), device);
  return device.launchGraph(graph.get(), stream.handle());
}

// ---- Buffer ----------------------------------------------------------------------------------

Result<Buffer> Buffer::allocate(const Device &device, size_t bytes) {
  auto address = device.internal()->allocate(bytes);
  if (!address)
    return address.error();
  return Buffer(own(device.internal(), *address, &DeviceBackend::release), *address, bytes);
}

Buffer Buffer::wrap(const Device &device, void *address, size_t bytes) {
  return Buffer(own(device.internal(), address, nullptr), address, bytes);
}

Result<void> Buffer::copyFrom(const void *host, size_t bytes, size_t offset) const {
  if (auto inside = checkRange(*this, bytes, offset); !inside)
    return inside;
  return copyNow(*memory.get_deleter().device, static_cast<char *>(address) + offset, host, bytes);
}

Result<void> Buffer::copyTo(void *host, size_t bytes, size_t offset) const {
  if (auto inside = checkRange(*this, bytes, offset); !inside)
    return inside;
  return copyNow(*memory.get_deleter().device, host, static_cast<char *>(address) + offset, bytes);
}

Result<void> Buffer::copyFrom(const Stream &stream, const void *host, size_t bytes,
                              size_t offset) const {
  DeviceBackend &device = *memory.get_deleter().device;
  if (!device.isSame(*stream.internal()))
    return foreign("a stream", *stream.internal(), device);
  if (auto inside = checkRange(*this, bytes, offset); !inside || !bytes)
    return inside;
  return device.copy(static_cast<char *>(address) + offset, host, bytes, stream.handle());
}

Result<void> Buffer::copyTo(const Stream &stream, void *host, size_t bytes, size_t offset) const {
  DeviceBackend &device = *memory.get_deleter().device;
  if (!device.isSame(*stream.internal()))
    return foreign("a stream", *stream.internal(), device);
  if (auto inside = checkRange(*this, bytes, offset); !inside || !bytes)
    return inside;
  return device.copy(host, static_cast<char *>(address) + offset, bytes, stream.handle());
}

Result<void> Buffer::copyFrom(const Stream &stream, const Buffer &source, size_t bytes) const {
  DeviceBackend &device = *memory.get_deleter().device;
  if (!device.isSame(*source.memory.get_deleter().device))
    return foreign("a buffer", *source.memory.get_deleter().device, device);
  if (auto inside = checkRange(source, bytes, 0); !inside)
    return inside;
  return copyFrom(stream, source.data(), bytes, 0);
}

Result<void> Buffer::fill(const Stream &stream, uint8_t byte) const {
  DeviceBackend &device = *memory.get_deleter().device;
  if (!device.isSame(*stream.internal()))
    return foreign("a stream", *stream.internal(), device);
  if (!size)
    return {};
  return device.fill(address, byte, size, stream.handle());
}

} // namespace tigon
