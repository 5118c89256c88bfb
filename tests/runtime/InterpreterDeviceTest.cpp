// SPDX-License-Identifier: Apache-2.0
//
// The interpreter through the public interface.
#include "compiler/Compiler.h"
#include "runtime/Agreement.h"
#include "runtime/Runtime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tigon {
namespace {

using testing::HasSubstr;

// y[i] = (x[i] * factor) * factor for 4 elements a program.
constexpr const char *scale = R"(
tt.func public @scale(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %y: !tt.ptr<f32>, %factor: f32) {
  %four = arith.constant 4 : i32
  %pid = tt.get_program_id x : i32
  %start = arith.muli %pid, %four : i32
  %starts = tt.splat %start : i32 -> tensor<4xi32>
  %range = tt.make_range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
  %at = arith.addi %starts, %range : tensor<4xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
  %xp = tt.addptr %xs, %at : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
  %v = tt.load %xp : tensor<4x!tt.ptr<f32>>
  %f = tt.splat %factor : f32 -> tensor<4xf32>
  %once = arith.mulf %v, %f : tensor<4xf32>
  %twice = arith.mulf %once, %f : tensor<4xf32>
  %ys = tt.splat %y : !tt.ptr<f32> -> tensor<4x!tt.ptr<f32>>
  %yp = tt.addptr %ys, %at : tensor<4x!tt.ptr<f32>>, tensor<4xi32>
  tt.store %yp, %twice : tensor<4x!tt.ptr<f32>>
  tt.return
})";

struct InterpreterDeviceTest : testing::Test {
  Kernel load(const Device &device, const CompileOptions &options = {.target = "interpreter"}) {
    auto module = Module::parse(scale, "scale.ttir");
    auto compiled = compile(*module, options);
    EXPECT_TRUE(compiled);
    auto kernel = Kernel::load(device, compiled->artifact);
    EXPECT_TRUE(kernel) << (kernel ? "" : kernel.error().text());
    return *kernel;
  }
  Buffer upload(const Device &device, const std::vector<float> &values) {
    auto buffer = Buffer::allocate(device, values.size() * sizeof(float));
    EXPECT_TRUE(buffer->copyFrom(values.data(), buffer->bytes()));
    return std::move(*buffer);
  }
};

TEST_F(InterpreterDeviceTest, RunsTheTextOfAModule) {
  auto device = Device::open("interpreter");
  ASSERT_TRUE(device);
  EXPECT_EQ(device->properties().kind, DeviceKind::Interpreter);
  EXPECT_EQ(device->properties().target, "interpreter");
  Kernel kernel = load(*device);
  auto stream = Stream::create(*device);
  Buffer x = upload(*device, {1, 2, 3, 4, 5, 6, 7, 8}),
         y = upload(*device, {0, 0, 0, 0, 0, 0, 0, 0});
  ASSERT_TRUE(kernel.launch(*stream, {.x = 2}, x, y, 3.0f));
  float result[8];
  ASSERT_TRUE(y.copyTo(result, sizeof(result)));
  EXPECT_THAT(result, testing::ElementsAre(9, 18, 27, 36, 45, 54, 63, 72));
}

TEST_F(InterpreterDeviceTest, WideKeepsWhatWasNotRounded) {
  auto device = Device::open("interpreter:wide");
  Kernel kernel = load(*device);
  auto stream = Stream::create(*device);
  float third = 1.0f / 3;
  Buffer x = upload(*device, {1, 2, 3, 4}), y = upload(*device, {0, 0, 0, 0});
  ASSERT_TRUE(kernel.launch(*stream, {}, x, y, third));
  auto values = unroundedValues(y, DType::F32);
  ASSERT_TRUE(values);
  EXPECT_EQ((*values)[0], double(third) * double(third));
  // It goes on from there in the next launch, and forgets it when the host writes the buffer.
  ASSERT_TRUE(kernel.launch(*stream, {}, y, x, third));
  EXPECT_EQ((*unroundedValues(x, DType::F32))[0],
            double(third) * double(third) * double(third) * double(third));
  float host[4];
  ASSERT_TRUE(y.copyTo(host, sizeof(host)));
  ASSERT_TRUE(y.copyFrom(host, sizeof(host)));
  EXPECT_EQ((*unroundedValues(y, DType::F32))[0], double(host[0]));
}

TEST_F(InterpreterDeviceTest, AccessesOutsideBuffersAreErrors) {
  auto device = Device::open("interpreter");
  Kernel kernel = load(*device);
  auto stream = Stream::create(*device);
  Buffer x = upload(*device, {1, 2, 3, 4}), y = upload(*device, {0, 0, 0, 0});
  auto done = kernel.launch(*stream, {.x = 2}, x, y, 1.0f);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::InvalidProgram);
  EXPECT_THAT(done.error().message, HasSubstr("scale.ttir:11"));
  EXPECT_THAT(done.error().message, HasSubstr("16 bytes, expected 0 to 16"));
}

TEST_F(InterpreterDeviceTest, ArgumentsAndPromisesAreChecked) {
  auto device = Device::open("interpreter");
  Kernel kernel = load(*device);
  auto stream = Stream::create(*device);
  Buffer x = upload(*device, {1, 2, 3, 4, 5});
  auto odd = kernel.launch(*stream, {}, static_cast<float *>(x.data()) + 1, x, 1.0f);
  ASSERT_FALSE(odd);
  EXPECT_THAT(odd.error().message, HasSubstr("a multiple of 16"));
  auto short1 = kernel.launch(*stream, {}, x, x);
  ASSERT_FALSE(short1);
  EXPECT_THAT(short1.error().message, HasSubstr("found 2 arguments, expected 3"));
}

TEST_F(InterpreterDeviceTest, OtherCodeIsRefused) {
  auto module = Module::parse(scale, "scale.ttir");
  auto text = compile(*module, {.target = "interpreter"});
  EXPECT_FALSE(Kernel::load(*Device::open("cpu"), text->artifact));
  Artifact artifact = text->artifact;
  artifact.metadata.target = "cpu";
  auto device = Device::open("interpreter");
  EXPECT_FALSE(Kernel::load(*device, artifact));
  artifact = text->artifact;
  artifact.code = "junk";
  EXPECT_FALSE(Kernel::load(*device, artifact));
  artifact = text->artifact;
  artifact.metadata.arguments.pop_back();
  auto fewer = Kernel::load(*device, artifact);
  ASSERT_FALSE(fewer);
  EXPECT_THAT(fewer.error().message, HasSubstr("other arguments"));
}

TEST_F(InterpreterDeviceTest, StagesOfCompilationAreRefused) {
  auto module = Module::parse(scale, "scale.ttir");
  EXPECT_FALSE(compile(*module, {.target = "interpreter"}, Emit::Tile));
  auto missing = compile(*module, {.target = "interpreter", .kernel = "other"});
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message,
              HasSubstr("found no kernel 'other', expected one of: scale"));
}

} // namespace
} // namespace tigon
