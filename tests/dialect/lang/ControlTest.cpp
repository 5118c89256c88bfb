// SPDX-License-Identifier: Apache-2.0
#include "tests/dialect/interpreter/Program.h"
#include "tests/dialect/lang/Built.h"

#include <gmock/gmock.h>

namespace tigon::lang {
namespace {

using interpreter::Program;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<int32_t> run(Kernel &k, int32_t n) {
  std::vector<int32_t> out(4, -1);
  EXPECT_EQ(Program(textOf(k)).run({}, out, n), "");
  return out;
}

struct Control : testing::Test {
  Kernel k{"k"};
  Value out = k.pointer("out", I32), n = k.scalar("n", I32);
};

TEST_F(Control, ForRangeCarriesValues) {
  auto [sum, last] =
      forRange(2, n, 3, {0, n}, [](Value i, Value sum, Value) { return Values{sum + i, i}; });
  store(out, sum);
  store(out + 1, last);
  EXPECT_THAT(run(k, 10), ElementsAre(15, 8, -1, -1));
}

TEST_F(Control, BodiesMayIndexWhatTheyCarry) {
  auto [a, b] =
      forRange(0, n, 1, {1, 1}, [](Value, Carried c) { return Values{c[1], c[0] + c[1]}; });
  store(out, a);
  EXPECT_THAT(run(k, 10), ElementsAre(89, -1, -1, -1));
}

TEST_F(Control, ForRangeCountsDown) {
  forRange(n, -1, -2, [&](Value i) { store(out + floorDiv(i, 2), i); });
  EXPECT_THAT(run(k, 6), ElementsAre(0, 2, 4, 6));
}

TEST_F(Control, ForRangePassesHintsOn) {
  forRange(0, n, 1, [&](Value i) { store(out, i); }, {.numStages = 3, .disableLicm = true});
  std::string text = textOf(k);
  EXPECT_THAT(text, HasSubstr("tt.num_stages = 3 : i32"));
  EXPECT_THAT(text, HasSubstr("llvm.loop_annotation"));
}

TEST_F(Control, WhileLoop) {
  auto [steps, x] = whileLoop(
      {0, n}, [](Value, Value x) { return x != 1; },
      [](Value steps, Value x) { return Values{steps + 1, where(x % 2 == 0, x >> 1, 3 * x + 1)}; });
  store(out, steps);
  store(out + 1, x);
  EXPECT_THAT(run(k, 6), ElementsAre(8, 1, -1, -1));
}

TEST_F(Control, IfElseGivesValues) {
  auto [low, high] = ifElse(n < 3, [&] { return Values{n, 3}; }, [&] { return Values{3, n}; });
  Value one = ifElse(n == 7, [] { return Value(1); }, [&] { return n; });
  store(out, low);
  store(out + 1, high);
  store(out + 2, one);
  ifThen(n > 5, [&] { store(out + 3, 8); });
  EXPECT_THAT(run(k, 7), ElementsAre(3, 7, 1, 8));
}

TEST_F(Control, ReturnIf) {
  store(out, 0);
  returnIf(n == 1);
  store(out + 1, 1);
  returnIf(n == 2);
  store(out + 2, 2);
  Result<Module> module = k.build();
  ASSERT_TRUE(bool(module)) << module.error().text();
  Program program(module->text());
  for (int32_t n : {1, 2, 3}) {
    std::vector<int32_t> out(4, -1);
    EXPECT_EQ(program.run({}, out, n), "");
    EXPECT_EQ(testing::PrintToString(out), n == 1   ? "{ 0, -1, -1, -1 }"
                                           : n == 2 ? "{ 0, 1, -1, -1 }"
                                                    : "{ 0, 1, 2, -1 }");
  }
}

} // namespace
} // namespace tigon::lang
