// SPDX-License-Identifier: Apache-2.0
//
// Conversions between all float types, and arithmetic on those of 8 bits: compiled code beside the interpreter, bit by bit;
// of a NaN only that it is one.
//
//   TIGON_TEST_DEVICE=cuda:0   the device; default: cpu, with and without f16 in hardware
//   TIGON_EVERY_SINGLE=1       take every f32 there is through every conversion to fewer bits
#include "compiler/Compiler.h"
#include "dialect/interpreter/FloatFormat.h"
#include "runtime/Runtime.h"

#include "mlir/IR/MLIRContext.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>
#include <thread>

namespace tigon {
namespace {

using interpreter::FloatFormat;
using interpreter::Rounding;

constexpr int64_t block = 256;

struct Element {
  std::string name;
  size_t bytes;
  const FloatFormat *format = nullptr; ///< null: integers
};

Element element(mlir::FloatType type, const char *name) {
  return {name, type.getWidth() / 8, interpreter::getFloatFormat(type)};
}
mlir::MLIRContext &context() {
  static mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  return context;
}
const Element f64 = element(mlir::Float64Type::get(&context()), "f64"),
              f32 = element(mlir::Float32Type::get(&context()), "f32"),
              f16 = element(mlir::Float16Type::get(&context()), "f16"),
              bf16 = element(mlir::BFloat16Type::get(&context()), "bf16");
const std::vector<Element> byteTypes = {
    element(mlir::Float8E4M3FNType::get(&context()), "f8E4M3FN"),
    element(mlir::Float8E5M2Type::get(&context()), "f8E5M2"),
    element(mlir::Float8E4M3FNUZType::get(&context()), "f8E4M3FNUZ"),
    element(mlir::Float8E5M2FNUZType::get(&context()), "f8E5M2FNUZ")};
const Element i8 = {"i8", 1}, i32 = {"i32", 4}, i64 = {"i64", 8};

std::vector<Element> withWide(std::vector<Element> types) {
  types.insert(types.end(), {f16, bf16, f32, f64});
  return types;
}

//===-- columns of elements -----------------------------------------------------------------------===//

struct Column {
  Element element;
  std::vector<char> bytes;

  static Column zeros(const Element &element, size_t count) {
    return {element, std::vector<char>(count * element.bytes)};
  }
  /// Filled up with zeros to whole blocks.
  static Column of(const Element &element, const std::vector<uint64_t> &patterns) {
    Column column = zeros(element, (patterns.size() + block - 1) / block * block);
    for (size_t i = 0; i < patterns.size(); ++i)
      std::memcpy(column.bytes.data() + i * element.bytes, &patterns[i], element.bytes);
    return column;
  }
  static Column ofAll(const Element &element) {
    std::vector<uint64_t> patterns;
    for (uint64_t bits = 0; bits < uint64_t(1) << (8 * element.bytes); ++bits)
      patterns.push_back(bits);
    return of(element, patterns);
  }
  size_t size() const { return bytes.size() / element.bytes; }
  uint64_t at(size_t i) const {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + i * element.bytes, element.bytes);
    return bits;
  }
};

bool same(const Element &element, uint64_t a, uint64_t b) {
  return a == b || (element.format && std::isnan(element.format->decode(a)) &&
                    std::isnan(element.format->decode(b)));
}

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

//===-- programs ----------------------------------------------------------------------------------===//

std::string tile(const std::string &element) {
  return fmt::format("tensor<{}x{}>", block, element);
}

/// y = body(x0, x1, ...): `body` makes %r of %x0, %x1, ... and the indices %i.
std::string programOf(const std::string &body, const std::vector<Element> &operands,
                      const Element &result) {
  std::string arguments, loads;
  auto address = [&](const std::string &name, const Element &element) {
    std::string pointers = tile("!tt.ptr<" + element.name + ">");
    return fmt::format("%{0}_p = tt.addptr %{0}_, %start : !tt.ptr<{1}>, i32\n"
                       "%{0}_s = tt.splat %{0}_p : !tt.ptr<{1}> -> {2}\n"
                       "%{0}_a = tt.addptr %{0}_s, %i : {2}, {3}\n",
                       name, element.name, pointers, tile("i32"));
  };
  for (size_t k = 0; k < operands.size(); ++k) {
    std::string name = fmt::format("x{}", k);
    arguments += fmt::format("%{}_: !tt.ptr<{}>, ", name, operands[k].name);
    loads += address(name, operands[k]) + fmt::format("%{0} = tt.load %{0}_a : {1}\n", name,
                                                      tile("!tt.ptr<" + operands[k].name + ">"));
  }
  return fmt::format("tt.func public @k({}%y_: !tt.ptr<{}>) {{\n%pid = tt.get_program_id x : i32\n"
                     "%size = arith.constant {} : i32\n%start = arith.muli %pid, %size : i32\n"
                     "%i = tt.make_range {{start = 0 : i32, end = {} : i32}} : {}\n",
                     arguments, result.name, block, block, tile("i32")) +
         loads + body + "\n" + address("y", result) +
         fmt::format("tt.store %y_a, %r : {}\ntt.return\n}}\n",
                     tile("!tt.ptr<" + result.name + ">"));
}

/// A conversion that TTIR may have, in its words.
std::string conversionOf(const Element &from, const Element &to, Rounding rounding) {
  const char *words = from.bytes < to.bytes              ? ""
                      : rounding == Rounding::TowardZero ? ", rounding = rtz"
                                                         : ", rounding = rtne";
  return fmt::format("%r = tt.fp_to_fp %x0{} : {} -> {}", words, tile(from.name), tile(to.name));
}

class Loaded {
public:
  Loaded(Device &device, const std::string &program, const CompileOptions &options)
      : device(device), stream(*Stream::create(device)) {
    auto module = Module::parse(program, "conversion");
    if (!module) {
      ADD_FAILURE() << module.error().text() << "\n" << program;
      return;
    }
    auto compiled = compile(*module, options);
    if (!compiled) {
      ADD_FAILURE() << options.target << ": " << compiled.error().text() << "\n" << program;
      return;
    }
    auto loaded = Kernel::load(device, compiled->artifact);
    if (loaded)
      kernel.emplace(*loaded);
    else
      ADD_FAILURE() << options.target << ": " << loaded.error().text();
  }

  Column run(const std::vector<Column> &operands, const Element &result) {
    Column results = Column::zeros(result, operands.front().size());
    if (!kernel)
      return results;
    std::vector<Buffer> buffers;
    std::vector<Argument> list;
    for (const Column &operand : operands) {
      buffers.push_back(*Buffer::allocate(device, operand.bytes.size()));
      EXPECT_TRUE(bool(buffers.back().copyFrom(operand.bytes.data(), operand.bytes.size())));
    }
    buffers.push_back(*Buffer::allocate(device, results.bytes.size()));
    for (const Buffer &buffer : buffers)
      list.push_back(makeArgument(buffer));
    auto launched = kernel->launch(stream, {.x = int(results.size() / block)}, list);
    EXPECT_TRUE(bool(launched)) << (launched ? "" : launched.error().text());
    EXPECT_TRUE(bool(stream.synchronize()));
    EXPECT_TRUE(bool(buffers.back().copyTo(results.bytes.data(), results.bytes.size())));
    return results;
  }

private:
  Device &device;
  Stream stream;
  std::optional<Kernel> kernel;
};

//===-- tests -------------------------------------------------------------------------------------===//

struct ConversionTest : testing::Test {
  ConversionTest() {
    const char *asked = std::getenv("TIGON_TEST_DEVICE");
    device.emplace(*Device::open(asked ? asked : "cpu"));
    if (device->properties().kind != DeviceKind::Cpu)
      targets = {device->properties().target, "sm_80"}; // with instructions for bytes and without
    else
      targets = {"cpu:x86-64-v2", "cpu:x86-64-v3"};
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

//===-- all of f32 --------------------------------------------------------------------------------===//

// 2^32 numbers into each type, on each target: half an hour on two cores. The interpreter's codec alone is the reference,
// since the interpreter would take days.
TEST_F(ConversionTest, EverySingleInEveryType) {
  if (!std::getenv("TIGON_EVERY_SINGLE"))
    GTEST_SKIP() << "TIGON_EVERY_SINGLE is not set";
  constexpr uint64_t chunk = uint64_t(1) << 24;
  std::vector<Element> types = byteTypes;
  types.insert(types.end(), {f16, bf16});
  struct Case {
    Element to;
    Rounding rounding;
    std::vector<std::pair<std::string, Loaded>> loaded;
    int64_t wrong = 0;
  };
  std::vector<Case> cases;
  for (const Element &to : types)
    for (Rounding rounding : {Rounding::NearestEven, Rounding::TowardZero}) {
      Case &one = cases.emplace_back(Case{to, rounding, {}});
      std::string program = programOf(conversionOf(f32, to, rounding), {f32}, to);
      for (const std::string &target : targets)
        one.loaded.emplace_back(target, Loaded(*device, program, {.target = target}));
    }
  Column singles = Column::zeros(f32, chunk);
  for (uint64_t begin = 0; begin < uint64_t(1) << 32; begin += chunk) {
    for (uint64_t i = 0; i < chunk; ++i) {
      uint32_t bits = uint32_t(begin + i);
      std::memcpy(singles.bytes.data() + 4 * i, &bits, 4);
    }
    for (Case &one : cases) {
      Column expected = Column::zeros(one.to, chunk);
      std::vector<std::thread> threads;
      uint64_t parts = std::max(1u, std::thread::hardware_concurrency());
      for (uint64_t part = 0; part < parts; ++part)
        threads.emplace_back([&, part] {
          for (uint64_t i = chunk * part / parts; i < chunk * (part + 1) / parts; ++i) {
            double value = std::bit_cast<float>(uint32_t(begin + i));
            uint64_t bits = one.to.format->encode(one.to.format->round(value, one.rounding));
            std::memcpy(expected.bytes.data() + i * one.to.bytes, &bits, one.to.bytes);
          }
        });
      for (std::thread &thread : threads)
        thread.join();
      for (auto &[target, loaded] : one.loaded) {
        Column got = loaded.run({singles}, one.to);
        if (got.bytes == expected.bytes)
          continue;
        for (uint64_t i = 0; i < chunk; ++i)
          if (!same(one.to, got.at(i), expected.at(i)) && !one.wrong++)
            ADD_FAILURE() << fmt::format("{}: f32 {:#x} to {}: found {:#x}, expected {:#x}", target,
                                         begin + i, one.to.name, got.at(i), expected.at(i));
      }
    }
  }
  for (const Case &one : cases)
    EXPECT_EQ(one.wrong, 0) << one.to.name;
}

} // namespace
} // namespace tigon
