// SPDX-License-Identifier: Apache-2.0
#include "runtime/CudaDriver.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace tigon {
namespace {

using cuda::Status;

/// libcuda.so.1 comes with the driver, not with the toolkit (whose stub has another name, so that
/// it is not taken for it).
std::vector<std::string> placesOf(const std::string &library) {
  if (!library.empty())
    return {library};
  return {"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1", "/run/opengl-driver/lib/libcuda.so.1"};
}

Result<std::unique_ptr<CudaDriver>> open(const std::string &library) {
  void *handle = nullptr;
  std::string reason; // of the first place, the usual one
  for (const std::string &place : placesOf(library)) {
    handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle)
      break;
    const char *text = dlerror();
    if (reason.empty())
      reason = text ? text : place;
  }
  if (!handle)
    return fail(ErrorCode::Unavailable,
                fmt::format("found no NVIDIA driver ({}); install one, name its library in "
                            "DeviceOptions::cudaDriver, or use device cpu",
                            reason));

  auto driver = std::make_unique<CudaDriver>();
  std::string missing;
  auto resolve = [&](auto &function, bool required) {
    void *symbol = dlsym(handle, function.symbol);
    function.pointer = reinterpret_cast<decltype(function.pointer)>(symbol);
    if (!symbol && required)
      missing += fmt::format("{}{}", missing.empty() ? "" : ", ", function.symbol);
  };
#define CUDA_FUNCTION(name, symbol, parameters) resolve(driver->name, true);
#define CUDA_OPTIONAL(name, symbol, parameters) resolve(driver->name, false);
#include "runtime/CudaDriver.def"
  if (!missing.empty()) {
    dlclose(handle);
    return fail(ErrorCode::Unavailable,
                fmt::format("found an NVIDIA driver that lacks {}; a driver of CUDA 11.4 or newer "
                            "is needed",
                            missing));
  }
  if (Status status = driver->init(0); status != Status::Success)
    return driver->failure(status, driver->init.symbol, "cannot start the NVIDIA driver");
  return driver;
}

/// What the person at the keyboard can do about it.
std::string_view adviceFor(Status status) {
  switch (status) {
  case Status::NotInitialized:
    return "a forked child cannot use CUDA if its parent did: open the device in the child only";
  case Status::StubLibrary:
    return "this is the toolkit's stub, not the driver: remove it from the library path";
  case Status::NoDevice:
    return "no GPU is visible to this process: see nvidia-smi and CUDA_VISIBLE_DEVICES";
  case Status::JitCompilerNotFound:
    return "libnvidia-ptxjitcompiler.so.1 of the driver is missing: mount it into the container";
  case Status::SystemDriverMismatch:
    return "the driver's library and kernel module differ: reboot or reload the module";
  case Status::LaunchOutOfResources:
    return "too many registers or too much shared memory for so many threads: use fewer warps";
  case Status::LaunchTimeout:
  case Status::IllegalAddress:
  case Status::Assert:
  case Status::HardwareStackError:
  case Status::IllegalInstruction:
  case Status::MisalignedAddress:
  case Status::InvalidAddressSpace:
  case Status::InvalidPc:
  case Status::LaunchFailed:
    return "a kernel launched before this call faulted; the device cannot be used any more by this "
           "process";
  default:
    return {};
  }
}

ErrorCode codeFor(Status status) {
  switch (status) {
  case Status::OutOfMemory:
  case Status::LaunchOutOfResources:
    return ErrorCode::OutOfResources;
  case Status::NoDevice:
  case Status::InvalidDevice:
  case Status::StubLibrary:
  case Status::NotInitialized:
  case Status::SystemDriverMismatch:
    return ErrorCode::Unavailable;
  default:
    return ErrorCode::DeviceFailure;
  }
}

} // namespace

Result<const CudaDriver *> CudaDriver::load(const std::string &library) {
  // Never freed: handles in other libraries' static objects may outlive ours.
  static std::mutex mutex;
  static auto *drivers = new std::map<std::string, std::unique_ptr<CudaDriver>>();
  std::lock_guard lock(mutex);
  std::unique_ptr<CudaDriver> &known = (*drivers)[library];
  if (!known) {
    auto opened = open(library);
    if (!opened)
      return opened.error();
    known = std::move(*opened);
  }
  return known.get();
}

Error CudaDriver::failure(Status status, std::string_view symbol, std::string_view doing) const {
  const char *name = nullptr, *text = nullptr;
  if (getErrorName(status, &name) != Status::Success || !name)
    name = "an error unknown to this driver";
  if (getErrorString(status, &text) != Status::Success)
    text = nullptr;
  std::string_view advice = adviceFor(status);
  return fail(codeFor(status),
              fmt::format("{}{}{} failed with {} ({}){}{}{}{}", doing, doing.empty() ? "" : ": ",
                          symbol, name, uint32_t(status), text ? ", " : "", text ? text : "",
                          advice.empty() ? "" : "; ", advice));
}

} // namespace tigon
