// SPDX-License-Identifier: Apache-2.0
//
// Every function of compiler/math, compiled for a device and run on it, against long double.
//
//   TIGON_TEST_DEVICE=cuda:0   the device; default: cpu, at the levels that follow
//   TIGON_MATH_TABLE=1         print what docs/math.md has: the largest error of each function
#include "compiler/Compiler.h"
#include "runtime/Runtime.h"
#include "tests/compiler/MathEmulation.h"
#include "tests/compiler/MathFunctions.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <random>

namespace tigon {
namespace {

constexpr int64_t block = 1024, programs = 96, count = block * programs;

std::string typeName(char type) {
  return type == 'f' ? "f32" : type == 'd' ? "f64" : type == 'i' ? "i32" : "i64";
}
size_t bytesOf(char type) { return type == 'f' || type == 'i' ? 4 : 8; }
bool isReal(char type) { return type == 'f' || type == 'd'; }

//===-- arguments ---------------------------------------------------------------------------------===//

class Arguments {
public:
  Arguments(const MathFunction &function) : function(function), random(20260101) {
    for (char type : function.operands)
      columns.push_back({std::vector<char>(count * bytesOf(type)), std::vector<Number>(count)});
    for (int64_t i = 0; i < count; ++i) {
      for (size_t k = 0; k < columns.size(); ++k)
        set(k, i, isReal(function.operands[k]) ? real(k, i) : 0,
            isReal(function.operands[k]) ? 0 : integer(k, i));
      if (function.domain == Domain::Powers && i % 4)
        makePower(i);
    }
  }

  const std::vector<char> &bytes(size_t operand) const { return columns[operand].bytes; }
  std::vector<Number> at(int64_t i) const {
    std::vector<Number> row;
    for (const Column &column : columns)
      row.push_back(column.values[size_t(i)]);
    return row;
  }

private:
  struct Column {
    std::vector<char> bytes;
    std::vector<Number> values;
  };

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  }

  // Special values of all operands against one another, then all exponents, then where functions are busy.
  long double real(size_t operand, int64_t i) {
    bool isDouble = function.operands[operand] == 'd';
    double least = isDouble ? 0x1p-1074 : 0x1p-149, normal = isDouble ? 0x1p-1022 : 0x1p-126;
    double most = isDouble ? std::numeric_limits<double>::max() : std::numeric_limits<float>::max();
    const double special[] = {0,
                              least,
                              normal,
                              normal - least,
                              0.5,
                              1,
                              1.5,
                              2,
                              3,
                              4,
                              10,
                              88.5,
                              710,
                              0x1p24,
                              most,
                              HUGE_VAL,
                              NAN,
                              0x1p-30,
                              0x1.921fb6p+1,
                              0x1.921fb54442d18p+0};
    constexpr int64_t specials = 2 * std::size(special);
    if (function.domain == Domain::Small)
      return uniform(-3, 3);
    int64_t period = 1;
    for (size_t k = 0; k < operand; ++k)
      period *= specials;
    if (i < specials * specials) {
      int64_t choice = i / period % specials;
      return std::copysign(special[choice / 2], choice % 2 ? -1.0 : 1.0);
    }
    double sign = random() % 2 ? 1 : -1;
    switch (random() % 8) {
    default:
      return anyBits(isDouble);
    case 3:
    case 4:
    case 5:
      return sign * std::exp2(uniform(-14, 10));
    case 6: // near 1
      return sign * (1 + (random() % 2 ? 1 : -1) * std::exp2(uniform(isDouble ? -52 : -23, -1)));
    case 7:
      if (function.domain == Domain::Angles)
        return std::floor(std::exp2(uniform(0, 30))) * (M_PI / 2);
      return sign * std::exp2(uniform(-1, 7));
    }
  }
  long double anyBits(bool isDouble) {
    if (isDouble)
      return std::bit_cast<double>(random());
    return std::bit_cast<float>(uint32_t(random()));
  }

  int64_t integer(size_t operand, int64_t i) {
    bool isLong = function.operands[operand] == 'l';
    int64_t least =
        isLong ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int32_t>::min();
    const int64_t special[] = {0, 1,       -1,  2,   -2, least, least + 1, -(least + 1),
                               3, 1 << 24, 127, -126};
    switch (random() % 4) {
    case 0:
      return special[random() % std::size(special)];
    case 1:
      return int64_t(random() % 601) - 300;
    case 2:
      return isLong ? int64_t(random()) >> random() % 64 : int32_t(random()) >> random() % 32;
    default:
      return isLong ? int64_t(random()) : int32_t(random());
    }
  }

  // x^y within range: y from x and the exponent wanted.
  void makePower(int64_t i) {
    bool isDouble = function.operands[0] == 'd';
    double x = std::exp2(random() % 2 ? uniform(-14, 10)
                                      : uniform(isDouble ? -1022 : -126, isDouble ? 1023 : 127));
    double limit = isDouble ? 1080 : 155;
    double y = uniform(-limit, limit) / std::log2(x);
    bool isWhole = function.operands[1] == 'i' || random() % 4 == 0;
    if (isWhole)
      y = std::trunc(std::clamp(y, -2e9, 2e9));
    set(0, i, isWhole && random() % 2 ? -x : x, 0);
    set(1, i, y, int64_t(y));
  }

  void set(size_t operand, int64_t i, long double real, int64_t integer) {
    char type = function.operands[operand];
    char *to = columns[operand].bytes.data() + size_t(i) * bytesOf(type);
    Number &number = columns[operand].values[size_t(i)];
    float f = float(real);
    double d = double(real);
    auto narrow = int32_t(integer);
    std::memcpy(to,
                type == 'f'   ? static_cast<void *>(&f)
                : type == 'd' ? static_cast<void *>(&d)
                : type == 'i' ? static_cast<void *>(&narrow)
                              : static_cast<void *>(&integer),
                bytesOf(type));
    number = type == 'f'   ? Number{.real = f}
             : type == 'd' ? Number{.real = d}
                           : Number{.integer = integer};
  }

  const MathFunction &function;
  std::mt19937_64 random;
  std::vector<Column> columns;
};

//===-- programs ----------------------------------------------------------------------------------===//

std::string programOf(const MathFunction &function) {
  auto tile = [](const std::string &element) {
    return fmt::format("tensor<{}x{}>", block, element);
  };
  std::string arguments, loads;
  auto address = [&](const std::string &name, const std::string &type) {
    std::string pointers = tile("!tt.ptr<" + type + ">");
    return fmt::format("%{0}p = tt.addptr %{0}, %start : !tt.ptr<{1}>, i32\n"
                       "%{0}s = tt.splat %{0}p : !tt.ptr<{1}> -> {2}\n"
                       "%{0}a = tt.addptr %{0}s, %i : {2}, {3}\n",
                       name, type, pointers, tile("i32"));
  };
  std::vector<std::string> operands, types;
  for (size_t k = 0; k < function.operands.size(); ++k) {
    std::string name = fmt::format("x{}", k), type = typeName(function.operands[k]);
    arguments += fmt::format("%{}: !tt.ptr<{}>, ", name, type);
    loads += address(name, type) +
             fmt::format("%{0}v = tt.load %{0}a : {1}\n", name, tile("!tt.ptr<" + type + ">"));
    operands.push_back("%" + name + "v");
    types.push_back(tile(type));
  }
  std::string result = typeName(function.result);
  return fmt::format("tt.func public @k({}%y: !tt.ptr<{}>) {{\n%pid = tt.get_program_id x : i32\n"
                     "%size = arith.constant {} : i32\n%start = arith.muli %pid, %size : i32\n"
                     "%i = tt.make_range {{start = 0 : i32, end = {} : i32}} : {}\n",
                     arguments, result, block, block, tile("i32")) +
         loads + callOf(function, operands, types, tile(result)) + "\n" + address("y", result) +
         fmt::format("tt.store %ya, %r : {}\ntt.return\n}}\n", tile("!tt.ptr<" + result + ">"));
}

//===-- errors ------------------------------------------------------------------------------------===//

struct Finding {
  double error = 0; // ulp; integers: 1 if wrong
  std::string where;
};

Finding compare(const MathFunction &function, const Arguments &arguments,
                const std::vector<Number> &exact, const std::vector<char> &results) {
  Finding worst;
  for (int64_t i = 0; i < count; ++i) {
    const char *at = results.data() + size_t(i) * bytesOf(function.result);
    double error, found;
    const Number &wanted = exact[size_t(i)];
    if (isReal(function.result)) {
      float f;
      std::memcpy(&f, at, 4);
      if (function.result == 'd')
        std::memcpy(&found, at, 8);
      else
        found = f;
      error = errorInUlp(wanted.real, found, function.result == 'd', function.anyZero);
    } else {
      int32_t narrow;
      int64_t wide;
      std::memcpy(&narrow, at, 4);
      if (function.result == 'l')
        std::memcpy(&wide, at, 8);
      else
        wide = narrow;
      found = double(wide);
      error = wide != wanted.integer;
    }
    if (error <= worst.error)
      continue;
    worst.error = error;
    worst.where.clear();
    std::vector<Number> row = arguments.at(i);
    for (size_t k = 0; k < row.size(); ++k)
      worst.where += isReal(function.operands[k]) ? fmt::format("{:a} ", double(row[k].real))
                                                  : fmt::format("{} ", row[k].integer);
    worst.where += isReal(function.result)
                       ? fmt::format("gives {:a}, expected {:a}", found, double(wanted.real))
                       : fmt::format("gives {}, expected {}", int64_t(found), wanted.integer);
  }
  return worst;
}

//===-- the test ----------------------------------------------------------------------------------===//

struct MathTest : testing::Test {
  MathTest() {
    const char *asked = std::getenv("TIGON_TEST_DEVICE");
    device.emplace(*Device::open(asked ? asked : "cpu"));
    if (device->properties().kind != DeviceKind::Cpu)
      targets = {device->properties().target};
    else
      targets = {"cpu:x86-64-v2", "cpu:x86-64-v3"};
  }

  std::vector<char> run(const MathFunction &function, const std::string &program,
                        const Arguments &arguments, const CompileOptions &options) {
    auto module = Module::parse(program, function.callee);
    EXPECT_TRUE(bool(module)) << program;
    auto compiled = compile(*module, options);
    if (!compiled) {
      ADD_FAILURE() << function.callee << ": " << compiled.error().text();
      return {};
    }
    auto kernel = Kernel::load(*device, compiled->artifact);
    if (!kernel) {
      ADD_FAILURE() << function.callee << ": " << kernel.error().text();
      return {};
    }
    Stream stream = *Stream::create(*device);
    std::vector<Buffer> buffers;
    for (size_t k = 0; k < function.operands.size(); ++k) {
      const std::vector<char> &bytes = arguments.bytes(k);
      buffers.push_back(*Buffer::allocate(*device, bytes.size()));
      EXPECT_TRUE(bool(buffers.back().copyFrom(bytes.data(), bytes.size())));
    }
    std::vector<char> results(count * bytesOf(function.result));
    buffers.push_back(*Buffer::allocate(*device, results.size()));
    std::vector<Argument> list;
    for (const Buffer &buffer : buffers)
      list.push_back(makeArgument(buffer));
    EXPECT_TRUE(bool(kernel->launch(stream, {.x = programs}, list)));
    EXPECT_TRUE(bool(stream.synchronize()));
    EXPECT_TRUE(bool(buffers.back().copyTo(results.data(), results.size())));
    return results;
  }

  std::optional<Device> device;
  std::vector<std::string> targets;
};

std::vector<Number> exactResults(const MathFunction &function, const Arguments &arguments) {
  std::vector<Number> exact(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i)
    exact[size_t(i)] = function.reference(arguments.at(i).data());
  return exact;
}

/// The largest errors of each function, for docs/math.md.
struct ErrorTable {
  std::map<std::string, std::map<char, double>> rows;

  void add(const MathFunction &function, double error) {
    char type = isReal(function.result) ? function.result : function.operands[0];
    double &most = rows[function.name][type];
    most = std::max(most, error);
  }
  void print() {
    if (!std::getenv("TIGON_MATH_TABLE"))
      return;
    for (auto &[name, errors] : rows) {
      auto shown = [&](char type) {
        return errors.contains(type) ? fmt::format("{:.2f}", errors[type]) : "";
      };
      fmt::print("| {} | {} | {} |\n", name, shown(errors.contains('f') ? 'f' : 'i'),
                 shown(errors.contains('d') ? 'd' : 'l'));
    }
  }
};

TEST_F(MathTest, FunctionsAreWithinTheirBounds) {
  bool isGpu = device->properties().kind == DeviceKind::Cuda;
  ErrorTable table;
  for (const MathFunction &function : mathFunctions()) {
    Arguments arguments(function);
    std::vector<Number> exact = exactResults(function, arguments);
    for (const std::string &target : targets) {
      std::vector<char> results = run(function, programOf(function), arguments, {.target = target});
      if (results.empty())
        continue;
      Finding worst = compare(function, arguments, exact, results);
      EXPECT_LE(worst.error, isGpu ? function.approximated : function.bound)
          << function.callee << " of " << function.operands << " on " << target << ": "
          << worst.where;
      table.add(function, worst.error);
    }
  }
  table.print();
}

// f32 only: f64 has no approximations.
TEST_F(MathTest, FormulasOverApproximationsAreWithinTheirBounds) {
  if (device->properties().kind != DeviceKind::Cpu)
    GTEST_SKIP() << "the device has approximations of its own";
  ErrorTable table;
  for (const MathFunction &function : mathFunctions()) {
    if (function.result != 'f' || function.operands[0] != 'f')
      continue;
    Arguments arguments(function);
    // What the formula says is computed, nothing fused beyond it.
    std::vector<char> results = run(function, emulateApproximations(programOf(function)), arguments,
                                    {.target = "cpu:x86-64-v3", .contract = false});
    if (results.empty())
      continue;
    Finding worst = compare(function, arguments, exactResults(function, arguments), results);
    EXPECT_LE(worst.error, function.approximated) << function.callee << ": " << worst.where;
    table.add(function, worst.error);
  }
  table.print();
}

} // namespace
} // namespace tigon
