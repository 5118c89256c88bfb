// SPDX-License-Identifier: Apache-2.0
#include "runtime/Safetensors.h"

#include "runtime/Files.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace tigon {
namespace {

using Json = nlohmann::json;

constexpr uint64_t maxHeaderBytes = 100'000'000; // the reference implementation's limit

struct Type {
  std::string_view name;
  std::optional<DType> dtype; // none: known, but not ours
  unsigned bits;
};

// The first of a type is how it is written.
constexpr Type types[] = {
    {"BOOL", DType::I1, 8},        {"I8", DType::I8, 8},          {"U8", DType::I8, 8},
    {"I16", DType::I16, 16},       {"U16", DType::I16, 16},       {"I32", DType::I32, 32},
    {"U32", DType::I32, 32},       {"I64", DType::I64, 64},       {"U64", DType::I64, 64},
    {"F8_E4M3", DType::F8E4M3, 8}, {"F8_E5M2", DType::F8E5M2, 8}, {"F16", DType::F16, 16},
    {"BF16", DType::BF16, 16},     {"F32", DType::F32, 32},       {"F64", DType::F64, 64},
    {"F4", std::nullopt, 4},       {"F8_E8M0", std::nullopt, 8},  {"C64", std::nullopt, 64},
};

const Type *findType(std::string_view name) {
  for (const Type &type : types)
    if (type.name == name)
      return &type;
  return nullptr;
}

/// Parses the header; keeps the last message about a name that stands twice, which JSON allows and
/// the format does not.
Json parseHeader(const std::string &text, std::string &duplicate) {
  std::set<std::string> names;
  auto watch = [&](int depth, Json::parse_event_t event, Json &parsed) {
    if (event == Json::parse_event_t::key && depth == 1)
      if (auto name = parsed.get<std::string>(); !names.insert(name).second)
        duplicate = name;
    return true;
  };
  return Json::parse(text, watch, /*allow_exceptions=*/false);
}

/// Reads {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}; a message if it is not that.
std::string parseEntry(const Json &json, Safetensors::Entry &entry) {
  if (!json.is_object() || json.size() != 3 || !json.contains("dtype") || !json.contains("shape") ||
      !json.contains("data_offsets"))
    return "expected dtype, shape and data_offsets";
  const Json &dtype = json["dtype"], &shape = json["shape"], &offsets = json["data_offsets"];
  if (!dtype.is_string())
    return "expected a string as dtype";
  entry.type = dtype.get<std::string>();
  if (!shape.is_array())
    return "expected a list as shape";
  unsigned __int128 elements = 1;
  bool isEmpty = false;
  for (const Json &extent : shape) {
    if (!extent.is_number_unsigned() || extent.get<uint64_t>() > INT64_MAX)
      return fmt::format("found extent {}, expected a whole number from 0", extent.dump());
    entry.shape.push_back(int64_t(extent.get<uint64_t>()));
    isEmpty |= entry.shape.back() == 0;
    if (elements <= UINT64_MAX)
      elements *= uint64_t(entry.shape.back());
  }
  if (!offsets.is_array() || offsets.size() != 2 || !offsets[0].is_number_unsigned() ||
      !offsets[1].is_number_unsigned())
    return "expected two whole numbers as data_offsets";
  entry.begin = offsets[0].get<uint64_t>();
  entry.end = offsets[1].get<uint64_t>();
  if (entry.begin > entry.end)
    return fmt::format("found data_offsets {} to {}, expected them in order", entry.begin,
                       entry.end);
  uint64_t bytes = entry.end - entry.begin;
  const Type *type = findType(entry.type);
  if (type &&
      (isEmpty ? bytes != 0
               : elements > UINT64_MAX || elements * type->bits != (unsigned __int128)bytes * 8))
    return fmt::format("found {} bytes, which a {} of its shape does not have", bytes, entry.type);
  return {};
}

/// The tensors must cover the data, each byte once; a message if they do not.
std::string checkCoverage(const std::map<std::string, Safetensors::Entry> &tensors,
                          uint64_t dataBytes) {
  std::vector<std::pair<const Safetensors::Entry *, const std::string *>> order;
  for (const auto &[name, entry] : tensors)
    order.push_back({&entry, &name});
  std::sort(order.begin(), order.end(), [](const auto &a, const auto &b) {
    return std::pair(a.first->begin, a.first->end) < std::pair(b.first->begin, b.first->end);
  });
  uint64_t expected = 0;
  for (auto [entry, name] : order) {
    if (entry->begin != expected)
      return fmt::format("found tensor '{}' at offset {}, expected {}: tensors {}", *name,
                         entry->begin, expected,
                         entry->begin < expected ? "overlap" : "leave a gap");
    expected = entry->end;
  }
  if (expected != dataBytes)
    return fmt::format("found {} bytes of data, expected {}: the file is {}", dataBytes, expected,
                       dataBytes < expected ? "cut short" : "longer than its tensors");
  return {};
}

} // namespace

Result<Safetensors> Safetensors::open(const std::string &path) {
  auto file = InputFile::open(path);
  if (!file)
    return file.error();
  uint64_t headerBytes = 0; // little-endian hosts only
  if (file->size() < sizeof(headerBytes))
    return file->error(fmt::format("found {} bytes, expected a .safetensors file", file->size()));
  if (auto read = file->read(0, &headerBytes, sizeof(headerBytes)); !read)
    return read.error();
  uint64_t most = std::min(maxHeaderBytes, file->size() - sizeof(headerBytes));
  if (headerBytes > most)
    return file->error(fmt::format("found a header of {} bytes, expected at most {}: the file is "
                                   "cut short or no .safetensors file",
                                   headerBytes, most));
  auto text = file->readText(sizeof(headerBytes), headerBytes);
  if (!text)
    return text.error();
  std::string duplicate;
  Json header = text->starts_with('{') ? parseHeader(*text, duplicate) : Json();
  if (!header.is_object())
    return file->error("found a header that is no JSON object");
  if (!duplicate.empty())
    return file->error(fmt::format("found tensor '{}' twice", duplicate));

  Safetensors result;
  result.path = path;
  for (const auto &[name, json] : header.items()) {
    if (name == "__metadata__") // free text for people
      continue;
    if (std::string message = parseEntry(json, result.tensors[name]); !message.empty())
      return file->error(fmt::format("tensor '{}': {}", name, message));
  }
  uint64_t dataBegin = sizeof(headerBytes) + headerBytes;
  if (std::string message = checkCoverage(result.tensors, file->size() - dataBegin);
      !message.empty())
    return file->error(message);
  for (auto &[name, entry] : result.tensors) {
    entry.begin += dataBegin;
    entry.end += dataBegin;
  }
  return result;
}

Result<HostTensor> Safetensors::read(const std::string &name) const {
  auto file = InputFile::open(path);
  if (!file)
    return file.error();
  auto found = tensors.find(name);
  if (found == tensors.end())
    return file->error(fmt::format("found no tensor '{}' among {}{}", name, tensors.size(),
                                   tensors.empty() ? std::string()
                                                   : ", such as '" + tensors.begin()->first + "'"));
  const Entry &entry = found->second;
  const Type *type = findType(entry.type);
  if (!type || !type->dtype)
    return file->error(
        fmt::format("tensor '{}': found type {}, which is not supported", name, entry.type));
  auto tensor = HostTensor::zeros(*type->dtype, entry.shape);
  if (!tensor)
    return tensor;
  if (auto read = file->read(entry.begin, tensor->data(), tensor->bytes()); !read)
    return read.error();
  return tensor;
}

Result<void> writeSafetensors(const std::string &path,
                              const std::map<std::string, const HostTensor *> &tensors) {
  Json header = Json::object();
  std::vector<std::string_view> pieces(2);
  uint64_t offset = 0;
  for (const auto &[name, tensor] : tensors) {
    const Type *type = nullptr;
    for (const Type &known : types)
      if (!type && known.dtype == tensor->dtype())
        type = &known;
    header[name] = {{"dtype", type->name},
                    {"shape", tensor->shape()},
                    {"data_offsets", {offset, offset + tensor->bytes()}}};
    offset += tensor->bytes();
    pieces.push_back({static_cast<const char *>(tensor->data()), tensor->bytes()});
  }
  std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.resize((text.size() + 7) / 8 * 8, ' '); // so that the data is aligned
  uint64_t headerBytes = text.size();
  pieces[0] = {reinterpret_cast<const char *>(&headerBytes), sizeof(headerBytes)};
  pieces[1] = text;
  return writeFile(path, pieces);
}

} // namespace tigon
