// SPDX-License-Identifier: Apache-2.0
//
// Root mean square norm (Zhang and Sennrich, arXiv 1910.07467), with the options of Liger's:
//
//     s[r]     = 1 / sqrt(mean_c x[r, c]^2 + eps)                             rstd
//     y[r, c]  = x[r, c] s[r] (offset + w[c])
//     m[r, c]  = dy[r, c] (offset + w[c])
//     dx[r, c] = s[r] (m[r, c] - x[r, c] s[r]^2 mean_c m[r, c] x[r, c])
//     dw[c]    = sum_r dy[r, c] x[r, c] s[r]
//
// x, y, dy, dx [rows, n]; w, dw [n]; rstd [rows]. A tile is a whole row. Statistics and arithmetic
// are in f32; Casting says what is rounded to x's type in between. Two things are more exact than
// in Liger: Casting::None adds its squares in f32 and keeps rstd in f32, and dw is not rounded
// before it is summed up.
//
// Forward: a program a row. Backward: a few programs a processor, each with a block of rows, over
// which it sums up its part of dw; the parts, [programs, n], are in the workspace, and a second
// kernel adds them. Moves size(x) + size(y), and size(dy) + size(x) + size(dx), beside w and
// the parts.
#include "ops/Views.h"

#include <optional>

namespace tigon::ops {
namespace {

using namespace lang;

constexpr const char *castingNames[] = {"llama", "gemma", "none"};

struct ForwardKernel {
  Format x, y;
  std::optional<Format> w;
  bool hasRstd;
  Casting casting;
  int64_t block;

  std::string name() const {
    return fmt::format("rms_norm_{}_{}_{}_{}_{}_{}", castingNames[int(casting)], nameOf(x),
                       nameOf(y), nameOf(w), hasRstd ? "rstd" : "no", block);
  }

  void write(Kernel &k) const {
    RowsArgument xs(k, "x", x), ys(k, "y", y);
    std::optional<LineArgument> ws;
    if (w)
      ws.emplace(k, "w", *w);
    Value rstds = hasRstd ? k.pointer("rstd", F32) : Value();
    Value n = k.scalar("n", I32), eps = k.scalar("eps", F32), offset = k.scalar("offset", F32);

    Value row = programId(0).to(I64), columns = arange(0, block), mask = columns < n;
    Value v = load(xs.at(row, columns), {.mask = mask, .other = 0});
    Value squares = casting == Casting::None ? v * v : v.to(F32) * v.to(F32);
    Value rstd = rsqrt(sum(squares.to(F32), 0) / n + eps);
    if (hasRstd)
      store(rstds + row, rstd);
    Value normed = v.to(F32) * rstd;
    if (casting == Casting::Llama)
      normed = normed.to(x.dtype).to(F32);
    if (w)
      normed *= offset + load(ws->at(columns), {.mask = mask, .other = 0}).to(F32);
    store(ys.at(row, columns), normed, {.mask = mask, .cache = ys.cache});
  }
};

struct BackwardKernel {
  Format dy, x, dx;
  std::optional<Format> w;
  bool hasDw;
  Casting casting;
  int64_t block;

  std::string name() const {
    return fmt::format("rms_norm_backward_{}_{}_{}_{}_{}_{}_{}", castingNames[int(casting)],
                       nameOf(dy), nameOf(x), nameOf(dx), nameOf(w), hasDw ? "dw" : "no", block);
  }

  void write(Kernel &k) const {
    RowsArgument dys(k, "dy", dy), xs(k, "x", x), dxs(k, "dx", dx);
    std::optional<LineArgument> ws;
    if (w)
      ws.emplace(k, "w", *w);
    Value rstds = k.pointer("rstd", F32);
    Value parts = hasDw ? k.pointer("dw_parts", F32) : Value();
    RowsOfProgram rows(k);
    Value n = k.scalar("n", I32), offset = k.scalar("offset", F32);

    Value columns = arange(0, block), mask = columns < n;
    Value factor = full({block}, 1, F32);
    if (w)
      factor = offset + load(ws->at(columns), {.mask = mask, .other = 0}).to(F32);

    // Writes a row of dx, and gives its summand of dw.
    auto backward = [&](Value row) {
      Value v = load(xs.at(row, columns), {.mask = mask, .other = 0}).to(F32);
      Value g = load(dys.at(row, columns), {.mask = mask, .other = 0}).to(F32);
      Value rstd = load(rstds + row);
      Value m = g * factor;
      Value mean = sum(m * v, 0) / n;
      store(dxs.at(row, columns), rstd * (m - v * (rstd * rstd * mean)),
            {.mask = mask, .cache = dxs.cache});
      Value normed = v * rstd;
      if (casting == Casting::Llama)
        normed = normed.to(x.dtype).to(F32);
      return g * normed;
    };

    if (hasDw) {
      auto [dw] = forRange(0, rows.count, 1, {zeros({block}, F32)},
                           [&](Value i, Value dw) { return dw + backward(rows[i]); });
      store(parts + rows.program.to(I64) * n + columns, dw, {.mask = mask});
    } else {
      forRange(0, rows.count, 1, [&](Value i) { backward(rows[i]); });
    }
  }
};

} // namespace

Result<Plan> plan(const RmsNorm &op, const DeviceProperties &device, const Tuning &tuning) {
  auto x = floatRowsOf("RmsNorm, x", op.x), y = floatRowsOf("RmsNorm, y", op.y, &op.x);
  for (auto *operand : {&x, &y})
    if (!*operand)
      return operand->error();
  Result<Rows> w = op.w ? floatLineOf("RmsNorm, w", op.w, x->n) : Rows{};
  if (!w)
    return w.error();
  if (op.rstd)
    if (auto valid = singlesOf("RmsNorm, rstd", op.rstd, x->rows); !valid)
      return valid.error();
  auto block = blockOf("RmsNorm", x->n, tuning);
  if (!block)
    return block.error();
  if (!x->rows || !x->n)
    return Plan{};

  ForwardKernel kernel = {.x = x->format(),
                          .y = y->result(device),
                          .w = formatOf(op.w, *w),
                          .hasRstd = bool(op.rstd),
                          .casting = op.casting,
                          .block = *block};
  Launch launch = {.kernel = kernel.name(), .write = [kernel](Kernel &k) { kernel.write(k); }};
  launch.compile = tuning.compile;
  launch.grid = {.x = x->rows};
  for (auto *operand : {&x, &y})
    passRows(launch.arguments, **operand);
  if (op.w)
    passLine(launch.arguments, *w);
  if (op.rstd)
    launch.arguments.push_back(op.rstd.data);
  launch.arguments.insert(launch.arguments.end(), {int32_t(x->n), op.eps, op.offset});
  return Plan{.launches = {launch}};
}

Result<Plan> plan(const RmsNormBackward &op, const DeviceProperties &device, const Tuning &tuning) {
  auto x = floatRowsOf("RmsNormBackward, x", op.x);
  auto dy = floatRowsOf("RmsNormBackward, dy", op.dy, &op.x);
  auto dx = floatRowsOf("RmsNormBackward, dx", op.dx, &op.x);
  for (auto *operand : {&x, &dy, &dx})
    if (!*operand)
      return operand->error();
  Result<Rows> w = op.w ? floatLineOf("RmsNormBackward, w", op.w, x->n) : Rows{};
  Result<Rows> dw = op.dw ? floatLineOf("RmsNormBackward, dw", op.dw, x->n) : Rows{};
  for (auto *operand : {&w, &dw})
    if (!*operand)
      return operand->error();
  if (op.dw && !op.w)
    return fail(ErrorCode::InvalidArgument,
                "RmsNormBackward: found dw and no w, expected both, or w alone, or none");
  if (auto valid = singlesOf("RmsNormBackward, rstd", op.rstd, x->rows); !valid)
    return valid.error();
  auto block = blockOf("RmsNormBackward", x->n, tuning);
  if (!block)
    return block.error();
  if (!x->n || (!x->rows && !op.dw)) // without rows dw is 0
    return Plan{};

  Tuning chosen = tuning;
  bool aligned = isAligned({*x, *dy, *dx}), isNarrow = dtypeBytes(x->dtype) == 2;
  if (device.kind == DeviceKind::Cuda && aligned && isNarrow)
    tuneShares(chosen, *block, bool(op.dw), device);
  auto shares = programsFor("RmsNormBackward", *x, *block, device, chosen);
  if (!shares)
    return shares.error();
  int64_t programs = *shares;
  BackwardKernel kernel = {.dy = dy->format(),
                           .x = x->format(),
                           .dx = dx->result(device),
                           .w = formatOf(op.w, *w),
                           .hasDw = bool(op.dw),
                           .casting = op.casting,
                           .block = *block};
  Launch launch = {.kernel = kernel.name(), .write = [kernel](Kernel &k) { kernel.write(k); }};
  launch.compile = chosen.compile;
  // Elements that are accessed one by one take more than 64 registers.
  if (!launch.compile.warps && !aligned && *block > 8192)
    launch.compile.warps = 16, launch.compile.ctas = 1;
  if (!launch.compile.stages && leavesRoom(*block, {*x, *dy, *dx}))
    launch.compile.stages = 2;
  launch.grid = {.x = programs};
  for (auto *operand : {&dy, &x, &dx})
    passRows(launch.arguments, **operand);
  if (op.w)
    passLine(launch.arguments, *w);
  launch.arguments.push_back(op.rstd.data);
  if (op.dw)
    launch.arguments.push_back(partsOf(0, programs, x->n));
  RowsOfProgram::pass(launch.arguments, x->rows, programs);
  launch.arguments.insert(launch.arguments.end(), {int32_t(x->n), op.offset});
  Plan plan = {.launches = {launch}};
  if (op.dw) {
    plan.launches.push_back(sumParts({*dw}, programs));
    plan.workspaceBytes = partsOf(1, programs, x->n).offset;
  }
  return plan;
}

} // namespace tigon::ops
