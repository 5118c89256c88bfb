// SPDX-License-Identifier: Apache-2.0
#include "runtime/Jit.h"

#include "runtime/LaunchChecks.h"

#include <array>
#include <atomic>
#include <cstring>
#include <fmt/format.h>
#include <mutex>

namespace tigon {
namespace {

/// What holds of the arguments of a launch. Of each: 0, nothing; 1, it is 1; else what divides it.
using Facts = std::array<uint8_t, maxArguments>;

/// Code for some facts. Those of a Jit form a list that only grows, at its head.
struct Specialization {
  Facts facts;
  Kernel kernel;
  const Specialization *next;
};

} // namespace

std::optional<ArgumentFact> factOf(unsigned argument, ArgumentKind kind, int64_t value) {
  if (kind == ArgumentKind::Integer && value == 1)
    return ArgumentFact{.argument = argument, .divisibility = 1, .equals = 1};
  if (kind != ArgumentKind::Float)
    for (int64_t divisor : {16, 8}) // 8 elements of 16 bits are one access of 16 bytes
      if (value % divisor == 0)
        return ArgumentFact{.argument = argument, .divisibility = divisor, .equals = {}};
  return std::nullopt;
}

struct Jit::State {
  State(const Device &device, const Module &module, const CompileOptions &options,
        Signature signature, std::vector<ArgumentInfo> infos)
      : device(device), module(module), options(options), signature(std::move(signature)),
        infos(std::move(infos)) {}
  ~State() {
    for (const Specialization *each = head.load(); each;)
      delete std::exchange(each, each->next);
  }

  Facts factsOf(const void *const *values) const;
  const Specialization *find(const Facts &facts) const;
  Result<const Specialization *> compile(const Facts &facts);

  const Device device;
  const Module module;
  const CompileOptions options;
  /// Of the module, without facts.
  const Signature signature;
  const std::vector<ArgumentInfo> infos;

  std::atomic<const Specialization *> head = nullptr;
  std::atomic<size_t> compilations = 0;
  std::mutex compiling;
};

Facts Jit::State::factsOf(const void *const *values) const {
  Facts facts = {};
  for (size_t i = 0; i < infos.size(); ++i) {
    const ArgumentInfo &info = infos[i];
    if (info.kind == ArgumentKind::Float || info.type == "i1" || info.equals)
      continue;
    int64_t value = 0;
    std::memcpy(&value, values[i], info.bytes); // little-endian hosts only
    std::optional<ArgumentFact> fact = factOf(unsigned(i), info.kind, value);
    if (fact && (fact->equals || info.divisibility % fact->divisibility))
      facts[i] = uint8_t(fact->divisibility); // 1 is what it equals
  }
  return facts;
}

const Specialization *Jit::State::find(const Facts &facts) const {
  for (auto *each = head.load(std::memory_order_acquire); each; each = each->next)
    if (each->facts == facts)
      return each;
  return nullptr;
}

Result<const Specialization *> Jit::State::compile(const Facts &facts) {
  std::lock_guard lock(compiling);
  if (const Specialization *found = find(facts)) // another thread was first
    return found;
  CompileOptions special = options;
  for (unsigned i = 0; i < infos.size(); ++i)
    if (facts[i])
      special.facts.push_back({.argument = i,
                               .divisibility = facts[i],
                               .equals = facts[i] == 1 ? std::optional<int64_t>(1) : std::nullopt});
  auto compilation = tigon::compile(module, special);
  if (!compilation)
    return compilation.error();
  auto kernel = Kernel::load(device, compilation->artifact);
  if (!kernel)
    return kernel.error();
  ++compilations;
  auto *added = new Specialization{facts, std::move(*kernel), head.load()};
  head.store(added, std::memory_order_release);
  return added;
}

Result<Jit> Jit::create(const Device &device, const Module &module, const CompileOptions &options) {
  CompileOptions chosen = options;
  chosen.target = device.properties().target;
  if (chosen.kernel.empty() && module.kernels().size() != 1)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: found {} kernels ({}), expected one, or CompileOptions::kernel",
                            module.name(), module.kernels().size(),
                            fmt::join(module.kernels(), ", ")));
  if (chosen.kernel.empty())
    chosen.kernel = module.kernels().front();
  auto infos = module.arguments(chosen.kernel);
  if (!infos)
    return infos.error();
  for (const ArgumentFact &fact : chosen.facts) {
    if (fact.argument >= infos->size())
      continue; // the compiler complains
    ArgumentInfo &info = (*infos)[fact.argument];
    info.divisibility = std::max(info.divisibility, fact.divisibility);
    if (fact.equals)
      info.equals = fact.equals;
  }
  KernelMetadata metadata;
  metadata.name = chosen.kernel;
  metadata.arguments = *infos;
  auto signature = Signature::create(metadata);
  if (!signature)
    return signature.error();
  return Jit(
      std::make_shared<State>(device, module, chosen, std::move(*signature), std::move(*infos)));
}

static Result<const Specialization *> findOrCompile(Jit::State &state,
                                                    std::span<const Argument> arguments) {
  const void *values[maxArguments];
  if (auto valid = state.signature.check(arguments, values); !valid)
    return valid.error();
  Facts facts = state.factsOf(values);
  if (const Specialization *found = state.find(facts))
    return found;
  return state.compile(facts);
}

Result<Kernel> Jit::specialize(std::span<const Argument> arguments) const {
  auto found = findOrCompile(*state, arguments);
  if (!found)
    return found.error();
  return (*found)->kernel;
}

Result<void> Jit::launch(const Stream &stream, Grid grid, std::span<const Argument> arguments,
                         Scratch scratch) const {
  auto found = findOrCompile(*state, arguments);
  if (!found)
    return found.error();
  const Kernel &kernel = (*found)->kernel;
  if (kernel.metadata().scratchBytesPerProgram && !scratch.address)
    if (auto reserved = kernel.prepare(grid); !reserved)
      return reserved;
  return kernel.launch(stream, grid, arguments, scratch);
}

size_t Jit::compilations() const { return state->compilations; }

} // namespace tigon
