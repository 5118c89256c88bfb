// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/MathFunctions.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <numbers>

namespace tigon {
namespace {

using Long = long double;
constexpr Long pi = std::numbers::pi_v<Long>;
// Half an ulp, and what the reference itself may be off.
constexpr double rounded = 0.5005;

//===-- references --------------------------------------------------------------------------------===//

// sin(pi x) and cos(pi x): quarter turns are taken off exactly. At integers 0 has x's sign, or +.
template <typename T> T sinpi(T x) {
  if (!std::isfinite(x))
    return x - x;
  T r = std::fmod(x, T(2)), quarters = std::round(2 * r), t = T(pi) * (r - quarters / 2);
  switch ((int(quarters) % 4 + 4) % 4) {
  case 0:
    return t == 0 ? std::copysign(T(0), x) : std::sin(t);
  case 1:
    return std::cos(t);
  case 2:
    return t == 0 ? std::copysign(T(0), x) : -std::sin(t);
  default:
    return -std::cos(t);
  }
}
template <typename T> T cospi(T x) {
  if (!std::isfinite(x))
    return x - x;
  T r = std::fmod(std::fabs(x), T(2)), quarters = std::round(2 * r), t = T(pi) * (r - quarters / 2);
  switch (int(quarters) % 4) {
  case 0:
    return std::cos(t);
  case 1:
    return t == 0 ? 0 : -std::sin(t);
  case 2:
    return -std::cos(t);
  default:
    return t == 0 ? 0 : std::sin(t);
  }
}

// erfc(z) / 2 with z = -x / sqrt(2); z's rounding would show at large x, so it is made good by the derivative.
template <typename T> T normcdf(T x) {
  constexpr Long root = 0xb.504f333f9de6484p-4L, below = 0x1.65f626cdd52bp-66L; // sqrt(1/2)
  constexpr T high = T(root), rest = T(root - high + below);
  T z = -x * high;
  if (!std::isfinite(z) || std::fabs(z) > 200)
    return std::erfc(z) / 2;
  T lost = std::fma(-x, high, -z) - x * rest;
  return (std::erfc(z) - 2 / std::sqrt(T(pi)) * std::exp(-z * z) * lost) / 2;
}

double tenTo(double x) { return exp10(x); }
Long tenTo(Long x) { return exp10l(x); }

bool anyInfinite(const Number *x, int count) {
  return std::any_of(x, x + count, [](const Number &n) { return std::isinf(n.real); });
}
Long norm(const Number *x, int count) {
  if (anyInfinite(x, count))
    return HUGE_VALL;
  Long sum = 0;
  for (int i = 0; i < count; ++i)
    sum += x[i].real * x[i].real;
  return std::sqrt(sum);
}

int64_t narrowed(int64_t value, char type) { return type == 'i' ? int32_t(value) : value; }
uint64_t asUnsigned(int64_t value, char type) {
  return type == 'i' ? uint32_t(value) : uint64_t(value);
}

// Whole numbers are cut off at the type's ends; NaN gives 0.
int64_t saturated(Long whole, char type, bool isUnsigned) {
  if (std::isnan(whole))
    return 0;
  int width = type == 'i' ? 32 : 64;
  Long least = isUnsigned ? 0 : -std::ldexp(1.0L, width - 1);
  Long most = std::ldexp(1.0L, isUnsigned ? width : width - 1) - 1;
  Long value = std::clamp(whole, least, most);
  return isUnsigned ? narrowed(int64_t(uint64_t(value)), type) : int64_t(value);
}

//===-- the table ---------------------------------------------------------------------------------===//

/// What a function of one or more floats gives; of one, in double too.
struct Reference {
  template <typename Function> static Reference ofOne(Function function) {
    return {[=](const Number *x) -> Long { return function(x[0].real); },
            [=](double x) -> double { return function(x); }};
  }
  template <typename Function>
    requires std::convertible_to<std::invoke_result_t<Function, const Number *>, Long>
  Reference(Function exact) : exact(exact) {}
  Reference(std::function<Long(const Number *)> exact, std::function<double(double)> quick)
      : exact(std::move(exact)), quick(std::move(quick)) {}

  std::function<Long(const Number *)> exact;
  std::function<double(double)> quick;
};

class Table {
public:
  std::vector<MathFunction> all;

  /// f32 and f64 of one function of `count` floats, as the library names them.
  void library(const std::string &name, int count, const Reference &reference, double bound,
               Domain domain = Domain::Any, double approximated = 0) {
    for (char type : {'f', 'd'})
      add(name, "__nv_" + name + (type == 'f' ? "f" : ""), std::string(size_t(count), type), type,
          reference, bound, domain, approximated);
  }
  /// The same, and the op of math.
  void both(const std::string &name, int count, const Reference &reference, double f32, double f64,
            Domain domain = Domain::Any, double approximated = 0) {
    for (char type : {'f', 'd'}) {
      double bound = type == 'f' ? f32 : f64;
      std::string operands(size_t(count), type);
      std::string op = name == "pow" ? "math.powf" : "math." + name;
      add(name, op, operands, type, reference, bound, domain, approximated);
      add(name, "__nv_" + name + (type == 'f' ? "f" : ""), operands, type, reference, bound, domain,
          approximated);
    }
  }
  void add(const std::string &name, const std::string &callee, const std::string &operands,
           char result, const Reference &reference, double bound, Domain domain = Domain::Any,
           double approximated = 0) {
    add(name, callee, operands, result, real(reference.exact), bound, domain, approximated);
    if (operands == "f")
      all.back().quickReference = reference.quick;
  }
  void add(const std::string &name, const std::string &callee, const std::string &operands,
           char result, std::function<Number(const Number *)> reference, double bound,
           Domain domain = Domain::Any, double approximated = 0) {
    all.push_back({name, callee, operands, result, std::move(reference), bound,
                   std::max(bound, approximated), domain});
  }

  static std::function<Number(const Number *)> real(std::function<Long(const Number *)> reference) {
    return [reference](const Number *x) { return Number{.real = reference(x)}; };
  }
  static std::function<Number(const Number *)>
  integer(std::function<int64_t(const Number *)> reference) {
    return [reference](const Number *x) { return Number{.integer = reference(x)}; };
  }
};

#define TIGON_UNARY(function) Reference::ofOne([](auto x) { return function(x); })
#define TIGON_BINARY(function)                                                                     \
  [](const Number *x) -> Long { return function(x[0].real, x[1].real); }

void addTranscendentals(Table &table) {
  // Bounds: what softmax and norms rest on is at most 2 ulp, the rest 4 (docs/math.md has what is measured).
  // Of all f32 on an H200, exp is off by up to 2.07 and exp2 by up to 2.39, where its result is subnormal.
  table.both("exp", 1, TIGON_UNARY(std::exp), 2, 2, Domain::Any, 2.1);
  table.both("exp2", 1, TIGON_UNARY(std::exp2), 2, 2, Domain::Any, 2.4);
  table.both("log", 1, TIGON_UNARY(std::log), 2, 2);
  table.both("sin", 1, TIGON_UNARY(std::sin), 2, 2, Domain::Angles);
  table.both("cos", 1, TIGON_UNARY(std::cos), 2, 2, Domain::Angles);
  table.both("tan", 1, TIGON_UNARY(std::tan), 4, 4, Domain::Angles);
  table.both("expm1", 1, TIGON_UNARY(std::expm1), 4, 4);
  table.both("log2", 1, TIGON_UNARY(std::log2), 4, 4);
  table.both("log10", 1, TIGON_UNARY(std::log10), 4, 4);
  table.both("log1p", 1, TIGON_UNARY(std::log1p), 4, 4);
  table.both("sinh", 1, TIGON_UNARY(std::sinh), 4, 4);
  table.both("cosh", 1, TIGON_UNARY(std::cosh), 4, 4);
  table.both("tanh", 1, TIGON_UNARY(std::tanh), 4, 4);
  table.both("asinh", 1, TIGON_UNARY(std::asinh), 4, 4);
  table.both("acosh", 1, TIGON_UNARY(std::acosh), 4, 4);
  table.both("atanh", 1, TIGON_UNARY(std::atanh), 4, 4);
  table.both("asin", 1, TIGON_UNARY(std::asin), 4, 4);
  table.both("acos", 1, TIGON_UNARY(std::acos), 4, 4);
  table.both("atan", 1, TIGON_UNARY(std::atan), 4, 4);
  table.both("atan2", 2, TIGON_BINARY(std::atan2), 4, 4);
  table.both("erf", 1, TIGON_UNARY(std::erf), 4, 4);
  table.both("erfc", 1, TIGON_UNARY(std::erfc), 5, 5); // 4.88 of all f32
  table.both("cbrt", 1, TIGON_UNARY(std::cbrt), 4, 4);
  table.both("pow", 2, TIGON_BINARY(std::pow), 4, 4, Domain::Powers);
  table.library("exp10", 1, TIGON_UNARY(tenTo), 4);
  table.library("sinpi", 1, TIGON_UNARY(sinpi), 4);
  table.library("cospi", 1, TIGON_UNARY(cospi), 4);
  table.library("normcdf", 1, TIGON_UNARY(normcdf), 5.5); // 5.01 of all
  table.library("rcbrt", 1, Reference::ofOne([](auto x) { return 1 / std::cbrt(x); }), 4);
  for (char type : {'f', 'd'}) {
    auto power =
        Table::real([](const Number *x) { return std::pow(x[0].real, Long(x[1].integer)); });
    std::string operands = std::string(1, type) + "i";
    table.add("powi", type == 'f' ? "__nv_powif" : "__nv_powi", operands, type, power, 4,
              Domain::Powers);
    table.add("powi", "math.fpowi", operands, type, power, 4, Domain::Powers);
  }
}

void addFast(Table &table) {
  auto add = [&](const std::string &name, const Reference &reference, int operands = 1) {
    table.add(name, "__nv_" + name, std::string(size_t(operands), 'f'), 'f', reference, 4,
              Domain::Small,
              2e5); // near a zero the instructions' errors are absolute (PTX ISA, "lg2.approx")
  };
  add("fast_expf", TIGON_UNARY(std::exp));
  add("fast_exp10f", TIGON_UNARY(tenTo));
  add("fast_logf", TIGON_UNARY(std::log));
  add("fast_log2f", TIGON_UNARY(std::log2));
  add("fast_log10f", TIGON_UNARY(std::log10));
  add("fast_sinf", TIGON_UNARY(std::sin));
  add("fast_cosf", TIGON_UNARY(std::cos));
  add("fast_tanf", TIGON_UNARY(std::tan));
  add("fast_powf", TIGON_BINARY(std::pow), 2);
  add("fast_fdividef", [](const Number *x) { return x[0].real / x[1].real; }, 2);
}

void addAlgebra(Table &table) {
  auto quotient = [](const Number *x) { return x[0].real / x[1].real; };
  auto root = TIGON_UNARY(std::sqrt);
  auto reciprocalRoot = Reference::ofOne([](auto x) { return 1 / std::sqrt(x); });
  for (char type : {'f', 'd'}) {
    std::string prefix = std::string("__nv_") + type, one(1, type), two(2, type), three(3, type);
    auto exact = [&](const char *name, const std::string &callee, const std::string &operands,
                     const Reference &reference, double approximated = 0) {
      table.add(name, callee, operands, type, reference, rounded, Domain::Any, approximated);
    };
    exact("add_rn", prefix + "add_rn", two, [](const Number *x) { return x[0].real + x[1].real; });
    exact("sub_rn", prefix + "sub_rn", two, [](const Number *x) { return x[0].real - x[1].real; });
    exact("mul_rn", prefix + "mul_rn", two, [](const Number *x) { return x[0].real * x[1].real; });
    exact("div_rn", prefix + "div_rn", two, quotient);
    exact("rcp_rn", prefix + "rcp_rn", one, Reference::ofOne([](auto x) { return 1 / x; }));
    exact("sqrt_rn", prefix + "sqrt_rn", one, root);
    auto fma = [type](const Number *x) -> Long {
      if (type == 'd')
        return std::fma(double(x[0].real), double(x[1].real), double(x[2].real));
      return std::fma(float(x[0].real), float(x[1].real), float(x[2].real));
    };
    exact("fma", type == 'f' ? "__nv_fmaf" : "__nv_fma", three, fma);
    exact("fma_rn", type == 'f' ? "__nv_fmaf_rn" : "__nv_fma_rn", three, fma);
    exact("/", "arith.divf", two, quotient, type == 'f' ? 2 : 0);
    if (type == 'f') {
      exact("precise_divf", "tt.precise_divf", two, quotient);
      exact("precise_sqrt", "tt.precise_sqrt", one, root);
      exact("frsqrt_rn", "__nv_frsqrt_rn", one, reciprocalRoot);
    }
    exact("fmod", type == 'f' ? "__nv_fmodf" : "__nv_fmod", two, TIGON_BINARY(std::fmod));
  }
  table.both("sqrt", 1, root, 2, 2);
  table.both("rsqrt", 1, reciprocalRoot, 2, 2);
  table.library("fdivide", 2, quotient, rounded, Domain::Any, 2);
  table.library("fdim", 2, TIGON_BINARY(std::fdim), rounded);
  table.library("fmin", 2, TIGON_BINARY(std::fmin), 0);
  table.library("fmax", 2, TIGON_BINARY(std::fmax), 0);
  table.library("hypot", 2, TIGON_BINARY(std::hypot), 4);
  table.library(
      "rhypot", 2, [](const Number *x) { return 1 / std::hypot(x[0].real, x[1].real); }, 4);
  table.library("norm3d", 3, [](const Number *x) { return norm(x, 3); }, 4);
  table.library("norm4d", 4, [](const Number *x) { return norm(x, 4); }, 4);
  table.library("rnorm3d", 3, [](const Number *x) { return 1 / norm(x, 3); }, 4);
  table.library("rnorm4d", 4, [](const Number *x) { return 1 / norm(x, 4); }, 4);
  table.add("saturatef", "__nv_saturatef", "f", 'f', Reference::ofOne([](auto x) {
              return std::isnan(x) ? 0 : std::clamp<decltype(x)>(x, 0, 1);
            }),
            0);
  for (MathFunction &function : table.all)
    function.anyZero |=
        function.name == "fmin" || function.name == "fmax" || function.name == "saturatef";
}

void addRoundings(Table &table) {
  table.library("fabs", 1, TIGON_UNARY(std::fabs), 0);
  table.library("floor", 1, TIGON_UNARY(std::floor), 0);
  table.library("ceil", 1, TIGON_UNARY(std::ceil), 0);
  table.library("trunc", 1, TIGON_UNARY(std::trunc), 0);
  table.library("rint", 1, TIGON_UNARY(std::rint), 0);
  table.library("nearbyint", 1, TIGON_UNARY(std::rint), 0);
  table.library("round", 1, TIGON_UNARY(std::round), 0);
  table.library("copysign", 2, TIGON_BINARY(std::copysign), 0);
  auto scaled = Table::real([](const Number *x) -> Long {
    return std::ldexp(x[0].real, int(std::clamp<int64_t>(x[1].integer, -9999, 9999)));
  });
  for (const char *name : {"ldexp", "scalbn"}) {
    table.add(name, std::string("__nv_") + name + "f", "fi", 'f', scaled, rounded);
    table.add(name, std::string("__nv_") + name, "di", 'd', scaled, rounded);
  }
  for (char type : {'f', 'd'}) {
    std::string one(1, type), f = type == 'f' ? "f" : "d";
    auto test = [&](const std::string &name, const std::string &callee, auto reference) {
      table.add(name, callee, one, 'i', Table::integer([reference](const Number *x) {
                  return int64_t(reference(x[0].real));
                }),
                0);
    };
    test("isnan", "__nv_isnan" + f, [](Long x) { return std::isnan(x); });
    test("isinf", "__nv_isinf" + f, [](Long x) { return std::isinf(x); });
    test("signbit", "__nv_signbit" + f, [](Long x) { return std::signbit(x); });
    test("finite", type == 'f' ? "__nv_finitef" : "__nv_isfinited",
         [](Long x) { return std::isfinite(x); });
  }
}

void addConversions(Table &table) {
  struct To {
    const char *name;
    char type;
    bool isUnsigned;
  };
  constexpr To integers[] = {
      {"int", 'i', false}, {"ll", 'l', false}, {"uint", 'i', true}, {"ull", 'l', true}};
  using Rounding = Long (*)(Long);
  const std::pair<const char *, Rounding> roundings[] = {
      {"_rn", [](Long x) { return std::rint(x); }},
      {"_rz", [](Long x) { return std::trunc(x); }},
      {"_rd", [](Long x) { return std::floor(x); }},
      {"_ru", [](Long x) { return std::ceil(x); }}};
  for (char from : {'f', 'd'}) {
    std::string name = from == 'f' ? "float" : "double", suffix = from == 'f' ? "f" : "";
    for (const To &to : integers) {
      for (auto [how, round] : roundings)
        table.add("to integers", "__nv_" + name + "2" + to.name + how, std::string(1, from),
                  to.type, Table::integer([to, round](const Number *x) {
                    return saturated(round(x[0].real), to.type, to.isUnsigned);
                  }),
                  0);
      table.add("from integers", std::string("__nv_") + to.name + "2" + name + "_rn",
                std::string(1, to.type), from, Table::real([to](const Number *x) {
                  return to.isUnsigned ? Long(asUnsigned(x[0].integer, to.type))
                                       : Long(x[0].integer);
                }),
                rounded);
    }
    for (auto [callee, round] :
         {std::pair<const char *, Rounding>{"__nv_llrint", roundings[0].second},
          {"__nv_llround", [](Long x) { return std::round(x); }}})
      table.add("to integers", callee + suffix, std::string(1, from), 'l',
                Table::integer(
                    [round](const Number *x) { return saturated(round(x[0].real), 'l', false); }),
                0);
  }
  table.add("double2float_rn", "__nv_double2float_rn", "d", 'f',
            Table::real([](const Number *x) { return x[0].real; }), rounded);
}

void addIntegers(Table &table) {
  for (char type : {'i', 'l'}) {
    std::string one(1, type), two(2, type), three(3, type), l = type == 'i' ? "" : "ll";
    auto add = [&](const std::string &callee, const std::string &operands, char result,
                   auto reference) {
      table.add(
          "integers", "__nv_" + callee, operands, result,
          Table::integer([=](const Number *x) { return narrowed(int64_t(reference(x)), result); }),
          0);
    };
    auto u = [type](const Number &x) { return asUnsigned(x.integer, type); };
    int width = type == 'i' ? 32 : 64;
    add(l + "abs", one, type, [](const Number *x) {
      return x[0].integer < 0 ? 0 - uint64_t(x[0].integer) : uint64_t(x[0].integer);
    });
    add(l + "min", two, type, [](const Number *x) { return std::min(x[0].integer, x[1].integer); });
    add(l + "max", two, type, [](const Number *x) { return std::max(x[0].integer, x[1].integer); });
    add("u" + l + "min", two, type, [=](const Number *x) { return std::min(u(x[0]), u(x[1])); });
    add("u" + l + "max", two, type, [=](const Number *x) { return std::max(u(x[0]), u(x[1])); });
    add("clz" + l, one, 'i',
        [=](const Number *x) { return std::countl_zero(u(x[0])) - (64 - width); });
    add("popc" + l, one, 'i', [=](const Number *x) { return std::popcount(u(x[0])); });
    add("ffs" + l, one, 'i',
        [=](const Number *x) { return u(x[0]) ? std::countr_zero(u(x[0])) + 1 : 0; });
    add("brev" + l, one, type, [=](const Number *x) {
      uint64_t reversed = 0;
      for (int bit = 0; bit < width; ++bit)
        reversed |= (u(x[0]) >> bit & 1) << (width - 1 - bit);
      return reversed;
    });
    using Wide = __int128;
    std::string wide = type == 'i' ? "" : "64";
    add((type == 'i' ? "mul" : "mul64") + std::string("hi"), two, type,
        [=](const Number *x) { return Wide(x[0].integer) * x[1].integer >> width; });
    add("u" + ((type == 'i' ? "mul" : "mul64") + std::string("hi")), two, type,
        [=](const Number *x) {
          return static_cast<unsigned __int128>(u(x[0])) * u(x[1]) >> width;
        });
    if (type == 'l')
      continue;
    add("hadd", two, 'i', [](const Number *x) { return (x[0].integer + x[1].integer) >> 1; });
    add("rhadd", two, 'i', [](const Number *x) { return (x[0].integer + x[1].integer + 1) >> 1; });
    add("uhadd", two, 'i', [=](const Number *x) { return (u(x[0]) + u(x[1])) >> 1; });
    add("urhadd", two, 'i', [=](const Number *x) { return (u(x[0]) + u(x[1]) + 1) >> 1; });
    add("sad", three, 'i',
        [](const Number *x) { return std::abs(x[0].integer - x[1].integer) + x[2].integer; });
    add("usad", three, 'i', [=](const Number *x) {
      return std::max(u(x[0]), u(x[1])) - std::min(u(x[0]), u(x[1])) + u(x[2]);
    });
  }
}

} // namespace

double errorInUlp(long double exact, double found, bool isDouble, bool anyZero) {
  if (std::isnan(exact) || std::isnan(found))
    return std::isnan(exact) && std::isnan(found) ? 0 : HUGE_VAL;
  if (exact == 0)
    return found == 0 && (anyZero || std::signbit(exact) == std::signbit(found)) ? 0 : HUGE_VAL;
  int most = isDouble ? 1024 : 128, least = isDouble ? -1022 : -126, digits = isDouble ? 53 : 24;
  long double limit = std::ldexp(1.0L, most);
  auto bounded = [&](long double x) { return std::fmax(-limit, std::fmin(limit, x)); };
  exact = bounded(exact);
  int exponent = std::clamp(std::ilogb(exact), least, most - 1);
  return double(std::fabs(bounded(found) - exact) / std::ldexp(1.0L, exponent - digits + 1));
}

std::string callOf(const MathFunction &function, const std::vector<std::string> &operands,
                   const std::vector<std::string> &types, const std::string &result) {
  std::string values = fmt::format("{}", fmt::join(operands, ", "));
  if (function.callee.starts_with("__nv"))
    return fmt::format(
        "%r = tt.extern_elementwise {} {{libname = \"\", libpath = \"\", pure = true, "
        "symbol = \"{}\"}} : ({}) -> {}",
        values, function.callee, fmt::join(types, ", "), result);
  std::string second = types.size() > 1 && types[1] != types[0] ? ", " + types[1] : "";
  return fmt::format("%r = {} {} : {}{}", function.callee, values, types[0], second);
}

std::vector<MathFunction> mathFunctions() {
  Table table;
  addTranscendentals(table);
  addFast(table);
  addAlgebra(table);
  addRoundings(table);
  addConversions(table);
  addIntegers(table);
  return table.all;
}

} // namespace tigon
