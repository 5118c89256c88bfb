// SPDX-License-Identifier: Apache-2.0
//
// No text may crash or hang the reader, and what it reads it also writes: thousands of mutants of
// valid texts are parsed, verified and printed, and what parses is read back as it was.
#include "dialect/Dialects.h"
#include "dialect/Module.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace mlir;

namespace tigon {
namespace {

// Arguments that the bodies below use.
constexpr const char *arguments =
    "%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %q: !tt.ptr<i32>, %b: "
    "!tt.ptr<tensor<8x4xf16>>, "
    "%d: !tt.tensordesc<tensor<1x8xf16>>, %u: !tt.tensordesc<8x4xui8>, %x: f32, %n: i32, %l: i64, "
    "%c: i1, %ps: tensor<8x!tt.ptr<f32>>, %qs: tensor<8x!tt.ptr<i32>>, %f: tensor<8xf32>, "
    "%i: tensor<8xi32>, %m: tensor<8xi1>, %g: tensor<4x8xf32>, %h: tensor<16x16xf16>, "
    "%y: tensor<16x32xi8>, %z: tensor<32x16xi8>, %w: tensor<16x16xf32>, "
    "%s: !tg.scratch<tensor<64xf32>>";

constexpr const char *bodies[] = {
    "%0 = tt.get_program_id x : i32",
    "%0 = tt.get_num_programs z : i32",
    "%0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>",
    "%0 = tt.splat %x : f32 -> tensor<16xf32>",
    "%0 = tt.splat %p : !tt.ptr<f32> -> tensor<2x4x!tt.ptr<f32>>",
    "%0 = tt.splat %x : f32 -> tensor<f32>\n%1 = tt.unsplat %0 : tensor<f32>",
    "%0 = tt.expand_dims %f {axis = 1 : i32} : tensor<8xf32> -> tensor<8x1xf32>\n"
    "%1 = tt.broadcast %0 : tensor<8x1xf32> -> tensor<8x4xf32>",
    "%0 = tt.reshape %g allow_reorder efficient_layout : tensor<4x8xf32> -> tensor<32xf32>",
    "%0 = tt.trans %g {order = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<8x4xf32>",
    "%0 = tt.join %f, %f : tensor<8xf32> -> tensor<8x2xf32>\n"
    "%1, %2 = tt.split %0 : tensor<8x2xf32> -> tensor<8xf32>",
    "%0 = tt.cat %f, %f : tensor<8xf32> -> tensor<16xf32>",
    "%0 = tt.addptr %ps, %i : tensor<8x!tt.ptr<f32>>, tensor<8xi32>",
    "%0 = tt.addptr %p, %l : !tt.ptr<f32>, i64",
    "%0 = tt.load %p : !tt.ptr<f32>",
    "%0 = tt.load %ps, %m, %f cacheModifier = ca evictionPolicy = evict_last {isVolatile = true} : "
    "tensor<8x!tt.ptr<f32>>",
    "%0 = tt.load %ps {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = "
    "evict_first>} : tensor<8x!tt.ptr<f32>>",
    "%0 = tt.load %b {boundaryCheck = array<i32: 0, 1>, padding = 1 : i32} : "
    "!tt.ptr<tensor<8x4xf16>>",
    "tt.store %p, %x : !tt.ptr<f32>",
    "tt.store %ps, %f, %m cacheModifier = wt : tensor<8x!tt.ptr<f32>>",
    "%0 = \"tt.load\"(%p) <{cache = 2 : i32, evict = 1 : i32, isVolatile = false, "
    "operandSegmentSizes = array<i32: 1, 0, 0>}> : (!tt.ptr<f32>) -> f32",
    "%0 = tt.atomic_rmw fadd, acq_rel, gpu, %p, %x, %c : (!tt.ptr<f32>, f32, i1) -> f32",
    "%0 = tt.atomic_rmw umin, relaxed, sys, %qs, %i : (tensor<8x!tt.ptr<i32>>, tensor<8xi32>) -> "
    "tensor<8xi32>",
    "%0 = tt.atomic_cas acquire, cta, %q, %n, %n : (!tt.ptr<i32>, i32, i32) -> i32",
    "%0 = tt.atomic_load acquire, gpu, %q, %c : (!tt.ptr<i32>, i1) -> i32",
    "tt.atomic_store release, gpu, %qs, %i, %m : tensor<8x!tt.ptr<i32>>",
    "%0 = tt.atomic_poll relaxed, cta, %q, %n timeout %l : !tt.ptr<i32>, i32 -> i1",
    "%0 = tt.make_tensor_ptr %p, [%l, %l], [%l, %l], [%n, %n] {order = array<i32: 1, 0>} : "
    "<tensor<8x4xf32>>\n%1 = tt.advance %0, [%n, %n] : <tensor<8x4xf32>>",
    "%0 = tt.make_tensor_descriptor %p, [%n], [%l] {padding = 2 : i32} : <f32>, <tensor<8xf32>>\n"
    "%1 = tt.descriptor_load %0[%n] cacheModifier = cg : !tt.tensordesc<tensor<8xf32>> -> "
    "tensor<8xf32>\n"
    "tt.descriptor_reduce add, %0[%n], %1 : !tt.tensordesc<tensor<8xf32>>, tensor<8xf32>",
    "%0 = tt.descriptor_load %u[%n, %n] : !tt.tensordesc<8x4xui8> -> tensor<8x4xi8>\n"
    "tt.descriptor_store %u[%n, %n], %0 : !tt.tensordesc<8x4xui8>, tensor<8x4xi8>",
    "%0 = tt.descriptor_gather %d[%i, %n] : (!tt.tensordesc<tensor<1x8xf16>>, tensor<8xi32>, i32) "
    "-> tensor<8x8xf16>\n"
    "tt.descriptor_scatter %d[%i, %n], %0 : !tt.tensordesc<tensor<1x8xf16>>, tensor<8xi32>, i32, "
    "tensor<8x8xf16>",
    "%0 = tt.experimental_descriptor_load %d[%n, %n] : !tt.tensordesc<tensor<1x8xf16>> -> "
    "tensor<8xf16>",
    "%0 = tt.reinterpret_tensor_descriptor %p : !tt.ptr<f32> to !tt.tensordesc<tensor<8xf32>>",
    "%0 = tt.bitcast %f : tensor<8xf32> -> tensor<8xi32>",
    "%0 = tt.int_to_ptr %l : i64 -> !tt.ptr<f32>\n%1 = tt.ptr_to_int %0 : !tt.ptr<f32> -> i64",
    "%0 = tt.fp_to_fp %f, rounding = rtne : tensor<8xf32> -> tensor<8xf8E5M2>",
    "%0 = tt.clampf %f, %f, %f, propagateNan = all : tensor<8xf32>",
    "%0 = tt.precise_sqrt %f : tensor<8xf32>\n%1 = tt.precise_divf %x, %x : f32",
    "%0 = tt.approx_divf %f, %f : tensor<8xf32>\n%1 = tt.mulhiui %i, %i : tensor<8xi32>",
    "%0 = tt.extern_elementwise %f {libname = \"\", libpath = \"\", pure = true, symbol = "
    "\"__nv_expf\"} : (tensor<8xf32>) -> tensor<8xf32>",
    "%0 = tt.elementwise_inline_asm \"shl.b32 $0, $1, 3;\" {constraints = \"=r,r\", packed_element "
    "= 4 : i32, pure = true} %i : tensor<8xi32> -> tensor<8xi32>",
    "%0 = tt.elementwise_inline_asm \"mov.u32 $0, %smid;\" {constraints = \"=r\", packed_element = "
    "1 : i32, pure = false} -> i32",
    "%0 = \"tt.map_elementwise\"(%i) <{pack = 2 : i32}> ({\n^bb0(%k: i32, %j: i32):\n"
    "tt.map_elementwise.return %j, %k : i32, i32\n}) : (tensor<8xi32>) -> tensor<8xi32>",
    "%0 = \"tt.map_elementwise\"(%i) <{pack = 1 : i32}> ({\n^bb0(%k: i32):\n"
    "cf.cond_br %c, ^bb1(%k : i32), ^bb2\n^bb1(%e: i32):\ntt.map_elementwise.return %e : i32\n"
    "^bb2:\ntt.map_elementwise.return %n : i32\n}) : (tensor<8xi32>) -> tensor<8xi32>",
    "%0 = \"tt.reduce\"(%g) <{axis = 1 : i32}> ({\n^bb0(%k: f32, %j: f32):\n"
    "%1 = arith.addf %k, %j : f32\ntt.reduce.return %1 : f32\n}) : (tensor<4x8xf32>) -> "
    "tensor<4xf32>",
    "%0:2 = \"tt.reduce\"(%f, %i) ({\n^bb0(%k: f32, %j: i32, %o: f32, %r: i32):\n"
    "tt.reduce.return %k, %r : f32, i32\n}) {axis = 0 : i32} : (tensor<8xf32>, tensor<8xi32>) -> "
    "(f32, i32)",
    "%0 = \"tt.scan\"(%f) <{axis = 0 : i32, reverse = true}> ({\n^bb0(%k: f32, %j: f32):\n"
    "tt.scan.return %k : f32\n}) : (tensor<8xf32>) -> tensor<8xf32>",
    "%0 = tt.gather %f[%i] {axis = 0 : i32} : (tensor<8xf32>, tensor<8xi32>) -> tensor<8xf32>",
    "%0 = tt.histogram %i, %m : tensor<8xi32> -> tensor<16xi32>",
    "%0 = tt.dot %h, %h, %w, inputPrecision = tf32 {maxNumImpreciseAcc = 32 : i32} : "
    "tensor<16x16xf16> * tensor<16x16xf16> -> tensor<16x16xf32>",
    "%0 = tt.dot_scaled %y, %z, %w lhs = e4m3 rhs = e5m2 {fastMath = false} : tensor<16x32xi8> * "
    "tensor<32x16xi8> -> tensor<16x16xf32>",
    "%0 = arith.constant dense<1> : tensor<16x2xi8>\n"
    "%1 = tt.dot_scaled %y scale %0, %z scale %0, %w lhs = e2m1 rhs = e2m1 {fastMath = true, "
    "lhs_k_pack = true} : tensor<16x32xi8>, tensor<16x2xi8> * tensor<32x16xi8>, tensor<16x2xi8> -> "
    "tensor<16x16xf32>",
    "tt.print \" x \" {hex = false, isSigned = array<i32: 1, 0>} : %i, %x : tensor<8xi32>, f32",
    "tt.assert %m, \"message\" : tensor<8xi1>",
    "tt.grid_dependency_wait\ntt.grid_dependency_launch_dependents\nttg.barrier all\ngpu.barrier",
    "llvm.intr.assume %c : i1\n%0 = ub.poison : tensor<8xf32>",
    "%0 = tt.call @callee(%x) : (f32) -> f32",
    "%0 = arith.addi %n, %n {tt.divisibility = dense<16> : tensor<1xi32>} : i32",
    "%0 = tt.splat %x : f32 -> tensor<64xf32, #tg.layout<64, register = [1], lane = [2, 4, 8, 16, "
    "32], warp = [0]>>\n%1 = tg.convert_layout %0 : tensor<64xf32, #tg.layout<64, register = [1], "
    "lane = [2, 4, 8, 16, 32], warp = [0]>> -> tensor<64xf32, #tg.layout<64, register = [32, 1], "
    "lane = [2, 4, 8, 16], warp = []>>",
    "%0 = tg.scratch_alloc in private : !tg.scratch<tensor<64xf32>>\n"
    "%1 = tg.scratch_get %0[%n] strip [4, 5] : !tg.scratch<tensor<64xf32>> -> tensor<16xf32>\n"
    "tg.scratch_put %1, %s[%n] strip [0, 1] : tensor<16xf32>, !tg.scratch<tensor<64xf32>>",
};

// Where a body may stand.
const std::array<std::pair<std::string, std::string>, 5> surroundings = {{
    {"", "\n"},
    {"scf.for %iv = %n to %n step %n  : i32 {\n",
     "\n} {tt.num_stages = 3 : i32, tt.flatten, llvm.loop_annotation = #annotation}\n"},
    {"%t:2 = scf.if %c -> (f32, i32) {\n", "\nscf.yield %x, %n : f32, i32\n} else {\n"
                                           "scf.yield %x, %n : f32, i32\n}\n"},
    {"cf.cond_br %c, ^bb1(%x : f32), ^bb2\n^bb1(%e0: f32):\n", "\ncf.br ^bb2\n^bb2:\n"},
    {"scf.while : () -> () {\nscf.condition(%c)\n} do {\n", "\nscf.yield\n}\n"},
}};

std::vector<std::string> validTexts() {
  std::vector<std::string> texts;
  for (const char *body : bodies)
    for (const auto &[before, after] : surroundings)
      texts.push_back("#annotation = #llvm.loop_annotation<licm = <disable = true>>\n"
                      "#loc = loc(\"k.py\":1:2)\nmodule {\n"
                      "tt.func private @callee(f32) -> f32 attributes {noinline = true}\n"
                      "tt.func public @\"k(1, x)\"(" +
                      std::string(arguments) + ") attributes {noinline = false} {\n" + before +
                      body + after + "tt.return loc(\"end\"(#loc))\n}\n}\n");
  return texts;
}

class ParserRobustness : public testing::Test {
protected:
  ParserRobustness() : context(MLIRContext::Threading::DISABLED) {
    DialectRegistry registry;
    registerTileDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    context.getDiagEngine().registerHandler([](Diagnostic &diagnostic) {
      (void)diagnostic.str(); // a message must be printable too
      return success();
    });
    llvm::EnablePrettyStackTrace();
  }

  OwningOpRef<ModuleOp> parse(const std::string &text) {
    return parseSourceString<ModuleOp>(text, ParserConfig(&context));
  }

  static std::string print(ModuleOp module, bool generic) {
    std::string text;
    llvm::raw_string_ostream os(text);
    module->print(os, generic ? OpPrintingFlags().printGenericOpForm() : OpPrintingFlags());
    return text;
  }

  // Whether `text` parses; if it does, it must round-trip.
  bool roundTrips(const std::string &text) {
    OwningOpRef<ModuleOp> module = parse(text);
    if (!module)
      return false;
    std::string printed = print(*module, /*generic=*/false);
    OwningOpRef<ModuleOp> again = parse(printed);
    EXPECT_TRUE(again) << "of\n" << text << "\nprinted as\n" << printed;
    if (again) {
      EXPECT_EQ(print(*again, /*generic=*/false), printed) << "of\n" << text;
      EXPECT_EQ(print(*again, /*generic=*/true), print(*module, /*generic=*/true)) << "of\n"
                                                                                   << text;
    }
    return true;
  }

  uint32_t pick(size_t below) {
    return std::uniform_int_distribution<uint32_t>(0, below - 1)(generator);
  }

  MLIRContext context;
  std::mt19937 generator{20240613};
};

// Words, numbers, strings, and single characters of punctuation.
std::vector<std::string> tokensOf(const std::string &text) {
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; };
  std::vector<std::string> tokens;
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    if (isWord(text[at]) || text[at] == '%' || text[at] == '#' || text[at] == '!')
      while (end < text.size() && isWord(text[end]))
        ++end;
    tokens.push_back(text.substr(at, end - at));
    at = end;
  }
  return tokens;
}

TEST_F(ParserRobustness, ValidTextsRoundTrip) {
  for (const std::string &text : validTexts())
    ASSERT_TRUE(roundTrips(text)) << text;
}

TEST_F(ParserRobustness, MutantsOfBytesParseOrAreRefused) {
  std::vector<std::string> texts = validTexts();
  int parsed = 0;
  for (int round = 0; round < 2500; ++round) {
    std::string text = texts[pick(texts.size())];
    for (int mutation = 1 + pick(2); mutation > 0; --mutation) {
      size_t at = pick(text.size()), length = std::min<size_t>(1 + pick(8), text.size() - at);
      switch (pick(4)) {
      case 0:
        text[at] = char(pick(256));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(pick(text.size()), text.substr(at, length));
        break;
      case 3:
        text.insert(at, 1, "0123456789-?*<>{}[]()\"%@#!^:=,"[pick(31)]);
        break;
      }
    }
    llvm::PrettyStackTraceString trace(text.c_str());
    parsed += roundTrips(text);
  }
  EXPECT_GT(parsed, 50) << "printing is tested by mutants that parse";
}

TEST_F(ParserRobustness, MutantsOfTokensParseOrAreRefused) {
  std::vector<std::string> texts = validTexts();
  int parsed = 0;
  for (int round = 0; round < 2500; ++round) {
    std::vector<std::string> tokens = tokensOf(texts[pick(texts.size())]),
                             others = tokensOf(texts[pick(texts.size())]);
    for (int mutation = 1 + pick(2); mutation > 0; --mutation) {
      size_t at = pick(tokens.size());
      switch (pick(8)) {
      case 0:
        tokens.erase(tokens.begin() + at);
        break;
      case 1:
        tokens.insert(tokens.begin() + at, tokens[at]);
        break;
      case 2:
        std::swap(tokens[at], tokens[pick(tokens.size())]);
        break;
      case 3:
        tokens[at] = others[pick(others.size())];
        break;
      default: { // all of one kind, so that types stay consistent
        std::string from = tokens[at], to = others[pick(others.size())];
        if (llvm::all_of(from, llvm::isDigit))
          to = std::to_string(pick(2) ? 1 << pick(24) : generator());
        std::replace(tokens.begin(), tokens.end(), from, to);
        break;
      }
      }
    }
    std::string text = llvm::join(tokens, "");
    llvm::PrettyStackTraceString trace(text.c_str());
    parsed += roundTrips(text);
  }
  EXPECT_GT(parsed, 50) << "printing is tested by mutants that parse";
}

TEST(ParserLimits, WhatTheParserWouldNotSurviveIsRefused) {
  auto nested = [](int depth) {
    std::string text;
    for (int i = 0; i < depth; ++i)
      text += "module {\n";
    return text + std::string(size_t(depth), '}');
  };
  auto refusal = Module::parse(nested(5000), "deep.ttir");
  ASSERT_FALSE(bool(refusal));
  EXPECT_NE(refusal.error().text().find("deep.ttir: found more than 512 open brackets"),
            std::string::npos)
      << refusal.error().text();
  auto times = [](const char *text) {
    std::string all;
    for (int i = 0; i < 20000; ++i)
      all += text;
    return all;
  };
  for (const std::string &text :
       {"module attributes {a = " + times("[") + "} {}", "tt.func public @k(" + times("("),
        "tt.func public @k(%a: " + times("!tt.ptr<") + "i8" + times(">") + ")",
        "tt.func public @k(%a: " + times("tuple<")})
    EXPECT_NE(Module::parse(text, "deep.ttir").error().text().find("found more than 512 open"),
              std::string::npos);
  for (const char *text :
       {"module attributes {a = array<index: 1>} {}", "module attributes {a = array < index>} {}"})
    EXPECT_EQ(Module::parse(text, "index.ttir").error().text(),
              "index.ttir: found array<index: ...>, expected elements of an integer or float type");
  auto quoted = Module::parse(
      "module attributes {tg.a = \"array<index: 1> \\\" {\"} {} // array<index>", "q.ttir");
  EXPECT_EQ(quoted.error().text(), "q.ttir: found no tt.func, expected a kernel");
  auto shallow = Module::parse(nested(400), "deep.ttir");
  EXPECT_EQ(shallow ? "" : shallow.error().text(),
            "deep.ttir: found no tt.func, expected a kernel");
}

} // namespace
} // namespace tigon
