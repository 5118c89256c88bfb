// SPDX-License-Identifier: Apache-2.0
//
// Module: a tile program, whichever front end it came from.
#pragma once

#include "tigon/Result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tigon {

enum class ArgumentKind : uint8_t { Pointer, Integer, Float };

/// One argument of a kernel, and what the code was promised about it; a launch checks that it
/// holds.
struct ArgumentInfo {
  std::string name;
  /// As in the tile program: "*f32", "i32", "bf16".
  std::string type;
  ArgumentKind kind = ArgumentKind::Pointer;
  /// Width of the value passed: 8 for a pointer, 1 for i1.
  uint32_t bytes = 8;
  /// The address in bytes, or the integer itself, is a multiple of this.
  int64_t divisibility = 1;
  /// The integer has this value.
  std::optional<int64_t> equals = {};
};

/// A tile program: one or more kernels, parsed and verified. Cheap to copy, safe to share between
/// threads.
class TIGON_API Module {
public:
  /// Parse TTIR text as Triton 3.2 to 3.9 writes it. `name` stands in messages. TTGIR is refused.
  static Result<Module> parse(std::string_view text, std::string_view name = "<text>");

  /// Names of the kernels (public functions), in order.
  const std::vector<std::string> &kernels() const;
  /// The arguments of a kernel, with the promises that stand in the text. Fails if there is no such
  /// kernel.
  Result<std::vector<ArgumentInfo>> arguments(std::string_view kernel) const;
  /// TTIR, spelled as Triton 3.6 does; with locations if asked. `parse` of it gives an equal
  /// module.
  std::string text(bool locations = false) const;
  /// The name given to `parse`.
  const std::string &name() const;

  struct State; ///< Internal.
  explicit Module(std::shared_ptr<const State> state) : state(std::move(state)) {}
  const State &internal() const { return *state; }

private:
  std::shared_ptr<const State> state;
};

} // namespace tigon
