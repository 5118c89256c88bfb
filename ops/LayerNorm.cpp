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
  /// Several rows have w and b in common, and threads meet as often as for one.
  RowTile tile;

  std::string name() const {
    return fmt::format("layer_norm_{}_{}_{}_{}_{}_{}_{}", nameOf(x), nameOf(y), nameOf(w),
                       nameOf(b), hasMean ? "mean" : "no", hasRstd ? "rstd" : "no", tile.name());
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

    Value row = tile.rowsFrom(programId(0).to(I64) * tile.rows), column = arange(0, tile.columns);
    Value isColumn = column < n, mask = tile.perColumn(isColumn), isRow;
    if (tile.rows > 1) {
      isRow = row < k.scalar("rows", I64);
      mask = mask & tile.perRow(isRow);
    }
    // All is loaded before threads meet: no load waits behind that.
    auto line = [&](const std::optional<LineArgument> &of) {
      return of ? load(of->at(column), {.mask = isColumn, .other = 0}) : Value();
    };
    Value rows = tile.perRow(row), columns = tile.perColumn(column);
    Value v = load(xs.at(rows, columns), {.mask = mask, .other = 0}).to(F32);
    Value factor = line(ws), shift = line(bs);
    Value mean = sum(v, tile.axis()) / n;
    Value centred = where(tile.perColumn(isColumn), v - tile.perRow(mean), 0);
    Value rstd = rsqrt(sum(centred * centred, tile.axis()) / n + eps);
    if (hasMean)
      store(means + row, mean, {.mask = isRow});
    if (hasRstd)
      store(rstds + row, rstd, {.mask = isRow});
    Value result = centred * tile.perRow(rstd);
    if (w)
      result *= tile.perColumn(factor.to(F32));
    if (b)
      result += tile.perColumn(shift.to(F32));
    store(ys.at(rows, columns), result, {.mask = mask, .cache = ys.cache});
  }
};

// Two rows a program, a thread 64 bytes of x; of short rows as many as 64 threads take, 32 bytes each. On an H200 8192 rows of
// 4096 bf16 take 35.2 us, a row a program 36.7; of f32 72 and 83; 16384 rows of 2048 bf16 37.7 and 41.7.
void holdSeveralRows(Tuning &tuning, int64_t n, DType dtype) {
  constexpr int64_t most = 512, fewest = 64, ofProcessor = 1024;
  int64_t elementBytes = int64_t(dtypeBytes(dtype));
  int64_t block = 2 * RowTile::of(n, 1).columns, threads = block * elementBytes / 64;
  if (threads < fewest) {
    threads = fewest;
    block = threads * 32 / elementBytes;
  }
  PlanOptions &compile = tuning.compile;
  if (tuning.block || compile.warps || compile.strip || compile.ctas || threads > most)
    return;
  tuning.block = block;
  compile.warps = int(threads / 32);
  compile.strip = int(block);
  compile.ctas = int(ofProcessor / threads);
}

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
    RowsOfProgram rows(k);
    Value n = k.scalar("n", I32);

    Value columns = arange(0, block), mask = columns < n;
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

    auto keep = [&](const Value &parts, const Value &part) {
      store(parts + rows.program.to(I64) * n + columns, part, {.mask = mask});
    };
    Value none = zeros({block}, F32);
    if (hasDw && hasDb) {
      auto [dw, db] = forRange(0, rows.count, 1, {none, none}, [&](Value i, Value dw, Value db) {
        return backward(rows[i], dw, db);
      });
      keep(partsOfDw, dw);
      keep(partsOfDb, db);
    } else if (hasDw || hasDb) {
      auto [part] = forRange(0, rows.count, 1, {none}, [&](Value i, Value part) {
        return backward(rows[i], part, part)[hasDw ? 0 : 1];
      });
      keep(hasDw ? partsOfDw : partsOfDb, part);
    } else {
      forRange(0, rows.count, 1, [&](Value i) { backward(rows[i], none, none); });
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
  Tuning chosen = tuning;
  bool aligned = isAligned({*x, *y});
  if (device.kind == DeviceKind::Cuda && aligned)
    holdSeveralRows(chosen, x->n, x->dtype);
  auto block = blockOf("LayerNorm", x->n, chosen);
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
                          .tile = RowTile::of(x->n, *block)};
  Launch launch = {.kernel = kernel.name(), .write = [kernel](Kernel &k) { kernel.write(k); }};
  launch.compile = chosen.compile;
  // Elements that are accessed one by one take registers for it: 16 of f32 a thread would spill.
  if (!launch.compile.warps && *block <= 8192 && !aligned)
    launch.compile.warps = int(std::max<int64_t>(1, *block / 256));
  launch.grid = {.x = lang::cdiv(x->rows, kernel.tile.rows)};
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
  if (kernel.tile.rows > 1)
    launch.arguments.push_back(x->rows);
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

  Tuning chosen = tuning;
  bool aligned = isAligned({*x, *dy, *dx}), isNarrow = dtypeBytes(x->dtype) == 2;
  if (device.kind == DeviceKind::Cuda && aligned && isNarrow)
    tuneShares(chosen, *block, bool(op.dw) + bool(op.db), device);
  auto shares = programsFor("LayerNormBackward", *x, *block, device, chosen);
  if (!shares)
    return shares.error();
  int64_t programs = *shares;
  BackwardKernel kernel = {.dy = dy->format(),
                           .x = x->format(),
                           .dx = dx->result(device),
                           .w = formatOf(op.w, *w),
                           .hasDw = bool(op.dw),
                           .hasDb = bool(op.db),
                           .block = *block};
  Launch launch = {.kernel = kernel.name(), .write = [kernel](Kernel &k) { kernel.write(k); }};
  launch.compile = chosen.compile;
  // Elements that are accessed one by one and both sums take more than 64 registers, as do both sums of very long rows.
  bool hasBoth = op.dw && op.db;
  if (!launch.compile.ctas && hasBoth && !aligned)
    launch.compile.ctas = 1;
  if (!launch.compile.warps && hasBoth && aligned && *block > 16384)
    launch.compile.warps = 16, launch.compile.ctas = 1;
  // The parts of both take the room for the next row's loads, but for short rows.
  if (!launch.compile.stages && leavesRoom(*block, {*x, *dy, *dx}) && (!hasBoth || *block <= 2048))
    launch.compile.stages = 2;
  launch.grid = {.x = programs};
  for (auto *operand : {&dy, &x, &dx})
    passRows(launch.arguments, **operand);
  if (op.w)
    passLine(launch.arguments, *w);
  launch.arguments.insert(launch.arguments.end(), {op.mean.data, op.rstd.data});
  std::vector<Rows> sums;
  for (auto [given, line] : {std::pair(bool(op.dw), &*dw), std::pair(bool(op.db), &*db)})
    if (given) {
      launch.arguments.push_back(partsOf(sums.size(), programs, x->n));
      sums.push_back(*line);
    }
  RowsOfProgram::pass(launch.arguments, x->rows, programs);
  launch.arguments.push_back(int32_t(x->n));
  Plan plan = {.launches = {launch}};
  if (hasSums) {
    plan.launches.push_back(sumParts(sums, programs));
    plan.workspaceBytes = partsOf(sums.size(), programs, x->n).offset;
  }
  return plan;
}

} // namespace tigon::ops
