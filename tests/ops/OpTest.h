// SPDX-License-Identifier: Apache-2.0
//
// Operators under test: on each device that this host has and on the interpreter, against a
// reference in double that a test writes as plain loops.
#pragma once

#include "ops/Ops.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <gtest/gtest.h>
#include <limits>

namespace tigon::ops {

inline std::vector<std::string> devicesToTest() {
  std::vector<std::string> names = Device::list();
  names.push_back("interpreter");
  return names;
}

class OpTest : public testing::TestWithParam<std::string> {
protected:
  OpTest() : device(*Device::open(GetParam())), stream(*Stream::create(device)), library(device) {}

  /// A dense tensor on the device.
  Tensor upload(const HostTensor &host) {
    buffers.push_back(*Buffer::allocate(device, std::max<size_t>(1, host.bytes())));
    EXPECT_TRUE(bool(buffers.back().copyFrom(host.data(), host.bytes())));
    return {.data = buffers.back().data(), .dtype = host.dtype(), .shape = host.shape()};
  }
  /// Normal numbers.
  Tensor normal(DType dtype, const std::vector<int64_t> &shape, uint64_t seed) {
    return upload(*HostTensor::randn(dtype, shape, seed));
  }
  /// Elements that nobody has written, as 77.
  Tensor fresh(DType dtype, const std::vector<int64_t> &shape) {
    HostTensor host = *HostTensor::zeros(dtype, shape);
    for (int64_t i = 0; i < host.elements(); ++i)
      host.set(i, 77);
    return upload(host);
  }
  /// All elements, in row-major order; strides are honoured.
  std::vector<double> values(const Tensor &tensor) {
    int64_t first = 0, last = 0, count = 1;
    for (size_t axis = 0; axis < tensor.shape.size(); ++axis) {
      count *= tensor.shape[axis];
      int64_t reach = tensor.strides.empty() ? 0 : tensor.strides[axis] * (tensor.shape[axis] - 1);
      (reach < 0 ? first : last) += reach;
    }
    if (tensor.strides.empty())
      last = count - 1;
    if (!count)
      return {};
    HostTensor host = *HostTensor::zeros(tensor.dtype, {last - first + 1});
    char *from = static_cast<char *>(tensor.data) + first * int64_t(dtypeBytes(tensor.dtype));
    EXPECT_TRUE(bool(Buffer::wrap(device, from, host.bytes()).copyTo(host.data(), host.bytes())));
    std::vector<double> result;
    std::vector<int64_t> index(tensor.shape.size(), 0);
    for (int64_t i = 0; i < count; ++i) {
      int64_t rest = i, place = -first;
      for (size_t axis = tensor.shape.size(); axis-- > 0;) {
        if (!tensor.strides.empty())
          place += rest % tensor.shape[axis] * tensor.strides[axis];
        rest /= tensor.shape[axis];
      }
      result.push_back(host.get(tensor.strides.empty() ? i : place));
    }
    return result;
  }

  /// Plans and runs, with a workspace as large as the plan asks for; gives the error's text.
  template <typename Op> std::string run(const Op &op, const Tuning &tuning = {}) {
    auto planned = plan(op, device.properties(), tuning);
    if (!planned)
      return planned.error().text();
    Buffer workspace = *Buffer::allocate(device, planned->workspaceBytes);
    auto ran = library.run(stream, *planned, {workspace.data(), workspace.bytes()});
    if (!ran)
      return ran.error().text();
    EXPECT_TRUE(bool(device.synchronize()));
    return "";
  }

  Device device;
  Stream stream;
  Library library;

private:
  std::deque<Buffer> buffers;
};

/// Half an ulp of 1.
inline double roundoff(DType dtype) {
  return std::ldexp(1.0, dtype == DType::BF16 ? -8 : dtype == DType::F16 ? -11 : -24);
}

/// |got - want| <= roundings * half an ulp of `want` in the type + `slack`, which is what f32
/// arithmetic loses, NaN and infinities in the same places.
inline void expectNear(const std::vector<double> &got, const std::vector<double> &want, DType dtype,
                       double roundings, const std::vector<double> &slack) {
  ASSERT_EQ(got.size(), want.size());
  size_t wrong = 0, worst = 0;
  double most = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    double allowed = roundings * roundoff(dtype) * std::fabs(want[i]) +
                     slack[std::min(i, slack.size() - 1)] + 0x1p-25;
    double excess = std::fabs(got[i] - want[i]) / allowed;
    if (std::isnan(want[i]) || std::isnan(got[i]))
      excess = std::isnan(want[i]) == std::isnan(got[i]) ? 0 : HUGE_VAL;
    else if (got[i] == want[i])
      excess = 0;
    wrong += !(excess <= 1);
    if (!(excess <= most))
      most = excess, worst = i;
  }
  EXPECT_EQ(wrong, 0u) << "worst is element " << worst << " of " << got.size() << ": found "
                       << got[worst] << ", expected " << want[worst] << ", " << most
                       << " times what is allowed";
}

} // namespace tigon::ops

#define TIGON_TEST_ON_DEVICES(suite)                                                               \
  INSTANTIATE_TEST_SUITE_P(On, suite, testing::ValuesIn(devicesToTest()), [](const auto &info) {   \
    std::string name = info.param;                                                                 \
    std::replace(name.begin(), name.end(), ':', '_');                                              \
    return name;                                                                                   \
  })
