// SPDX-License-Identifier: Apache-2.0
#include "runtime/Agreement.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>

namespace tigon {
namespace {

/// The bits of mantissa that are stored, and the least exponent of a normal number.
struct Precision {
  int mantissa, minExponent;
};

Precision precisionOf(DType dtype) {
  switch (dtype) {
  case DType::F8E4M3:
    return {3, -6};
  case DType::F8E5M2:
    return {2, -14};
  case DType::F16:
    return {10, -14};
  case DType::BF16:
    return {7, -126};
  case DType::F32:
    return {23, -126};
  default:
    return {52, -1022};
  }
}

double ulp(DType dtype, double value) {
  auto [mantissa, minExponent] = precisionOf(dtype);
  int exponent = value == 0 ? minExponent : std::ilogb(value);
  return std::ldexp(1.0, std::max(exponent, minExponent) - mantissa);
}

double elementAt(DType dtype, const void *data, int64_t index) {
  size_t width = dtypeBytes(dtype);
  uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const char *>(data) + size_t(index) * width, width);
  return decodeElement(dtype, bits);
}

/// How much of what is allowed an element uses up: above 1 it is wrong.
double share(double got, double exact, double wide, double allowed) {
  constexpr double never = std::numeric_limits<double>::infinity();
  if (std::isnan(exact) || std::isnan(got))
    return std::isnan(exact) && std::isnan(got) ? 0 : never;
  if (std::isinf(exact) || std::isinf(got))
    return got == exact ? 0 : never;
  return std::fabs(got - wide) / allowed;
}

void judgeIntegers(Agreement &result, const void *got, const void *exact) {
  size_t width = dtypeBytes(result.dtype);
  for (int64_t i = 0; i < result.elements; ++i) {
    size_t offset = size_t(i) * width;
    if (!std::memcmp(static_cast<const char *>(got) + offset,
                     static_cast<const char *>(exact) + offset, width))
      continue;
    if (!result.wrong++)
      result.worst = i;
  }
  if (!result.wrong)
    return;
  result.got = elementAt(result.dtype, got, result.worst);
  result.exact = result.wide = elementAt(result.dtype, exact, result.worst);
}

} // namespace

Agreement judge(DType dtype, const void *got, const void *exact, std::span<const double> wide,
                int64_t elements) {
  Agreement result;
  result.dtype = dtype;
  result.elements = elements;
  if (dtype < DType::F8E4M3) {
    judgeIntegers(result, got, exact);
    result.agrees = !result.wrong;
    return result;
  }
  for (int64_t i = 0; i < elements; ++i) {
    double distance = std::fabs(elementAt(dtype, exact, i) - wide[size_t(i)]);
    if (std::isfinite(distance)) // else one of them has no place on the line
      result.spread = std::max(result.spread, distance);
  }
  double most = -1;
  for (int64_t i = 0; i < elements; ++i) {
    double a = elementAt(dtype, got, i), b = elementAt(dtype, exact, i), w = wide[size_t(i)];
    // Where only the wide mode overflows, the exact result is all there is to compare with.
    double reference = std::isfinite(w) ? w : b;
    double allowed =
        2 * result.spread + 4 * (std::isfinite(reference) ? ulp(dtype, reference) : 0.0);
    double used = share(a, b, reference, allowed);
    result.wrong += used > 1;
    if (used <= most)
      continue;
    most = used;
    result.worst = i;
    result.got = a;
    result.exact = b;
    result.wide = w;
    result.allowed = allowed;
  }
  result.agrees = !result.wrong;
  return result;
}

std::string Agreement::text() const {
  std::string_view type = dtypeName(dtype);
  if (worst < 0)
    return fmt::format("{} elements of {} agree", elements, type);
  bool isFloat = dtype >= DType::F8E4M3;
  if (agrees)
    return fmt::format("{} elements of {} agree, worst is element {}: found {:.9g}, wide {:.9g}, "
                       "apart by {:.3g} of {:.3g} allowed",
                       elements, type, worst, got, wide, std::fabs(got - wide), allowed);
  if (!isFloat)
    return fmt::format("{} of {} elements of {} disagree, first is element {}: found {}, expected "
                       "{}",
                       wrong, elements, type, worst, got, exact);
  return fmt::format("{} of {} elements of {} disagree, worst is element {}: found {:.9g}, "
                     "expected {:.9g} (exact {:.9g}) within {:.3g}: 2 x {:.3g}, by which exact and "
                     "wide differ at most, + 4 ulp",
                     wrong, elements, type, worst, got, wide, exact, allowed, spread);
}

} // namespace tigon
