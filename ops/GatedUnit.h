// SPDX-License-Identifier: Apache-2.0
//
// What gated units (Shazeer, arXiv 2002.05202) have in common, whatever their gate f:
//
//     out[i] = f(a[i]) b[i]
//     da[i]  = dout[i] b[i] f'(a[i])
//     db[i]  = dout[i] f(a[i])
//
// In f32; nothing is rounded but the results. Pure streams, in small tiles: of all elements as one
// line where a single stride leads through each tensor, else of rows. Moves size(a) + size(b) +
// size(out), and size(dout) + size(a) + size(b) + size(da) + size(db).
#pragma once

#include "ops/Views.h"

namespace tigon::ops {

/// f(a) and f'(a).
struct Gate {
  Value value, slope;
};
struct GatedUnit {
  /// Of the operator, "SwiGlu", and of its kernels, "swiglu".
  std::string_view name, kernel;
  /// Of a in f32; isNarrow as for sigmoidOf. What nobody uses of it is not computed.
  Gate (*gate)(const Value &a, bool isNarrow);
};

Result<Plan> planForward(const GatedUnit &unit, const DeviceProperties &device, const Tensor &a,
                         const Tensor &b, const Tensor &out, const Tuning &tuning);
Result<Plan> planBackward(const GatedUnit &unit, const DeviceProperties &device, const Tensor &dout,
                          const Tensor &a, const Tensor &b, const Tensor &da, const Tensor &db,
                          const Tuning &tuning);

/// s = 1 / (1 + exp(-z)), and 1 - s, both to a few ulp: exp is of -|z|, so that nothing overflows,
/// and nothing is lost by subtraction. isNarrow: to 2^-24 |z|, which does for results of 16 bits, in
/// half the instructions.
struct Sigmoid {
  Value value, rest;
};
Sigmoid sigmoidOf(const Value &z, bool isNarrow);

} // namespace tigon::ops
