// SPDX-License-Identifier: Apache-2.0
//
// Gated unit of gelu (Hendrycks and Gimpel, arXiv 1606.08415), approximated by tanh as in Liger:
//
//     gelu(a) = a (1 + tanh(u)) / 2 = a s,  u = sqrt(2 / pi) (a + 0.044715 a^3),  s = 1 / (1 + exp(-2 u))
//     out[i]  = gelu(a[i]) b[i]
//     da[i]   = dout[i] b[i] (s[i] + gelu(a[i]) (1 - s[i]) 2 u'(a[i]))
//     db[i]   = dout[i] gelu(a[i])
//
// The sigmoid costs less than the tanh, and loses nothing where 1 + tanh(u) is close to 0.
#include "ops/GatedUnit.h"

namespace tigon::ops {
namespace {

Gate gelu(const Value &a, bool isNarrow) {
  constexpr double c1 = 2 * 0.79788456080286535588, c3 = c1 * 0.044715; // 2 sqrt(2 / pi)
  // Beyond |a| = 16 s is 0 or 1, whatever the square; an infinite one would give NaN in the slope.
  Value square = lang::minimum(a * a, 256);
  Sigmoid s = sigmoidOf(a * (c1 + c3 * square), isNarrow);
  Value value = a * s.value;
  return {value, s.value + value * (s.rest * (c1 + 3 * c3 * square))};
}

constexpr GatedUnit unit = {"GeGlu", "geglu", gelu};

} // namespace

Result<Plan> plan(const GeGlu &op, const DeviceProperties &device, const Tuning &tuning) {
  return planForward(unit, device, op.a, op.b, op.out, tuning);
}

Result<Plan> plan(const GeGluBackward &op, const DeviceProperties &device, const Tuning &tuning) {
  return planBackward(unit, device, op.dout, op.a, op.b, op.da, op.db, tuning);
}

} // namespace tigon::ops
