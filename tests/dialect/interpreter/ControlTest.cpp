// SPDX-License-Identifier: Apache-2.0
#include "tests/dialect/interpreter/Program.h"

#include <gmock/gmock.h>

using testing::HasSubstr;

namespace tigon::interpreter {
namespace {

// The i32 that `body` makes of %n and stores to %y.
std::string runBody(const std::string &body, int32_t n, int32_t &result,
                    const Options &options = {}) {
  Program program("tt.func public @k(%y: !tt.ptr<i32>, %n: i32) {\n" + body + "\n}");
  std::vector<int32_t> y = {0};
  std::string error = program.run(options, y, n);
  result = y[0];
  return error;
}
int32_t run(const std::string &body, int32_t n) {
  int32_t result;
  EXPECT_EQ(runBody(body, n, result), "");
  return result;
}

std::string countLoop(const std::string &lower, const std::string &upper, const std::string &step,
                      const std::string &type, const std::string &keyword = "") {
  return "%l = arith.constant " + lower + " : " + type + "\n%u = arith.constant " + upper + " : " +
         type + "\n%s = arith.constant " + step + " : " + type +
         "\n%zero = arith.constant 0 : i32\n%one = arith.constant 1 : i32\n%c = scf.for " +
         keyword + " %i = %l to %u step %s iter_args(%k = %zero) -> (i32) : " + type +
         " {\n%m = arith.addi %k, %one : i32\nscf.yield %m : i32\n}\n"
         "tt.store %y, %c : !tt.ptr<i32>\ntt.return";
}

TEST(Control, LoopsCountSignedAndUnsigned) {
  EXPECT_EQ(run(countLoop("0", "10", "3", "i32"), 0), 4);
  EXPECT_EQ(run(countLoop("5", "5", "1", "i32"), 0), 0);
  EXPECT_EQ(run(countLoop("5", "-5", "1", "i64"), 0), 0);
  EXPECT_EQ(run(countLoop("5", "-5", "1073741824", "i32", "unsigned"), 0), 4);
}

TEST(Control, LoopsEndThoughTheVariableWouldOverflow) {
  EXPECT_EQ(run(countLoop("2147483640", "2147483647", "5", "i32"), 0), 2);
  EXPECT_EQ(
      run(countLoop("-9223372036854775808", "9223372036854775807", "9223372036854775807", "i64"),
          0),
      3);
}

TEST(Control, ALoopWithoutStepIsAnError) {
  int32_t result;
  EXPECT_THAT(runBody(countLoop("0", "1", "0", "i32"), 0, result), HasSubstr("found the step 0"));
}

TEST(Control, WhileLoopsRunUntilTheirConditionFails) {
  EXPECT_EQ(run(R"(
    %one = arith.constant 1 : i32
    %two = arith.constant 2 : i32
    %r:2 = scf.while (%v = %n, %steps = %n) : (i32, i32) -> (i32, i32) {
      %more = arith.cmpi sgt, %v, %one : i32
      scf.condition(%more) %v, %steps : i32, i32
    } do {
    ^bb0(%v: i32, %steps: i32):
      %half = arith.divsi %v, %two : i32
      %next = arith.addi %steps, %one : i32
      scf.yield %half, %next : i32, i32
    }
    tt.store %y, %r#1 : !tt.ptr<i32>
    tt.return)",
                100),
            106);
}

TEST(Control, AnEarlyReturnThroughBranches) {
  const char *body = R"(
    %zero = arith.constant 0 : i32
    %negative = arith.cmpi slt, %n, %zero : i32
    cf.cond_br %negative, ^early, ^rest(%n : i32)
  ^early:
    tt.return
  ^rest(%v: i32):
    tt.store %y, %v : !tt.ptr<i32>
    tt.return)";
  EXPECT_EQ(run(body, -5), 0);
  EXPECT_EQ(run(body, 5), 5);
}

TEST(Control, SwitchesChooseACaseOrTheDefault) {
  const char *branches = R"(
    %a = arith.constant 10 : i32
    %b = arith.constant 20 : i32
    cf.switch %n : i32, [default: ^end(%n : i32), 1: ^end(%a : i32), 2: ^end(%b : i32)]
  ^end(%v: i32):
    tt.store %y, %v : !tt.ptr<i32>
    tt.return)";
  EXPECT_EQ(run(branches, 2), 20);
  EXPECT_EQ(run(branches, 7), 7);
  const char *regions = R"(
    %i = arith.index_cast %n : i32 to index
    %v = scf.index_switch %i -> i32
    case -1 {
      %a = arith.constant 10 : i32
      scf.yield %a : i32
    }
    default {
      %b = scf.execute_region -> i32 {
        scf.yield %n : i32
      }
      scf.yield %b : i32
    }
    tt.store %y, %v : !tt.ptr<i32>
    tt.return)";
  EXPECT_EQ(run(regions, -1), 10);
  EXPECT_EQ(run(regions, 3), 3);
}

TEST(Control, CallsOfDeviceFunctions) {
  Program program(R"mlir(
    tt.func public @k(%y: !tt.ptr<i32>, %n: i32) {
      %a = tt.call @"sq__i32__(1,)"(%n) : (i32) -> i32
      %b:2 = tt.call @pair(%a) : (i32) -> (i32, i32)
      tt.store %y, %b#1 : !tt.ptr<i32>
      tt.return
}
    tt.func private @"sq__i32__(1,)"(%x: i32) -> i32 attributes {noinline = true} {
      %s = arith.muli %x, %x : i32
      tt.return %s : i32
    }
    tt.func private @pair(%x: i32) -> (i32, i32) attributes {noinline = true} {
      %s = tt.call @"sq__i32__(1,)"(%x) : (i32) -> i32
      tt.return %x, %s : i32, i32
    })mlir");
  std::vector<int32_t> y = {0};
  EXPECT_EQ(program.run({}, y, 3), "");
  EXPECT_EQ(y[0], 81);
}

TEST(Control, RecursionIsRefused) {
  Program program(R"(
    tt.func public @k() {
      tt.call @f() : () -> ()
      tt.return
    }
    tt.func private @f() {
      tt.call @f() : () -> ()
      tt.return
    })");
  EXPECT_THAT(program.run({}), HasSubstr("found a recursive call of @f"));
}

TEST(Control, ProgramsThatNeverEndAreGivenUp) {
  int32_t result;
  Options options;
  options.maxOps = 1000;
  EXPECT_THAT(runBody("cf.br ^loop\n^loop:\ncf.br ^loop", 0, result, options),
              HasSubstr("gave up after 1000 ops"));
  EXPECT_THAT(runBody(countLoop("0", "1000000", "1", "i32"), 0, result, options),
              HasSubstr("gave up after 1000 ops"));
}

} // namespace
} // namespace tigon::interpreter
