// SPDX-License-Identifier: Apache-2.0
#include "tools/tigon/Values.h"

#include "tigon/Npy.h"
#include "tigon/Runtime.h"
#include "tigon/Safetensors.h"
#include "tools/tigon/Inputs.h"

#include <charconv>
#include <cstdlib>
#include <fmt/format.h>

namespace tigon::cli {
namespace {

constexpr const char *forms = "@x.npy, @x.safetensors:NAME, zeros:f32[4,1024], "
                              "randn:f32[4,1024]:SEED or =OTHER";

template <typename... Ts> Error refuse(fmt::format_string<Ts...> format, Ts &&...values) {
  return fail(ErrorCode::InvalidArgument, fmt::format(format, std::forward<Ts>(values)...));
}

template <typename T> std::optional<T> readNumber(std::string_view text) {
  T value = 0;
  auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || stop != text.data() + text.size())
    return std::nullopt;
  return value;
}

/// "f32[4,1024]".
struct ShapedType {
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
};

/// Bytes that may still be asked for. The system hands out more than there is, and ends the process
/// that uses it.
struct MemoryBudget {
  MemoryBudget() {
    auto host = Device::open("cpu");
    left = total = host ? host->properties().memoryBytes / 4 * 3 : UINT64_MAX;
  }
  uint64_t total, left;
};

Result<ShapedType> readShapedType(const std::string &text, MemoryBudget &budget) {
  size_t open = std::min(text.find('['), text.size());
  if (open == text.size() || text.back() != ']')
    return refuse("found '{}', expected a type and a shape like f32[4,1024]", text);
  std::string name = text.substr(0, open);
  std::optional<DType> dtype = parseDType(name);
  if (!dtype)
    return refuse("found the type '{}', expected i1, i8, i16, i32, i64, f8E4M3FN, f8E5M2, f16, "
                  "bf16, f32 or f64",
                  name);
  ShapedType type{*dtype, {}};
  uint64_t bytes = dtypeBytes(*dtype);
  for (const std::string &word : splitWords(text.substr(open + 1, text.size() - open - 2), ',')) {
    auto extent = readNumber<int64_t>(word);
    if (!extent || *extent < 0)
      return refuse("found the extent '{}' in '{}', expected a number from 0", word, text);
    type.shape.push_back(*extent);
    if (__builtin_mul_overflow(bytes, uint64_t(*extent), &bytes))
      bytes = UINT64_MAX;
  }
  if (bytes > budget.left)
    return refuse("found '{}', which takes {} GB, expected at most {} GB, three quarters of the "
                  "memory, for all tensors",
                  text, bytes >> 30, budget.total >> 30);
  budget.left -= bytes;
  return type;
}

Result<HostTensor> readFile(const std::string &spelled) {
  constexpr std::string_view extension = ".safetensors:";
  if (size_t at = spelled.find(extension); at != std::string::npos) {
    auto file = Safetensors::open(spelled.substr(0, at + extension.size() - 1));
    if (!file)
      return file.error();
    return file->read(spelled.substr(at + extension.size()));
  }
  if (spelled.ends_with(".npy"))
    return readNpy(spelled);
  return refuse("found the file '{}', expected x.npy or x.safetensors:NAME", spelled);
}

Result<HostTensor> readTensor(const std::string &value, MemoryBudget &budget) {
  if (value.starts_with("@"))
    return readFile(value.substr(1));
  if (value.starts_with("zeros:")) {
    auto type = readShapedType(value.substr(6), budget);
    if (!type)
      return type.error();
    return HostTensor::zeros(type->dtype, type->shape);
  }
  if (value.starts_with("randn:")) {
    std::string rest = value.substr(6);
    size_t end = rest.find("]:");
    uint64_t seed = 0;
    if (end != std::string::npos) {
      auto given = readNumber<uint64_t>(rest.substr(end + 2));
      if (!given)
        return refuse("found the seed '{}', expected a number from 0", rest.substr(end + 2));
      seed = *given;
      rest.resize(end + 1);
    }
    auto type = readShapedType(rest, budget);
    if (!type)
      return type.error();
    return HostTensor::randn(type->dtype, type->shape, seed);
  }
  return refuse("found '{}', expected {}", value, forms);
}

Result<uint64_t> readInteger(const ArgumentInfo &expected, const std::string &value) {
  unsigned width = 0;
  (void)std::from_chars(expected.type.data() + 1, expected.type.data() + expected.type.size(),
                        width);
  auto isSigned = readNumber<int64_t>(value);
  auto isUnsigned = readNumber<uint64_t>(value);
  bool fits = width && width <= 64 && (isSigned || isUnsigned);
  if (fits && width < 64)
    fits = isSigned && *isSigned >= -(int64_t(1) << (width - 1)) && *isSigned < int64_t(1) << width;
  if (!fits)
    return refuse("found '{}', expected an integer of {} bits", value, width);
  return isSigned ? uint64_t(*isSigned) & (UINT64_MAX >> (64 - width)) : *isUnsigned;
}

Result<uint64_t> readFloat(const ArgumentInfo &expected, const std::string &value) {
  char *end = nullptr;
  double number = std::strtod(value.c_str(), &end);
  std::optional<DType> dtype = parseDType(expected.type);
  if (value.empty() || *end || !dtype)
    return refuse("found '{}', expected a number", value);
  return encodeElement(*dtype, number);
}

Result<ArgumentValue> readValue(const ArgumentInfo &expected, const std::string &value,
                                MemoryBudget &budget) {
  ArgumentValue result;
  if (expected.kind == ArgumentKind::Pointer) {
    auto tensor = readTensor(value, budget);
    if (!tensor)
      return tensor.error();
    std::string_view type = dtypeName(tensor->dtype());
    if (expected.type != "*" + std::string(type))
      return refuse("found {}, expected elements of {}", tensor->description(),
                    expected.type.substr(1));
    result.tensor = std::make_shared<HostTensor>(std::move(*tensor));
    return result;
  }
  auto bits = expected.kind == ArgumentKind::Integer ? readInteger(expected, value)
                                                     : readFloat(expected, value);
  if (!bits)
    return bits.error();
  result.bits = *bits;
  return result;
}

/// The value of each argument as it was spelled.
Result<std::vector<std::string>> sortByArgument(const std::vector<ArgumentInfo> &expected,
                                                const std::vector<std::string> &spelled) {
  std::vector<std::string> values(expected.size());
  std::vector<bool> given(expected.size());
  for (const std::string &word : spelled) {
    auto parts = splitAtEquals(word);
    if (!parts)
      return refuse("--arg: found '{}', expected NAME=VALUE", word);
    size_t i = 0;
    bool isKnown = false; // of arguments with one name, the first is given first
    for (; i < expected.size(); ++i) {
      isKnown |= expected[i].name == parts->first;
      if (expected[i].name == parts->first && !given[i])
        break;
    }
    if (!isKnown)
      return refuse("--arg: found no argument '{}', expected one of: {}", parts->first,
                    namesOf(expected));
    if (i == expected.size())
      return refuse("--arg: found '{}' twice", parts->first);
    given[i] = true;
    values[i] = parts->second;
  }
  for (size_t i = 0; i < expected.size(); ++i)
    if (!given[i])
      return refuse("found no value for argument '{}' of type {}; pass --arg {}=VALUE",
                    expected[i].name, expected[i].type, expected[i].name);
  return values;
}

} // namespace

std::optional<std::pair<std::string, std::string>> splitAtEquals(const std::string &text) {
  size_t equals = text.find('=');
  if (equals == std::string::npos)
    return std::nullopt;
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

std::string namesOf(const std::vector<ArgumentInfo> &arguments) {
  std::string names;
  for (const ArgumentInfo &argument : arguments)
    names += (names.empty() ? "" : ", ") + argument.name;
  return names;
}

Result<std::vector<ArgumentValue>> readValues(const std::vector<ArgumentInfo> &expected,
                                              const std::vector<std::string> &spelled) {
  auto values = sortByArgument(expected, spelled);
  if (!values)
    return values.error();
  std::vector<ArgumentValue> results(expected.size());
  MemoryBudget budget;
  auto isShared = [&](size_t i) {
    return expected[i].kind == ArgumentKind::Pointer && (*values)[i].starts_with("=");
  };
  for (size_t i = 0; i < expected.size(); ++i) {
    if (isShared(i))
      continue;
    auto value = readValue(expected[i], (*values)[i], budget);
    if (!value)
      return fail(value.error().code,
                  fmt::format("argument '{}': {}", expected[i].name, value.error().text()));
    results[i] = std::move(*value);
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    if (!isShared(i))
      continue;
    std::string other = (*values)[i].substr(1);
    size_t j = 0;
    while (j < expected.size() && (expected[j].name != other || !results[j].tensor || isShared(j)))
      ++j;
    if (j == expected.size())
      return refuse("argument '{}': found '={}', expected the name of a pointer argument that has "
                    "a tensor of its own",
                    expected[i].name, other);
    if (expected[j].type != expected[i].type)
      return refuse("argument '{}': found the {} of '{}', expected {}", expected[i].name,
                    expected[j].type, other, expected[i].type);
    results[i].tensor = results[j].tensor;
  }
  return results;
}

} // namespace tigon::cli
