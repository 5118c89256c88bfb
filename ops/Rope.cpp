// SPDX-License-Identifier: Apache-2.0
//
// Rotary position embedding (Su et al., arXiv 2104.09864) on halves of a head, as in Llama: with r = rotaryDim / 2, i < r, and
// cosine and sine of position l of sequence b,
//
//     out[b, l, h, i]     = x[b, l, h, i] cos[b, l, i] - x[b, l, h, i + r] sin[b, l, i]
//     out[b, l, h, i + r] = x[b, l, h, i + r] cos[b, l, i] + x[b, l, h, i] sin[b, l, i]
//
// for x = q [batch, length, heads of q, d] and k [batch, length, heads of k, d]; elements from 2 r on are copied, or left
// where they are. cos and sin are as wide as a head in Llama, twice the same; only their first halves are read, so they must
// be such (Liger asks the same). The gradient is the same with -sin. Arithmetic is in f32, rounded once.
//
// A program a position, for all heads of q and k: cosine and sine are read once. Moves 2 size(q) + 2 size(k).
#include "ops/Views.h"

#include <algorithm>
#include <bit>

namespace tigon::ops {
namespace {

using namespace lang;

int64_t powerOfTwo(int64_t value) { return int64_t(std::bit_ceil(uint64_t(value))); }

/// Elements of a head, and from one head to the next if they are known when the kernel is written: of packed heads.
struct HeadsFormat : Format {
  int64_t apart = 0;
};
std::string nameOf(const HeadsFormat &format) {
  return fmt::format("{}{}", ops::nameOf(Format(format)),
                     format.apart ? fmt::format("x{}", format.apart) : "");
}

/// [batch, length, heads, d], or a table [batch or 1, length, w] as one head a position.
struct Heads {
  void *data = nullptr;
  DType dtype = DType::F32;
  int64_t batch = 0, length = 0, heads = 1, d = 0, strides[4] = {};

  HeadsFormat format() const {
    bool isPacked = heads == 1 || strides[2] == d;
    return {{toLang(dtype), strides[3] == 1}, isPacked ? d : 0};
  }
  /// Its sequences from `first` on.
  Heads from(int64_t first) const {
    Heads heads = *this;
    heads.data = static_cast<char *>(data) + first * strides[0] * int64_t(dtypeBytes(dtype));
    return heads;
  }
  void pass(std::vector<LaunchValue> &arguments) const {
    arguments.insert(arguments.end(), {data, strides[0], strides[1]});
    if (!format().apart)
      arguments.push_back(strides[2]);
    if (strides[3] != 1)
      arguments.push_back(strides[3]);
  }
};

struct HeadsArgument {
  Value pointer, batchStride, lengthStride, headStride, stride = 1;

  HeadsArgument(Kernel &k, const std::string &name, const HeadsFormat &format)
      : pointer(k.pointer(name, format.dtype)), batchStride(k.scalar(name + "_batch_stride", I64)),
        lengthStride(k.scalar(name + "_length_stride", I64)) {
    headStride = format.apart ? Value(format.apart) : k.scalar(name + "_head_stride", I64);
    if (!format.isDense)
      stride = k.scalar(name + "_stride", I64);
  }
  Value at(const Value &batch, const Value &position, const Value &heads,
           const Value &columns) const {
    return pointer + batch * batchStride + position * lengthStride +
           (heads * headStride + columns * stride);
  }
};

/// What is known of a model's heads is written into its kernel: addresses are half of its instructions otherwise.
struct RopeKernel {
  HeadsFormat q, outQ, cos, sin;
  std::optional<HeadsFormat> k, outK;
  bool isBackward;
  int64_t headsOfQ, headsOfK;
  /// Half of the elements that turn, and those to copy behind them, if any.
  int64_t half, rest;

  std::string name() const {
    std::string name = fmt::format("rope{}", isBackward ? "_backward" : "");
    for (const HeadsFormat &format : {q, outQ, k.value_or(q), outK.value_or(outQ), cos, sin})
      name += "_" + nameOf(format);
    return name + fmt::format("_{}_{}_{}_{}", headsOfQ, headsOfK, half, rest);
  }

  void write(Kernel &kernel) const {
    HeadsArgument cosines(kernel, "cos", cos), sines(kernel, "sin", sin);
    struct Operand {
      HeadsArgument in, out;
      int64_t heads;
    };
    std::vector<Operand> operands;
    auto add = [&](const std::string &name, const HeadsFormat &in, const HeadsFormat &out,
                   int64_t heads) {
      operands.push_back(
          {.in = {kernel, name, in}, .out = {kernel, "out_" + name, out}, .heads = heads});
    };
    add("q", q, outQ, headsOfQ);
    if (k)
      add("k", *k, *outK, headsOfK);

    Value position = programId(0).to(I64), batch = programId(1).to(I64);
    Value pair = expandDims(arange(0, powerOfTwo(half)), 0), isPair = pair < half;
    auto angle = [&](const HeadsArgument &table) {
      return load(table.at(batch, position, 0, pair), {.mask = isPair, .other = 0}).to(F32);
    };
    Value c = angle(cosines), s = isBackward ? -angle(sines) : angle(sines);

    // All is loaded before anything is stored: the assembler cannot know that stores are elsewhere.
    std::vector<std::function<void()>> stores;
    for (const Operand &each : operands) {
      Value head = expandDims(arange(0, powerOfTwo(each.heads)), 1);
      Value mask = (head < each.heads) & isPair;
      Value in = each.in.at(batch, position, head, pair), far = half * each.in.stride;
      Value a = load(in, {.mask = mask}).to(F32), b = load(in + far, {.mask = mask}).to(F32);
      stores.push_back([=, this, &each] {
        Value out = each.out.at(batch, position, head, pair), far = half * each.out.stride;
        store(out, a * c - b * s, {.mask = mask});
        store(out + far, b * c + a * s, {.mask = mask});
      });
      if (!rest)
        continue;
      Value column = expandDims(arange(0, powerOfTwo(rest)), 0);
      Value isRest = (head < each.heads) & (column < rest), from = 2 * half + column;
      Value v = load(each.in.at(batch, position, head, from), {.mask = isRest});
      stores.push_back(
          [=, &each] { store(each.out.at(batch, position, head, from), v, {.mask = isRest}); });
    }
    for (const auto &write : stores)
      write();
  }
};

Result<Heads> headsOf(std::string_view what, const Tensor &tensor, const Heads *like = nullptr) {
  if (auto valid = checkFloat(what, tensor); !valid)
    return valid.error();
  if (tensor.shape.size() != 4)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: found {}, expected 4 axes: batch, length, heads, elements", what,
                            describe(tensor)));
  Heads heads = {tensor.data,     tensor.dtype,    tensor.shape[0],
                 tensor.shape[1], tensor.shape[2], tensor.shape[3]};
  std::ranges::copy(stridesOf(tensor), heads.strides);
  if (like && (heads.batch != like->batch || heads.length != like->length || heads.d != like->d))
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: found {}, expected [{}, {}, heads, {}], as q", what,
                            describe(tensor), like->batch, like->length, like->d));
  return heads;
}

Result<Heads> outOf(std::string_view what, const Tensor &tensor, const Heads &in) {
  auto out = headsOf(what, tensor, &in);
  if (!out)
    return out.error();
  if (out->heads != in.heads)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: found {}, expected the shape [{}, {}, {}, {}]", what,
                            describe(tensor), in.batch, in.length, in.heads, in.d));
  if (out->data == in.data && !std::ranges::equal(out->strides, in.strides))
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: found strides [{}], expected those of the input in whose place it "
                            "is, [{}]",
                            what, fmt::join(out->strides, ", "), fmt::join(in.strides, ", ")));
  return out;
}

Result<Heads> tableOf(std::string_view what, const Tensor &tensor, const Heads &q, int64_t half) {
  if (auto valid = checkFloat(what, tensor); !valid)
    return valid.error();
  const std::vector<int64_t> &shape = tensor.shape;
  if (shape.size() != 3 || (shape[0] != 1 && shape[0] != q.batch) || shape[1] != q.length ||
      shape[2] < half)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("{}: found {}, expected [1 or {}, {}, {} or more]", what,
                            describe(tensor), q.batch, q.length, half));
  std::vector<int64_t> strides = stridesOf(tensor);
  Heads table = {tensor.data, tensor.dtype, q.batch, q.length, 1, half};
  table.strides[0] = shape[0] == 1 ? 0 : strides[0];
  table.strides[1] = strides[1];
  table.strides[3] = strides[2];
  return table;
}

} // namespace

Result<Plan> plan(const Rope &op, const DeviceProperties &, const Tuning &tuning) {
  auto q = headsOf("Rope, q", op.q);
  if (!q)
    return q.error();
  auto outQ = outOf("Rope, outQ", op.outQ, *q);
  if (!outQ)
    return outQ.error();
  if (bool(op.k) != bool(op.outK))
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("Rope: found {} alone, expected k and outK, or neither", op.k ? "k" : "outK"));
  Result<Heads> k = op.k ? headsOf("Rope, k", op.k, &*q) : Heads{};
  if (!k)
    return k.error();
  Result<Heads> outK = op.k ? outOf("Rope, outK", op.outK, *k) : Heads{};
  if (!outK)
    return outK.error();
  int64_t turned = op.rotaryDim ? op.rotaryDim : q->d;
  if (turned < 0 || turned > q->d || turned % 2)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("Rope: found {} elements of a head of {} to turn, expected an even "
                            "number of them",
                            turned, q->d));
  int64_t half = turned / 2;
  auto cos = tableOf("Rope, cos", op.cos, *q, half), sin = tableOf("Rope, sin", op.sin, *q, half);
  for (auto *table : {&cos, &sin})
    if (!*table)
      return table->error();
  // All heads of a position.
  auto block = blockOf("Rope", powerOfTwo(std::max(q->heads, k->heads)) * powerOfTwo(half), {});
  if (!block)
    return block.error();
  if (tuning.block)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("Rope: found a block of {}, expected none: a tile is all heads of a "
                            "position",
                            tuning.block));
  if (!q->batch || !q->length || !q->d)
    return Plan{};

  bool isInPlace = outQ->data == q->data && (!op.k || outK->data == k->data);
  RopeKernel kernel = {.q = q->format(),
                       .outQ = outQ->format(),
                       .cos = cos->format(),
                       .sin = sin->format(),
                       .k = op.k ? std::optional(k->format()) : std::nullopt,
                       .outK = op.k ? std::optional(outK->format()) : std::nullopt,
                       .isBackward = op.backward,
                       .headsOfQ = q->heads,
                       .headsOfK = k->heads,
                       .half = half,
                       .rest = isInPlace ? 0 : q->d - turned};
  // As many sequences as a grid's second axis takes.
  constexpr int64_t most = 65535;
  Plan plan;
  for (int64_t first = 0; first < q->batch; first += most) {
    Launch launch = {.kernel = kernel.name(), .write = [kernel](Kernel &k) { kernel.write(k); }};
    launch.compile = tuning.compile;
    launch.grid = {.x = q->length, .y = std::min(most, q->batch - first)};
    for (auto *table : {&*cos, &*sin})
      table->from(first).pass(launch.arguments);
    for (auto [in, out] : {std::pair(&*q, &*outQ), std::pair(&*k, &*outK)})
      if (in == &*q || op.k)
        for (auto *operand : {in, out})
          operand->from(first).pass(launch.arguments);
    plan.launches.push_back(std::move(launch));
  }
  return plan;
}

} // namespace tigon::ops
