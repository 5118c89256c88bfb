// SPDX-License-Identifier: Apache-2.0
//
// What Tigon's public functions return: a value, or an error that says what was found, what was
// expected and what to do. No exception crosses the API and no input ends the process.
//
//     tigon::Result<tigon::Module> module = tigon::Module::parse(text, "softmax.ttir");
//     if (!module)
//       return complain(module.error().text());   // softmax.ttir:3:7: found ..., expected ...
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#if defined(__GNUC__)
#define TIGON_API __attribute__((visibility("default")))
#else
#define TIGON_API
#endif

namespace tigon {

/// Whose fault an error is, for callers that react to it; the message is for people.
enum class ErrorCode {
  InvalidArgument, ///< an argument or option that cannot be meant
  InvalidProgram,  ///< a tile program that does not parse or verify
  Unsupported,     ///< valid, but not compiled by this version or for this target
  OutOfResources,  ///< more registers, shared memory, scratch or device memory than there is
  Unavailable,     ///< no such device, driver or file
  DeviceFailure,   ///< the driver reported an error
  Internal,        ///< our own fault
};

/// Where in a source text: line and column count from 1; line 0 means nowhere.
struct SourceLocation {
  std::string file;
  uint32_t line = 0, column = 0;
};

struct TIGON_API Error {
  ErrorCode code = ErrorCode::Internal;
  std::string message;
  SourceLocation location;

  /// `file:line:column: message`, as far as it is known.
  std::string text() const {
    if (location.file.empty())
      return message;
    if (!location.line)
      return location.file + ": " + message;
    return location.file + ":" + std::to_string(location.line) + ":" +
           std::to_string(location.column) + ": " + message;
  }
};

/// A value or an Error. Like std::expected of C++23.
template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : state(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state.index() == 0; }
  T &operator*() & { return std::get<0>(state); }
  const T &operator*() const & { return std::get<0>(state); }
  T &&operator*() && { return std::get<0>(std::move(state)); }
  T *operator->() { return &std::get<0>(state); }
  const T *operator->() const { return &std::get<0>(state); }
  const Error &error() const { return std::get<1>(state); }

private:
  std::variant<T, Error> state;
};

/// Success or an Error.
template <> class [[nodiscard]] Result<void> {
public:
  Result() = default;
  Result(Error error) : failure(std::move(error)) {}

  explicit operator bool() const { return !failure; }
  const Error &error() const { return *failure; }

private:
  std::optional<Error> failure;
};

/// An Error to return: `return fail(ErrorCode::InvalidArgument, "found ..., expected ...")`.
inline Error fail(ErrorCode code, std::string message) {
  return Error{code, std::move(message), {}};
}

} // namespace tigon
