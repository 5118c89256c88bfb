// SPDX-License-Identifier: Apache-2.0
#include "tests/peers/conform/Elements.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

using namespace mlir;

namespace tigon::conform {
namespace {

Type typeOf(const std::string &name, MLIRContext *context) {
  Builder builder(context);
  if (name == "float32" || name == "fp32")
    return builder.getF32Type();
  if (name == "float64" || name == "fp64")
    return builder.getF64Type();
  if (name == "float16" || name == "fp16")
    return builder.getF16Type();
  if (name == "bfloat16" || name == "bf16")
    return builder.getBF16Type();
  if (name == "float8_e4m3fn" || name == "fp8e4nv")
    return Float8E4M3FNType::get(context);
  if (name == "float8_e5m2" || name == "fp8e5")
    return Float8E5M2Type::get(context);
  if (name == "float8_e4m3fnuz" || name == "fp8e4b8")
    return Float8E4M3FNUZType::get(context);
  if (name == "float8_e5m2fnuz" || name == "fp8e5b16")
    return Float8E5M2FNUZType::get(context);
  if (name == "bool" || name == "int1" || name == "i1" || name == "u1")
    return builder.getIntegerType(1);
  for (unsigned width : {8, 16, 32, 64})
    for (const char *prefix : {"int", "uint", "i", "u"})
      if (name == prefix + std::to_string(width))
        return builder.getIntegerType(width);
  return {};
}

uint64_t mix(uint64_t x) { // SplitMix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

} // namespace

Result<Elements> Elements::of(Type type) {
  if (!type.isIntOrFloat())
    return fail(ErrorCode::Unsupported, "found elements that are no numbers");
  Elements elements;
  elements.width = type.getIntOrFloatBitWidth();
  elements.format = interpreter::getFloatFormat(type);
  if (!type.isInteger() && !elements.format)
    return fail(ErrorCode::Unsupported, "found elements of an unknown float type");
  return elements;
}

Result<Elements> Elements::find(const std::string &name, MLIRContext *context) {
  if (Type type = typeOf(name, context))
    return of(type);
  return fail(ErrorCode::Unsupported, fmt::format("found elements of type '{}'", name));
}

std::optional<DType> Elements::dtypeOf(Type type) {
  if (type.isF32())
    return DType::F32;
  if (type.isF64())
    return DType::F64;
  if (type.isF16())
    return DType::F16;
  if (type.isBF16())
    return DType::BF16;
  if (isa<Float8E4M3FNType>(type))
    return DType::F8E4M3;
  if (isa<Float8E5M2Type>(type))
    return DType::F8E5M2;
  switch (type.isInteger() ? type.getIntOrFloatBitWidth() : 0) {
  case 16:
    return DType::I16;
  case 32:
    return DType::I32;
  case 64:
    return DType::I64;
  default:
    return std::nullopt;
  }
}

uint64_t Elements::encode(double value) const {
  return format ? format->encode(value) : uint64_t(int64_t(value));
}

double Elements::decode(const void *from) const {
  uint64_t bits = 0;
  std::memcpy(&bits, from, bytes());
  return format ? format->decode(bits) : double(int64_t(bits));
}

uint64_t Elements::draw(double low, double high, uint64_t seed, uint64_t index) const {
  double unit = double(mix(mix(seed * 0x9e3779b97f4a7c15) + index) >> 11) * 0x1p-53;
  return encode(std::clamp(low * (1 - unit) + high * unit, low, high));
}

} // namespace tigon::conform
