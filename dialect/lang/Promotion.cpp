// SPDX-License-Identifier: Apache-2.0
#include "dialect/lang/Promotion.h"

#include <cmath>
#include <limits>

namespace tigon::lang {
namespace {

struct Facts {
  std::string_view name;
  unsigned bits;
  enum Kind : uint8_t { Boolean, Integer, Float } kind;
  bool isSigned;
};

// In the order of DType.
constexpr Facts table[] = {
    {"i1", 1, Facts::Boolean, false},   {"i8", 8, Facts::Integer, true},
    {"i16", 16, Facts::Integer, true},  {"i32", 32, Facts::Integer, true},
    {"i64", 64, Facts::Integer, true},  {"u8", 8, Facts::Integer, false},
    {"u16", 16, Facts::Integer, false}, {"u32", 32, Facts::Integer, false},
    {"u64", 64, Facts::Integer, false}, {"f8E4M3FN", 8, Facts::Float, true},
    {"f8E5M2", 8, Facts::Float, true},  {"f16", 16, Facts::Float, true},
    {"bf16", 16, Facts::Float, true},   {"f32", 32, Facts::Float, true},
    {"f64", 64, Facts::Float, true},
};
static_assert(std::size(table) == size_t(DType::F64) + 1);

const Facts &factsOf(DType dtype) { return table[size_t(dtype)]; }

} // namespace

std::string_view nameOf(DType dtype) { return factsOf(dtype).name; }
unsigned bitsOf(DType dtype) { return factsOf(dtype).bits; }
bool isFloat(DType dtype) { return factsOf(dtype).kind == Facts::Float; }
bool isFloat8(DType dtype) { return isFloat(dtype) && bitsOf(dtype) == 8; }
bool isInteger(DType dtype) { return !isFloat(dtype); }
bool isSigned(DType dtype) { return factsOf(dtype).isSigned; }

DType promoteIntegers(DType a, DType b) {
  unsigned bitsOfA = bitsOf(a), bitsOfB = bitsOf(b);
  if (bitsOfA != bitsOfB)
    return bitsOfA > bitsOfB ? a : b;
  return isSigned(a) ? b : a;
}

std::optional<DType> promote(Promoted a, Promoted b, bool isDivision) {
  auto divisible = [&](DType dtype) {
    return isDivision && (dtype == F16 || dtype == BF16) ? F32 : dtype;
  };
  if (a.isNumber != b.isNumber) {
    DType number = a.isNumber ? a.dtype : b.dtype, other = a.isNumber ? b.dtype : a.dtype;
    if (factsOf(number).kind <= factsOf(other).kind)
      return divisible(other);
  }
  auto either = [&](DType dtype) { return a.dtype == dtype || b.dtype == dtype; };
  if (either(F64))
    return F64;
  if (either(F32))
    return F32;
  if (either(F16))
    return divisible(F16);
  if (either(BF16))
    return a.dtype == b.dtype ? divisible(BF16) : F32;
  if (isFloat8(a.dtype) && isFloat8(b.dtype))
    return a.dtype == b.dtype ? a.dtype : F16;
  if (isFloat(a.dtype) || isFloat(b.dtype)) // fp8 and an integer: Triton has no rule
    return std::nullopt;
  if (isDivision && isSigned(a.dtype) != isSigned(b.dtype))
    return std::nullopt;
  return promoteIntegers(a.dtype, b.dtype);
}

DType typeOfInteger(int64_t number) {
  if (number >= 0)
    return typeOfUnsigned(uint64_t(number));
  return number >= std::numeric_limits<int32_t>::min() ? I32 : I64;
}

DType typeOfUnsigned(uint64_t number) {
  if (number <= uint64_t(std::numeric_limits<int32_t>::max()))
    return I32;
  if (number <= std::numeric_limits<uint32_t>::max())
    return U32;
  return number <= uint64_t(std::numeric_limits<int64_t>::max()) ? I64 : U64;
}

DType typeOfReal(double number) {
  double magnitude = std::fabs(number);
  bool isNormal = magnitude >= double(std::numeric_limits<float>::min()) &&
                  magnitude <= double(std::numeric_limits<float>::max());
  return isNormal || magnitude == 0 || !std::isfinite(number) ? F32 : F64;
}

} // namespace tigon::lang
