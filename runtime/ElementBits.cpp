// SPDX-License-Identifier: Apache-2.0
//
// Elements to and from doubles, for every type. Floats are encoded as the interpreter encodes them, so that a tensor holds
// what a tile program would have stored.
#include "dialect/interpreter/FloatFormat.h"
#include "runtime/HostTensor.h"

#include <bit>
#include <cmath>
#include <limits>

namespace tigon {
namespace {

using interpreter::FloatFormat;

/// Null for integers, and for f32 and f64, whose bits the host has.
const FloatFormat *narrowFormat(DType dtype) {
  switch (dtype) {
  case DType::F8E4M3:
    return &interpreter::formatE4M3FN;
  case DType::F8E5M2:
    return &interpreter::formatE5M2;
  case DType::F16:
    return &interpreter::formatF16;
  case DType::BF16:
    return &interpreter::formatBF16;
  default:
    return nullptr;
  }
}

template <typename Integer> uint64_t encodeInteger(double value) {
  constexpr int bits = std::numeric_limits<Integer>::digits;
  const double bound = std::ldexp(1.0, bits);
  Integer whole = 0;
  if (value >= bound)
    whole = std::numeric_limits<Integer>::max();
  else if (value < -bound)
    whole = std::numeric_limits<Integer>::min();
  else if (value == value)
    whole = Integer(value);
  return uint64_t(std::make_unsigned_t<Integer>(whole));
}

} // namespace

uint64_t encodeElement(DType dtype, double value) {
  if (const FloatFormat *format = narrowFormat(dtype))
    return format->encode(value);
  switch (dtype) {
  case DType::I1:
    return value != 0;
  case DType::I8:
    return encodeInteger<int8_t>(value);
  case DType::I16:
    return encodeInteger<int16_t>(value);
  case DType::I32:
    return encodeInteger<int32_t>(value);
  case DType::I64:
    return encodeInteger<int64_t>(value);
  case DType::F32:
    return std::bit_cast<uint32_t>(float(value));
  default:
    return std::bit_cast<uint64_t>(value);
  }
}

double decodeElement(DType dtype, uint64_t bits) {
  if (const FloatFormat *format = narrowFormat(dtype))
    return format->decode(bits);
  switch (dtype) {
  case DType::I1:
    return (bits & 0xff) != 0;
  case DType::I8:
    return int8_t(bits);
  case DType::I16:
    return int16_t(bits);
  case DType::I32:
    return int32_t(bits);
  case DType::I64:
    return double(int64_t(bits));
  case DType::F32:
    return std::bit_cast<float>(uint32_t(bits));
  default:
    return std::bit_cast<double>(bits);
  }
}

} // namespace tigon
