// SPDX-License-Identifier: Apache-2.0
#include "tests/dialect/interpreter/Program.h"

#include <cmath>
#include <gmock/gmock.h>

using testing::ElementsAre;

namespace tigon::interpreter {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double unary(const std::string &op, double x) {
  return evaluate<double>("%r = " + op + " %0 : tensor<1xf64>", {"f64"}, "f64",
                          std::vector<double>{x})[0];
}

TEST(Math, FunctionsAreTheHostsInDouble) {
  const std::pair<const char *, double (*)(double)> functions[] = {
      {"exp", std::exp},     {"exp2", std::exp2},   {"expm1", std::expm1}, {"log", std::log},
      {"log2", std::log2},   {"log10", std::log10}, {"log1p", std::log1p}, {"sin", std::sin},
      {"cos", std::cos},     {"tan", std::tan},     {"asin", std::asin},   {"acos", std::acos},
      {"atan", std::atan},   {"sinh", std::sinh},   {"cosh", std::cosh},   {"tanh", std::tanh},
      {"asinh", std::asinh}, {"acosh", std::acosh}, {"atanh", std::atanh}, {"sqrt", std::sqrt},
      {"cbrt", std::cbrt},   {"erf", std::erf},     {"erfc", std::erfc}};
  for (auto [name, function] : functions)
    for (double x : {0.375, 1.25})
      EXPECT_THAT(unary(std::string("math.") + name, x), testing::NanSensitiveDoubleEq(function(x)))
          << name;
  EXPECT_EQ(unary("math.rsqrt", 4), 0.5);
}

TEST(Math, RoundingsDifferOnTiesAndSigns) {
  EXPECT_EQ(unary("math.round", -2.5), -3);
  EXPECT_EQ(unary("math.roundeven", -2.5), -2);
  EXPECT_EQ(unary("math.floor", -2.5), -3);
  EXPECT_EQ(unary("math.ceil", -2.5), -2);
  EXPECT_EQ(unary("math.trunc", -2.5), -2);
  EXPECT_EQ(unary("math.absf", -2.5), 2.5);
}

TEST(Math, FmaRoundsOnceInF32) {
  std::vector<float> a = {1 + 0x1p-12f}, b = {1 - 0x1p-12f}, c = {-1};
  EXPECT_THAT((evaluate<float>("%r = math.fma %0, %1, %2 : tensor<1xf32>", {"f32", "f32", "f32"},
                               "f32", a, b, c)),
              ElementsAre(-0x1p-24f));
}

TEST(Math, ClassesOfFloats) {
  std::vector<double> values = {1, infinity, -infinity, std::nan("")};
  auto classify = [&](const std::string &op) {
    return evaluate<uint8_t>("%r = math." + op + " %0 : tensor<4xf64>", {"f64"}, "i1", values);
  };
  EXPECT_THAT(classify("isnan"), ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(classify("isinf"), ElementsAre(0, 1, 1, 0));
  EXPECT_THAT(classify("isfinite"), ElementsAre(1, 0, 0, 0));
}

TEST(Math, BitCountsKnowTheWidth) {
  std::vector<uint16_t> values = {0, 1, 0x8000, 0x00F0};
  auto count = [&](const std::string &op) {
    return evaluate<uint16_t>("%r = math." + op + " %0 : tensor<4xi16>", {"i16"}, "i16", values);
  };
  EXPECT_THAT(count("ctlz"), ElementsAre(16, 15, 0, 8));
  EXPECT_THAT(count("cttz"), ElementsAre(16, 0, 15, 4));
  EXPECT_THAT(count("ctpop"), ElementsAre(0, 1, 1, 4));
}

TEST(Math, IntegerPowersAndAbsoluteValuesWrap) {
  using Ints = std::vector<int32_t>;
  EXPECT_THAT((evaluate<int32_t>("%r = math.ipowi %0, %1 : tensor<4xi32>", {"i32", "i32"}, "i32",
                                 Ints{3, -1, 2, 2}, Ints{4, -3, -1, 40})),
              ElementsAre(81, -1, 0, 0));
  EXPECT_THAT((evaluate<int32_t>("%r = math.absi %0 : tensor<2xi32>", {"i32"}, "i32",
                                 Ints{-5, std::numeric_limits<int32_t>::min()})),
              ElementsAre(5, std::numeric_limits<int32_t>::min()));
}

std::string external(const std::string &symbol, const std::string &signature) {
  return "%r = tt.extern_elementwise %0 {libname = \"\", libpath = \"\", pure = true, symbol = \"" +
         symbol + "\"} : " + signature;
}

TEST(Libdevice, F32FunctionsAreF64FunctionsRounded) {
  std::vector<float> x = {0.7f};
  for (auto [symbol, function] :
       {std::pair<const char *, double (*)(double)>{"__nv_tanhf", std::tanh},
        {"__nv_log1pf", std::log1p},
        {"__nv_fast_expf", std::exp},
        {"__nv_erff", std::erf}})
    EXPECT_THAT(
        (evaluate<float>(external(symbol, "(tensor<1xf32>) -> tensor<1xf32>"), {"f32"}, "f32", x)),
        ElementsAre(float(function(0.7f))))
        << symbol;
}

TEST(Libdevice, FunctionsOfOtherTypes) {
  EXPECT_THAT((evaluate<int32_t>(external("__nv_isnanf", "(tensor<2xf32>) -> tensor<2xi32>"),
                                 {"f32"}, "i32", std::vector<float>{1, std::nanf("")})),
              ElementsAre(0, 1));
  EXPECT_THAT((evaluate<int32_t>(external("__nv_float2int_rd", "(tensor<2xf32>) -> tensor<2xi32>"),
                                 {"f32"}, "i32", std::vector<float>{-1.5, 1e20f})),
              ElementsAre(-2, INT32_MAX));
  EXPECT_THAT((evaluate<int32_t>(external("__nv_brev", "(tensor<1xi32>) -> tensor<1xi32>"), {"i32"},
                                 "i32", std::vector<int32_t>{1})),
              ElementsAre(std::numeric_limits<int32_t>::min()));
  EXPECT_EQ(evaluate<double>(external("__nv_sinpi", "(tensor<1xf64>) -> tensor<1xf64>"), {"f64"},
                             "f64", std::vector<double>{3})[0],
            0);
}

TEST(Libdevice, AnUnknownFunctionOrSignatureIsAnError) {
  for (auto [symbol, expected] :
       {std::pair("__nv_erfinvf", "'__nv_erfinvf', which the interpreter"),
        std::pair("__nv_ldexpf", "'__nv_ldexpf' does not have")}) {
    Program program("tt.func public @k(%x: f32) {\n%r = tt.extern_elementwise %x {libname = \"\", "
                    "libpath = \"\", pure = true, symbol = \"" +
                    std::string(symbol) + "\"} : (f32) -> f32\ntt.return\n}");
    EXPECT_THAT(program.run({}, 1.f), testing::HasSubstr(expected));
  }
}

} // namespace
} // namespace tigon::interpreter
