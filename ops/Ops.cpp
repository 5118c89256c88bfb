// SPDX-License-Identifier: Apache-2.0
#include "ops/Ops.h"

#include "runtime/Jit.h"

#include <algorithm>
#include <fmt/format.h>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace tigon::ops {

std::vector<ArgumentFact> factsOf(const Launch &launch) {
  std::vector<ArgumentFact> facts;
  for (unsigned i = 0; i < launch.arguments.size(); ++i) {
    const LaunchValue &value = launch.arguments[i];
    std::optional<ArgumentFact> fact;
    if (auto *narrow = std::get_if<int32_t>(&value))
      fact = factOf(i, ArgumentKind::Integer, *narrow);
    else if (auto *wide = std::get_if<int64_t>(&value))
      fact = factOf(i, ArgumentKind::Integer, *wide);
    else if (!std::holds_alternative<float>(value))
      fact = factOf(i, ArgumentKind::Pointer, 16);
    if (fact)
      facts.push_back(*fact);
  }
  return facts;
}

struct Library::State {
  explicit State(const Device &device) : device(device) {}

  Result<Jit> find(const Launch &launch);

  const Device device;
  std::shared_mutex mutex;
  /// By the name of the kernel and the options of its compilation.
  std::unordered_map<std::string, Jit> kernels;
};

Result<Jit> Library::State::find(const Launch &launch) {
  const PlanOptions &options = launch.compile;
  std::string key =
      fmt::format("{} {} {} {} {} {} {}", launch.kernel, options.warps, options.cluster,
                  options.strip, options.ctas, options.stages, options.hold);
  {
    std::shared_lock lock(mutex);
    if (auto found = kernels.find(key); found != kernels.end())
      return found->second;
  }
  lang::Kernel kernel(launch.kernel);
  launch.write(kernel);
  auto module = kernel.build();
  if (!module)
    return module.error();
  auto jit = Jit::create(device, *module, {.plan = options});
  if (!jit)
    return jit.error();
  std::unique_lock lock(mutex);
  return kernels.try_emplace(key, *jit).first->second; // that of another thread if it was first
}

Library::Library(const Device &device) : state(std::make_shared<State>(device)) {}

Result<void> Library::run(const Stream &stream, const Plan &plan, Scratch workspace) const {
  constexpr uintptr_t alignment = 256;
  if (workspace.bytes < plan.workspaceBytes ||
      reinterpret_cast<uintptr_t>(workspace.address) % alignment)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("found a workspace of {} bytes at {}, expected at least {}, aligned to "
                            "{}",
                            workspace.bytes, workspace.address, plan.workspaceBytes, alignment));
  for (const Launch &launch : plan.launches) {
    auto jit = state->find(launch);
    if (!jit)
      return jit.error();
    std::vector<Argument> arguments;
    std::vector<void *> addresses; // in the workspace
    addresses.reserve(launch.arguments.size());
    for (const LaunchValue &value : launch.arguments)
      arguments.push_back(std::visit(
          [&](const auto &held) {
            if constexpr (std::is_same_v<std::decay_t<decltype(held)>, InWorkspace>) {
              addresses.push_back(static_cast<char *>(workspace.address) + held.offset);
              return makeArgument(addresses.back());
            } else {
              return makeArgument(held);
            }
          },
          value));
    if (auto launched = jit->launch(stream, launch.grid, std::span<const Argument>(arguments));
        !launched)
      return launched;
  }
  return {};
}

size_t Library::compilations() const {
  std::shared_lock lock(state->mutex);
  size_t count = 0;
  for (const auto &[key, jit] : state->kernels)
    count += jit.compilations();
  return count;
}

std::span<const OperatorInfo> operators() {
  static constexpr OperatorInfo list[] = {
#define TIGON_OPERATOR(name, formula) {#name, formula},
#include "ops/Ops.def"
  };
  return list;
}

} // namespace tigon::ops
