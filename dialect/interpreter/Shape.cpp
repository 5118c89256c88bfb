// SPDX-License-Identifier: Apache-2.0
//
// Ops that make tiles or move elements within them, and tg's scratch.
#include "dialect/interpreter/Evaluator.h"
#include "dialect/tg/TG.h"

#include <limits>

using namespace mlir;

namespace tigon::interpreter {
namespace {

LogicalResult evaluateProgramId(Evaluator &evaluator, tt::GetProgramIdOp op) {
  return evaluator.set(op, Tile::ofWords(1, evaluator.program[unsigned(op.getAxis())]));
}

LogicalResult evaluateNumPrograms(Evaluator &evaluator, tt::GetNumProgramsOp op) {
  return evaluator.set(op, Tile::ofWords(1, evaluator.grid[unsigned(op.getAxis())]));
}

LogicalResult evaluateMakeRange(Evaluator &evaluator, tt::MakeRangeOp op) {
  Tile tile = Tile::ofWords(op.getResult().getType().getNumElements());
  for (size_t i = 0; i < tile.size(); ++i)
    tile.words[i] = uint32_t(op.getStart() + i);
  return evaluator.set(op, std::move(tile));
}

// The same elements in the same order: another shape, or another layout.
LogicalResult evaluateSame(Evaluator &evaluator, Operation *op) {
  return evaluator.set(op->getResults(), evaluator.getRefs(op->getOperands()));
}

LogicalResult evaluateSplat(Evaluator &evaluator, tt::SplatOp op) {
  return evaluator.set(op, evaluator.get(op.getSrc()).expand(getTileElements(op.getType())));
}

// The tile of `shape` whose element at coordinates c is the source's at the sum of c * strides.
Tile pickStrided(const Tile &source, ArrayRef<int64_t> shape, ArrayRef<int64_t> strides) {
  size_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return source.pick(count, [&](size_t flat) {
    size_t from = 0;
    for (size_t axis = shape.size(); axis-- > 0; flat /= shape[axis])
      from += flat % shape[axis] * strides[axis];
    return from;
  });
}

SmallVector<int64_t> rowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0; stride *= shape[axis])
    strides[axis] = stride;
  return strides;
}

LogicalResult evaluateBroadcast(Evaluator &evaluator, tt::BroadcastOp op) {
  ArrayRef<int64_t> shape = op.getSrc().getType().getShape();
  SmallVector<int64_t> strides = rowMajorStrides(shape);
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (shape[axis] == 1)
      strides[axis] = 0;
  return evaluator.set(
      op, pickStrided(evaluator.get(op.getSrc()), op.getResult().getType().getShape(), strides));
}

LogicalResult evaluateTrans(Evaluator &evaluator, tt::TransOp op) {
  SmallVector<int64_t> from = rowMajorStrides(op.getSrc().getType().getShape()), strides;
  for (int32_t axis : op.getOrder())
    strides.push_back(from[axis]);
  return evaluator.set(
      op, pickStrided(evaluator.get(op.getSrc()), op.getResult().getType().getShape(), strides));
}

LogicalResult evaluateJoin(Evaluator &evaluator, tt::JoinOp op) {
  const Tile &lhs = evaluator.get(op.getLhs()), &rhs = evaluator.get(op.getRhs());
  Tile tile = lhs.pick(2 * lhs.size(), [](size_t i) { return i / 2; });
  for (size_t i = 0; i < rhs.size(); ++i)
    tile.set(2 * i + 1, rhs.get(i));
  return evaluator.set(op, std::move(tile));
}

LogicalResult evaluateSplit(Evaluator &evaluator, tt::SplitOp op) {
  const Tile &source = evaluator.get(op.getSrc());
  size_t half = source.size() / 2;
  (void)evaluator.set(op.getLhs(), source.pick(half, [](size_t i) { return 2 * i; }));
  return evaluator.set(op.getRhs(), source.pick(half, [](size_t i) { return 2 * i + 1; }));
}

LogicalResult evaluateCat(Evaluator &evaluator, tt::CatOp op) {
  Tile tile = evaluator.get(op.getLhs());
  const Tile &rhs = evaluator.get(op.getRhs());
  tile.words.append(rhs.words);
  tile.reals.append(rhs.reals);
  return evaluator.set(op, std::move(tile));
}

// An index outside takes some element: the one at the index modulo the axis's size.
LogicalResult evaluateGather(Evaluator &evaluator, tt::GatherOp op) {
  ArrayRef<int64_t> source = op.getSrc().getType().getShape();
  ArrayRef<int64_t> result = op.getIndices().getType().getShape();
  const Tile &indices = evaluator.get(op.getIndices());
  size_t inner = 1;
  for (int64_t size : source.drop_front(op.getAxis() + 1))
    inner *= size;
  size_t from = source[op.getAxis()], to = result[op.getAxis()];
  return evaluator.set(op, evaluator.get(op.getSrc()).pick(indices.size(), [&](size_t flat) {
    size_t outer = flat / inner / to;
    return (outer * from + indices.words[flat] % from) * inner + flat % inner;
  }));
}

LogicalResult evaluateHistogram(Evaluator &evaluator, tt::HistogramOp op) {
  const Tile &source = evaluator.get(op.getSrc());
  const Tile *mask = op.getMask() ? &evaluator.get(op.getMask()) : nullptr;
  Element element = getElement(op.getType());
  Tile counts = Tile::ofWords(getTileElements(op.getType()));
  for (size_t i = 0; i < source.size(); ++i)
    if ((!mask || mask->words[i]) && source.words[i] < counts.size())
      counts.words[source.words[i]] = element.truncate(counts.words[source.words[i]] + 1);
  return evaluator.set(op, std::move(counts));
}

//===-- Scratch ------------------------------------------------------------------------------===//

// What nobody has written is made to show: NaN, or all ones.
LogicalResult evaluateScratchAlloc(Evaluator &evaluator, tg::ScratchAllocOp op) {
  RankedTensorType type = op.getType().getTile();
  Element element = getElement(type);
  Tile contents = element.format ? Tile::ofReals(type.getNumElements(),
                                                 std::numeric_limits<double>::quiet_NaN())
                                 : Tile::ofWords(type.getNumElements(), element.truncate(~0ull));
  return evaluator.set(op, Tile::ofWords(1, evaluator.allocateScratch(op, std::move(contents))));
}

// Where the elements of a strip lie in its tile: `step`'s bits are spread over the tile bits
// `bits`, an element's number over the others.
class Strip {
public:
  Strip(size_t tileSize, ArrayRef<int32_t> bits, uint64_t step) {
    for (auto [number, bit] : llvm::enumerate(bits))
      fixed |= (step >> number & 1) << bit;
    for (unsigned bit = 0; (size_t(1) << bit) < tileSize; ++bit)
      if (!llvm::is_contained(bits, int32_t(bit)))
        freeBits.push_back(bit);
  }
  size_t operator[](size_t element) const {
    size_t flat = fixed;
    for (auto [number, bit] : llvm::enumerate(freeBits))
      flat |= (element >> number & 1) << bit;
    return flat;
  }

private:
  size_t fixed = 0;
  SmallVector<unsigned, 20> freeBits;
};

FailureOr<Strip> findStrip(Evaluator &evaluator, Operation *op, const Tile &tile,
                           ArrayRef<int32_t> bits, Value step) {
  uint64_t number = step ? evaluator.getWord(step) : 0;
  if (number >> bits.size())
    return evaluator.fail(op, "found step " + Twine(number) + ", expected less than " +
                                  Twine(1 << bits.size()));
  return Strip(tile.size(), bits, number);
}

LogicalResult evaluateScratchPut(Evaluator &evaluator, tg::ScratchPutOp op) {
  Tile &tile = evaluator.getScratch(evaluator.getWord(op.getScratch()));
  const Tile &value = evaluator.get(op.getValue());
  FailureOr<Strip> strip = findStrip(evaluator, op, tile, op.getBits(), op.getStep());
  if (failed(strip))
    return failure();
  for (size_t i = 0; i < value.size(); ++i)
    tile.set((*strip)[i], value.get(i));
  return success();
}

LogicalResult evaluateScratchGet(Evaluator &evaluator, tg::ScratchGetOp op) {
  const Tile &tile = evaluator.getScratch(evaluator.getWord(op.getScratch()));
  size_t elements = getTileElements(op.getResult().getType());
  FailureOr<Strip> strip = findStrip(evaluator, op, tile, op.getBits(), op.getStep());
  if (failed(strip))
    return failure();
  return evaluator.set(op, tile.pick(elements, [&](size_t i) { return (*strip)[i]; }));
}

} // namespace

void addShapeOps(OpTable &table) {
  table.add<evaluateProgramId>();
  table.add<evaluateNumPrograms>();
  table.add<evaluateMakeRange>();
  table.add<evaluateSplat>();
  table.add<tt::UnsplatOp>(evaluateSame);
  table.add<tt::ExpandDimsOp>(evaluateSame);
  table.add<tt::ReshapeOp>(evaluateSame);
  table.add<tg::ConvertLayoutOp>(evaluateSame);
  table.add<evaluateBroadcast>();
  table.add<evaluateTrans>();
  table.add<evaluateJoin>();
  table.add<evaluateSplit>();
  table.add<evaluateCat>();
  table.add<evaluateGather>();
  table.add<evaluateHistogram>();
  table.add<evaluateScratchAlloc>();
  table.add<evaluateScratchPut>();
  table.add<evaluateScratchGet>();
}

} // namespace tigon::interpreter
