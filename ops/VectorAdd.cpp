// SPDX-License-Identifier: Apache-2.0
//
//     out[i] = x[i] + y[i]
//
// The first lesson of Triton's tutorials. Moves size(x) + size(y) + size(out).
#include "ops/Views.h"

namespace tigon::ops {
namespace {

using namespace lang;

struct Formats {
  Format x, y, out;
};

void vectorAdd(Kernel &k, const Formats &formats, int64_t block) {
  LineArgument x(k, "x", formats.x), y(k, "y", formats.y), out(k, "out", formats.out);
  Value n = k.scalar("n", I64);

  Value start = programId(0).to(I64) * block;
  Value columns = arange(0, block), mask = columns < n - start;
  Value a = load(x.at(start, columns), {.mask = mask});
  Value b = load(y.at(start, columns), {.mask = mask});
  store(out.at(start, columns), a + b, {.mask = mask, .cache = out.cache});
}

} // namespace

Result<Plan> plan(const VectorAdd &op, const DeviceProperties &device, const Tuning &tuning) {
  if (op.y.shape != op.x.shape || op.out.shape != op.x.shape)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("VectorAdd: found x {}, y {} and out {}, expected one shape",
                            describe(op.x), describe(op.y), describe(op.out)));
  auto x = lineOf("VectorAdd, x", op.x), y = lineOf("VectorAdd, y", op.y);
  auto out = lineOf("VectorAdd, out", op.out);
  for (auto *operand : {&x, &y, &out})
    if (!*operand)
      return operand->error();
  if (!x->n)
    return Plan{};

  int64_t block = tuning.block ? tuning.block : 1024;
  Formats formats = {x->format(), y->format(), out->result(device)};
  Launch launch;
  launch.kernel = fmt::format("vector_add_{}_{}_{}_{}", nameOf(formats.x), nameOf(formats.y),
                              nameOf(formats.out), block);
  launch.write = [=](Kernel &k) { vectorAdd(k, formats, block); };
  launch.compile = tuning.compile;
  launch.grid = {.x = lang::cdiv(x->n, block)};
  for (auto *operand : {&x, &y, &out})
    passLine(launch.arguments, **operand);
  launch.arguments.push_back(x->n);
  return Plan{.launches = {launch}};
}

} // namespace tigon::ops
