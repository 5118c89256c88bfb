// SPDX-License-Identifier: Apache-2.0
//
// The tutorial's kernel gives what Triton 3.6 makes of its twin.
#include "dialect/Session.h"
#include "tests/dialect/lang/Built.h"

#include "llvm/Support/raw_ostream.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace tigon::lang {
namespace {

// Recorded (tests/peers): vector_add of tests/peers/programs/tier1_elementwise.py on f32.
constexpr const char *ofTriton = R"(module {
  tt.func public @vector_add(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) attributes {noinline = false} {
    %c256_i32 = arith.constant 256 : i32
    %i = tt.get_program_id x : i32
    %i_0 = arith.muli %i, %c256_i32 : i32
    %i_1 = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
    %i_2 = tt.splat %i_0 : i32 -> tensor<256xi32>
    %i_3 = arith.addi %i_2, %i_1 : tensor<256xi32>
    %mask = tt.splat %n : i32 -> tensor<256xi32>
    %mask_4 = arith.cmpi slt, %i_3, %mask : tensor<256xi32>
    %0 = tt.splat %out : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
    %1 = tt.addptr %0, %i_3 : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    %2 = tt.splat %x : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
    %3 = tt.addptr %2, %i_3 : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    %4 = tt.load %3, %mask_4 : tensor<256x!tt.ptr<f32>>
    %5 = tt.splat %y : !tt.ptr<f32> -> tensor<256x!tt.ptr<f32>>
    %6 = tt.addptr %5, %i_3 : tensor<256x!tt.ptr<f32>>, tensor<256xi32>
    %7 = tt.load %6, %mask_4 : tensor<256x!tt.ptr<f32>>
    %8 = arith.addf %4, %7 : tensor<256xf32>
    tt.store %1, %8, %mask_4 : tensor<256x!tt.ptr<f32>>
    tt.return
  }
})";

// As Triton leaves it: constants at the top, nothing twice; without names.
std::string canonical(const std::string &text) {
  Session session;
  auto module = session.parse(text, "text");
  if (!module)
    return module.error().text();
  mlir::PassManager passes(&session.context());
  passes.addPass(mlir::createCanonicalizerPass());
  passes.addPass(mlir::createCSEPass());
  EXPECT_TRUE(mlir::succeeded(passes.run(**module)));
  std::string result;
  llvm::raw_string_ostream(result) << **module;
  return result;
}

TEST(VectorAdd, IsTritons) {
  constexpr int block = 256;
  Kernel k("vector_add");
  Value x = k.pointer("x", F32, {.divisibility = 16}),
        y = k.pointer("y", F32, {.divisibility = 16});
  Value out = k.pointer("out", F32, {.divisibility = 16}), n = k.scalar("n", I32);
  Value i = programId(0) * block + arange(0, block);
  Value mask = i < n, to = out + i;
  Value a = load(x + i, {.mask = mask}), b = load(y + i, {.mask = mask});
  store(to, a + b, {.mask = mask});
  EXPECT_EQ(canonical(textOf(k)), canonical(ofTriton));
}

TEST(VectorAdd, TellsWhereEachOpStands) {
  Kernel k("k");
  int line = __LINE__ + 1;
  store(k.pointer("p", I32), programId(0).named("id"));
  std::string text = k.build()->text(/*locations=*/true);
  EXPECT_NE(text.find("VectorAddTest.cpp\":" + std::to_string(line) + ":"), std::string::npos);
  EXPECT_NE(text.find("%id = tt.get_program_id x : i32"), std::string::npos);
}

TEST(VectorAdd, ThreadsWriteTheirOwnKernels) {
  std::vector<std::thread> threads;
  for (int number = 0; number < 8; ++number)
    threads.emplace_back([number] {
      for (int repeat = 0; repeat < 20; ++repeat) {
        Kernel k("k" + std::to_string(number));
        Value p = k.pointer("p", I32) + arange(0, 8);
        store(p, load(p) + number);
        Result<Module> module = k.build();
        ASSERT_TRUE(bool(module)) << module.error().text();
        EXPECT_EQ(module->kernels(), std::vector{"k" + std::to_string(number)});
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
} // namespace tigon::lang
