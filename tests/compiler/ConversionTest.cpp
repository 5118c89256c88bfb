// SPDX-License-Identifier: Apache-2.0
//
// Conversions between all float types, and arithmetic on those of 8 bits: compiled code beside the interpreter, bit by bit;
// of a NaN only that it is one. Every f32 there is, EverySingle.cpp takes.
//
//   TIGON_TEST_DEVICE=cuda:0   the device; default: cpu, with and without f16 in hardware
#include "tests/compiler/Conversions.h"

#include <bit>
#include <cstdlib>
#include <random>

namespace tigon::conversions {
namespace {

// All exponents, with mantissas at and around the places where 8 or 16 bits end, and some others.
std::vector<uint64_t> denseSingles() {
  std::mt19937 random(1);
  std::vector<uint32_t> mantissas;
  for (uint32_t k = 0; k < 32; ++k)
    for (int d = -2; d <= 2; ++d) {
      mantissas.push_back((k << 18) + uint32_t(d));
      for (int shift : {12, 15})
        mantissas.push_back((uint32_t(random()) << shift) + uint32_t(d));
    }
  for (int i = 0; i < 32; ++i)
    mantissas.push_back(uint32_t(random()));
  std::vector<uint64_t> patterns;
  for (uint32_t sign : {0u, 1u})
    for (uint32_t exponent = 0; exponent < 256; ++exponent)
      for (uint32_t mantissa : mantissas)
        patterns.push_back(sign << 31 | exponent << 23 | (mantissa & 0x7fffff));
  return patterns;
}

// A third of the singles, their neighbours among the doubles, and what is beyond them.
std::vector<uint64_t> denseDoubles() {
  std::vector<uint64_t> patterns;
  std::vector<uint64_t> singles = denseSingles();
  for (size_t i = 0; i < singles.size(); i += 3) {
    double value = std::bit_cast<float>(uint32_t(singles[i]));
    for (double near : {value, std::nextafter(value, 0), std::nextafter(value, 2 * value)})
      patterns.push_back(std::bit_cast<uint64_t>(near));
  }
  for (double value : {5e-324, 1e-310, 1e-60, 65519.99999999999, 65520.0, 3.4028235677973366e38,
                       3.5e38, 1e300, 0x1.00000000001p-150, 0x1p-150})
    for (double sign : {1.0, -1.0})
      patterns.push_back(std::bit_cast<uint64_t>(sign * value));
  return patterns;
}

//===-- tests -------------------------------------------------------------------------------------===//

struct ConversionTest : testing::Test {
  ConversionTest() {
    const char *asked = std::getenv("TIGON_TEST_DEVICE");
    device.emplace(*Device::open(asked ? asked : "cpu"));
    targets = targetsOf(*device);
    interpreter.emplace(*Device::open("interpreter"));
  }

  /// How many results of `body` differ from the interpreter's.
  void compare(const std::string &body, const std::vector<Column> &operands, const Element &result,
               const std::string &strips = "auto") {
    std::vector<Element> types;
    for (const Column &operand : operands)
      types.push_back(operand.element);
    std::string program = programOf(body, types, result);
    Column expected =
        Loaded(*interpreter, program, {.target = "interpreter"}).run(operands, result);
    for (const std::string &target : targets) {
      CompileOptions options{.target = target, .strips = strips, .verifyEach = true};
      Column got = Loaded(*device, program, options).run(operands, result);
      int64_t wrong = 0;
      std::string first;
      for (size_t i = 0; i < got.size(); ++i) {
        if (same(result, got.at(i), expected.at(i)) || wrong++)
          continue;
        for (const Column &operand : operands)
          first += fmt::format("{} {:#x} ", operand.element.name, operand.at(i));
        first += fmt::format("gives {:#x}, expected {:#x}", got.at(i), expected.at(i));
      }
      EXPECT_EQ(wrong, 0) << target << ": " << body << "\n" << result.name << ": " << first;
    }
  }

  void convertAll(const Column &column, const Element &to) {
    if (column.element.name == to.name)
      return;
    compare(conversionOf(column.element, to, Rounding::NearestEven), {column}, to);
    if (column.element.bytes >= to.bytes)
      compare(conversionOf(column.element, to, Rounding::TowardZero), {column}, to);
  }

  std::optional<Device> device, interpreter;
  std::vector<std::string> targets;
};

TEST_F(ConversionTest, EveryByteInEveryType) {
  for (const Element &from : byteTypes)
    for (const Element &to : withWide(byteTypes))
      convertAll(Column::ofAll(from), to);
}

TEST_F(ConversionTest, EveryHalfInEveryType) {
  for (const Element &from : {f16, bf16})
    for (const Element &to : withWide(byteTypes))
      convertAll(Column::ofAll(from), to);
}

TEST_F(ConversionTest, SinglesOfAllExponents) {
  Column singles = Column::of(f32, denseSingles());
  for (const Element &to : withWide(byteTypes))
    convertAll(singles, to);
}

TEST_F(ConversionTest, DoublesAroundSingles) {
  Column doubles = Column::of(f64, denseDoubles());
  for (const Element &to : withWide(byteTypes))
    convertAll(doubles, to);
}

TEST_F(ConversionTest, ArithHasThemToo) {
  Column singles = Column::of(f32, denseSingles());
  auto cast = [](const char *op, const Element &from, const Element &to) {
    return fmt::format("%r = arith.{} : {} to {}", op, tile(from.name), tile(to.name));
  };
  for (const Element &type : byteTypes) {
    compare(cast("extf %x0", type, f32), {Column::ofAll(type)}, f32);
    compare(cast("truncf %x0", f32, type), {singles}, type);
    compare(cast("truncf %x0 toward_zero", f32, type), {singles}, type);
  }
  compare(cast("truncf %x0 toward_zero", f32, bf16), {singles}, bf16);
}

// What decides is far below the last place: sums of two powers of two, and one more or less.
TEST_F(ConversionTest, IntegersRoundOnce) {
  std::vector<uint64_t> patterns;
  for (int high = 0; high < 64; ++high)
    for (int low = 0; low <= high; ++low)
      for (uint64_t end : {-2, -1, 0, 1, 2}) {
        uint64_t value = (uint64_t(1) << high) + (uint64_t(1) << low) + end;
        patterns.insert(patterns.end(), {value, 0 - value, value + (uint64_t(3) << high >> 7)});
      }
  std::mt19937_64 random(2);
  for (int i = 0; i < 20000; ++i)
    patterns.push_back(random() >> random() % 64);
  Column longs = Column::of(i64, patterns), words = Column::of(i32, patterns);
  for (const Element &to : withWide(byteTypes))
    for (const Column &from : {longs, words})
      for (const char *op : {"sitofp", "uitofp"})
        compare(
            fmt::format("%r = arith.{} %x0 : {} to {}", op, tile(from.element.name), tile(to.name)),
            {from}, to);
}

TEST_F(ConversionTest, BytesBecomeIntegers) {
  for (const Element &from : byteTypes)
    for (const Element &to : {i8, i32})
      compare(fmt::format("%r = arith.fptosi %x0 : {} to {}", tile(from.name), tile(to.name)),
              {Column::ofAll(from)}, to);
}

//===-- bytes that move ---------------------------------------------------------------------------===//

// Every pattern goes through a masked load with another value, a select, a loop, shapes and bitcasts.
TEST_F(ConversionTest, BytesMoveUnchanged) {
  for (const Element &type : byteTypes)
    for (const char *strips : {"auto", "4"}) {
      std::string of = tile(type.name), pointers = tile("!tt.ptr<" + type.name + ">");
      std::string body = fmt::format(
          R"(%c = arith.constant 200 : i32
%cs = tt.splat %c : i32 -> {3}
%m = arith.cmpi slt, %i, %cs : {3}
%o = arith.constant dense<1.5> : {0}
%l = tt.load %x0_a, %m, %o : {1}
%zero = arith.constant 0 : i32
%one = arith.constant 1 : i32
%three = arith.constant 3 : i32
%n:2 = scf.for %k = %zero to %three step %one iter_args(%a = %l, %b = %x1) -> ({0}, {0}) : i32 {{
  scf.yield %b, %a : {0}, {0}
}}
%e = tt.reshape %n#0 : {0} -> tensor<16x16x{2}>
%t = tt.trans %e {{order = array<i32: 1, 0>}} : tensor<16x16x{2}> -> tensor<16x16x{2}>
%u = tt.reshape %t : tensor<16x16x{2}> -> {0}
%h = tt.bitcast %n#1 : {0} -> {4}
%g = tt.bitcast %h : {4} -> {0}
%r = arith.select %m, %u, %g : tensor<256xi1>, {0})",
          of, pointers, type.name, tile("i32"), tile("i8"));
      std::vector<uint64_t> backwards;
      for (uint64_t i = 0; i < block; ++i)
        backwards.push_back((255 - i) & 255);
      Column all = Column::ofAll(type);
      compare(body, {all, Column::of(type, backwards)}, {type.name, 1, nullptr}, strips);
    }
}

TEST_F(ConversionTest, LoadsOfBytesAreReduced) {
  std::vector<uint64_t> small; // without NaN, which maximumf and minimumf would give
  for (uint64_t i = 0; i < block; ++i)
    small.push_back(i % 64 | (i & 1) << 7);
  for (const Element &type : byteTypes)
    for (const std::string op : {"maxnumf", "maximumf", "minimumf"}) {
      std::string body = fmt::format(
          "%s = \"tt.reduce\"(%x0) <{{axis = 0 : i32}}> ({{\n^bb0(%a: {0}, %b: {0}):\n"
          "  %m = arith.{2} %a, %b : {0}\n  tt.reduce.return %m : {0}\n}}) : ({1}) -> {0}\n"
          "%r = tt.splat %s : {0} -> {1}",
          type.name, tile(type.name), op);
      Column column = op == "maxnumf" ? Column::ofAll(type) : Column::of(type, small);
      compare(body, {column}, type);
    }
}

//===-- arithmetic on bytes -----------------------------------------------------------------------===//

TEST_F(ConversionTest, ArithmeticOnAllPairsOfBytes) {
  std::vector<uint64_t> first, second, third;
  for (uint64_t i = 0; i < 65536; ++i) {
    first.push_back(i & 255);
    second.push_back(i >> 8);
    third.push_back(i * 2654435761 >> 16 & 255);
  }
  for (const Element &type : byteTypes) {
    Column a = Column::of(type, first), b = Column::of(type, second), c = Column::of(type, third);
    for (const char *op : {"arith.addf", "arith.mulf", "arith.maximumf"})
      compare(fmt::format("%r = {} %x0, %x1 : {}", op, tile(type.name)), {a, b}, type);
    compare(fmt::format("%r = math.fma %x0, %x1, %x2 : {}", tile(type.name)), {a, b, c}, type);
    compare(fmt::format("%c = arith.cmpf olt, %x0, %x1 : {0}\n"
                        "%r = arith.select %c, %x0, %x1 : tensor<256xi1>, {0}",
                        tile(type.name)),
            {a, b}, {type.name, 1, nullptr});
    for (const char *op : {"arith.negf", "math.absf"})
      compare(fmt::format("%r = {} %x0 : {}", op, tile(type.name)), {Column::ofAll(type)}, type);
  }
}

TEST_F(ConversionTest, FusedMultiplyAddOfHalvesRoundsOnce) {
  for (const Element &type : {f16, bf16}) {
    std::mt19937 random(3);
    std::vector<uint64_t> patterns[3];
    for (int i = 0; i < 200000; ++i) {
      double a = type.format->decode(random() & 0xffff), b = type.format->decode(random() & 0xffff);
      double c = type.format->decode(random() & 0xffff);
      if (i % 2 && std::isfinite(a * b)) // near the product, or where it ties
        c = type.format->round(std::ldexp(a * b, int(random() % 90) - 70));
      for (auto [to, value] : {std::pair(0, a), {1, b}, {2, c}})
        patterns[to].push_back(type.format->encode(value));
    }
    compare(fmt::format("%r = math.fma %x0, %x1, %x2 : {}", tile(type.name)),
            {Column::of(type, patterns[0]), Column::of(type, patterns[1]),
             Column::of(type, patterns[2])},
            type);
  }
}

} // namespace
} // namespace tigon::conversions
