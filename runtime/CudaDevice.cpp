// SPDX-License-Identifier: Apache-2.0
#include "runtime/CudaDevice.h"

#include "runtime/CudaKernel.h"

#include <fmt/format.h>
#include <string>

namespace tigon {
namespace {

using cuda::DeviceAttribute;
using cuda::Status;

Result<DeviceProperties> readProperties(const CudaDriver &driver, cuda::Ordinal device,
                                        int ordinal) {
  char model[256] = {};
  size_t memory = 0;
  int version = 0, major = 0, minor = 0, processors = 0, l2 = 0, shared = 0;
  auto attribute = [&](int *value, DeviceAttribute which) {
    return driver.call(driver.deviceGetAttribute, value, which, device);
  };
  for (const Result<void> &read :
       {driver.call(driver.deviceGetName, model, int(sizeof(model) - 1), device),
        driver.call(driver.deviceTotalMem, &memory, device),
        driver.call(driver.driverGetVersion, &version),
        attribute(&major, DeviceAttribute::ComputeCapabilityMajor),
        attribute(&minor, DeviceAttribute::ComputeCapabilityMinor),
        attribute(&processors, DeviceAttribute::MultiprocessorCount),
        attribute(&l2, DeviceAttribute::L2CacheSize),
        attribute(&shared, DeviceAttribute::MaxSharedMemoryPerBlockOptin)})
    if (!read)
      return read.error();

  DeviceProperties properties;
  properties.kind = DeviceKind::Cuda;
  properties.name = fmt::format("cuda:{}", ordinal);
  properties.model = model;
  properties.computeCapability = unsigned(major * 10 + minor);
  properties.target = fmt::format("sm_{}", properties.computeCapability);
  properties.processors = unsigned(processors);
  properties.l2Bytes = uint64_t(l2);
  properties.sharedBytesPerBlock = uint64_t(shared);
  properties.memoryBytes = memory;
  properties.driverVersion = version;
  properties.maxPtxVersion = maxPtxVersion(version);
  return properties;
}

cuda::DevicePointer addressOf(const void *pointer) {
  return reinterpret_cast<cuda::DevicePointer>(pointer);
}

} // namespace

int countCudaDevices(const CudaDriver &driver) {
  int count = 0;
  return driver.deviceGetCount(&count) == Status::Success ? count : 0;
}

Result<std::shared_ptr<DeviceBackend>> openCudaDevice(const CudaDriver &driver, int ordinal) {
  auto device = CudaDevice::open(driver, ordinal);
  if (!device)
    return device.error();
  return std::shared_ptr<DeviceBackend>(std::move(*device));
}

Result<std::shared_ptr<CudaDevice>> CudaDevice::open(const CudaDriver &driver, int ordinal) {
  int count = 0;
  if (auto counted = driver.call(driver.deviceGetCount, &count); !counted)
    return counted.error();
  if (ordinal >= count)
    return fail(ErrorCode::Unavailable,
                fmt::format("found no device cuda:{}, expected 0 to {} (the process sees {} GPUs)",
                            ordinal, count - 1, count));
  cuda::Ordinal device = 0;
  if (auto got = driver.call(driver.deviceGet, &device, ordinal); !got)
    return got.error();
  auto properties = readProperties(driver, device, ordinal);
  if (!properties)
    return properties.error();
  cuda::Context context = nullptr;
  if (auto retained = driver.call(driver.primaryContextRetain, &context, device); !retained)
    return retained.error();
  auto opened = std::make_shared<CudaDevice>(driver, device, context);
  opened->properties = std::move(*properties);
  return opened;
}

CudaDevice::~CudaDevice() { driver.primaryContextRelease(ordinal); }

Result<void> CudaDevice::synchronize() { return call(driver.contextSynchronize); }

// ---- Memory ----------------------------------------------------------------------------------

Result<void *> CudaDevice::allocate(size_t bytes) {
  if (!bytes) // which the driver refuses
    return static_cast<void *>(nullptr);
  CurrentContext current(driver, context);
  if (!current)
    return current.error();
  cuda::DevicePointer address = 0;
  Status status = driver.memAlloc(&address, bytes);
  if (status == Status::Success)
    return reinterpret_cast<void *>(address);
  std::string doing = fmt::format("cannot allocate {} bytes on {}", bytes, properties.name);
  size_t free = 0, total = 0;
  if (status == Status::OutOfMemory && driver.memGetInfo(&free, &total) == Status::Success)
    doing += fmt::format(", where {} of {} are free", free, total);
  return driver.failure(status, driver.memAlloc.symbol, doing);
}

void CudaDevice::release(void *address) { (void)call(driver.memFree, addressOf(address)); }

// With unified addressing the driver knows by the addresses which way a copy goes.
Result<void> CudaDevice::copy(void *to, const void *from, size_t bytes, void *stream) {
  return call(driver.memcpyAsync, addressOf(to), addressOf(from), bytes,
              static_cast<cuda::Stream>(stream));
}

Result<void> CudaDevice::fill(void *to, uint8_t byte, size_t bytes, void *stream) {
  return call(driver.memsetAsync, addressOf(to), byte, bytes, static_cast<cuda::Stream>(stream));
}

// ---- Streams and events ----------------------------------------------------------------------

Result<void *> CudaDevice::createStream() {
  cuda::Stream stream = nullptr;
  if (auto made = call(driver.streamCreate, &stream, cuda::streamNonBlocking); !made)
    return made.error();
  return static_cast<void *>(stream);
}

void CudaDevice::destroyStream(void *stream) {
  (void)call(driver.streamDestroy, static_cast<cuda::Stream>(stream));
}

Result<void> CudaDevice::synchronizeStream(void *stream) {
  return call(driver.streamSynchronize, static_cast<cuda::Stream>(stream));
}

Result<void *> CudaDevice::createEvent() {
  cuda::Event event = nullptr;
  if (auto made = call(driver.eventCreate, &event, 0u); !made)
    return made.error();
  return static_cast<void *>(event);
}

void CudaDevice::destroyEvent(void *event) {
  (void)call(driver.eventDestroy, static_cast<cuda::Event>(event));
}

Result<void> CudaDevice::recordEvent(void *event, void *stream) {
  return call(driver.eventRecord, static_cast<cuda::Event>(event),
              static_cast<cuda::Stream>(stream));
}

Result<void> CudaDevice::waitForEvent(void *stream, void *event) {
  return call(driver.streamWaitEvent, static_cast<cuda::Stream>(stream),
              static_cast<cuda::Event>(event), 0u);
}

Result<void> CudaDevice::synchronizeEvent(void *event) {
  return call(driver.eventSynchronize, static_cast<cuda::Event>(event));
}

Result<double> CudaDevice::elapsedMilliseconds(void *start, void *end) {
  float milliseconds = 0;
  if (auto read = call(driver.eventElapsedTime, &milliseconds, static_cast<cuda::Event>(start),
                       static_cast<cuda::Event>(end));
      !read)
    return read.error();
  return double(milliseconds);
}

// ---- Graphs ----------------------------------------------------------------------------------

// Thread-local capture: what other threads do meanwhile, such as allocating, is their business.
Result<void> CudaDevice::beginCapture(void *stream) {
  return call(driver.streamBeginCapture, static_cast<cuda::Stream>(stream),
              cuda::CaptureMode::ThreadLocal);
}

Result<void *> CudaDevice::endCapture(void *stream, bool wanted) {
  CurrentContext current(driver, context);
  if (!current)
    return current.error();
  cuda::Graph graph = nullptr;
  if (auto ended = driver.call(driver.streamEndCapture, static_cast<cuda::Stream>(stream), &graph);
      !ended)
    return ended.error();
  cuda::GraphExec exec = nullptr;
  Result<void> made;
  if (wanted)
    made = driver.call(driver.graphInstantiate, &exec, graph, 0ull);
  if (graph)
    driver.graphDestroy(graph); // the executable graph does not need it
  if (!made)
    return made.error();
  return static_cast<void *>(exec);
}

Result<void> CudaDevice::launchGraph(void *graph, void *stream) {
  return call(driver.graphLaunch, static_cast<cuda::GraphExec>(graph),
              static_cast<cuda::Stream>(stream));
}

void CudaDevice::destroyGraph(void *graph) {
  (void)call(driver.graphExecDestroy, static_cast<cuda::GraphExec>(graph));
}

// ---- Code ------------------------------------------------------------------------------------

Result<Artifact> CudaDevice::assemble(const Artifact &artifact) {
  auto assembled = assembleCuda(*this, artifact);
  if (!assembled)
    return assembled.error();
  Artifact result{artifact.metadata, std::move(assembled->code)};
  result.metadata.target = properties.target; // machine code runs on nothing else
  return result;
}

Result<std::shared_ptr<LoadedKernel>> CudaDevice::load(const Artifact &artifact,
                                                       Signature signature) {
  auto self = std::static_pointer_cast<CudaDevice>(shared_from_this());
  return CudaKernel::load(std::move(self), artifact, std::move(signature));
}

} // namespace tigon
