// SPDX-License-Identifier: Apache-2.0
#include "compiler/math/Library.h"

#include "compiler/math/Formulas.h"

#include "llvm/ADT/StringMap.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <functional>

using namespace mlir;

namespace tigon {
namespace {

// A function's width is known by its name (`expf` is of f32, `exp` of f64), each kind of operand by its C++ type.
struct Function {
  std::function<Value(ValueRange, Expansion &)> expand;
  SmallVector<bool> realParameters;
  enum Kind { RealResult, IntResult, BoolResult } result;
};

template <typename R> constexpr Function::Kind kindOf = Function::RealResult;
template <> constexpr Function::Kind kindOf<Int> = Function::IntResult;
template <> constexpr Function::Kind kindOf<Bool> = Function::BoolResult;

class Library {
public:
  Library();

  const Function *find(StringRef symbol) const {
    auto found = functions.find(symbol);
    return found == functions.end() ? nullptr : &found->second;
  }
  auto begin() const { return functions.begin(); }
  auto end() const { return functions.end(); }

private:
  template <typename R, typename... Ps> void add(StringRef name, R (*formula)(Ps...)) {
    addTyped<R, Ps...>(name, formula, std::index_sequence_for<Ps...>());
  }
  // A lambda without captures is a function.
  template <typename F> void add(StringRef name, F formula) { add(name, +formula); }

  template <typename R, typename... Ps, typename F, size_t... I>
  void addTyped(StringRef name, F formula, std::index_sequence<I...>) {
    functions[("__nv_" + name).str()] = {[formula](ValueRange operands, Expansion &at) {
                                           return formula(Ps{{operands[I], &at}}...).value;
                                         },
                                         {std::is_same_v<Ps, Real>...},
                                         kindOf<R>};
  }

  /// f32 and f64 under C's names, `expf` and `exp`.
  template <typename F> void addBoth(StringRef name, F formula) {
    add((name + "f").str(), formula);
    add(name, formula);
  }

  void addTranscendentals();
  void addAlgebra();
  void addRoundings();
  void addIntegerFunctions();

  llvm::StringMap<Function> functions;
};

void Library::addTranscendentals() {
  namespace f = formulas;
  addBoth("exp", f::exp);
  addBoth("exp2", f::exp2);
  addBoth("exp10", f::exp10);
  addBoth("expm1", f::expm1);
  addBoth("log", f::log);
  addBoth("log2", f::log2);
  addBoth("log10", f::log10);
  addBoth("log1p", f::log1p);
  addBoth("sin", f::sin);
  addBoth("cos", f::cos);
  addBoth("tan", f::tan);
  addBoth("sinpi", f::sinpi);
  addBoth("cospi", f::cospi);
  addBoth("sinh", f::sinh);
  addBoth("cosh", f::cosh);
  addBoth("tanh", f::tanh);
  addBoth("asinh", f::asinh);
  addBoth("acosh", f::acosh);
  addBoth("atanh", f::atanh);
  addBoth("asin", f::asin);
  addBoth("acos", f::acos);
  addBoth("atan", f::atan);
  addBoth("atan2", f::atan2);
  addBoth("pow", f::pow);
  addBoth("powi", f::powi);
  addBoth("cbrt", f::cbrt);
  addBoth("rcbrt", f::rcbrt);
  addBoth("erf", f::erf);
  addBoth("erfc", f::erfc);
  addBoth("normcdf", f::normcdf);
  add("fast_expf", f::fastExp);
  add("fast_exp10f", f::fastExp10);
  add("fast_logf", f::fastLog);
  add("fast_log2f", f::fastLog2);
  add("fast_log10f", f::fastLog10);
  add("fast_sinf", f::fastSin);
  add("fast_cosf", f::fastCos);
  add("fast_tanf", [](Real x) { return f::fastSin(x) / f::fastCos(x); });
  add("fast_powf", f::fastPow);
  add("fast_fdividef", [](Real x, Real y) { return x / y; });
}

void Library::addAlgebra() {
  namespace f = formulas;
  for (StringRef type : {"f", "d"}) {
    add((type + "add_rn").str(), [](Real x, Real y) { return x + y; });
    add((type + "sub_rn").str(), [](Real x, Real y) { return x - y; });
    add((type + "mul_rn").str(), [](Real x, Real y) { return x * y; });
    add((type + "div_rn").str(), [](Real x, Real y) { return preciseQuotient(x, y); });
    add((type + "rcp_rn").str(), [](Real x) { return preciseQuotient(x.constant(1), x); });
    add((type + "sqrt_rn").str(), [](Real x) { return preciseRoot(x); });
  }
  auto fma = [](Real x, Real y, Real z) {
    return Real{{math::FmaOp::create(x.at->builder, x.value, y.value, z.value), x.at}};
  };
  addBoth("fma", fma);
  add("fmaf_rn", fma);
  add("fma_rn", fma);
  add("frsqrt_rn", [](Real x) {
    Real root =
        preciseRoot(toDouble(x)); // rounding twice in f32 would be off by more than half an ulp
    return toSingle(preciseQuotient(root.constant(1), root));
  });
  addBoth("sqrt", f::sqrt);
  addBoth("rsqrt", f::rsqrt);
  addBoth("fdivide", [](Real x, Real y) { return x / y; });
  addBoth("fdim", [](Real x, Real y) { return select(x <= y, 0.0, x - y); });
  addBoth("fmin", [](Real x, Real y) {
    return Real{{arith::MinNumFOp::create(x.at->builder, x.value, y.value), x.at}};
  });
  addBoth("fmax", [](Real x, Real y) {
    return Real{{arith::MaxNumFOp::create(x.at->builder, x.value, y.value), x.at}};
  });
  addBoth("fmod", [](Real x, Real y) {
    return Real{{arith::RemFOp::create(x.at->builder, x.value, y.value), x.at}};
  });
  addBoth("hypot", f::hypot);
  addBoth("rhypot", f::rhypot);
  addBoth("norm3d", f::norm3d);
  addBoth("rnorm3d", f::rnorm3d);
  addBoth("norm4d", f::norm4d);
  addBoth("rnorm4d", f::rnorm4d);
  add("saturatef",
      [](Real x) { return select(isNaN(x), 0.0, select(x > 1.0, 1.0, select(x > 0.0, x, 0.0))); });
}

// Half away from zero; the fraction of x - trunc(x) is exact.
Real roundAway(Real x) {
  Real whole = trunc(x);
  Real one = copySign(x.constant(1), x);
  return select(abs(x - whole) >= 0.5, whole + one, whole);
}

// 2^n x in three steps, of which the last alone rounds: where an earlier one comes to a denormal, so much is left that the
// result is 0.
Real scaledByPower(Real x, Int n) {
  int bias = x.isDouble() ? 1023 : 127, precision = x.isDouble() ? 53 : 24;
  int64_t least = 1 - bias, most = bias;
  auto scaled = [&](Real y, Int e) {
    Int biased = e + bias;
    return y * powerOfTwo(x.isDouble() ? signExtended(biased, 64) : biased, x);
  };
  for (int step = 0; step < 2; ++step) {
    Int taken = select(n < least, least + precision, select(n > most, most, n.constant(0)));
    x = scaled(x, taken);
    n = n - taken;
  }
  Int last = select(n < least, least, select(n > most, most, n));
  return scaled(x, last);
}

// Numbers beyond the type's ends become these, NaN 0.
Int toInteger(Real x, Type type, bool isUnsigned) {
  Type result = x.withElement(type);
  ImplicitLocOpBuilder &b = x.at->builder;
  Int converted{{isUnsigned ? Value(arith::FPToUIOp::create(b, result, x.value))
                            : Value(arith::FPToSIOp::create(b, result, x.value)),
                 x.at}};
  unsigned width = converted.width();
  // PTX ISA, "cvt": so it does by itself, but for f64, whose NaN gives the least integer.
  if (x.target().lanesAreThreads && width == 32 && !x.isDouble())
    return converted;
  double low = isUnsigned ? 0 : -std::ldexp(1.0, int(width) - 1);
  double high = std::ldexp(1.0, int(isUnsigned ? width : width - 1));
  int64_t least = isUnsigned ? 0 : llvm::minIntN(width);
  int64_t most = isUnsigned ? int64_t(llvm::maxUIntN(width)) : llvm::maxIntN(width);
  converted = select(x < low, least, select(x >= high, most, converted));
  return select(isNaN(x), 0, converted);
}

void Library::addRoundings() {
  addBoth("fabs", [](Real x) { return abs(x); });
  addBoth("floor", [](Real x) { return floor(x); });
  addBoth("ceil", [](Real x) { return ceil(x); });
  addBoth("trunc", [](Real x) { return trunc(x); });
  addBoth("rint", [](Real x) { return roundEven(x); });
  addBoth("nearbyint", [](Real x) { return roundEven(x); });
  addBoth("round", roundAway);
  addBoth("copysign", [](Real x, Real y) { return copySign(x, y); });
  addBoth("ldexp", scaledByPower);
  addBoth("scalbn", scaledByPower);
  auto isInfinite = [](Real x) { return abs(x) == formulas::infinity; };
  auto isNegative = [](Real x) { return bitsOf(x) < 0; };
  auto isFinite = [](Real x) { return abs(x) < formulas::infinity; };
  for (StringRef type : {"f", "d"}) {
    add(("isnan" + type).str(), [](Real x) { return isNaN(x); });
    add(("isinf" + type).str(), isInfinite);
    add(("signbit" + type).str(), isNegative);
  }
  add("finitef", isFinite);
  add("isfinited", isFinite);

#define TIGON_TO_INTEGER(to, width, isUnsigned)                                                    \
  for (StringRef from : {"float", "double"}) {                                                     \
    std::string name = (from + "2" to).str();                                                      \
    add(name + "_rn", [](Real x) {                                                                 \
      return toInteger(roundEven(x), x.at->builder.getIntegerType(width), isUnsigned);             \
    });                                                                                            \
    add(name + "_rz",                                                                              \
        [](Real x) { return toInteger(x, x.at->builder.getIntegerType(width), isUnsigned); });     \
    add(name + "_rd", [](Real x) {                                                                 \
      return toInteger(floor(x), x.at->builder.getIntegerType(width), isUnsigned);                 \
    });                                                                                            \
    add(name + "_ru", [](Real x) {                                                                 \
      return toInteger(ceil(x), x.at->builder.getIntegerType(width), isUnsigned);                  \
    });                                                                                            \
  }
  TIGON_TO_INTEGER("int", 32, false)
  TIGON_TO_INTEGER("ll", 64, false)
  TIGON_TO_INTEGER("uint", 32, true)
  TIGON_TO_INTEGER("ull", 64, true)
#undef TIGON_TO_INTEGER
  addBoth("llrint",
          [](Real x) { return toInteger(roundEven(x), x.at->builder.getIntegerType(64), false); });
  addBoth("llround",
          [](Real x) { return toInteger(roundAway(x), x.at->builder.getIntegerType(64), false); });

#define TIGON_FROM_INTEGER(from, Op)                                                               \
  add(from "2float_rn", [](Int x) {                                                                \
    Type type = x.withElement(x.at->builder.getF32Type());                                         \
    return Real{{Op::create(x.at->builder, type, x.value), x.at}};                                 \
  });                                                                                              \
  add(from "2double_rn", [](Int x) {                                                               \
    Type type = x.withElement(x.at->builder.getF64Type());                                         \
    return Real{{Op::create(x.at->builder, type, x.value), x.at}};                                 \
  });
  TIGON_FROM_INTEGER("int", arith::SIToFPOp)
  TIGON_FROM_INTEGER("ll", arith::SIToFPOp)
  TIGON_FROM_INTEGER("uint", arith::UIToFPOp)
  TIGON_FROM_INTEGER("ull", arith::UIToFPOp)
#undef TIGON_FROM_INTEGER
  add("double2float_rn", [](Real x) { return toSingle(x); });
  add("float_as_int", [](Real x) { return bitsOf(x); });
  add("float_as_uint", [](Real x) { return bitsOf(x); });
  add("double_as_longlong", [](Real x) { return bitsOf(x); });
  add("int_as_float", [](Int x) { return realOf(x); });
  add("uint_as_float", [](Int x) { return realOf(x); });
  add("longlong_as_double", [](Int x) { return realOf(x); });
}

template <typename Op> Int integerOp(Int x, Int y) {
  return {{Op::create(x.at->builder, x.value, y.value), x.at}};
}
template <typename Op> Int unaryOp(Int x) { return {{Op::create(x.at->builder, x.value), x.at}}; }

// Bits of one word exchanged in pairs, pairs in nibbles, and so on.
Int reversedBits(Int x) {
  for (unsigned step = 1; step < x.width(); step *= 2) {
    uint64_t mask = 0;
    for (unsigned bit = 0; bit < x.width(); ++bit)
      mask |= uint64_t((bit / step) % 2 == 0) << bit;
    x = ((x & int64_t(mask)) << int64_t(step)) |
        (shiftRightLogical(x, int64_t(step)) & int64_t(mask));
  }
  return x;
}

void Library::addIntegerFunctions() {
  for (StringRef prefix : {"", "ll"}) {
    add((prefix + "abs").str(), unaryOp<math::AbsIOp>);
    add((prefix + "min").str(), integerOp<arith::MinSIOp>);
    add((prefix + "max").str(), integerOp<arith::MaxSIOp>);
    add(("u" + prefix + "min").str(), integerOp<arith::MinUIOp>);
    add(("u" + prefix + "max").str(), integerOp<arith::MaxUIOp>);
  }
  // Results are i32 whatever the operand's width.
  for (StringRef suffix : {"", "ll"}) {
    add(("clz" + suffix).str(),
        [](Int x) { return truncated(unaryOp<math::CountLeadingZerosOp>(x), 32); });
    add(("popc" + suffix).str(), [](Int x) { return truncated(unaryOp<math::CtPopOp>(x), 32); });
    add(("ffs" + suffix).str(), [](Int x) {
      Int first = unaryOp<math::CountTrailingZerosOp>(x) + 1;
      return truncated(select(x == 0, 0, first), 32);
    });
    add(("brev" + suffix).str(), reversedBits);
  }
  add("mulhi", [](Int x, Int y) { return highProductSigned(x, y); });
  add("umulhi", [](Int x, Int y) { return highProductUnsigned(x, y); });
  add("mul64hi", [](Int x, Int y) { return highProductSigned(x, y); });
  add("umul64hi", [](Int x, Int y) { return highProductUnsigned(x, y); });
  // Halved sums without the carry: x + y = 2 (x & y) + (x ^ y) = 2 (x | y) - (x ^ y).
  add("hadd", [](Int x, Int y) { return (x & y) + ((x ^ y) >> 1); });
  add("rhadd", [](Int x, Int y) { return (x | y) - ((x ^ y) >> 1); });
  add("uhadd", [](Int x, Int y) { return (x & y) + shiftRightLogical(x ^ y, 1); });
  add("urhadd", [](Int x, Int y) { return (x | y) - shiftRightLogical(x ^ y, 1); });
  add("sad", [](Int x, Int y, Int z) { return select(x > y, x - y, y - x) + z; });
  add("usad", [](Int x, Int y, Int z) { return select(lessUnsigned(y, x), x - y, y - x) + z; });
}

Library::Library() {
  addTranscendentals();
  addAlgebra();
  addRoundings();
  addIntegerFunctions();
}

const Library &library() {
  static const Library all;
  return all;
}

} // namespace

Value expandLibraryCall(StringRef symbol, ValueRange operands, Type result, Expansion &at) {
  const Function *function = library().find(symbol);
  if (!function)
    return {};
  auto isReal = [](Type type) { return isa<FloatType>(getElementTypeOrSelf(type)); };
  if (!llvm::equal(llvm::map_range(operands.getTypes(), isReal), function->realParameters) ||
      isReal(result) != (function->result == Function::RealResult))
    return {};
  for (Type type : operands.getTypes())
    if (unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
        width != 32 && width != 64)
      return {};
  Value value = function->expand(operands, at);
  if (function->result == Function::BoolResult && value.getType() != result)
    value = arith::ExtUIOp::create(at.builder, result, value);
  return value.getType() == result ? value : Value();
}

std::string suggestLibraryFunction(StringRef symbol) {
  StringRef best;
  unsigned distance = 4;
  for (const auto &entry : library())
    if (unsigned other = symbol.edit_distance(entry.first(), true, distance); other < distance) {
      best = entry.first();
      distance = other;
    }
  return best.str();
}

} // namespace tigon
