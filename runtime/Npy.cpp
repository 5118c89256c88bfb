// SPDX-License-Identifier: Apache-2.0
#include "runtime/Npy.h"

#include "runtime/Files.h"

#include <array>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <optional>

namespace tigon {
namespace {

constexpr std::string_view magic("\x93NUMPY", 6);

struct Descr {
  std::string_view text;
  DType dtype;
};

// The first of a type is how it is written. Single bytes have no order, so NumPy writes '|'.
constexpr Descr descrs[] = {
    {"|b1", DType::I1},   {"|i1", DType::I8},   {"|u1", DType::I8},        {"<i2", DType::I16},
    {"<u2", DType::I16},  {"<i4", DType::I32},  {"<u4", DType::I32},       {"<i8", DType::I64},
    {"<u8", DType::I64},  {"<f2", DType::F16},  {"<f4", DType::F32},       {"<f8", DType::F64},
    {"<V2", DType::BF16}, {"|V2", DType::BF16}, {"bfloat16", DType::BF16},
};

/// The header is a literal of a Python dictionary with three known keys; nothing else is read.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : rest(text) {}

  struct Header {
    std::optional<std::string> descr;
    std::optional<bool> isFortran;
    std::optional<std::vector<int64_t>> shape;
  };

  /// Nothing if the text is anything else.
  std::optional<Header> parse() {
    Header header;
    if (!take("{"))
      return std::nullopt;
    while (!take("}")) {
      std::optional<std::string> key = parseString();
      if (!key || !take(":") || !parseValue(*key, header))
        return std::nullopt;
      if (!take(",") && !peek("}"))
        return std::nullopt;
    }
    skipSpace();
    if (!rest.empty() || !header.descr || !header.isFortran || !header.shape)
      return std::nullopt;
    return header;
  }

private:
  bool parseValue(const std::string &key, Header &header) {
    if (key == "descr" && !header.descr)
      return (header.descr = parseString()).has_value();
    if (key == "fortran_order" && !header.isFortran) {
      bool isFortran = take("True");
      header.isFortran = isFortran;
      return isFortran || take("False");
    }
    if (key == "shape" && !header.shape)
      return (header.shape = parseShape()).has_value();
    return false; // unknown, or a second time
  }

  std::optional<std::string> parseString() {
    skipSpace();
    if (rest.empty() || (rest[0] != '\'' && rest[0] != '"'))
      return std::nullopt;
    size_t end = rest.find(rest[0], 1);
    if (end == rest.npos)
      return std::nullopt;
    std::string text(rest.substr(1, end - 1));
    rest.remove_prefix(end + 1);
    return text;
  }

  std::optional<std::vector<int64_t>> parseShape() {
    std::vector<int64_t> shape;
    if (!take("("))
      return std::nullopt;
    while (!take(")")) {
      int64_t extent = 0;
      skipSpace();
      auto [stop, status] = std::from_chars(rest.data(), rest.data() + rest.size(), extent);
      if (status != std::errc() || extent < 0)
        return std::nullopt;
      rest.remove_prefix(size_t(stop - rest.data()));
      shape.push_back(extent);
      if (!take(",") && (shape.size() == 1 || !peek(")"))) // (3) is no tuple, (3,) is
        return std::nullopt;
    }
    return shape;
  }

  void skipSpace() {
    while (!rest.empty() && std::strchr(" \t\n", rest[0]) && rest[0])
      rest.remove_prefix(1);
  }
  bool peek(std::string_view token) {
    skipSpace();
    return rest.starts_with(token);
  }
  bool take(std::string_view token) {
    if (!peek(token))
      return false;
    rest.remove_prefix(token.size());
    return true;
  }

  std::string_view rest;
};

struct Preamble {
  std::string header;
  uint64_t dataOffset;
};

/// Magic, version, length and text of the header.
Result<Preamble> readPreamble(const InputFile &file) {
  std::array<unsigned char, 12> start = {};
  if (file.size() < 10)
    return file.error(fmt::format("found {} bytes, expected an .npy file", file.size()));
  if (auto read = file.read(0, start.data(), 10); !read)
    return read.error();
  if (std::memcmp(start.data(), magic.data(), magic.size()))
    return file.error("found no .npy magic '\\x93NUMPY' at its start");
  unsigned version = start[6];
  if (version < 1 || version > 3)
    return file.error(fmt::format("found .npy version {}, expected 1, 2 or 3", version));
  uint64_t length = start[8] | unsigned(start[9]) << 8, begin = 10;
  if (version > 1) {
    if (file.size() < 12)
      return file.error(fmt::format("found {} bytes, expected an .npy file", file.size()));
    if (auto read = file.read(10, start.data() + 10, 2); !read)
      return read.error();
    length |= uint64_t(start[10]) << 16 | uint64_t(start[11]) << 24;
    begin = 12;
  }
  if (length > file.size() - begin)
    return file.error(fmt::format("found a header of {} bytes in a file of {}: it is cut short",
                                  length, file.size()));
  auto text = file.readText(begin, length);
  if (!text)
    return text.error();
  return Preamble{std::move(*text), begin + length};
}

} // namespace

Result<HostTensor> readNpy(const std::string &path) {
  auto file = InputFile::open(path);
  if (!file)
    return file.error();
  auto preamble = readPreamble(*file);
  if (!preamble)
    return preamble.error();
  auto header = HeaderParser(preamble->header).parse();
  if (!header)
    return file->error(fmt::format("found header {}, expected {{'descr': '<f4', 'fortran_order': "
                                   "False, 'shape': (2, 3), }}",
                                   preamble->header.substr(0, 200)));
  const Descr *descr = nullptr;
  for (const Descr &known : descrs)
    if (known.text == *header->descr)
      descr = &known;
  if (!descr)
    return file->error(fmt::format("found descr '{}', expected little-endian floats or integers, "
                                   "bool, or bfloat16 as '<V2'; fp8 is for .safetensors",
                                   *header->descr));
  if (*header->isFortran)
    return file->error("found Fortran order, expected C order; save numpy.ascontiguousarray of it");

  // Before any memory is taken, which a damaged header could ask too much of.
  uint64_t found = file->size() - preamble->dataOffset;
  unsigned __int128 expected = dtypeBytes(descr->dtype);
  for (int64_t extent : *header->shape)
    expected = expected > UINT64_MAX ? expected : expected * uint64_t(extent);
  for (int64_t extent : *header->shape)
    expected = extent ? expected : 0;
  if (found != expected)
    return file->error(fmt::format("found {} bytes of data, {} than its shape has: it is {}", found,
                                   found < expected ? "fewer" : "more",
                                   found < expected ? "cut short" : "no .npy file of one array"));
  auto tensor = HostTensor::zeros(descr->dtype, std::move(*header->shape));
  if (!tensor)
    return tensor;
  if (auto read = file->read(preamble->dataOffset, tensor->data(), tensor->bytes()); !read)
    return read.error();
  return tensor;
}

Result<void> writeNpy(const std::string &path, const HostTensor &tensor) {
  const Descr *descr = nullptr;
  for (const Descr &known : descrs)
    if (!descr && known.dtype == tensor.dtype())
      descr = &known;
  if (!descr)
    return Error{ErrorCode::InvalidArgument,
                 fmt::format("found type {}, which .npy files have no name for; write .safetensors",
                             dtypeName(tensor.dtype())),
                 {path}};
  std::string shape;
  for (int64_t extent : tensor.shape())
    shape += fmt::format("{}{}", shape.empty() ? "" : ", ", extent);
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                   descr->text, shape, tensor.shape().size() == 1 ? "," : "");
  // Data starts at a multiple of 64; a newline ends the header.
  size_t start = (10 + header.size() + 1 + 63) / 64 * 64;
  header.resize(start - 10 - 1, ' ');
  header += '\n';
  if (header.size() > UINT16_MAX)
    return Error{ErrorCode::InvalidArgument,
                 fmt::format("found {} axes, too many for an .npy file", tensor.shape().size()),
                 {path}};
  const char lead[4] = {1, 0, char(header.size() & 0xff), char(header.size() >> 8)};
  const std::string_view pieces[] = {
      magic, {lead, 4}, header, {static_cast<const char *>(tensor.data()), tensor.bytes()}};
  return writeFile(path, pieces);
}

} // namespace tigon
