// SPDX-License-Identifier: Apache-2.0
//
// What AxisAnalysis claims of a value holds for every element: random integer tile programs, run by the interpreter, and
// each claim checked by brute force.
#include "compiler/AxisAnalysis.h"

#include "tests/dialect/interpreter/Program.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

namespace tigon {
namespace {

using interpreter::Program;

constexpr int size = 64;
constexpr int64_t shapes[][2] = {{64, 0}, {8, 8}, {4, 16}, {1, 64}, {64, 1}, {2, 32}};

std::string typeOf(int shape, const std::string &element = "i64") {
  const int64_t *axes = shapes[shape];
  return axes[1] ? fmt::format("tensor<{}x{}x{}>", axes[0], axes[1], element)
                 : fmt::format("tensor<{}x{}>", axes[0], element);
}

/// A program of random ops on tiles of 64 elements, which stores every value that it makes.
class RandomProgram {
public:
  explicit RandomProgram(unsigned seed) : random(seed) {
    for (int argument = 0; argument < 2; ++argument) {
      int64_t divisibility = int64_t(1) << pick(6);
      arguments[argument] = (pick(41) - 20) * divisibility;
      text += fmt::format("%s{}: i64 {{tt.divisibility = {} : i64}}, ", argument, divisibility);
    }
    text = "tt.func public @k(" + text + "%out: !tt.ptr<i64>) {\n";
    for (int scalar = 0; scalar < 2; ++scalar)
      scalars.push_back(fmt::format("%s{}", scalar));
    add(0, "tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>");
    std::string range = tiles[0].back();
    tiles[0].clear();
    text += fmt::format("%flat = arith.extsi {} : tensor<64xi32> to tensor<64xi64>\n", range);
    addLeaves();
    for (int step = 0; step < 14; ++step)
      addOp();
    storeAll();
    text += "tt.return\n}";
  }

  std::string text;
  int64_t arguments[2];
  int stored = 0;

private:
  int pick(int count) { return int(random() % unsigned(count)); }
  const std::string &any(const std::vector<std::string> &from) {
    return from[size_t(pick(int(from.size())))];
  }

  std::string add(int shape, const std::string &op) {
    std::string name = fmt::format("%v{}", names++);
    text += name + " = " + op + "\n";
    tiles[shape].push_back(name);
    return name;
  }
  std::string constant(int shape) {
    static constexpr int64_t values[] = {1, 2, 3, 4, 8, 12, 16, 64, -1, -2, -8, 5};
    std::string name = fmt::format("%v{}", names++);
    text +=
        fmt::format("{} = arith.constant dense<{}> : {}\n", name, values[pick(12)], typeOf(shape));
    return name;
  }

  // Ranges that start anywhere, tiles of one scalar, and reshaped, so that each shape has some.
  void addLeaves() {
    int64_t start = pick(5) * (int64_t(1) << pick(5));
    text += fmt::format(
        "%begun = tt.make_range {{start = {} : i32, end = {} : i32}} : tensor<64xi32>\n", start,
        start + size);
    add(0, "arith.extsi %begun : tensor<64xi32> to tensor<64xi64>");
    for (int shape = 0; shape < int(std::size(shapes)); ++shape) {
      add(shape, fmt::format("tt.splat {} : i64 -> {}", any(scalars), typeOf(shape)));
      if (shape)
        add(shape, fmt::format("tt.reshape %flat : tensor<64xi64> -> {}", typeOf(shape)));
    }
    add(0, "arith.addi %flat, %flat : tensor<64xi64>");
    // Rows and columns of [8, 8]: a short range, expanded and broadcast.
    text += "%short = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>\n"
            "%wide = arith.extsi %short : tensor<8xi32> to tensor<8xi64>\n";
    for (int axis : {0, 1}) {
      const char *line = axis ? "8x1" : "1x8";
      text += fmt::format("%line{0} = tt.expand_dims %wide {{axis = {0} : i32}} : tensor<8xi64> -> "
                          "tensor<{1}xi64>\n",
                          axis, line);
      add(1, fmt::format("tt.broadcast %line{} : tensor<{}xi64> -> tensor<8x8xi64>", axis, line));
    }
  }

  void addOp() {
    int shape = pick(int(std::size(shapes)));
    std::string type = typeOf(shape), a = any(tiles[shape]), b = any(tiles[shape]);
    static constexpr const char *anyOperands[] = {"addi",  "subi",  "andi",  "ori",  "xori",
                                                  "minsi", "maxsi", "minui", "maxui"};
    static constexpr const char *byConstant[] = {"muli", "divsi", "divui", "remsi", "remui"};
    static constexpr const char *shifts[] = {"shli", "shrsi", "shrui"};
    static constexpr const char *predicates[] = {"slt", "sge", "eq", "ult", "ne"};
    switch (pick(9)) {
    default:
      add(shape, fmt::format("arith.{} {}, {} : {}", anyOperands[pick(9)], a, b, type));
      break;
    case 1:
    case 2: {
      std::string by = constant(shape);
      add(shape, fmt::format("arith.{} {}, {} : {}", byConstant[pick(5)], a, by, type));
      break;
    }
    case 3: {
      text += fmt::format("%c{} = arith.constant dense<{}> : {}\n", names, pick(7), type);
      std::string by = fmt::format("%c{}", names);
      add(shape, fmt::format("arith.{} {}, {} : {}", shifts[pick(3)], a, by, type));
      break;
    }
    case 4: {
      text += fmt::format("%m{} = arith.cmpi {}, {}, {} : {}\n", names, predicates[pick(5)], a, b,
                          type);
      std::string mask = fmt::format("%m{}", names), c = any(tiles[shape]);
      masks.push_back({shape, mask});
      add(shape,
          fmt::format("arith.select {}, {}, {} : {}, {}", mask, a, c, typeOf(shape, "i1"), type));
      break;
    }
    case 5: {
      int other = pick(int(std::size(shapes)));
      add(other, fmt::format("tt.reshape {} : {} -> {}", a, type, typeOf(other)));
      break;
    }
    case 6: {
      std::string square = any(tiles[1]);
      add(1, fmt::format("tt.trans {} {{order = array<i32: 1, 0>}} : tensor<8x8xi64> -> "
                         "tensor<8x8xi64>",
                         square));
      break;
    }
    case 7: { // a loop that carries a tile, and adds another and its own index
      std::string k = fmt::format("%k{}", names), name = fmt::format("%v{}", names++);
      text += fmt::format("%from{0} = arith.constant {1} : i64\n%to{0} = arith.constant {2} : i64\n"
                          "%by{0} = arith.constant {3} : i64\n"
                          "{4} = scf.for {5} = %from{0} to %to{0} step %by{0} iter_args(%a{0} = "
                          "{6}) -> ({7}) : i64 {{\n%ks{0} = tt.splat {5} : i64 -> {7}\n"
                          "%n{0} = arith.addi %a{0}, {8} : {7}\n%o{0} = arith.addi %n{0}, %ks{0} : "
                          "{7}\nscf.yield %o{0} : {7}\n}}\n",
                          names, pick(3) * 4, 12 + pick(8), 1 << pick(4), name, k, a, type, b);
      tiles[shape].push_back(name);
      break;
    }
    case 8: {
      std::string narrow = fmt::format("%t{}", names);
      text +=
          fmt::format("{} = arith.trunci {} : {} to {}\n", narrow, a, type, typeOf(shape, "i32"));
      add(shape, fmt::format("arith.extsi {} : {} to {}", narrow, typeOf(shape, "i32"), type));
      break;
    }
    }
  }

  void store(int shape, const std::string &value) {
    std::string type = typeOf(shape), pointers = typeOf(shape, "!tt.ptr<i64>");
    text += fmt::format("%base{0} = arith.constant {1} : i64\n"
                        "%begin{0} = tt.addptr %out, %base{0} : !tt.ptr<i64>, i64\n"
                        "%place{0} = tt.reshape %flat : tensor<64xi64> -> {2}\n"
                        "%begins{0} = tt.splat %begin{0} : !tt.ptr<i64> -> {3}\n"
                        "%p{0} = tt.addptr %begins{0}, %place{0} : {3}, {2}\n"
                        "tt.store %p{0}, {4} : {3}\n",
                        stored, stored * size, type, pointers, value);
    ++stored;
  }
  void storeAll() {
    for (int shape = 0; shape < int(std::size(shapes)); ++shape)
      for (const std::string &tile : tiles[shape])
        store(shape, tile);
    for (auto &[shape, mask] : masks) { // constancy is what masks have
      text += fmt::format("%as{0} = arith.extui {1} : {2} to {3}\n", stored, mask,
                          typeOf(shape, "i1"), typeOf(shape));
      store(shape, fmt::format("%as{}", stored));
    }
  }

  std::mt19937 random;
  int names = 0;
  std::vector<std::string> scalars;
  std::vector<std::string> tiles[std::size(shapes)];
  std::vector<std::pair<int, std::string>> masks;
};

/// The first claim of `info` that does not hold for `values`; empty if all do.
std::string findFalseClaim(const AxisInfo &info, mlir::RankedTensorType type,
                           const int64_t *values) {
  if (info.constant || info.nonNegative)
    for (int i = 0; i < size; ++i) {
      if (info.constant && values[i] != *info.constant)
        return fmt::format("constant {}: found {}", *info.constant, values[i]);
      if (info.nonNegative && values[i] < 0)
        return fmt::format("not negative: found {}", values[i]);
    }
  int64_t stride = size;
  for (unsigned axis = 0; axis < info.getRank(); ++axis) {
    int64_t length = type.getDimSize(axis);
    stride /= length;
    for (int64_t i = 0; i < size; ++i) {
      int64_t at = i / stride % length, value = values[i];
      auto isFirst = [&](int64_t group) { return at % std::min(group, length) == 0; };
      auto complain = [&](const char *claim, int64_t group) {
        return fmt::format("{} {} along axis {}: found {} at {}", claim, group, axis, value, i);
      };
      if (isFirst(info.contiguity[axis]) && value % info.divisibility[axis] != 0)
        return complain("divisibility", info.divisibility[axis]);
      if (!isFirst(info.contiguity[axis]) && value != values[i - stride] + 1)
        return complain("contiguity", info.contiguity[axis]);
      if (!isFirst(info.constancy[axis]) && value != values[i - stride])
        return complain("constancy", info.constancy[axis]);
    }
  }
  return "";
}

std::string describe(mlir::Value value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

TEST(AxisAnalysis, ClaimsHoldForEveryElement) {
  int64_t claims = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    RandomProgram made(seed);
    Program program(made.text);
    ASSERT_TRUE(program.module) << made.text;
    std::vector<int64_t> out(size_t(made.stored * size), 0);
    ASSERT_EQ(program.run({}, made.arguments[0], made.arguments[1], out), "") << made.text;
    tt::FuncOp function = *program.module->getOps<tt::FuncOp>().begin();
    AxisAnalysis axes(function);
    int number = 0;
    function.walk([&](tt::StoreOp store) {
      AxisInfo info = axes.get(store.getValue());
      auto type = mlir::cast<mlir::RankedTensorType>(store.getValue().getType());
      std::string fault = findFalseClaim(info, type, &out[size_t(number++ * size)]);
      if (!fault.empty())
        ADD_FAILURE() << "seed " << seed << ", " << describe(store.getValue()) << ": " << fault
                      << "\n"
                      << made.text;
      for (unsigned axis = 0; axis < info.getRank(); ++axis)
        claims +=
            info.contiguity[axis] > 1 || info.constancy[axis] > 1 || info.divisibility[axis] > 1;
    });
    if (testing::Test::HasFailure())
      return;
  }
  EXPECT_GT(claims, 3000); // it is no use to be right by knowing nothing
}

// What vector accesses rest on is found, not only not wrong.
TEST(AxisAnalysis, RowsOfAnAlignedStrideAreContiguousAndAligned) {
  Program program(R"(
tt.func public @k(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %stride: i32 {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 16 : i32}) {
  %row = tt.get_program_id x : i32
  %start = arith.muli %row, %stride : i32
  %p = tt.addptr %x, %start : !tt.ptr<f32>, i32
  %ps = tt.splat %p : !tt.ptr<f32> -> tensor<1024x!tt.ptr<f32>>
  %i = tt.make_range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %ns = tt.splat %n : i32 -> tensor<1024xi32>
  %mask = arith.cmpi slt, %i, %ns : tensor<1024xi32>
  %at = tt.addptr %ps, %i : tensor<1024x!tt.ptr<f32>>, tensor<1024xi32>
  %v = tt.load %at, %mask : tensor<1024x!tt.ptr<f32>>
  tt.return
})");
  tt::FuncOp function = *program.module->getOps<tt::FuncOp>().begin();
  AxisAnalysis axes(function);
  function.walk([&](tt::LoadOp load) {
    EXPECT_EQ(axes.get(load.getPtr()).contiguity[0], 1024);
    EXPECT_EQ(axes.get(load.getPtr()).divisibility[0], 16);
    EXPECT_EQ(axes.get(load.getMask()).constancy[0], 16);
  });
}

} // namespace
} // namespace tigon
