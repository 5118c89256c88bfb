// SPDX-License-Identifier: Apache-2.0
//
// The functions of compiler/math under test: how each is called, what it should give, and how far off it may be.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tigon {

/// An operand or a result: a float in long double, which holds all f32 and f64 exactly, or an integer.
struct Number {
  long double real = 0;
  int64_t integer = 0;
};

/// Where arguments are taken from, beside all exponents.
enum class Domain {
  Any,
  /// Near multiples of pi/2.
  Angles,
  /// Pairs whose power is finite and not 0.
  Powers,
  /// Between -3 and 3 alone: approximations that promise no more.
  Small,
};

struct MathFunction {
  /// As in docs/math.md: "exp".
  std::string name;
  /// An op ("math.exp") or a symbol ("__nv_expf").
  std::string callee;
  /// A letter an operand, then the result: f f32, d f64, i i32, l i64.
  std::string operands;
  char result;
  std::function<Number(const Number *)> reference;
  /// Most that a float may be off, in ulp of the exact result. Integers must be equal.
  double bound;
  /// The same where the target approximates.
  double approximated;
  Domain domain = Domain::Any;
  /// A zero may have either sign.
  bool anyZero = false;
  /// `reference` for one f32 to a float: ten times as quick, still far closer than an ulp. Else empty.
  std::function<double(double)> quickReference = {};
};

std::vector<MathFunction> mathFunctions();

/// How far off `found` is, in units of the last place of the exact result; an infinity counts as the next power of two.
double errorInUlp(long double exact, double found, bool isDouble, bool anyZero);

/// TTIR for a call, of tiles with the element types `types`: "%r = math.exp %x0 : tensor<8xf32>".
std::string callOf(const MathFunction &function, const std::vector<std::string> &operands,
                   const std::vector<std::string> &types, const std::string &result);

} // namespace tigon
