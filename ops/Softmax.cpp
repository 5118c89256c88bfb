// SPDX-License-Identifier: Apache-2.0
//
//     y[r, c] = exp(x[r, c] - m[r]) / sum_c exp(x[r, c] - m[r]),   m[r] = max_c x[r, c]
//     dx[r, c] = y[r, c] * (dy[r, c] - sum_c y[r, c] dy[r, c])
//
// x, y, dy, dx [rows, n]. A program a row, a tile a row; statistics and arithmetic in f32. m passes
// over NaN, the sum does not.
#include "ops/Views.h"

#include <limits>
#include <numbers>

namespace tigon::ops {
namespace {

using namespace lang;

void forward(Kernel &k, Format formatOfX, Format formatOfY, int64_t block) {
  RowsArgument x(k, "x", formatOfX), y(k, "y", formatOfY);
  Value n = k.scalar("n", I32);

  Value row = programId(0).to(I64), columns = arange(0, block), mask = columns < n;
  constexpr double lowest = -std::numeric_limits<double>::infinity();
  Value v = load(x.at(row, columns), {.mask = mask, .other = lowest}).to(F32);
  Value most = max(v, 0);
  // Of 16 bits a product with log2(e), off by half an ulp, does; exp itself takes twice as many instructions.
  bool isNarrow = formatOfY.dtype != F32;
  Value e =
      isNarrow ? exp2Flush(v * std::numbers::log2e - most * std::numbers::log2e) : exp(v - most);
  store(y.at(row, columns), e / sum(e, 0), {.mask = mask, .cache = y.cache});
}

void backward(Kernel &k, Format formatOfY, Format formatOfDy, Format formatOfDx, int64_t block) {
  RowsArgument y(k, "y", formatOfY), dy(k, "dy", formatOfDy), dx(k, "dx", formatOfDx);
  Value n = k.scalar("n", I32);

  Value row = programId(0).to(I64), columns = arange(0, block), mask = columns < n;
  Value p = load(y.at(row, columns), {.mask = mask, .other = 0}).to(F32);
  Value g = load(dy.at(row, columns), {.mask = mask, .other = 0}).to(F32);
  store(dx.at(row, columns), p * (g - sum(p * g, 0)), {.mask = mask, .cache = dx.cache});
}

} // namespace

Result<Plan> plan(const Softmax &op, const DeviceProperties &device, const Tuning &tuning) {
  auto x = floatRowsOf("Softmax, x", op.x), y = floatRowsOf("Softmax, y", op.y, &op.x);
  for (auto *operand : {&x, &y})
    if (!*operand)
      return operand->error();
  auto block = blockOf("Softmax", x->n, tuning);
  if (!block)
    return block.error();
  if (!x->rows || !x->n)
    return Plan{};

  Launch launch;
  launch.kernel =
      fmt::format("softmax_{}_{}_{}", nameOf(x->format()), nameOf(y->result(device)), *block);
  launch.write = [x = x->format(), y = y->result(device), block = *block](Kernel &k) {
    forward(k, x, y, block);
  };
  launch.compile = tuning.compile;
  launch.grid = {.x = x->rows};
  for (auto *operand : {&x, &y})
    passRows(launch.arguments, **operand);
  launch.arguments.push_back(int32_t(x->n));
  return Plan{.launches = {launch}};
}

Result<Plan> plan(const SoftmaxBackward &op, const DeviceProperties &device, const Tuning &tuning) {
  auto y = floatRowsOf("SoftmaxBackward, y", op.y);
  auto dy = floatRowsOf("SoftmaxBackward, dy", op.dy, &op.y);
  auto dx = floatRowsOf("SoftmaxBackward, dx", op.dx, &op.y);
  for (auto *operand : {&y, &dy, &dx})
    if (!*operand)
      return operand->error();
  auto block = blockOf("SoftmaxBackward", y->n, tuning);
  if (!block)
    return block.error();
  if (!y->rows || !y->n)
    return Plan{};

  Launch launch;
  launch.kernel = fmt::format("softmax_backward_{}_{}_{}_{}", nameOf(y->format()),
                              nameOf(dy->format()), nameOf(dx->result(device)), *block);
  launch.write = [y = y->format(), dy = dy->format(), dx = dx->result(device),
                  block = *block](Kernel &k) { backward(k, y, dy, dx, block); };
  launch.compile = tuning.compile;
  launch.grid = {.x = y->rows};
  for (auto *operand : {&y, &dy, &dx})
    passRows(launch.arguments, **operand);
  launch.arguments.push_back(int32_t(y->n));
  return Plan{.launches = {launch}};
}

} // namespace tigon::ops
