// SPDX-License-Identifier: Apache-2.0
#include "tests/runtime/MockCuda.h"

#include "runtime/CudaDevice.h"

#include <cstdlib>
#include <cstring>

namespace tigon {
namespace {

using cuda::Status;

MockCuda *currentMock = nullptr;

template <typename T> uint64_t bitsOf(T value) {
  if constexpr (std::is_pointer_v<T>)
    return reinterpret_cast<uint64_t>(value);
  else
    return uint64_t(value);
}

template <auto Function, auto Handler> struct Stub;
template <typename... Ts, CudaFunction<Status(Ts...)> cuda::Functions::*Function,
          std::function<Status(Ts...)> cuda::Handlers::*Handler>
struct Stub<Function, Handler> {
  static Status call(Ts... arguments) {
    MockCuda &mock = *currentMock;
    const char *symbol = (mock.driver.*Function).symbol;
    if (mock.isRecording) // a launch may not allocate, and the record does
      mock.calls.push_back({symbol, {bitsOf(arguments)...}});
    if (!mock.failures.empty())
      if (auto failure = mock.failures.find(symbol); failure != mock.failures.end())
        return failure->second;
    auto &handler = mock.on.*Handler;
    return handler ? handler(arguments...) : Status::Success;
  }
};

template <typename T> T as(void *what) { return reinterpret_cast<T>(what); }

} // namespace

MockCuda::MockCuda() {
  currentMock = this;
#define CUDA_FUNCTION(name, symbol, parameters)                                                    \
  driver.name.pointer = Stub<&cuda::Functions::name, &cuda::Handlers::name>::call;
#include "runtime/CudaDriver.def"
  attributes = {{cuda::FunctionAttribute::NumRegs, 40},
                {cuda::FunctionAttribute::MaxThreadsPerBlock, 1024}};
  installDefaults();
}

MockCuda::~MockCuda() {
  for (void *leaked : alive)
    std::free(leaked);
  currentMock = nullptr;
}

Device MockCuda::open(int ordinal) { return Device(*openCudaDevice(driver, ordinal)); }

std::vector<MockCuda::Call> MockCuda::callsOf(const std::string &symbol) const {
  std::vector<Call> found;
  for (const Call &call : calls)
    if (call.symbol == symbol)
      found.push_back(call);
  return found;
}

std::string MockCuda::sequence() const {
  std::string text;
  for (const Call &call : calls)
    text += (text.empty() ? "" : " ") + call.symbol;
  return text;
}

void *MockCuda::make(size_t bytes) {
  void *made = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  alive.insert(made);
  return made;
}

Status MockCuda::drop(void *what) {
  if (!alive.erase(what))
    return Status::InvalidValue;
  std::free(what);
  return Status::Success;
}

void MockCuda::installDefaults() {
  // One by one: the public handles have the same names.
  using cuda::Context, cuda::DeviceAttribute, cuda::DevicePointer, cuda::Event, cuda::Function,
      cuda::FunctionAttribute, cuda::Graph, cuda::GraphExec, cuda::JitOption, cuda::LaunchConfig,
      cuda::LinkState, cuda::Module, cuda::Ordinal, cuda::Stream;
  on.getErrorName = [](Status status, const char **name) {
    static std::map<Status, const char *> names = {
        {Status::OutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
        {Status::InvalidPtx, "CUDA_ERROR_INVALID_PTX"},
        {Status::UnsupportedPtxVersion, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
        {Status::IllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS"},
        {Status::InvalidImage, "CUDA_ERROR_INVALID_IMAGE"}};
    auto known = names.find(status);
    *name = known == names.end() ? nullptr : known->second;
    return *name ? Status::Success : Status::InvalidValue;
  };
  on.getErrorString = [](Status, const char **text) {
    *text = "in other words";
    return Status::Success;
  };
  on.driverGetVersion = [](int *version) { return *version = 13000, Status::Success; };
  on.deviceGetCount = [](int *count) { return *count = 2, Status::Success; };
  on.deviceGet = [](Ordinal *device, int ordinal) { return *device = ordinal, Status::Success; };
  on.deviceGetName = [](char *name, int, Ordinal) {
    return std::strcpy(name, "NVIDIA H200"), Status::Success;
  };
  on.deviceTotalMem = [](size_t *bytes, Ordinal) {
    return *bytes = size_t(141) << 30, Status::Success;
  };
  on.deviceGetAttribute = [](int *value, DeviceAttribute attribute, Ordinal) {
    static std::map<DeviceAttribute, int> values = {
        {DeviceAttribute::MultiprocessorCount, 132},
        {DeviceAttribute::L2CacheSize, 60 << 20},
        {DeviceAttribute::ComputeCapabilityMajor, 9},
        {DeviceAttribute::ComputeCapabilityMinor, 0},
        {DeviceAttribute::MaxSharedMemoryPerBlockOptin, 232448}};
    return *value = values.at(attribute), Status::Success;
  };
  // Any address will do; each device has one of its own.
  on.primaryContextRetain = [](Context *context, Ordinal device) {
    return *context = as<Context>(reinterpret_cast<void *>(0xc0 + device)), Status::Success;
  };
  on.contextGetCurrent = [this](Context *context) {
    return *context = contextStack.empty() ? nullptr : contextStack.back(), Status::Success;
  };
  on.contextPushCurrent = [this](Context context) {
    return contextStack.push_back(context), Status::Success;
  };
  on.contextPopCurrent = [this](Context *context) {
    *context = contextStack.back();
    return contextStack.pop_back(), Status::Success;
  };
  on.memAlloc = [this](DevicePointer *address, size_t bytes) {
    return *address = reinterpret_cast<DevicePointer>(make(bytes)), Status::Success;
  };
  on.memFree = [this](DevicePointer address) { return drop(reinterpret_cast<void *>(address)); };
  on.memcpyAsync = [](DevicePointer to, DevicePointer from, size_t bytes, Stream) {
    std::memcpy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from), bytes);
    return Status::Success;
  };
  on.memsetAsync = [](DevicePointer to, unsigned char byte, size_t bytes, Stream) {
    return std::memset(reinterpret_cast<void *>(to), byte, bytes), Status::Success;
  };
  on.streamCreate = [this](Stream *stream, unsigned) {
    return *stream = as<Stream>(make()), Status::Success;
  };
  on.streamDestroy = [this](Stream stream) { return drop(stream); };
  on.streamEndCapture = [this](Stream, Graph *graph) {
    return *graph = as<Graph>(make()), Status::Success;
  };
  on.eventCreate = [this](Event *event, unsigned) {
    return *event = as<Event>(make()), Status::Success;
  };
  on.eventDestroy = [this](Event event) { return drop(event); };
  on.eventElapsedTime = [](float *milliseconds, Event, Event) {
    return *milliseconds = 1.5f, Status::Success;
  };
  on.graphInstantiate = [this](GraphExec *exec, Graph, unsigned long long) {
    return *exec = as<GraphExec>(make()), Status::Success;
  };
  on.graphDestroy = [this](Graph graph) { return drop(graph); };
  on.graphExecDestroy = [this](GraphExec exec) { return drop(exec); };
  on.linkCreate = [this](unsigned, JitOption *, void **, LinkState *state) {
    return *state = as<LinkState>(make()), Status::Success;
  };
  on.linkComplete = [](LinkState, void **code, size_t *bytes) {
    static char cubin[] = "\177ELFcubin";
    return *code = cubin, *bytes = sizeof(cubin) - 1, Status::Success;
  };
  on.linkDestroy = [this](LinkState state) { return drop(state); };
  on.moduleLoadData = [this](Module *module, const void *, unsigned, JitOption *, void **) {
    return *module = as<Module>(make()), Status::Success;
  };
  on.moduleUnload = [this](Module module) { return drop(module); };
  on.moduleGetFunction = [](Function *function, Module, const char *) {
    return *function = as<Function>(reinterpret_cast<void *>(0xf0)), Status::Success;
  };
  on.functionGetAttribute = [this](int *value, FunctionAttribute attribute, Function) {
    return *value = attributes[attribute], Status::Success;
  };
  auto readParameters = [this](void **values) {
    parameters.assign(parameterBytes.size(), 0);
    for (size_t i = 0; i < parameterBytes.size(); ++i)
      std::memcpy(&parameters[i], values[i], parameterBytes[i]);
    return Status::Success;
  };
  on.launchKernel = [=](Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        unsigned, Stream, void **values,
                        void **) { return readParameters(values); };
  on.launchKernelEx = [=](const LaunchConfig *, Function, void **values, void **) {
    return readParameters(values);
  };
}

} // namespace tigon
