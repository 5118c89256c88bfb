// SPDX-License-Identifier: Apache-2.0
#include "runtime/HostTensor.h"

#include "runtime/RandomNormal.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tigon {
namespace {

constexpr size_t alignment = 64;

struct TypeInfo {
  std::string_view name;
  size_t bytes;
};

constexpr TypeInfo types[] = {
    {"i1", 1},     {"i8", 1},  {"i16", 2},  {"i32", 4}, {"i64", 8}, {"f8E4M3FN", 1},
    {"f8E5M2", 1}, {"f16", 2}, {"bf16", 2}, {"f32", 4}, {"f64", 8},
};

/// The number of elements, or nothing if their bytes do not fit in a signed 64-bit number.
std::optional<int64_t> countElements(DType dtype, const std::vector<int64_t> &shape) {
  int64_t count = 1, bytes = 0;
  // A zero anywhere makes the tensor empty, whatever the others multiply to.
  bool isEmpty = std::find(shape.begin(), shape.end(), 0) != shape.end();
  for (int64_t extent : shape)
    if (extent < 0 || (!isEmpty && __builtin_mul_overflow(count, extent, &count)))
      return std::nullopt;
  if (isEmpty)
    count = 0;
  if (__builtin_mul_overflow(count, int64_t(dtypeBytes(dtype)), &bytes) ||
      bytes > INT64_MAX - int64_t(alignment))
    return std::nullopt;
  return count;
}

} // namespace

std::string_view dtypeName(DType dtype) { return types[size_t(dtype)].name; }

size_t dtypeBytes(DType dtype) { return types[size_t(dtype)].bytes; }

std::optional<DType> parseDType(std::string_view name) {
  if (name == "f8e4m3")
    return DType::F8E4M3;
  if (name == "f8e5m2")
    return DType::F8E5M2;
  for (size_t i = 0; i < std::size(types); ++i)
    if (types[i].name == name)
      return DType(i);
  return std::nullopt;
}

void HostTensor::Free::operator()(void *memory) const { std::free(memory); }

Result<HostTensor> HostTensor::uninitialized(DType dtype, std::vector<int64_t> shape) {
  std::optional<int64_t> count = countElements(dtype, shape);
  if (!count)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("found shape [{}], expected extents from 0 whose {} elements fit in "
                            "memory",
                            fmt::join(shape, ","), dtypeName(dtype)));
  size_t bytes = size_t(*count) * dtypeBytes(dtype);
  size_t rounded = std::max(alignment, (bytes + alignment - 1) / alignment * alignment);
  void *memory = std::aligned_alloc(alignment, rounded);
  if (!memory)
    return fail(ErrorCode::OutOfResources,
                fmt::format("cannot allocate {} bytes for a tensor {}[{}]", bytes, dtypeName(dtype),
                            fmt::join(shape, ",")));
  return HostTensor(dtype, std::move(shape), *count, memory);
}

Result<HostTensor> HostTensor::zeros(DType dtype, std::vector<int64_t> shape) {
  auto tensor = uninitialized(dtype, std::move(shape));
  if (tensor)
    std::memset(tensor->data(), 0, tensor->bytes());
  return tensor;
}

Result<HostTensor> HostTensor::randn(DType dtype, std::vector<int64_t> shape, uint64_t seed) {
  if (dtype < DType::F8E4M3)
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("found normal numbers of type {}, expected a float type", dtypeName(dtype)));
  auto tensor = uninitialized(dtype, std::move(shape));
  if (!tensor)
    return tensor;
  for (int64_t i = 0; i < tensor->elements(); i += 2) {
    auto [first, second] = randomNormalPair(seed, uint64_t(i) / 2);
    tensor->set(i, first);
    if (i + 1 < tensor->elements())
      tensor->set(i + 1, second);
  }
  return tensor;
}

// Elements are the low bytes of their bits: little-endian hosts only.
double HostTensor::get(int64_t index) const {
  size_t width = dtypeBytes(type);
  uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const char *>(data()) + size_t(index) * width, width);
  return decodeElement(type, bits);
}

void HostTensor::set(int64_t index, double value) {
  size_t width = dtypeBytes(type);
  uint64_t bits = encodeElement(type, value);
  std::memcpy(static_cast<char *>(data()) + size_t(index) * width, &bits, width);
}

std::string HostTensor::description() const {
  return fmt::format("{}[{}]", dtypeName(type), fmt::join(extents, ","));
}

} // namespace tigon
