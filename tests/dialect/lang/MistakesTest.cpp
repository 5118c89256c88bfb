// SPDX-License-Identifier: Apache-2.0
//
// A mistake comes back with its place: what was found, what was expected, what to do.
#include "tests/dialect/lang/Built.h"

namespace tigon::lang {
namespace {

// The first mistake of what stands on the line of the call.
std::string mistake(const std::function<void(Kernel &)> &body, Where where = Where::current()) {
  Kernel k("k");
  body(k);
  return mistakeOf(k, where);
}

TEST(Mistakes, TellTheirLine) {
  Kernel k("k");
  arange(0, 6);
  EXPECT_EQ(mistakeOf(k), std::to_string(__LINE__ - 1) +
                              ": arange: found 0 to 6, expected a power of two of numbers, up to "
                              "2^20, in i32");
}

TEST(Mistakes, TheFirstOfSeveralIsTold) {
  Kernel k("k");
  Value bad = arange(0, 6);
  store(k.pointer("p", I32) + bad, bad); // says nothing: bad was complained of
  programId(3);
  EXPECT_EQ(k.build().error().message,
            "arange: found 0 to 6, expected a power of two of numbers, up to 2^20, in i32 (the "
            "first of 2 mistakes)");
}

// Without its line.
std::string message(const std::function<void(Kernel &)> &body) {
  std::string text = mistake(body);
  return text.substr(text.find(": ") + 2);
}

TEST(Mistakes, Shapes) {
  EXPECT_EQ(message([](Kernel &) { arange(0, 8) + arange(0, 4); }),
            "+: found i32[8] and i32[4], expected shapes that broadcast");
  EXPECT_EQ(message([](Kernel &) { zeros({3}, F32); }),
            "full: found the shape [3], expected powers of two, 2^20 elements in all");
  EXPECT_EQ(message([](Kernel &) { reshape(arange(0, 8), {4}); }),
            "reshape: found i32[8] as [4], expected as many elements, in powers of two");
  EXPECT_EQ(message([](Kernel &) { expandDims(arange(0, 8), 3); }),
            "expandDims: found axis 3 of a tile of 2 axes");
  EXPECT_EQ(message([](Kernel &) { dot(zeros({16, 8}, F16), zeros({8, 16}, F16)); }),
            "dot: found f16[16, 8] and f16[8, 16], expected a K of at least 16");
}

TEST(Mistakes, Types) {
  EXPECT_EQ(message([](Kernel &k) { exp(load(k.pointer("x", BF16))); }),
            "exp: found bf16, expected f32 or f64; cast it with to(F32)");
  EXPECT_EQ(message([](Kernel &k) { floorDiv(k.scalar("a", I32), k.scalar("b", U32)); }),
            "floorDiv: found i32 and u32, expected integers of the same sign; cast one of them");
  EXPECT_EQ(message([](Kernel &k) { k.scalar("a", I8) + 300; }),
            "+: found the number 300 beside i8, expected a number that i8 holds");
  EXPECT_EQ(message([](Kernel &k) { k.pointer("x", F32) * 2; }),
            "*: found *f32 and the number 2, expected no pointers");
  EXPECT_EQ(message([](Kernel &k) { ifThen(k.scalar("n", I32), [] {}); }),
            "ifElse: found the condition i32, expected a scalar i1");
  EXPECT_EQ(message([](Kernel &k) { store(k.pointer("x", F32, {.isConst = true}), 1); }),
            "store: found a const pointer *f32, expected one that may be written through");
}

TEST(Mistakes, Masks) {
  EXPECT_EQ(message([](Kernel &k) { load(k.pointer("x", F32), {.mask = k.scalar("n", I32)}); }),
            "load: found the mask i32, expected i1");
  EXPECT_EQ(message([](Kernel &k) { load(k.pointer("x", F32), {.other = 0}); }),
            "load: found `other` without a mask");
  EXPECT_EQ(message([](Kernel &k) { load(k.scalar("n", I32)); }),
            "load: found i32, expected a pointer");
}

TEST(Mistakes, ValuesOfElsewhere) {
  Kernel other("other");
  Value foreign = programId(0);
  EXPECT_EQ(message([&](Kernel &) { foreign + 1; }),
            "+: found a value of another kernel or of none, expected one of 'k'");
  EXPECT_EQ(message([](Kernel &) { Value() + 1; }), "+: found no value, expected one");
  EXPECT_EQ(message([](Kernel &k) {
              Value inside, n = k.scalar("n", I32);
              forRange(0, n, 1, [&](Value i) { inside = i * n; });
              inside + 1;
            }),
            "+: found a value from inside a loop, an if or a combining function that has ended; "
            "carry or return it");
  EXPECT_EQ(message([](Kernel &k) {
              Value n = k.scalar("n", I32);
              reduce(arange(0, 8), 0, [&](Value a, Value b) { return a + b * n; });
            }),
            "*: found a value from outside a combining function, expected its arguments and "
            "numbers only");
}

TEST(Mistakes, LoopsAndIfs) {
  EXPECT_EQ(message([](Kernel &k) {
              forRange(0, k.scalar("n", I32), 1, {0}, [](Value, Value s) { return s + 0.5; });
            }),
            "forRange: found f32 as the next carried value 0, expected i32 as at the start");
  EXPECT_EQ(message([](Kernel &k) {
              Value n = k.scalar("n", I32);
              ifElse(n < 1, [&] { return n; }, [&] { return n.to(F32); });
            }),
            "ifElse: found i32 and f32, expected values of one type from both branches");
  EXPECT_EQ(message([](Kernel &k) {
              Value n = k.scalar("n", I32);
              ifThen(n < 1, [&] { returnIf(n < 0); });
            }),
            "returnIf: found an early return inside of a loop or an if, expected one outside");
}

TEST(Mistakes, Kernels) {
  EXPECT_EQ(message([](Kernel &k) { k.scalar("n", I32), k.scalar("n", F32); }),
            "argument: found a second 'n', expected another name");
  EXPECT_EQ(message([](Kernel &k) { k.scalar("eps", F32, {.divisibility = 16}); }),
            "argument: found the divisibility 16 of 'eps', expected 1 or more, of a pointer or an "
            "integer");
  Kernel k("two words");
  EXPECT_EQ(k.build().error().message,
            "found the kernel name 'two words', expected letters, digits and underscores");
  EXPECT_EQ(k.build().error().message, "found a second build of kernel 'two words', expected one");
}

TEST(Mistakes, NoneWithoutAKernel) {
  EXPECT_TRUE(arange(0, 8).shape().empty());
  store(programId(0), 1 + programId(0));
}

} // namespace
} // namespace tigon::lang
