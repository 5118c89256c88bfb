// SPDX-License-Identifier: Apache-2.0
//
// Masks are bounds: a program in strips, which skips those beyond a mask's bound and leaves the mask off below it, gives
// what it gives whole, wherever the bound falls. Both are run by the interpreter, in integers, so that order does not matter.
#include "compiler/Passes.h"
#include "compiler/ProgramFacts.h"
#include "tests/dialect/interpreter/Program.h"

#include "mlir/Pass/PassManager.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <numeric>

namespace tigon {
namespace {

using interpreter::Program;

constexpr int size = 32;

struct Form {
  const char *name, *text;
};

// %mask, an i1 tile, of %i = 0 to 31 and the scalars %n and %c.
const Form masks[] = {
    {"i < n", "%mask = arith.cmpi slt, %i, %ns : tensor<32xi32>\n"},
    {"i + c < n", "%at = arith.addi %i, %cs : tensor<32xi32>\n"
                  "%mask = arith.cmpi slt, %at, %ns : tensor<32xi32>\n"},
    {"c + i < n", "%at = arith.addi %cs, %i : tensor<32xi32>\n"
                  "%mask = arith.cmpi slt, %at, %ns : tensor<32xi32>\n"},
    {"i - c < n", "%at = arith.subi %i, %cs : tensor<32xi32>\n"
                  "%mask = arith.cmpi slt, %at, %ns : tensor<32xi32>\n"},
    {"c - i < n", "%at = arith.subi %cs, %i : tensor<32xi32>\n"
                  "%mask = arith.cmpi slt, %at, %ns : tensor<32xi32>\n"},
    {"i < 21", "%k = arith.constant dense<21> : tensor<32xi32>\n"
               "%mask = arith.cmpi slt, %i, %k : tensor<32xi32>\n"},
    {"n < i", "%mask = arith.cmpi slt, %ns, %i : tensor<32xi32>\n"},
    {"i <= n", "%mask = arith.cmpi sle, %i, %ns : tensor<32xi32>\n"},
    {"i < n, unsigned", "%mask = arith.cmpi ult, %i, %ns : tensor<32xi32>\n"},
    {"wide i < wide n", "%iw = arith.extsi %i : tensor<32xi32> to tensor<32xi64>\n"
                        "%nw = arith.extsi %n : i32 to i64\n"
                        "%nws = tt.splat %nw : i64 -> tensor<32xi64>\n"
                        "%mask = arith.cmpi slt, %iw, %nws : tensor<32xi64>\n"},
    {"i < n and i < c", "%m0 = arith.cmpi slt, %i, %ns : tensor<32xi32>\n"
                        "%m1 = arith.cmpi slt, %i, %cs : tensor<32xi32>\n"
                        "%mask = arith.andi %m0, %m1 : tensor<32xi1>\n"},
    {"i < n or i < c", "%m0 = arith.cmpi slt, %i, %ns : tensor<32xi32>\n"
                       "%m1 = arith.cmpi slt, %i, %cs : tensor<32xi32>\n"
                       "%mask = arith.ori %m0, %m1 : tensor<32xi1>\n"},
    {"2 i < n", "%at = arith.addi %i, %i : tensor<32xi32>\n"
                "%mask = arith.cmpi slt, %at, %ns : tensor<32xi32>\n"},
};

// %w, what is reduced and stored, of the loaded %v.
const Form values[] = {
    {"v", "%w = arith.addi %v, %zeros : tensor<32xi32>\n"},
    {"(v - 1)^2", "%d = arith.subi %v, %ones : tensor<32xi32>\n"
                  "%w = arith.muli %d, %d : tensor<32xi32>\n"},
    {"v where masked, else -3",
     "%low = arith.constant dense<-3> : tensor<32xi32>\n"
     "%w = arith.select %mask, %v, %low : tensor<32xi1>, tensor<32xi32>\n"},
    {"v + i", "%w = arith.addi %v, %i : tensor<32xi32>\n"},
};

const Form loads[] = {
    {"other = 0", "%mask, %zeros"}, {"other = 1", "%mask, %ones"}, {"no mask", ""}};
const char *const combinations[] = {"addi", "maxsi", "muli"};
const char *const modes[] = {"2", "8", "each"};

std::string programOf(const Form &mask, const Form &value, const Form &load, const char *combine,
                      const char *mode) {
  std::string pointers = "tensor<32x!tt.ptr<i32>>", operands = load.text;
  return fmt::format(R"(module attributes {{tg.target = "cpu:x86-64-v3"}} {{
tt.func public @k(%x: !tt.ptr<i32>, %y: !tt.ptr<i32>, %out: !tt.ptr<i32>, %n: i32, %c: i32) attributes {{tg.plan = #tg.plan<strip = 8>, tg.strips = "{}"}} {{
%zeros = arith.constant dense<0> : tensor<32xi32>
%ones = arith.constant dense<1> : tensor<32xi32>
%i = tt.make_range {{start = 0 : i32, end = 32 : i32}} : tensor<32xi32>
%ns = tt.splat %n : i32 -> tensor<32xi32>
%cs = tt.splat %c : i32 -> tensor<32xi32>
{}%xs = tt.splat %x : !tt.ptr<i32> -> {}
%ys = tt.splat %y : !tt.ptr<i32> -> {}
%px = tt.addptr %xs, %i : {}, tensor<32xi32>
%py = tt.addptr %ys, %i : {}, tensor<32xi32>
%v = tt.load %px{}{} : {}
{}%r = "tt.reduce"(%w) <{{axis = 0 : i32}}> ({{
^bb0(%a: i32, %b: i32):
  %s = arith.{} %a, %b : i32
  tt.reduce.return %s : i32
}}) : (tensor<32xi32>) -> i32
%rs = tt.splat %r : i32 -> tensor<32xi32>
%z = arith.addi %w, %rs : tensor<32xi32>
tt.store %py, %z, %mask : {}
tt.store %out, %r : !tt.ptr<i32>
tt.return
}}
}})",
                     mode, mask.text, pointers, pointers, pointers, pointers,
                     operands.empty() ? "" : ", ", operands, pointers, value.text, combine,
                     pointers);
}

std::vector<int32_t> run(Program &program, int32_t n, int32_t c) {
  std::vector<int32_t> x(size), y(size, 77), out(1);
  std::iota(x.begin(), x.end(), 5);
  EXPECT_EQ(program.run({}, x, y, out, n, c), "");
  y.push_back(out[0]);
  return y;
}

const std::pair<int32_t, int32_t> bounds[] = {{0, 0},  {1, 3},    {7, -2},        {8, 8},  {9, 20},
                                              {16, 1}, {31, -1},  {32, 5},        {33, 0}, {40, 9},
                                              {-1, 2}, {-5, -30}, {2147483647, 0}};

void compareModes(const Form &mask, const Form &value, const Form &load, const char *combine) {
  Program whole(programOf(mask, value, load, combine, "off"));
  std::vector<std::vector<int32_t>> expected;
  for (auto [n, c] : bounds)
    expected.push_back(run(whole, n, c));
  for (const char *mode : modes) {
    std::string text = programOf(mask, value, load, combine, mode);
    Program strips(text);
    ASSERT_TRUE(strips.module);
    mlir::PassManager passes(&strips.context);
    passes.nest<tt::FuncOp>().addPass(createStripMine());
    ASSERT_TRUE(succeeded(passes.run(*strips.module))) << text;
    for (size_t i = 0; i < std::size(bounds); ++i)
      ASSERT_EQ(run(strips, bounds[i].first, bounds[i].second), expected[i])
          << mask.name << ", " << value.name << ", " << load.name << ", " << combine << ", " << mode
          << " strips, n = " << bounds[i].first << ", c = " << bounds[i].second << "\n"
          << text;
  }
}

TEST(StripBounds, ProgramsInStripsGiveWhatTheyGiveWhole) {
  for (const Form &mask : masks)
    for (const Form &value : values)
      for (const Form &load : loads)
        for (const char *combine : combinations) {
          compareModes(mask, value, load, combine);
          if (HasFatalFailure())
            return;
        }
}

} // namespace
} // namespace tigon
