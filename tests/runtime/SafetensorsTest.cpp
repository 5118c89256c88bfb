// SPDX-License-Identifier: Apache-2.0
#include "runtime/Safetensors.h"

#include "tests/runtime/TemporaryFolder.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tigon {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string makeFile(const std::string &header, const std::string &data) {
  std::string file;
  for (int i = 0; i < 8; ++i)
    file += char(uint64_t(header.size()) >> 8 * i);
  return file + header + data;
}

struct SafetensorsTest : testing::Test {
  TemporaryFolder folder;
  Result<Safetensors> open(const std::string &header, const std::string &data) {
    return Safetensors::open(folder.write("x.safetensors", makeFile(header, data)));
  }
  std::string messageOf(const std::string &header, const std::string &data) {
    auto file = open(header, data);
    return file ? "" : file.error().message;
  }
};

TEST_F(SafetensorsTest, EveryTypeRoundTrips) {
  std::vector<HostTensor> tensors;
  std::map<std::string, const HostTensor *> named;
  for (DType dtype : {DType::I1, DType::I8, DType::I16, DType::I32, DType::I64, DType::F8E4M3,
                      DType::F8E5M2, DType::F16, DType::BF16, DType::F32, DType::F64}) {
    tensors.push_back(*HostTensor::zeros(dtype, {2, 3}));
    for (int i = 0; i < 6; ++i)
      tensors.back().set(i, i);
  }
  tensors.push_back(*HostTensor::zeros(DType::F32, {}));
  tensors.push_back(*HostTensor::zeros(DType::F32, {0, 7}));
  for (const HostTensor &tensor : tensors)
    named[tensor.description()] = &tensor;
  std::string path = folder.path / "x.safetensors";
  ASSERT_TRUE(writeSafetensors(path, named));
  auto file = Safetensors::open(path);
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_EQ(file->entries().size(), tensors.size());
  for (const auto &[name, tensor] : named) {
    auto back = file->read(name);
    ASSERT_TRUE(back) << back.error().text();
    EXPECT_EQ(back->dtype(), tensor->dtype());
    EXPECT_EQ(back->shape(), tensor->shape());
    EXPECT_EQ(std::memcmp(back->data(), tensor->data(), tensor->bytes()), 0);
  }
}

TEST_F(SafetensorsTest, FilesOfOthersAreRead) {
  auto file = open(R"({"__metadata__":{"format":"pt"},)"
                   R"("b":{"dtype":"U8","shape":[2],"data_offsets":[4,6]},)"
                   R"("a":{"dtype":"BF16","shape":[2,1],"data_offsets":[0,4]}}   )",
                   std::string("\xc0\x3f\0\0\1\xff", 6));
  ASSERT_TRUE(file) << file.error().message;
  auto a = file->read("a"), b = file->read("b");
  ASSERT_TRUE(a && b);
  EXPECT_THAT(a->shape(), ElementsAre(2, 1));
  EXPECT_EQ(a->get(0), 1.5);
  EXPECT_EQ(b->dtype(), DType::I8);
  EXPECT_EQ(b->get(1), -1);
  EXPECT_EQ(file->entries().at("b").type, "U8");
  auto none = file->read("c");
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().text(),
              HasSubstr("x.safetensors: found no tensor 'c' among 2, such as 'a'"));
}

TEST_F(SafetensorsTest, TypesThatAreNotOursDoNotHideTheOthers) {
  auto file = open(R"({"s":{"dtype":"F8_E8M0","shape":[1],"data_offsets":[0,1]},)"
                   R"("t":{"dtype":"F99","shape":[1],"data_offsets":[1,4]},)"
                   R"("u":{"dtype":"I8","shape":[1],"data_offsets":[4,5]}})",
                   "12345");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->read("u")->get(0), '5');
  EXPECT_THAT(file->read("s").error().message, HasSubstr("tensor 's': found type F8_E8M0"));
  EXPECT_FALSE(file->read("t"));
}

TEST_F(SafetensorsTest, DamagedFilesAreErrors) {
  std::string header = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  std::string good = makeFile(header, "12345678");
  auto messageOfText = [&](const std::string &text) {
    auto file = Safetensors::open(folder.write("x.safetensors", text));
    return file ? "" : file.error().message;
  };
  EXPECT_EQ(messageOfText(good), "");
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_NE(messageOfText(good.substr(0, length)), "") << length;
  EXPECT_THAT(messageOf(header, "1234567"), HasSubstr("found 7 bytes of data, expected 8: the file "
                                                      "is cut short"));
  EXPECT_THAT(messageOf(header, "123456789"), HasSubstr("longer than its tensors"));
  EXPECT_THAT(messageOfText(std::string(8, '\xff') + "{}"), HasSubstr("found a header of"));
  EXPECT_FALSE(Safetensors::open(folder.path / "none"));
}

TEST_F(SafetensorsTest, HeadersThatAreWrongAreRefused) {
  for (const char *header :
       {"", "[]", "1", " {}", "{", R"({"a":1})", R"({"a":{}})",
        R"({"a":{"dtype":1,"shape":[],"data_offsets":[0,4]}})",
        R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})",
        R"({"a":{"dtype":"F32","shape":[1.0],"data_offsets":[0,4]}})",
        R"({"a":{"dtype":"F32","shape":1,"data_offsets":[0,4]}})",
        R"({"a":{"dtype":"F32","shape":[],"data_offsets":[0]}})",
        R"({"a":{"dtype":"F32","shape":[],"data_offsets":[4,0]}})",
        R"({"a":{"dtype":"F32","shape":[],"data_offsets":["0",4]}})",
        R"({"a":{"dtype":"F32","shape":[],"data_offsets":[0,4],"x":1}})",
        R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})",
        R"({"a":{"dtype":"F32","shape":[0],"data_offsets":[0,4]}})", "{\"\xff\":{}}"})
    EXPECT_NE(messageOf(header, "1234"), "") << header;
  EXPECT_THAT(messageOf(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", "1234"),
              HasSubstr("tensor 'a': found 4 bytes, which a F32 of its shape does not have"));
  std::string big = "4294967296"; // 2^32 three times: the product wraps to 0 in 64 bits
  EXPECT_NE(messageOf(R"({"a":{"dtype":"I8","shape":[)" + big + "," + big + "," + big +
                          R"(],"data_offsets":[0,0]}})",
                      ""),
            "");
}

TEST_F(SafetensorsTest, OverlapsGapsAndSecondNamesAreRefused) {
  EXPECT_THAT(messageOf(R"({"a":{"dtype":"I8","shape":[3],"data_offsets":[0,3]},)"
                        R"("b":{"dtype":"I8","shape":[2],"data_offsets":[2,4]}})",
                        "1234"),
              HasSubstr("found tensor 'b' at offset 2, expected 3: tensors overlap"));
  EXPECT_THAT(messageOf(R"({"a":{"dtype":"I8","shape":[1],"data_offsets":[0,1]},)"
                        R"("b":{"dtype":"I8","shape":[2],"data_offsets":[2,4]}})",
                        "1234"),
              HasSubstr("tensors leave a gap"));
  EXPECT_THAT(messageOf(R"({"a":{"dtype":"I8","shape":[4],"data_offsets":[0,4]},)"
                        R"("a":{"dtype":"I8","shape":[4],"data_offsets":[0,4]}})",
                        "1234"),
              HasSubstr("found tensor 'a' twice"));
}

TEST_F(SafetensorsTest, DeepNestingIsNoTrouble) {
  std::string deep = "{\"a\":" + std::string(200000, '[') + std::string(200000, ']') + "}";
  EXPECT_NE(messageOf(deep, ""), "");
}

} // namespace
} // namespace tigon
