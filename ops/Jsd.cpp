// SPDX-License-Identifier: Apache-2.0
//
// Generalized Jensen-Shannon divergence between a student and a teacher, and its gradient, as in Liger (Agarwal et al.,
// arXiv 2306.13649): of log probabilities x = log q and y = log p, and 0 < beta < 1,
//
//     m[r, c]  = beta p[r, c] + (1 - beta) q[r, c]
//     loss     = scale sum_r,c beta p (y - log m) + (1 - beta) q (x - log m)
//     dx[r, c] = scale (1 - beta) q (x - log m)
//
// at the ends the divergences themselves:
//
//     beta = 0:  loss = scale sum_r,c p (y - x),  dx = -scale p
//     beta = 1:  loss = scale sum_r,c q (x - y),  dx = scale q (x - y + 1)
//
// x, y, dx [rows, n]; scale = 1 / rows, or 1 / the rows whose target is not ignoreIndex; the others are 0, and so is the loss
// without rows. Where q or p is 0, what it multiplies is taken as finite: -inf is a log probability like any other. Written
// with differences of logarithms the loss is a sum of small terms, while that of p y, q x and m log m cancels.
//
// Nothing is reduced before dx is written, so rows are cut into parts, a program each: its loss goes to the workspace, and
// one program adds them in a fixed order. Moves size(x) + size(y) + size(dx).
#include "ops/Views.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numbers>

namespace tigon::ops {
namespace {

using namespace lang;

enum class Form : uint8_t { Forward, Reverse, Mixed };
constexpr const char *formNames[] = {"forward", "reverse", "mixed"};

struct BlockKernel {
  Form form;
  Format x, y;
  std::optional<Format> dx, target;
  int64_t block;

  std::string name() const {
    return fmt::format("jsd_{}_{}_{}_{}_{}_{}", formNames[int(form)], nameOf(x), nameOf(y),
                       nameOf(dx), nameOf(target), block);
  }

  void write(Kernel &k) const {
    RowsArgument xs(k, "x", x), ys(k, "y", y);
    std::optional<RowsArgument> dxs;
    std::optional<LineArgument> targets;
    if (dx)
      dxs.emplace(k, "dx", *dx);
    if (target)
      targets.emplace(k, "target", *target);
    Value scale = target ? k.pointer("count", F32) : k.scalar("scale", F32);
    Value ignoreIndex = target ? k.scalar("ignore_index", I64) : Value();
    Value losses = k.pointer("losses", F32), beta = k.scalar("beta", F32);
    Value n = k.scalar("n", I32), parts = k.scalar("parts", I32);
    Value columnsOfPart = k.scalar("columns_of_part", I32);

    Value program = programId(0), row = floorDiv(program, parts).to(I64);
    Value begin = program % parts * columnsOfPart, end = minimum(begin + columnsOfPart, n);
    Value lanes = arange(0, block);
    auto write = [&](Value columns, Value gradient) {
      store(dxs->at(row, columns), gradient, {.mask = columns < end, .cache = Cache::CS});
    };
    if (target) {
      Value isIgnored = load(targets->at(row)).to(I64) == ignoreIndex;
      ifThen(isIgnored, [&] {
        store(losses + program, 0.0);
        if (dx)
          forRange(begin, end, block,
                   [&](Value first) { write(first + lanes, zeros({block}, F32)); });
      });
      returnIf(isIgnored);
      scale = 1 / load(scale);
    }
    constexpr double lowest = -std::numeric_limits<double>::infinity();
    auto [sums] = forRange(begin, end, block, {zeros({block}, F32)}, [&](Value first, Value sums) {
      Value columns = first + lanes, mask = columns < end;
      Value logQ = load(xs.at(row, columns), {.mask = mask, .other = lowest}).to(F32);
      Value logP = load(ys.at(row, columns), {.mask = mask, .other = lowest}).to(F32);
      auto [loss, gradient] = ofElements(logQ, logP, beta);
      if (dx)
        write(columns, gradient * scale);
      return sums + loss;
    });
    store(losses + program, sum(sums, 0) * scale);
  }

  // Of 16 bits the hardware's approximations do, off by 1e-6 of q log q: 8192 rows of
  // 128256 bf16 on an H200 take 1491 us, 2810 without them.
  bool isNarrow() const { return x.dtype != F32 && y.dtype != F32; }
  Value power(Value v) const { return isNarrow() ? exp2Flush(v * std::numbers::log2e) : exp(v); }
  Value logarithm(Value v) const {
    return isNarrow() ? externElementwise("__nv_fast_logf", {v}, F32) : log(v);
  }

  // Loss and gradient of each element.
  std::pair<Value, Value> ofElements(Value x, Value y, Value beta) const {
    if (form == Form::Forward) {
      Value p = power(y);
      return {where(p == 0, 0, p * (y - x)), -p};
    }
    if (form == Form::Reverse) {
      Value q = power(x), loss = where(q == 0, 0, q * (x - y));
      return {loss, loss + q};
    }
    // What is 0 times one of these is 0. NaN comes through p and q.
    constexpr double least = -1e30, tiny = 0x1p-126;
    Value p = beta * power(y), q = (1 - beta) * power(x);
    Value logM = logarithm(maximum(p + q, tiny, PropagateNan::All));
    Value gradient = q * (maximum(x, least) - logM);
    return {p * (maximum(y, least) - logM) + gradient, gradient};
  }
};

} // namespace

Result<Plan> plan(const Jsd &op, const DeviceProperties &, const Tuning &tuning) {
  auto x = floatRowsOf("Jsd, x", op.x), y = floatRowsOf("Jsd, y", op.y, &op.x);
  for (auto *operand : {&x, &y})
    if (!*operand)
      return operand->error();
  Result<Rows> dx = op.dx ? floatRowsOf("Jsd, dx", op.dx, &op.x) : Rows{};
  if (!dx)
    return dx.error();
  if (op.dx)
    for (const Rows *input : {&*x, &*y})
      if (auto valid = checkPlace("Jsd, dx", *dx, *input); !valid)
        return valid.error();
  Result<Rows> target = op.target ? indexLineOf("Jsd, target", op.target, x->rows) : Rows{};
  if (!target)
    return target.error();
  auto loss = singlesOf("Jsd, loss", op.loss, 1);
  if (!loss)
    return loss.error();
  if (!(op.beta >= 0 && op.beta <= 1))
    return fail(ErrorCode::InvalidArgument,
                fmt::format("Jsd: found a beta of {}, expected one from 0 to 1", op.beta));
  // 8 elements a thread and as many under way; of f32 128 threads, else 256. Of 4096 rows of 128256 f32 on an H200: parts of 16
  // tiles take 1500 us, with 256 threads 1520, of 4 tiles 1639, without fetching ahead 1619; a copy of as many bytes 1470.
  constexpr int64_t tilesOfPart = 16;
  int64_t usual = x->dtype == DType::F32 ? 1024 : 2048;
  int64_t block =
      tuning.block ? tuning.block
                   : std::min(usual, int64_t(std::bit_ceil(uint64_t(std::max<int64_t>(x->n, 1)))));
  if (block < 1 || block > int64_t(1) << 20 || !std::has_single_bit(uint64_t(block)))
    return fail(ErrorCode::InvalidArgument,
                fmt::format("Jsd: found a block of {}, expected a power of two up to 2^20", block));
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  int64_t columnsOfPart = block * tilesOfPart, parts = lang::cdiv(x->n, columnsOfPart);
  if (x->n > most - columnsOfPart || (parts && x->rows > most / parts))
    return fail(ErrorCode::Unsupported,
                fmt::format("Jsd: found {} rows of {} in parts of {}, expected less than 2^31 "
                            "elements of a row and parts of all rows",
                            x->rows, x->n, columnsOfPart));

  // In the workspace: the number of rows that count, then a loss a part.
  constexpr InWorkspace count{0}, losses{256};
  int64_t programs = x->rows * parts;
  Plan plan;
  if (op.target)
    plan.launches.push_back(countTargets(*target, op.ignoreIndex, count));
  if (programs) {
    BlockKernel kernel = {.form = op.beta == 0   ? Form::Forward
                                  : op.beta == 1 ? Form::Reverse
                                                 : Form::Mixed,
                          .x = x->format(),
                          .y = y->format(),
                          .dx = formatOf(op.dx, *dx),
                          .target = formatOf(op.target, *target),
                          .block = block};
    Launch launch = {.kernel = kernel.name(), .write = [kernel](Kernel &k) { kernel.write(k); }};
    launch.compile = tuning.compile;
    // Elements that are loaded one by one take a register each for their addresses.
    bool aligned = isAligned(*x) && isAligned(*y) && (!op.dx || isAligned(*dx));
    if (!launch.compile.warps)
      launch.compile.warps = int(std::clamp<int64_t>(block / (aligned ? 8 : 4) / 32, 1, 32));
    if (!launch.compile.stages)
      launch.compile.stages = x->n > block ? 2 : 1;
    launch.grid = {.x = programs};
    for (auto *operand : {&x, &y})
      passRows(launch.arguments, **operand);
    if (op.dx)
      passRows(launch.arguments, *dx);
    if (op.target) {
      passLine(launch.arguments, *target);
      launch.arguments.insert(launch.arguments.end(), {count, op.ignoreIndex});
    } else {
      launch.arguments.push_back(1 / float(x->rows));
    }
    launch.arguments.insert(launch.arguments.end(), {losses, op.beta, int32_t(x->n), int32_t(parts),
                                                     int32_t(columnsOfPart)});
    plan.launches.push_back(launch);
  }
  plan.launches.push_back(sumLine(losses, programs, std::nullopt, *loss));
  plan.workspaceBytes = losses.offset + uint64_t(programs) * sizeof(float);
  return plan;
}

} // namespace tigon::ops
