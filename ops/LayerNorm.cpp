// SPDX-License-Identifier: Apache-2.0
//
// Layer norm (Ba, Kiros and Hinton, arXiv 1607.06450):
//
//     mean[r]  = mean_c x[r, c],   s[r] = 1 / sqrt(mean_c (x[r, c] - mean[r])^2 + eps)      rstd
//     h[r, c]  = (x[r, c] - mean[r]) s[r]
//     y[r, c]  = h[r, c] w[c] + b[c]
//     m[r, c]  = dy[r, c] w[c]
//     dx[r, c] = s[r] (m[r, c] - mean_c m[r, c] - h[r, c] mean_c m[r, c] h[r, c])
//     dw[c]    = sum_r dy[r, c] h[r, c],   db[c] = sum_r dy[r, c]
//
// x, y, dy, dx [rows, n]; w, b, dw, db [n]; mean, rstd [rows]. A tile is a whole row. In f32, with
// the variance summed up after the mean is known, so that a large mean costs it nothing; nothing is
// rounded but the results.
//
// Forward: a program a row. Backward: as RMS norm's, with parts of dw and of db, [programs, n]
// each. Moves size(x) + size(y), and size(dy) + size(x) + size(dx), beside w, b and the parts.
#include "ops/Views.h"

#include <algorithm>
#include <optional>

namespace tigon::ops {
namespace {

using namespace lang;

struct ForwardKernel {
  Format x, y;
  std::optional<Format> w, b;
  bool hasMean, hasRstd;
  int64_t block;

  std::string name() const {
    return fmt::format("layer_norm_{}_{}_{}_{}_{}_{}_{}", nameOf(x), nameOf(y), nameOf(w),
                       nameOf(b), hasMean ? "mean" : "no", hasRstd ? "rstd" : "no", block);
  }

  void write(Kernel &k) const {
    RowsArgument xs(k, "x", x), ys(k, "y", y);
    std::optional<LineArgument> ws, bs;
    if (w)
      ws.emplace(k, "w", *w);
    if (b)
      bs.emplace(k, "b", *b);
    Value means = hasMean ? k.pointer("mean", F32) : Value();
    Value rstds = hasRstd ? k.pointer("rstd", F32) : Value();
    Value n = k.scalar("n", I32), eps = k.scalar("eps", F32);

    Value row = programId(0).to(I64), columns = arange(0, block), mask = columns < n;
    Value v = load(xs.at(row, columns), {.mask = mask, .other = 0}).to(F32);
    Value mean = sum(v, 0) / n;
    Value centred = where(mask, v - mean, 0);
    Value rstd = rsqrt(sum(centred * centred, 0) / n + eps);
    if (hasMean)
      store(means + row, mean);
    if (hasRstd)
      store(rstds + row, rstd);
    Value result = centred * rstd;
    if (w)
      result *= load(ws->at(columns), {.mask = mask, .other = 0}).to(F32);
    if (b)
      result += load(bs->at(columns), {.mask = mask, .other = 0}).to(F32);
    store(ys.at(row, columns), result, {.mask = mask, .cache = ys.cache});
  }
};

struct BackwardKernel {
  Format dy, x, dx;
  std::optional<Format> w;
  bool hasDw, hasDb;
  int64_t block;

  std::string name() const {
    return fmt::format("layer_norm_backward_{}_{}_{}_{}_{}_{}_{}", nameOf(dy), nameOf(x),
                       nameOf(dx), nameOf(w), hasDw ? "dw" : "no", hasDb ? "db" : "no", block);
  }

  void write(Kernel &k) const {
    RowsArgument dys(k, "dy", dy), xs(k, "x", x), dxs(k, "dx", dx);
    std::optional<LineArgument> ws;
    if (w)
      ws.emplace(k, "w", *w);
    Value means = k.pointer("mean", F32), rstds = k.pointer("rstd", F32);
    Value partsOfDw = hasDw ? k.pointer("dw_parts", F32) : Value();
    Value partsOfDb = hasDb ? k.pointer("db_parts", F32) : Value();
    Value rows = k.scalar("rows", I64), rowsPerProgram = k.scalar("rows_per_program", I64);
    Value n = k.scalar("n", I32);

    Value program = programId(0).to(I64), columns = arange(0, block), mask = columns < n;
    Value factor;
    if (w)
      factor = load(ws->at(columns), {.mask = mask, .other = 0}).to(F32);

    // Writes a row of dx, and adds its summands to those of dw and db that are wanted.
    auto backward = [&](Value row, Value dw, Value db) {
      Value v = load(xs.at(row, columns), {.mask = mask, .other = 0}).to(F32);
      Value g = load(dys.at(row, columns), {.mask = mask, .other = 0}).to(F32);
      Value rstd = load(rstds + row), normed = (v - load(means + row)) * rstd;
      Value m = w ? g * factor : g;
      // Both sums at once: the threads meet half as often.
      auto [total, along] = reduce({m, m * normed}, 0, [](Value m, Value p, Value n, Value q) {
        return Values{m + n, p + q};
      });
      if (hasDw)
        dw += g * normed;
      if (hasDb)
        db += g;
      store(dxs.at(row, columns), rstd * (m - total / n - normed * (along / n)),
            {.mask = mask, .cache = dxs.cache});
      return Values{dw, db};
    };

    Value first = program * rowsPerProgram, end = minimum(first + rowsPerProgram, rows);
    auto keep = [&](const Value &parts, const Value &part) {
      store(parts + program * n + columns, part, {.mask = mask});
    };
    Value none = zeros({block}, F32);
    if (hasDw && hasDb) {
      auto [dw, db] = forRange(first, end, 1, {none, none}, [&](Value row, Value dw, Value db) {
        return backward(row, dw, db);
      });
      keep(partsOfDw, dw);
      keep(partsOfDb, db);
    } else if (hasDw || hasDb) {
      auto [part] = forRange(first, end, 1, {none}, [&](Value row, Value part) {
        return backward(row, part, part)[hasDw ? 0 : 1];
      });
      keep(hasDw ? partsOfDw : partsOfDb, part);
    } else {
      forRange(first, end, 1, [&](Value row) { backward(row, none, none); });
    }
  }
};

} // namespace

Result<Plan> plan(const LayerNorm &op, const DeviceProperties &device, const Tuning &tuning) {
  auto x = floatRowsOf("LayerNorm, x", op.x), y = floatRowsOf("LayerNorm, y", op.y, &op.x);
  for (auto *operand : {&x, &y})
    if (!*operand)
      return operand->error();
  Result<Rows> w = op.w ? floatLineOf("LayerNorm, w", op.w, x->n) : Rows{};
  Result<Rows> b = op.b ? floatLineOf("LayerNorm, b", op.b, x->n) : Rows{};
  for (auto *operand : {&w, &b})
    if (!*operand)
      return operand->error();
  if (op.mean)
    if (auto valid = singlesOf("LayerNorm, mean", op.mean, x->rows); !valid)
      return valid.error();
  if (op.rstd)
    if (auto valid = singlesOf("LayerNorm, rstd", op.rstd, x->rows); !valid)
      return valid.error();
  auto block = blockOf("LayerNorm", x->n, tuning);
  if (!block)
    return block.error();
  if (!x->rows || !x->n)
    return Plan{};

  ForwardKernel kernel = {.x = x->format(),
                          .y = y->result(device),
                          .w = formatOf(op.w, *w),
                          .b = formatOf(op.b, *b),
                          .hasMean = bool(op.mean),
                          .hasRstd = bool(op.rstd),
                          .block = *block};
  Launch launch = {.kernel = kernel.name(), .write = [kernel](Kernel &k) { kernel.write(k); }};
  launch.compile = tuning.compile;
  // Elements that are accessed one by one take registers for it: 16 of f32 a thread would spill.
  if (!launch.compile.warps && *block <= 8192 && !isAligned({*x, *y}))
    launch.compile.warps = int(std::max<int64_t>(1, *block / 256));
  launch.grid = {.x = x->rows};
  for (auto *operand : {&x, &y})
    passRows(launch.arguments, **operand);
  if (op.w)
    passLine(launch.arguments, *w);
  if (op.b)
    passLine(launch.arguments, *b);
  if (op.mean)
    launch.arguments.push_back(op.mean.data);
  if (op.rstd)
    launch.arguments.push_back(op.rstd.data);
  launch.arguments.insert(launch.arguments.end(), {int32_t(x->n), op.eps});
  return Plan{.launches = {launch}};
}

Result<Plan> plan(const LayerNormBackward &op, const DeviceProperties &device,
                  const Tuning &tuning) {
  auto x = floatRowsOf("LayerNormBackward, x", op.x);
  auto dy = floatRowsOf("LayerNormBackward, dy", op.dy, &op.x);
  auto dx = floatRowsOf("LayerNormBackward, dx", op.dx, &op.x);
  for (auto *operand : {&x, &dy, &dx})
    if (!*operand)
      return operand->error();
  Result<Rows> w = op.w ? floatLineOf("LayerNormBackward, w", op.w, x->n) : Rows{};
  Result<Rows> dw = op.dw ? floatLineOf("LayerNormBackward, dw", op.dw, x->n) : Rows{};
  Result<Rows> db = op.db ? floatLineOf("LayerNormBackward, db", op.db, x->n) : Rows{};
  for (auto *operand : {&w, &dw, &db})
    if (!*operand)
      return operand->error();
  if (op.dw && !op.w)
    return fail(ErrorCode::InvalidArgument,
                "LayerNormBackward: found dw and no w, expected both, or w alone, or none");
  if (auto valid = singlesOf("LayerNormBackward, mean", op.mean, x->rows); !valid)
    return valid.error();
  if (auto valid = singlesOf("LayerNormBackward, rstd", op.rstd, x->rows); !valid)
    return valid.error();
  auto block = blockOf("LayerNormBackward", x->n, tuning);
  if (!block)
    return block.error();
  bool hasSums = op.dw || op.db;
  if (!x->n || (!x->rows && !hasSums)) // without rows dw and db are 0
    return Plan{};

  RowShares shares = shareRows(*x, *block, device, tuning);
  BackwardKernel kernel = {.dy = dy->format(),
                           .x = x->format(),
                           .dx = dx->result(device),
                           .w = formatOf(op.w, *w),
                           .hasDw = bool(op.dw),
                           .hasDb = bool(op.db),
                           .block = *block};
  Launch launch = {.kernel = kernel.name(), .write = [kernel](Kernel &k) { kernel.write(k); }};
  launch.compile = tuning.compile;
  // Elements that are accessed one by one and both sums take more than 64 registers.
  if (!launch.compile.ctas && op.dw && op.db && !isAligned({*x, *dy, *dx}))
    launch.compile.ctas = 1;
  // The parts of both take the room for the next row's loads, but for short rows.
  bool hasBoth = op.dw && op.db;
  if (!launch.compile.stages && leavesRoom(*block, {*x, *dy, *dx}) && (!hasBoth || *block <= 2048))
    launch.compile.stages = 2;
  launch.grid = {.x = shares.programs};
  for (auto *operand : {&dy, &x, &dx})
    passRows(launch.arguments, **operand);
  if (op.w)
    passLine(launch.arguments, *w);
  launch.arguments.insert(launch.arguments.end(), {op.mean.data, op.rstd.data});
  Plan plan;
  std::vector<Launch> sums;
  for (auto [given, line] : {std::pair(bool(op.dw), &*dw), std::pair(bool(op.db), &*db)})
    if (given) {
      InWorkspace parts = {plan.workspaceBytes};
      launch.arguments.push_back(parts);
      sums.push_back(sumPartials(parts, shares.programs, *line));
      uint64_t bytes = uint64_t(shares.programs) * uint64_t(x->n) * sizeof(float);
      plan.workspaceBytes += (bytes + 255) / 256 * 256;
    }
  launch.arguments.insert(launch.arguments.end(), {x->rows, shares.rowsPerProgram, int32_t(x->n)});
  plan.launches = {launch};
  plan.launches.insert(plan.launches.end(), sums.begin(), sums.end());
  return plan;
}

} // namespace tigon::ops
