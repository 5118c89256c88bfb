// SPDX-License-Identifier: Apache-2.0
//
// Jit: a kernel that is compiled as its arguments ask for. Each set of facts that code gains from
// gets code of its own, made at the first launch that has them:
//   an integer that is 1             folded into the code
//   an integer divisible by 16 or 8  (rows of 1000 bf16 begin at multiples of 16 bytes)
//   a pointer divisible by 16 or 8
// Triton has the same but for the 8.
//
//     auto device = tigon::Device::open("cuda:0");
//     auto add = tigon::Jit::create(*device, *module, {.plan = {.warps = 8}});
//     add->launch(*stream, {.x = 4}, x, y, sum, int32_t(4096));    // compiles, then launches
//     add->launch(*stream, {.x = 4}, x, y, sum, int32_t(8192));    // launches
#pragma once

#include "tigon/Compiler.h"
#include "tigon/Module.h"
#include "tigon/Runtime.h"

#include <memory>
#include <optional>
#include <span>

namespace tigon {

/// What code gains from knowing of an argument, an integer or an address, that it is `value`.
TIGON_API std::optional<ArgumentFact> factOf(unsigned argument, ArgumentKind kind, int64_t value);

/// A kernel on a device, with all code made of it so far. Cheap to copy, safe to share between
/// threads: finding code takes no lock, and what one thread compiles the others wait for.
class TIGON_API Jit {
public:
  /// The module's kernel that the options name, or its only one. Compiles nothing yet; the options'
  /// target is the device's.
  static Result<Jit> create(const Device &device, const Module &module,
                            const CompileOptions &options = {});

  /// As Kernel::launch, but compiles where need be, and reserves the scratch that the grid needs.
  template <LaunchArgument... Ts>
  Result<void> launch(const Stream &stream, Grid grid, const Ts &...arguments) const {
    if constexpr (sizeof...(Ts) == 0) {
      return launch(stream, grid, std::span<const Argument>());
    } else {
      const Argument list[] = {makeArgument(arguments)...};
      return launch(stream, grid, std::span<const Argument>(list));
    }
  }
  Result<void> launch(const Stream &stream, Grid grid, std::span<const Argument> arguments,
                      Scratch scratch = {}) const;

  /// The code that a launch with these arguments runs; compiled if it is not there yet.
  Result<Kernel> specialize(std::span<const Argument> arguments) const;

  /// How often something was compiled.
  size_t compilations() const;

  struct State; ///< Internal.

private:
  explicit Jit(std::shared_ptr<State> state) : state(std::move(state)) {}
  std::shared_ptr<State> state;
};

} // namespace tigon
