// SPDX-License-Identifier: Apache-2.0
//
// tt.extern_elementwise: the functions of NVIDIA's device library, by name. An f32 function is its
// f64 namesake, rounded; the fast ones are computed like the others. Not here, hence refused by
// name: directed roundings (fadd_rz), erfinv, erfcinv, normcdfinv, erfcx.
#include "dialect/interpreter/Elementwise.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <numbers>

using namespace mlir;

namespace tigon::interpreter {
namespace {

struct Function {
  OpFunction evaluate;
  ArrayRef<bool> realParameters; // a parameter a float, or an integer
  bool realResult;
};

template <typename... Ps> struct Parameters {
  static constexpr std::array<bool, sizeof...(Ps)> areReal = {std::is_same_v<Ps, double>...};
};

class Functions {
public:
  template <auto function> void add(StringRef name) { addTyped<function>(name, +function); }
  const Function *find(StringRef symbol) const;

private:
  template <auto function, typename Result, typename... Ps>
  void addTyped(StringRef name, Result (*)(Ps...)) {
    functions[name] = {elementwise<function>, Parameters<Ps...>::areReal,
                       std::is_same_v<Result, double>};
  }
  template <auto function, typename Result, typename... Ps>
  void addTyped(StringRef name, Result (*)(Width, Ps...)) {
    functions[name] = {elementwise<function>, Parameters<Ps...>::areReal,
                       std::is_same_v<Result, double>};
  }

  llvm::StringMap<Function> functions;
};

// `__nv_fast_expf` -> `expf` -> `exp`.
const Function *Functions::find(StringRef symbol) const {
  if (!symbol.consume_front("__nv_"))
    return nullptr;
  symbol.consume_front("fast_");
  auto found = functions.find(symbol);
  if (found == functions.end() && symbol.consume_back("f"))
    found = functions.find(symbol);
  return found == functions.end() ? nullptr : &found->second;
}

using r = double;
using s = int64_t;
using u = uint64_t;
constexpr double pi = std::numbers::pi;

double sinPi(double x) {
  double rest = std::remainder(x, 2); // exact
  if (std::abs(rest) > 0.5)
    rest = std::copysign(1, rest) - rest;
  return std::sin(pi * rest);
}

double cosPi(double x) {
  double rest = std::abs(std::remainder(x, 2));
  if (rest > 0.75)
    return -std::cos(pi * (1 - rest));
  return rest < 0.25 ? std::cos(pi * rest) : std::sin(pi * (0.5 - rest));
}

double norm(double a, double b, double c, double d) {
  return std::hypot(std::hypot(a, b), std::hypot(c, d));
}

void addTranscendentals(Functions &f) {
  f.add<[](r x) { return std::acos(x); }>("acos");
  f.add<[](r x) { return std::acosh(x); }>("acosh");
  f.add<[](r x) { return std::asin(x); }>("asin");
  f.add<[](r x) { return std::asinh(x); }>("asinh");
  f.add<[](r x) { return std::atan(x); }>("atan");
  f.add<[](r y, r x) { return std::atan2(y, x); }>("atan2");
  f.add<[](r x) { return std::atanh(x); }>("atanh");
  f.add<[](r x) { return std::cbrt(x); }>("cbrt");
  f.add<[](r x) { return std::cos(x); }>("cos");
  f.add<[](r x) { return std::cosh(x); }>("cosh");
  f.add<cosPi>("cospi");
  f.add<[](r x) { return std::cyl_bessel_i(0, std::abs(x)); }>("cyl_bessel_i0");
  f.add<[](r x) { return std::copysign(std::cyl_bessel_i(1, std::abs(x)), x); }>("cyl_bessel_i1");
  f.add<[](r x) { return std::erf(x); }>("erf");
  f.add<[](r x) { return std::erfc(x); }>("erfc");
  f.add<[](r x) { return std::exp(x); }>("exp");
  f.add<[](r x) { return std::pow(10.0, x); }>("exp10");
  f.add<[](r x) { return std::exp2(x); }>("exp2");
  f.add<[](r x) { return std::expm1(x); }>("expm1");
  f.add<[](r x) { return ::j0(x); }>("j0");
  f.add<[](r x) { return ::j1(x); }>("j1");
  f.add<[](s n, r x) { return ::jn(n, x); }>("jn");
  f.add<[](r x) { return std::lgamma(x); }>("lgamma");
  f.add<[](r x) { return std::log(x); }>("log");
  f.add<[](r x) { return std::log10(x); }>("log10");
  f.add<[](r x) { return std::log1p(x); }>("log1p");
  f.add<[](r x) { return std::log2(x); }>("log2");
  f.add<[](r x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }>("normcdf");
  f.add<[](r x, r y) { return std::pow(x, y); }>("pow");
  f.add<[](r x, s n) { return std::pow(x, r(n)); }>("powi");
  f.add<[](r x) { return std::sin(x); }>("sin");
  f.add<[](r x) { return std::sinh(x); }>("sinh");
  f.add<sinPi>("sinpi");
  f.add<[](r x) { return std::tan(x); }>("tan");
  f.add<[](r x) { return std::tanh(x); }>("tanh");
  f.add<[](r x) { return std::tgamma(x); }>("tgamma");
  f.add<[](r x) { return ::y0(x); }>("y0");
  f.add<[](r x) { return ::y1(x); }>("y1");
  f.add<[](s n, r x) { return ::yn(n, x); }>("yn");
}

void addAlgebra(Functions &f) {
  for (StringRef type : {"f", "d"}) {
    f.add<[](r x, r y) { return x + y; }>((type + "add_rn").str());
    f.add<[](r x, r y) { return x - y; }>((type + "sub_rn").str());
    f.add<[](r x, r y) { return x * y; }>((type + "mul_rn").str());
    f.add<[](r x, r y) { return x / y; }>((type + "div_rn").str());
    f.add<[](r x) { return 1 / x; }>((type + "rcp_rn").str());
    f.add<[](r x) { return std::sqrt(x); }>((type + "sqrt_rn").str());
  }
  f.add<[](r x, r y) { return x / y; }>("fdivide");
  f.add<[](r x) { return 1 / x; }>("rcp64h");
  f.add<[](r x) { return 1 / std::sqrt(x); }>("frsqrt_rn");
  f.add<[](r x, r y) { return std::fdim(x, y); }>("fdim");
  f.add<[](r x, r y, r z) { return std::fma(x, y, z); }>("fma");
  f.add<[](r x, r y, r z) { return std::fma(x, y, z); }>("fma_rn");
  f.add<fusedMultiplyAdd>("fmaf");
  f.add<fusedMultiplyAdd>("fmaf_rn");
  f.add<[](r x, r y) { return std::fmin(x, y); }>("fmin");
  f.add<[](r x, r y) { return std::fmax(x, y); }>("fmax");
  f.add<[](r x, r y) { return std::fmod(x, y); }>("fmod");
  f.add<[](r x, r y) { return std::remainder(x, y); }>("remainder");
  f.add<[](r x, r y) { return std::hypot(x, y); }>("hypot");
  f.add<[](r x, r y) { return 1 / std::hypot(x, y); }>("rhypot");
  f.add<[](r x, r y, r z) { return norm(x, y, z, 0); }>("norm3d");
  f.add<[](r x, r y, r z) { return 1 / norm(x, y, z, 0); }>("rnorm3d");
  f.add<norm>("norm4d");
  f.add<[](r x, r y, r z, r t) { return 1 / norm(x, y, z, t); }>("rnorm4d");
  f.add<[](r x) { return 1 / std::cbrt(x); }>("rcbrt");
  f.add<[](r x) { return 1 / std::sqrt(x); }>("rsqrt");
  f.add<[](r x) { return std::sqrt(x); }>("sqrt");
  f.add<[](r x) { return std::isnan(x) ? 0 : std::clamp(x, 0.0, 1.0); }>("saturate");
}

void addRoundings(Functions &f) {
  f.add<[](r x) { return std::abs(x); }>("fabs");
  f.add<[](r x) { return std::ceil(x); }>("ceil");
  f.add<[](r x) { return std::floor(x); }>("floor");
  f.add<[](r x) { return std::trunc(x); }>("trunc");
  f.add<[](r x) { return std::round(x); }>("round");
  f.add<[](r x) { return std::nearbyint(x); }>("rint");
  f.add<[](r x) { return std::nearbyint(x); }>("nearbyint");
  f.add<[](Width w, r x) { return toSigned(std::nearbyint(x), w.bits); }>("llrint");
  f.add<[](Width w, r x) { return toSigned(std::round(x), w.bits); }>("llround");
  f.add<[](r x, r y) { return std::copysign(x, y); }>("copysign");
  f.add<[](r x, r y) { return std::nextafter(x, y); }>("nextafter");
  f.add<[](r x, r y) { return r(std::nextafter(float(x), float(y))); }>("nextafterf");
  f.add<[](r x, s n) { return std::ldexp(x, int(n)); }>("ldexp");
  f.add<[](r x, s n) { return std::ldexp(x, int(n)); }>("scalbn");
  f.add<[](r x) { return s(std::ilogb(x)); }>("ilogb");
  f.add<[](r x) { return std::logb(x); }>("logb");
  for (StringRef type : {"f", "d"}) {
    f.add<[](r x) { return std::isnan(x); }>(("isnan" + type).str());
    f.add<[](r x) { return std::isinf(x); }>(("isinf" + type).str());
    f.add<[](r x) { return std::signbit(x); }>(("signbit" + type).str());
  }
  f.add<[](r x) { return std::isfinite(x); }>("finitef");
  f.add<[](r x) { return std::isfinite(x); }>("isfinited");
  for (StringRef from : {"float", "double"}) {
    for (StringRef to : {"int", "ll"}) {
      std::string name = (from + "2" + to).str();
      f.add<[](Width w, r x) { return toSigned(std::nearbyint(x), w.bits); }>(name + "_rn");
      f.add<[](Width w, r x) { return toSigned(x, w.bits); }>(name + "_rz");
      f.add<[](Width w, r x) { return toSigned(std::floor(x), w.bits); }>(name + "_rd");
      f.add<[](Width w, r x) { return toSigned(std::ceil(x), w.bits); }>(name + "_ru");
    }
    for (StringRef to : {"uint", "ull"}) {
      std::string name = (from + "2" + to).str();
      f.add<[](Width w, r x) { return toUnsigned(std::nearbyint(x), w.bits); }>(name + "_rn");
      f.add<[](Width w, r x) { return toUnsigned(x, w.bits); }>(name + "_rz");
      f.add<[](Width w, r x) { return toUnsigned(std::floor(x), w.bits); }>(name + "_rd");
      f.add<[](Width w, r x) { return toUnsigned(std::ceil(x), w.bits); }>(name + "_ru");
    }
  }
  f.add<[](r x) { return x; }>("double2float_rn");
  for (StringRef from : {"int", "ll"}) {
    f.add<[](s x) { return r(x); }>((from + "2double_rn").str());
    f.add<[](s x) { return toDouble(x < 0 ? -u(x) : x, x < 0); }>((from + "2float_rn").str());
  }
  for (StringRef from : {"uint", "ull"}) {
    f.add<[](u x) { return r(x); }>((from + "2double_rn").str());
    f.add<[](u x) { return toDouble(x, false); }>((from + "2float_rn").str());
  }
  for (StringRef integer : {"int", "uint"}) {
    f.add<[](r x) { return llvm::bit_cast<uint32_t>(float(x)); }>(("float_as_" + integer).str());
    f.add<[](u x) { return r(llvm::bit_cast<float>(uint32_t(x))); }>((integer + "_as_float").str());
  }
  f.add<[](r x) { return llvm::bit_cast<u>(x); }>("double_as_longlong");
  f.add<[](u x) { return llvm::bit_cast<r>(x); }>("longlong_as_double");
}

void addIntegerFunctions(Functions &f) {
  for (StringRef prefix : {"", "ll"}) {
    f.add<[](s x) { return x < 0 ? -u(x) : x; }>((prefix + "abs").str());
    f.add<[](s x, s y) { return std::min(x, y); }>((prefix + "min").str());
    f.add<[](s x, s y) { return std::max(x, y); }>((prefix + "max").str());
    f.add<[](u x, u y) { return std::min(x, y); }>(("u" + prefix + "min").str());
    f.add<[](u x, u y) { return std::max(x, y); }>(("u" + prefix + "max").str());
  }
  f.add<[](u x) { return llvm::countl_zero(uint32_t(x)); }>("clz");
  f.add<[](u x) { return llvm::countl_zero(x); }>("clzll");
  f.add<[](u x) { return x ? llvm::countr_zero(x) + 1 : 0; }>("ffs");
  f.add<[](u x) { return x ? llvm::countr_zero(x) + 1 : 0; }>("ffsll");
  f.add<[](u x) { return llvm::popcount(x); }>("popc");
  f.add<[](u x) { return llvm::popcount(x); }>("popcll");
  f.add<[](u x) { return u(llvm::reverseBits(uint32_t(x))); }>("brev");
  f.add<[](u x) { return llvm::reverseBits(x); }>("brevll");
  f.add<[](s x, s y) { return u(x * y) >> 32; }>("mulhi");
  f.add<[](u x, u y) { return x * y >> 32; }>("umulhi");
  f.add<[](s x, s y) { return u((__int128)x * y >> 64); }>("mul64hi");
  f.add<[](u x, u y) { return u((unsigned __int128)x * y >> 64); }>("umul64hi");
  f.add<[](s x, s y) { return (x + y) >> 1; }>("hadd");
  f.add<[](s x, s y) { return (x + y + 1) >> 1; }>("rhadd");
  f.add<[](u x, u y) { return (x + y) >> 1; }>("uhadd");
  f.add<[](u x, u y) { return (x + y + 1) >> 1; }>("urhadd");
  f.add<[](s x, s y, u z) { return u(std::abs(x - y)) + z; }>("sad");
  f.add<[](u x, u y, u z) { return (x > y ? x - y : y - x) + z; }>("usad");
}

const Functions &getFunctions() {
  static const Functions functions = [] {
    Functions all;
    addTranscendentals(all);
    addAlgebra(all);
    addRoundings(all);
    addIntegerFunctions(all);
    return all;
  }();
  return functions;
}

LogicalResult evaluateExtern(Evaluator &evaluator, tt::ExternElementwiseOp op) {
  const Function *function = getFunctions().find(op.getSymbol());
  if (!function)
    return evaluator.fail(op, "found the function '" + op.getSymbol() +
                                  "', which the interpreter does not know");
  auto isReal = [](Type type) { return getElement(type).format != nullptr; };
  if (!llvm::equal(llvm::map_range(op.getSrcs().getTypes(), isReal), function->realParameters) ||
      isReal(op.getResult().getType()) != function->realResult)
    return evaluator.fail(op,
                          "found operands or a result that '" + op.getSymbol() + "' does not have");
  return function->evaluate(evaluator, op);
}

} // namespace

void addLibdeviceOps(OpTable &table) { table.add<evaluateExtern>(); }

} // namespace tigon::interpreter
