// SPDX-License-Identifier: Apache-2.0
#include "runtime/LaunchChecks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tigon {
namespace {

using testing::HasSubstr;

KernelMetadata makeMetadata() {
  KernelMetadata metadata;
  metadata.name = "add";
  metadata.arguments = {{"x", "*f32", ArgumentKind::Pointer, 8, 16},
                        {"n", "i32", ArgumentKind::Integer, 4},
                        {"eps", "f32", ArgumentKind::Float, 4}};
  return metadata;
}

/// What a launch with these arguments is told; empty if all is well.
template <typename... Ts> std::string messageOf(const KernelMetadata &metadata, Ts... values) {
  auto signature = Signature::create(metadata);
  if (!signature)
    return signature.error().message;
  const Argument arguments[] = {makeArgument(values)...};
  const void *addresses[maxArguments];
  auto checked = signature->check(arguments, addresses);
  return checked ? std::string() : checked.error().message;
}

float *const aligned = reinterpret_cast<float *>(0x1000);
float *const misaligned = reinterpret_cast<float *>(0x1004);

TEST(Signature, MatchingArgumentsPassInOrder) {
  auto signature = Signature::create(makeMetadata());
  ASSERT_TRUE(signature);
  int32_t n = 3;
  float eps = 0;
  const Argument arguments[] = {makeArgument(aligned), makeArgument(n), makeArgument(eps)};
  const void *values[3] = {};
  ASSERT_TRUE(signature->check(arguments, values));
  EXPECT_EQ(values[0], &aligned);
  EXPECT_EQ(values[1], &n);
  EXPECT_EQ(values[2], &eps);
}

TEST(Signature, WrongCountListsWhatIsExpected) {
  EXPECT_EQ(messageOf(makeMetadata(), aligned),
            "kernel 'add': found 1 arguments, expected 3 (x: *f32, n: i32, eps: f32)");
}

TEST(Signature, WrongKindOrWidthSaysWhatToPass) {
  EXPECT_EQ(messageOf(makeMetadata(), aligned, int64_t(3), 0.0f),
            "kernel 'add', argument 1 'n': found an integer of 8 bytes, expected i32 (4 bytes); "
            "pass an int32_t");
  EXPECT_EQ(messageOf(makeMetadata(), aligned, int32_t(3), 0.0),
            "kernel 'add', argument 2 'eps': found a float of 8 bytes, expected f32 (4 bytes); "
            "pass a float");
  EXPECT_EQ(messageOf(makeMetadata(), int64_t(16), int32_t(3), 0.0f),
            "kernel 'add', argument 0 'x': found an integer of 8 bytes, expected *f32 (8 bytes); "
            "pass a Buffer or a pointer to device memory");
  EXPECT_THAT(messageOf(makeMetadata(), aligned, 3.0f, 0.0f), HasSubstr("found a float of 4"));
}

TEST(Signature, MissingValueIsRefused) {
  auto signature = Signature::create(makeMetadata());
  const Argument arguments[3] = {{nullptr, ArgumentKind::Pointer, 8}};
  const void *values[3];
  auto checked = signature->check(arguments, values);
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().message, HasSubstr("argument 0 'x': found no value (null)"));
}

TEST(Signature, AlignmentPromiseIsChecked) {
  EXPECT_EQ(messageOf(makeMetadata(), misaligned, 3, 0.0f),
            "kernel 'add', argument 0 'x': found address 0x1004, expected a multiple of 16, which "
            "the code was compiled for; pass that, or compile without this promise");
  EXPECT_EQ(messageOf(makeMetadata(), (float *)nullptr, 3, 0.0f), "");
}

TEST(Signature, IntegerPromisesAreChecked) {
  KernelMetadata metadata = makeMetadata();
  metadata.arguments[1].divisibility = 16;
  EXPECT_EQ(messageOf(metadata, aligned, 32, 0.0f), "");
  EXPECT_EQ(messageOf(metadata, aligned, -48, 0.0f), "");
  EXPECT_THAT(messageOf(metadata, aligned, -3, 0.0f),
              HasSubstr("found -3, expected a multiple of 16"));
  metadata.arguments[1].divisibility = 3;
  EXPECT_EQ(messageOf(metadata, aligned, -9, 0.0f), "");
  EXPECT_THAT(messageOf(metadata, aligned, -8, 0.0f), HasSubstr("multiple of 3"));
  metadata.arguments[1].divisibility = 1;
  metadata.arguments[1].equals = -1;
  EXPECT_EQ(messageOf(metadata, aligned, -1, 0.0f), "");
  EXPECT_THAT(messageOf(metadata, aligned, 7, 0.0f), HasSubstr("found 7, expected the value -1"));
}

TEST(Signature, NonsenseInMetadataIsRefused) {
  KernelMetadata metadata = makeMetadata();
  metadata.arguments[1].bytes = 3;
  EXPECT_EQ(messageOf(metadata, 0), "kernel 'add': argument 'n' of type i32 is said to be "
                                    "an integer of 3 bytes");
  metadata = makeMetadata();
  metadata.arguments[0].divisibility = 0;
  EXPECT_THAT(messageOf(metadata, 0), HasSubstr("divisible by 0"));
  metadata = makeMetadata();
  metadata.arguments[2].equals = 1;
  EXPECT_THAT(messageOf(metadata, 0), HasSubstr("has a promise"));
  metadata = makeMetadata();
  metadata.threads = 0;
  EXPECT_THAT(messageOf(metadata, 0), HasSubstr("found 0 threads"));
  metadata = makeMetadata();
  metadata.arguments.resize(maxArguments + 1, metadata.arguments[0]);
  EXPECT_THAT(messageOf(metadata, 0), HasSubstr("found 257 arguments, at most 256"));
  metadata.name.clear();
  EXPECT_THAT(messageOf(metadata, 0), HasSubstr("without a kernel's name"));
}

TEST(Grid, ProgramsAreCountedIn64Bits) {
  auto programs = countPrograms({.x = 65536, .y = 65535, .z = 65535}, 1, "add");
  ASSERT_TRUE(programs);
  EXPECT_EQ(*programs, int64_t(65536) * 65535 * 65535);
  EXPECT_EQ(*countPrograms({.x = 0, .y = 5}, 1, "add"), 0);
  EXPECT_EQ(*countPrograms({.x = (int64_t(1) << 31) - 1, .y = 65535, .z = 65535}, 1, "add"),
            int64_t(2147483647) * 65535 * 65535);
}

TEST(Grid, AxesBeyondTheirLimitAreNamed) {
  auto tooWide = countPrograms({.x = int64_t(1) << 31}, 1, "add");
  ASSERT_FALSE(tooWide);
  EXPECT_EQ(tooWide.error().message, "kernel 'add': found 2147483648 programs along grid axis x, "
                                     "expected 0 to 2147483647");
  auto tooHigh = countPrograms({.y = 65536}, 1, "add");
  ASSERT_FALSE(tooHigh);
  EXPECT_EQ(tooHigh.error().message, "kernel 'add': found 65536 programs along grid axis y, "
                                     "expected 0 to 65535; put the longest axis on x");
  EXPECT_FALSE(countPrograms({.z = 65536}, 1, "add"));
  auto negative = countPrograms({.x = 1, .z = -1}, 1, "add");
  ASSERT_FALSE(negative);
  EXPECT_THAT(negative.error().message, HasSubstr("found -1 programs along grid axis z"));
}

TEST(Grid, ScratchThatOverflowsIsAnError) {
  KernelMetadata metadata = makeMetadata();
  metadata.scratchBytesPerProgram = uint64_t(1) << 40;
  EXPECT_EQ(*scratchBytes(metadata, 4), uint64_t(1) << 42);
  auto bytes = scratchBytes(metadata, int64_t(1) << 30);
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().code, ErrorCode::OutOfResources);
}

} // namespace
} // namespace tigon
