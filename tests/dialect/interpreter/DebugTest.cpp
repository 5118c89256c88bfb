// SPDX-License-Identifier: Apache-2.0
#include "tests/dialect/interpreter/Program.h"

#include <gmock/gmock.h>

using testing::HasSubstr;

namespace tigon::interpreter {
namespace {

std::string runBody(const std::string &body, const Options &options = {}) {
  return Program("tt.func public @k() {\n" + body + "\ntt.return\n}").run(options);
}

TEST(Debug, PrintGivesALineAnElement) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  Options options;
  options.output = &stream;
  EXPECT_EQ(
      runBody("%x = arith.constant dense<[1.5, -0.0]> : tensor<2xf32>\n"
              "%n = arith.constant -1 : i32\n"
              "tt.print \" x: \" {hex = false, isSigned = array<i32: 1>} : %x : tensor<2xf32>\n"
              "tt.print \" n: \" {hex = true, isSigned = array<i32: 1>} : %n : i32\n"
              "tt.print \" n: \" {hex = false, isSigned = array<i32: 0>} : %n : i32\n"
              "tt.print \" here\" {hex = false, isSigned = array<i32>}",
              options),
      "");
  EXPECT_EQ(text, "pid (0, 0, 0) idx (0) x: 1.5\npid (0, 0, 0) idx (1) x: -0\n"
                  "pid (0, 0, 0) n: 0xffffffff\npid (0, 0, 0) n: 4294967295\npid (0, 0, 0) here\n");
}

TEST(Debug, FailedAssertsAndBrokenPromisesAreErrors) {
  std::string condition = "%c = arith.constant dense<[true, false]> : tensor<2xi1>\n";
  EXPECT_THAT(runBody(condition + "tt.assert %c, \"x > 0\" : tensor<2xi1>"),
              HasSubstr("test.ttir:3:1: tt.assert: found false in lane 1: x > 0"));
  EXPECT_THAT(runBody("%c = arith.constant false\nllvm.intr.assume %c : i1"),
              HasSubstr("a promise of the program is broken"));
  EXPECT_EQ(runBody("%c = arith.constant true\nllvm.intr.assume %c : i1\ncf.assert %c, \"\""), "");
}

TEST(Debug, BarriersAndDependenciesDoNothing) {
  EXPECT_EQ(runBody("gpu.barrier\nttg.barrier all\ntt.grid_dependency_wait\n"
                    "tt.grid_dependency_launch_dependents"),
            "");
}

std::string assembly(const std::string &text, const std::string &type) {
  return "%r = tt.elementwise_inline_asm \"" + text +
         "\" {constraints = \"=r\", packed_element = 1 : i32, pure = true} -> " + type;
}

TEST(Debug, AssemblyOfOrdinaryKernelsIsKnown) {
  EXPECT_EQ(runBody(assembly("mov.u64 $0, %globaltimer;", "i64")), "");
  EXPECT_EQ(runBody(assembly("mov.u32 $0, %smid;", "i32")), "");
  EXPECT_EQ(runBody(assembly("griddepcontrol.wait; // dummy $0", "i32")), "");
  EXPECT_THAT(runBody(assembly("shl.b32 $0, $0, 3;", "i32")),
              HasSubstr("does not know: 'shl.b32 $0, $0, 3;'"));
}

TEST(Debug, AnOpOrTypeThatIsNotKnownIsAnErrorThatNamesIt) {
  EXPECT_THAT(runBody("%z = llvm.mlir.zero : i32"),
              HasSubstr("llvm.mlir.zero: found an op that the interpreter does not know"));
  EXPECT_THAT(runBody("%z = arith.constant 0.0 : f80"), HasSubstr("found a value of type f80"));
  EXPECT_THAT(runBody("%z = arith.constant dense<0> : vector<4xi32>"),
              HasSubstr("found a value of type vector<4xi32>"));
}

TEST(Debug, ArgumentsThatDoNotFitAreErrors) {
  Program program("tt.func public @k(%n: i32) {\ntt.return\n}");
  EXPECT_THAT(program.run({}), HasSubstr("found 0 arguments, expected 1"));
  Program tile("tt.func public @k(%n: tensor<4xi32>) {\ntt.return\n}");
  EXPECT_THAT(tile.run({}, 1), HasSubstr("found an argument of type tensor<4xi32>"));
  Program declaration("tt.func private @k(i32)");
  EXPECT_THAT(declaration.run({}, 1), HasSubstr("found a declaration"));
}

TEST(Debug, AnEmptyGridRunsNothing) {
  Program program("tt.func public @k() {\n%c = arith.constant false\ntt.assert %c, \"\" : i1\n"
                  "tt.return\n}");
  EXPECT_EQ(program.runOn({0, 1, 1}, {}), "");
}

} // namespace
} // namespace tigon::interpreter
