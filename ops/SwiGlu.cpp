// SPDX-License-Identifier: Apache-2.0
//
// Gated unit of silu(a) = a s, where s = 1 / (1 + exp(-a)):
//
//     out[i] = silu(a[i]) b[i]
//     da[i]  = dout[i] b[i] (s[i] + silu(a[i]) (1 - s[i]))
//     db[i]  = dout[i] silu(a[i])
//
// As Liger's, whose rounding of silu(a) to the type of b before the product is not done here.
#include "ops/GatedUnit.h"

namespace tigon::ops {
namespace {

Gate silu(const Value &a, bool isNarrow) {
  Sigmoid s = sigmoidOf(a, isNarrow);
  Value value = a * s.value;
  return {value, s.value + value * s.rest};
}

constexpr GatedUnit unit = {"SwiGlu", "swiglu", silu};

} // namespace

Result<Plan> plan(const SwiGlu &op, const DeviceProperties &device, const Tuning &tuning) {
  return planForward(unit, device, op.a, op.b, op.out, tuning);
}

Result<Plan> plan(const SwiGluBackward &op, const DeviceProperties &device, const Tuning &tuning) {
  return planBackward(unit, device, op.dout, op.a, op.b, op.da, op.db, tuning);
}

} // namespace tigon::ops
