// SPDX-License-Identifier: Apache-2.0
//
// Programs, tiles and their shapes; hints.
#include "dialect/lang/Emission.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <algorithm>

using namespace mlir;

namespace tigon::lang {
namespace {

template <typename Op> Value ofGrid(std::string_view what, int axis, Where where) {
  Emission emit(what, where, {});
  if (!emit)
    return emit.poison();
  if (axis < 0 || axis > 2)
    return emit.fail("found axis {}, expected 0, 1 or 2", axis);
  return emit.wrap(emit.create<Op>(tt::ProgramDim(axis)), I32);
}

int64_t product(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

// A tile as it is; a scalar, which has no axes, is refused.
bool isTile(Emission &emit, const Value &x) {
  if (!shapeOf(x).empty())
    return true;
  emit.fail("found {}, expected a tile", describe(x));
  return false;
}

Type likeElements(Emission &emit, ArrayRef<int64_t> shape, const Value &x) {
  return emit.tileOf(shape, getElementTypeOrSelf(emit.ir(x).getType()));
}

} // namespace

Value programId(int axis, Where where) {
  return ofGrid<tt::GetProgramIdOp>("programId", axis, where);
}

Value numPrograms(int axis, Where where) {
  return ofGrid<tt::GetNumProgramsOp>("numPrograms", axis, where);
}

Value arange(int64_t start, int64_t end, Where where) {
  Emission emit("arange", where, {});
  if (!emit)
    return emit.poison();
  constexpr int64_t limit = int64_t(1) << 31;
  if (start < -limit || end >= limit || start >= end || !isTileShape({end - start}))
    return emit.fail("found {} to {}, expected a power of two of numbers, up to 2^20, in i32",
                     start, end);
  Type type = emit.tileOf({end - start}, emit.elementType(I32));
  return emit.wrap(emit.create<tt::MakeRangeOp>(type, int32_t(start), int32_t(end)), I32);
}

Value full(const Shape &shape, const Value &value, DType dtype, Where where) {
  Emission emit("full", where, {&value});
  if (!emit)
    return emit.poison();
  if (!shapeOf(value).empty() || value.isPointer())
    return emit.fail("found {}, expected a number", describe(value));
  if (!isTileShape(shape))
    return emit.fail("found the shape {}, expected powers of two, 2^20 elements in all",
                     describe(shape));
  if (isNumber(value))
    return emit.literal(value, dtype, shape);
  return emit.broadcastTo(emit.cast(value, dtype), shape);
}

Value zeros(const Shape &shape, DType dtype, Where where) { return full(shape, 0, dtype, where); }

Value zerosLike(const Value &x, Where where) { return full(x.shape(), 0, x.dtype(), where); }

Value splat(const Value &scalar, const Shape &shape, Where where) {
  Emission emit("splat", where, {&scalar});
  if (!emit)
    return emit.poison();
  if (!shapeOf(scalar).empty())
    return emit.fail("found {}, expected a scalar", describe(scalar));
  return emit.broadcastTo(emit.literal(scalar), shape);
}

Value broadcastTo(const Value &x, const Shape &shape, Where where) {
  Emission emit("broadcastTo", where, {&x});
  if (!emit)
    return emit.poison();
  if (!shapeOf(x).empty() && shapeOf(x).size() != shape.size())
    return emit.fail("found {}, expected as many axes as {} has", describe(x), describe(shape));
  return emit.broadcastTo(emit.literal(x), shape);
}

Value expandDims(const Value &x, int axis, Where where) {
  Emission emit("expandDims", where, {&x});
  if (!emit)
    return emit.poison();
  Value tile = emit.literal(x);
  SmallVector<int64_t> shape(shapeOf(tile));
  std::optional<int> place = emit.axisOf(axis, shape.size() + 1);
  if (!place)
    return emit.poison();
  shape.insert(shape.begin() + *place, 1);
  if (shapeOf(tile).empty())
    return emit.broadcastTo(tile, shape);
  return emit.like<tt::ExpandDimsOp>(tile, likeElements(emit, shape, tile), emit.ir(tile), *place);
}

Value reshape(const Value &x, const Shape &shape, bool canReorder, Where where) {
  Emission emit("reshape", where, {&x});
  if (!emit || !isTile(emit, x))
    return emit.poison();
  if (!isTileShape(shape) || product(shape) != product(shapeOf(x)))
    return emit.fail("found {} as {}, expected as many elements, in powers of two", describe(x),
                     describe(shape));
  return emit.like<tt::ReshapeOp>(x, likeElements(emit, shape, x), emit.ir(x), canReorder,
                                  /*efficientLayout=*/false);
}

Value ravel(const Value &x, bool canReorder, Where where) {
  return reshape(x, {product(shapeOf(x))}, canReorder, where);
}

Value trans(const Value &x, const std::vector<int> &order, Where where) {
  Emission emit("trans", where, {&x});
  if (!emit || !isTile(emit, x))
    return emit.poison();
  ArrayRef<int64_t> shape = shapeOf(x);
  SmallVector<int32_t> axes(order.begin(), order.end());
  if (axes.empty() && shape.size() >= 2) {
    for (size_t axis = 0; axis < shape.size(); ++axis)
      axes.push_back(int32_t(axis));
    std::swap(axes[axes.size() - 2], axes.back());
  }
  SmallVector<int32_t> sorted(axes);
  llvm::sort(sorted);
  bool isPermutation = sorted.size() == shape.size();
  for (size_t axis = 0; isPermutation && axis < shape.size(); ++axis)
    isPermutation = sorted[axis] == int32_t(axis);
  if (!isPermutation)
    return emit.fail("found the order [{}] for {}, expected each of its axes once",
                     fmt::join(axes, ", "), describe(x));
  SmallVector<int64_t> permuted;
  for (int32_t axis : axes)
    permuted.push_back(shape[axis]);
  return emit.like<tt::TransOp>(x, likeElements(emit, permuted, x), emit.ir(x),
                                emit.state->builder.getDenseI32ArrayAttr(axes));
}

Value join(const Value &a, const Value &b, Where where) {
  Emission emit("join", where, {&a, &b});
  Value x = a, y = b;
  if (!emit || !emit.unify(x, y))
    return emit.poison();
  bool areScalars = shapeOf(x).empty();
  if (areScalars) {
    x = emit.broadcastTo(x, {1});
    y = emit.broadcastTo(y, {1});
  }
  SmallVector<int64_t> shape(shapeOf(x));
  shape.push_back(2);
  if (!isTileShape(shape))
    return emit.fail("found two of {}, expected at most 2^20 elements together", describe(x));
  Value joined = emit.like<tt::JoinOp>(x, likeElements(emit, shape, x), emit.ir(x), emit.ir(y));
  return areScalars ? reshape(joined, {2}, /*canReorder=*/false, where) : joined;
}

Values<2> split(const Value &x, Where where) {
  Emission emit("split", where, {&x});
  if (!emit)
    return {emit.poison(), emit.poison()};
  ArrayRef<int64_t> shape = shapeOf(x);
  if (shape.empty() || shape.back() != 2) {
    emit.fail("found {}, expected a tile whose last axis has size 2", describe(x));
    return {emit.poison(), emit.poison()};
  }
  // The halves of a pair are tiles of no axis in Triton; here they are scalars.
  if (shape.size() == 1) {
    Value row = reshape(x, {1, 2}, /*canReorder=*/false, where);
    auto [first, second] = split(row, where);
    return {sum(first, {}, {}, where), sum(second, {}, {}, where)};
  }
  auto op = emit.create<tt::SplitOp>(emit.ir(x));
  return {emit.wrap(op.getLhs(), x), emit.wrap(op.getRhs(), x)};
}

Value cat(const Value &a, const Value &b, Where where) {
  Emission emit("cat", where, {&a, &b});
  if (!emit)
    return emit.poison();
  if (shapeOf(a).size() != 1 || shapeOf(b) != shapeOf(a) || a.dtype() != b.dtype() ||
      a.isPointer() != b.isPointer())
    return emit.fail("found {} and {}, expected 1-D tiles of one type and size", describe(a),
                     describe(b));
  if (!isTileShape({2 * shapeOf(a)[0]}))
    return emit.fail("found two of {}, expected at most 2^20 elements together", describe(a));
  return emit.like<tt::CatOp>(a, likeElements(emit, {2 * shapeOf(a)[0]}, a), emit.ir(a),
                              emit.ir(b));
}

Value gather(const Value &x, const Value &index, int axis, Where where) {
  Emission emit("gather", where, {&x, &index});
  if (!emit || !isTile(emit, x) || !isTile(emit, index))
    return emit.poison();
  std::optional<int> along = emit.axisOf(axis, shapeOf(x).size());
  if (!along)
    return emit.poison();
  bool fits =
      isInteger(index.dtype()) && !index.isPointer() && shapeOf(index).size() == shapeOf(x).size();
  for (size_t other = 0; fits && other < shapeOf(x).size(); ++other)
    fits = int(other) == *along || shapeOf(index)[other] == shapeOf(x)[other];
  if (!fits)
    return emit.fail("found indices {} into {}, expected integers, of equal shape but along axis "
                     "{}",
                     describe(index), describe(x), axis);
  return emit.like<tt::GatherOp>(x, likeElements(emit, shapeOf(index), x), emit.ir(x),
                                 emit.ir(index), uint32_t(*along), /*efficientLayout=*/false);
}

Value histogram(const Value &x, int64_t bins, const Value &mask, Where where) {
  Emission emit("histogram", where, {&x}, {&mask});
  if (!emit)
    return emit.poison();
  if (shapeOf(x).size() != 1 || !isInteger(x.dtype()) || x.isPointer() || !isTileShape({bins}))
    return emit.fail("found {} and {} bins, expected a 1-D integer tile and a power of two",
                     describe(x), bins);
  mlir::Value lanes;
  if (!isNone(mask)) {
    Value whole = emit.maskOf(mask, shapeOf(x));
    if (isPoison(whole))
      return whole;
    lanes = emit.ir(whole);
  }
  Type type = emit.tileOf({bins}, emit.elementType(I32));
  return emit.wrap(emit.create<tt::HistogramOp>(type, emit.ir(x), lanes), I32);
}

//===-- Hints and debugging -----------------------------------------------------------------------===//

static Value hint(std::string_view what, StringRef name, const Value &x, const Shape &values,
                  Where where) {
  Emission emit(what, where, {&x});
  if (!emit)
    return emit.poison();
  bool arePositive = std::ranges::all_of(values, [](int64_t v) { return v >= 1 && v < 1 << 30; });
  if (values.size() != std::max<size_t>(1, shapeOf(x).size()) || !arePositive)
    return emit.fail("found {} for {}, expected a positive number an axis", describe(values),
                     describe(x));
  Value value = emit.literal(x);
  Operation *op = emit.ir(value).getDefiningOp();
  if (!op)
    return emit.fail("found an argument or a carried value, expected the result of an operation "
                     "(an argument takes its divisibility where it is declared)");
  SmallVector<int32_t> narrow(values.begin(), values.end());
  auto type = RankedTensorType::get({int64_t(narrow.size())}, emit.state->builder.getI32Type());
  op->setAttr(name, DenseIntElementsAttr::get(type, ArrayRef<int32_t>(narrow)));
  return value;
}

Value multipleOf(const Value &x, const Shape &values, Where where) {
  return hint("multipleOf", "tt.divisibility", x, values, where);
}

Value maxContiguous(const Value &x, const Shape &values, Where where) {
  return hint("maxContiguous", "tt.contiguity", x, values, where);
}

Value maxConstancy(const Value &x, const Shape &values, Where where) {
  return hint("maxConstancy", "tt.constancy", x, values, where);
}

void assume(const Value &condition, Where where) {
  Emission emit("assume", where, {&condition});
  if (!emit)
    return;
  if (condition.dtype() != I1 || !shapeOf(condition).empty()) {
    emit.fail("found {}, expected a scalar i1", describe(condition));
    return;
  }
  emit.create<LLVM::AssumeOp>(emit.ir(emit.literal(condition)));
}

void debugBarrier(Where where) {
  if (Emission emit("debugBarrier", where, {}); emit)
    emit.create<gpu::BarrierOp>();
}

void devicePrint(std::string_view prefix, const std::vector<Value> &values, bool hex, Where where) {
  Emission emit("devicePrint", where, {});
  if (!emit)
    return;
  SmallVector<mlir::Value> operands;
  SmallVector<int32_t> signs;
  for (const Value &value : values) {
    if (!Emission("devicePrint", where, {&value}))
      return;
    operands.push_back(emit.ir(emit.literal(value)));
    signs.push_back(isInteger(value.dtype()) && isSigned(value.dtype()));
  }
  // " prefix: ", as Triton writes it.
  std::string text(prefix);
  if (!operands.empty()) {
    while (!text.empty() && (text.back() == ' ' || text.back() == ':'))
      text.pop_back();
    text += ": ";
  }
  if (text.size() > 2 && text.front() != ' ')
    text.insert(text.begin(), ' ');
  emit.create<tt::PrintOp>(text, hex, operands, signs);
}

void deviceAssert(const Value &condition, std::string_view message, Where where) {
  Emission emit("deviceAssert", where, {&condition});
  if (!emit)
    return;
  if (condition.dtype() != I1 || condition.isPointer()) {
    emit.fail("found {}, expected i1", describe(condition));
    return;
  }
  emit.create<tt::AssertOp>(emit.ir(emit.literal(condition)), message);
}

} // namespace tigon::lang
