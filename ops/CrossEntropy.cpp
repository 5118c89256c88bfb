// SPDX-License-Identifier: Apache-2.0
//
// Cross entropy of logits and the index of the right class, with its gradient:
//
//     m[r]     = max_c x[r, c]
//     loss[r]  = log sum_c exp(x[r, c] - m[r]) + m[r] - x[r, t[r]]
//     dx[r, c] = exp(x[r, c] - m[r]) / sum_c exp(x[r, c] - m[r]) - (1 if c = t[r] else 0)
//
// x, dx [rows, n]; target t, loss [rows]. Rows whose target is ignoreIndex have a loss and a gradient of 0, whatever they
// hold. The mean, by which both are scaled, is over the others; that of none is NaN, as in PyTorch (Liger gives 0).
// Arithmetic is in f32, and so is the loss (Liger's has the type of the logits).
//
// The target is left out of the sum and added at the end. What is left of a class that is almost certain, 1 - p, is so known
// to all its digits, and with it the loss, log1p((1 - p) / p), and dx, p - 1: of a sum with the target in it a last place of
// 1 would be lost, a twentieth of both where one of 1000 logits stands 20 above the others.
//
// A program a row. A row that fits into half of the shared memory is a tile. A longer one is walked twice, first for its
// maximum and sum, which go together (Milakov and Gimelshein, arXiv 1805.02867), then, from the end, for dx: what was read
// last is still in a cache. The number of rows that count and the sum of the losses are found by one program each, in a
// fixed order. Moves size(x) + size(dx).
#include "ops/Views.h"

#include <algorithm>
#include <limits>
#include <numbers>
#include <optional>

namespace tigon::ops {
namespace {

using namespace lang;

constexpr double lowest = -std::numeric_limits<double>::infinity();

// exp(v - max v), but for a factor that all have in common: of 16 bits a fused multiply-add and exp2 do, half of what exp
// takes, of f32 their rounding of v log2(e) would show. The bias is what is known of the maximum.
struct Exponential {
  bool isNarrow;

  Value bias(Value most) const { return isNarrow ? most * std::numbers::log2e : most; }
  Value distance(Value v, Value bias) const {
    return isNarrow ? fma(v, full({}, std::numbers::log2e, F32), -bias) : v - bias;
  }
  Value power(Value distance) const { return isNarrow ? exp2Flush(distance) : exp(distance); }
  Value of(Value v, Value bias) const { return power(distance(v, bias)); }
  /// log(of(v, bias)), where that may be 0.
  Value log(Value v, Value bias) const {
    return isNarrow ? distance(v, bias) * std::numbers::ln2 : distance(v, bias);
  }
};

struct RowKernel {
  Format x, target;
  std::optional<Format> dx;
  /// dx is x: of one argument a store may meet the load of the target's logit, of two it may not.
  bool isInPlace, isMean;
  /// A tile is the row, or one of those that it is walked in.
  bool isWhole;
  int64_t block;

  std::string name() const {
    return fmt::format("cross_entropy_{}_{}_{}_{}_{}{}", nameOf(x), nameOf(target),
                       isInPlace ? "in_place"
                       : dx      ? nameOf(*dx)
                                 : "no",
                       isMean ? "mean" : "sum", isWhole ? "" : "walk_", block);
  }

  void write(Kernel &k) const {
    RowsArgument xs(k, "x", x);
    std::optional<RowsArgument> dxs;
    if (dx && !isInPlace)
      dxs.emplace(k, "dx", *dx);
    LineArgument targets(k, "target", target);
    Value losses = k.pointer("losses", F32);
    Value count = isMean && dx ? k.pointer("count", F32) : Value();
    Value ignoreIndex = k.scalar("ignore_index", I64), n = k.scalar("n", I32);
    Exponential exponential{x.dtype != F32};

    Value row = programId(0).to(I64), lanes = arange(0, block);
    auto tile = [&](Value columns) {
      return load(xs.at(row, columns), {.mask = columns < n, .other = lowest}).to(F32);
    };
    // Nobody reads it soon, unlike what is still to come of the row.
    auto write = [&](Value columns, Value gradient) {
      store((dxs ? *dxs : xs).at(row, columns), gradient,
            {.mask = columns < n, .cache = Cache::CS});
    };

    Value t = load(targets.at(row)).to(I64);
    ifThen(t == ignoreIndex, [&] {
      store(losses + row, 0.0);
      if (dx && isWhole)
        write(lanes, zeros({block}, F32));
      if (dx && !isWhole)
        forRange(0, n, block, [&](Value first) { write(first + lanes, zeros({block}, F32)); });
    });
    returnIf(t == ignoreIndex);

    // A target that is no column reads NaN, and makes NaN of all of the row.
    Value isColumn = (t >= 0) & (t < n);
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    Value own = load(xs.at(row, t), {.mask = isColumn, .other = nan}).to(F32);
    Value target = where(isColumn, t, -1).to(I32);
    // Of a tile that the row is walked in: whether the target is in it. Without it two instructions less an element do.
    auto isAt = [&](Value first) { return (target >= first) & (target - first < block); };

    Value rowOfOthers, bias, exps, rest;
    if (isWhole) {
      rowOfOthers = where((lanes < n) & (lanes != target), tile(lanes), lowest);
      bias = exponential.bias(maximum(max(rowOfOthers, 0), own));
      exps = exponential.of(rowOfOthers, bias);
      rest = sum(exps, 0);
    } else {
      // Groups of columns that a thread loads at once. Of each what exceeds the maximum so far, and the sum of e for that.
      int64_t width = exponential.isNarrow ? 8 : 4, groups = block / width;
      Value places = expandDims(arange(0, groups), 1) * width + expandDims(arange(0, width), 0);
      auto [biases, sums] =
          forRange(0, n, block, {full({groups}, -1e38, F32), zeros({groups}, F32)},
                   [&](Value first, Value biases, Value sums) {
                     Value all = tile(first + places);
                     Value v = ifElse(
                         isAt(first), [&] { return where(first + places != target, all, lowest); },
                         [&] { return all; });
                     Value next = maximum(biases, exponential.bias(max(v, 1)));
                     Value e = exponential.of(v, expandDims(next, 1));
                     return Values{next, sums * exponential.power(biases - next) + sum(e, 1)};
                   });
      bias = maximum(max(biases, 0), exponential.bias(own));
      rest = sum(sums * exponential.power(biases - bias), 0);
    }

    Value eOfOwn = exponential.of(own, bias), whole = rest + eOfOwn;
    Value likely = externElementwise("__nv_log1pf", {rest / eOfOwn}, F32);
    store(losses + row, where(eOfOwn > rest, likely, log(whole) - exponential.log(own, bias)));
    if (!dx)
      return;
    Value factor = 1 / whole;
    if (isMean)
      factor /= load(count);
    if (isWhole) {
      write(lanes, where(lanes != target, exps * factor, -rest * factor));
      return;
    }
    Value tiles = cdiv(n, block);
    forRange(0, tiles, 1, [&](Value i) {
      Value first = (tiles - 1 - i) * block, columns = first + lanes;
      Value p = exponential.of(tile(columns), bias) * factor;
      write(columns, ifElse(
                         isAt(first), [&] { return where(columns != target, p, -rest * factor); },
                         [&] { return p; }));
    });
  }
};

} // namespace

Result<Plan> plan(const CrossEntropy &op, const DeviceProperties &device, const Tuning &tuning) {
  auto x = floatRowsOf("CrossEntropy, logits", op.logits);
  if (!x)
    return x.error();
  auto target = indexLineOf("CrossEntropy, target", op.target, x->rows);
  if (!target)
    return target.error();
  bool isEach = op.reduction == Reduction::None, isMean = op.reduction == Reduction::Mean;
  auto loss = singlesOf("CrossEntropy, loss", op.loss, isEach ? x->rows : 1);
  if (!loss)
    return loss.error();
  Result<Rows> dx =
      op.dlogits ? floatRowsOf("CrossEntropy, dlogits", op.dlogits, &op.logits) : Rows{};
  if (!dx)
    return dx.error();
  bool isInPlace = op.dlogits && dx->data == x->data;
  if (op.dlogits && dx->dtype != x->dtype)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("CrossEntropy, dlogits: found {}, expected the type of the logits, {}",
                            describe(op.dlogits), dtypeName(x->dtype)));
  if (op.dlogits)
    if (auto valid = checkPlace("CrossEntropy, dlogits", *dx, *x); !valid)
      return valid.error();
  // Of bf16 on an H200: 4096 rows of 32768 take 165 us as tiles and 213 walked, of 50304 344 and 289. 8192 rows of 128256,
  // walked by 512 threads with three tiles of 8192 under way in shared memory, take 1260 us; by 1024 threads in tiles of 16384
  // with the next one under way in registers 1304; by more programs a processor, whose rows do not fit into L2, 1366.
  constexpr int64_t wholeBytes = 64 << 10, walkedBytes = 16 << 10, bytesOfThread = 32, least = 64;
  int64_t elementBytes = int64_t(dtypeBytes(x->dtype));
  Tuning chosen = tuning;
  // A CPU's caches hold any row.
  if (!chosen.block && device.kind != DeviceKind::Cpu && x->n * elementBytes > wholeBytes)
    chosen.block = walkedBytes / elementBytes;
  bool isWhole = !chosen.block || chosen.block >= x->n;
  auto block = blockOf("CrossEntropy", isWhole ? x->n : least, chosen);
  if (!block)
    return block.error();

  // In the workspace: the count, then a loss a row.
  constexpr InWorkspace count{0}, losses{256};
  Plan plan;
  if (isMean)
    plan.launches.push_back(countTargets(*target, op.ignoreIndex, count));
  if (x->rows) {
    RowKernel kernel = {.x = x->format(),
                        .target = target->format(),
                        .dx = formatOf(op.dlogits, *dx),
                        .isInPlace = isInPlace,
                        .isMean = isMean,
                        .isWhole = isWhole,
                        .block = *block};
    Launch launch = {.kernel = kernel.name(), .write = [kernel](Kernel &k) { kernel.write(k); }};
    launch.compile = tuning.compile;
    if (!isWhole) {
      PlanOptions &compile = launch.compile;
      int64_t warps = *block * elementBytes / bytesOfThread / 32;
      compile.warps = compile.warps ? compile.warps : int(std::clamp<int64_t>(warps, 1, 32));
      compile.stages = compile.stages ? compile.stages : 4;
      // Without copies to shared memory more registers are needed.
      bool aligned = isAligned(*x) && (!op.dlogits || isAligned(*dx));
      compile.ctas = compile.ctas || aligned ? compile.ctas : 1;
    }
    launch.grid = {.x = x->rows};
    passRows(launch.arguments, *x);
    if (op.dlogits && !isInPlace)
      passRows(launch.arguments, *dx);
    passLine(launch.arguments, *target);
    launch.arguments.push_back(isEach ? LaunchValue(loss->data) : LaunchValue(losses));
    if (isMean && op.dlogits)
      launch.arguments.push_back(count);
    launch.arguments.insert(launch.arguments.end(), {op.ignoreIndex, int32_t(x->n)});
    plan.launches.push_back(launch);
  }
  if (!isEach) {
    plan.launches.push_back(
        sumLine(losses, x->rows, isMean ? std::optional(count) : std::nullopt, *loss));
    plan.workspaceBytes = losses.offset + uint64_t(x->rows) * sizeof(float);
  }
  return plan;
}

} // namespace tigon::ops
