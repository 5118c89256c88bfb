// SPDX-License-Identifier: Apache-2.0
#include "runtime/Npy.h"

#include "tests/runtime/TemporaryFolder.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tigon {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::string_literals;

/// A file as NumPy writes it, padding aside.
std::string makeFile(const std::string &header, const std::string &data, int version = 1) {
  std::string file = "\x93NUMPY"s + char(version) + '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    file += char(header.size() >> 8 * i);
  return file + header + data;
}

std::string headerOf(const std::string &descr, const std::string &shape) {
  return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
}

struct NpyTest : testing::Test {
  TemporaryFolder folder;
  Result<HostTensor> read(const std::string &text) { return readNpy(folder.write("x.npy", text)); }
  std::string messageOf(const std::string &text) {
    auto tensor = read(text);
    return tensor ? "" : tensor.error().message;
  }
};

TEST_F(NpyTest, EveryTypeRoundTrips) {
  for (DType dtype : {DType::I1, DType::I8, DType::I16, DType::I32, DType::I64, DType::F16,
                      DType::BF16, DType::F32, DType::F64})
    for (std::vector<int64_t> shape : {std::vector<int64_t>{2, 3}, {6}, {}, {0, 4}}) {
      auto tensor = HostTensor::zeros(dtype, shape);
      for (int64_t i = 0; i < tensor->elements(); ++i)
        tensor->set(i, double(i));
      std::string path = folder.path / "x.npy";
      ASSERT_TRUE(writeNpy(path, *tensor));
      auto back = readNpy(path);
      ASSERT_TRUE(back) << back.error().text();
      EXPECT_EQ(back->dtype(), dtype);
      EXPECT_EQ(back->shape(), shape);
      EXPECT_EQ(std::memcmp(back->data(), tensor->data(), tensor->bytes()), 0);
    }
}

TEST_F(NpyTest, WrittenFilesAreNumPysToTheByte) {
  auto tensor = HostTensor::zeros(DType::F32, {3});
  ASSERT_TRUE(writeNpy(folder.path / "x.npy", *tensor));
  std::string text = folder.read("x.npy");
  EXPECT_EQ(text.substr(0, 10), "\x93NUMPY\x01\x00\x76\x00"s);
  EXPECT_EQ(text.substr(10, 57), "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }");
  EXPECT_EQ(text.size(), 128u + 12);
  EXPECT_EQ(text[127], '\n');
}

TEST_F(NpyTest, UnsignedIntegersKeepTheirBits) {
  auto tensor = read(makeFile(headerOf("|u1", "(2,)"), "\x01\xff"));
  ASSERT_TRUE(tensor);
  EXPECT_EQ(tensor->dtype(), DType::I8);
  EXPECT_EQ(tensor->get(1), -1);
  EXPECT_EQ(read(makeFile(headerOf("<u8", "()"), std::string(8, '\1')))->dtype(), DType::I64);
}

TEST_F(NpyTest, BFloat16IsReadAsMlDtypesWritesIt) {
  for (const char *descr : {"<V2", "|V2", "bfloat16"}) {
    auto tensor = read(makeFile(headerOf(descr, "(1,)"), "\xc0\x3f"));
    ASSERT_TRUE(tensor) << descr;
    EXPECT_EQ(tensor->dtype(), DType::BF16);
    EXPECT_EQ(tensor->get(0), 1.5);
  }
}

TEST_F(NpyTest, LaterVersionsAndOtherSpellingsAreRead) {
  for (int version : {1, 2, 3}) {
    auto tensor = read(makeFile(headerOf("<i2", "(2, 1)"), "\1\0\2\0"s, version));
    ASSERT_TRUE(tensor) << tensor.error().text();
    EXPECT_THAT(tensor->shape(), ElementsAre(2, 1));
    EXPECT_EQ(tensor->get(1), 2);
  }
  EXPECT_TRUE(
      read(makeFile("{\"shape\":(1,),\"fortran_order\":False,\"descr\":\"<i2\"}", "\1\0"s)));
  EXPECT_EQ(
      messageOf(makeFile("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 1)}", "\1\0\2\0"s)),
      "");
}

TEST_F(NpyTest, DamagedFilesAreErrorsThatNameTheFile) {
  auto missing = readNpy(folder.path / "none.npy");
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().text(), HasSubstr("none.npy: cannot open: No such file"));
  EXPECT_EQ(missing.error().code, ErrorCode::Unavailable);
  EXPECT_THAT(readNpy(folder.path).error().message, HasSubstr("found no regular file"));

  EXPECT_THAT(messageOf(""), HasSubstr("found 0 bytes"));
  EXPECT_THAT(messageOf("PK\3\4 a zip file"), HasSubstr("found no .npy magic"));
  EXPECT_THAT(messageOf(makeFile(headerOf("<f4", "()"), "1234", 4)), HasSubstr("version 4"));
  std::string good = makeFile(headerOf("<f4", "(2,)"), "12345678");
  EXPECT_EQ(messageOf(good), "");
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_NE(messageOf(good.substr(0, length)), "") << length;
  EXPECT_THAT(messageOf(good.substr(0, good.size() - 1)),
              HasSubstr("found 7 bytes of data, fewer than its shape has: it is cut short"));
  EXPECT_THAT(messageOf(good + "9"), HasSubstr("found 9 bytes of data, more than its shape has"));
}

TEST_F(NpyTest, HeadersThatAreNoneAreRefused) {
  for (const char *header :
       {"", "{", "{}", "[]", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': False, }",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}"})
    EXPECT_THAT(messageOf(makeFile(header, "1234")), HasSubstr("found header")) << header;
}

TEST_F(NpyTest, UnsupportedContentsSayWhatToDo) {
  EXPECT_THAT(messageOf(makeFile(headerOf(">f4", "()"), "1234")), HasSubstr("found descr '>f4'"));
  EXPECT_THAT(messageOf(makeFile(headerOf("<c8", "()"), "12345678")), HasSubstr("'<c8'"));
  EXPECT_THAT(messageOf(makeFile(headerOf("|V1", "()"), "1")),
              HasSubstr("fp8 is for .safetensors"));
  EXPECT_THAT(
      messageOf(makeFile("{'descr': '<f4', 'fortran_order': True, 'shape': (1,), }", "1234")),
      HasSubstr("numpy.ascontiguousarray"));
  std::string vast = "(4294967296, 4294967296, 4294967296)";
  EXPECT_THAT(messageOf(makeFile(headerOf("<f4", vast), "1234")), HasSubstr("cut short"));
  EXPECT_EQ(messageOf(makeFile(headerOf("<f4", "(4294967296, 4294967296, 4294967296, 0)"), "")),
            "");
  auto refused = writeNpy(folder.path / "x.npy", *HostTensor::zeros(DType::F8E4M3, {1}));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("write .safetensors"));
  EXPECT_FALSE(writeNpy("/nowhere/x.npy", *HostTensor::zeros(DType::F32, {1})));
}

} // namespace
} // namespace tigon
