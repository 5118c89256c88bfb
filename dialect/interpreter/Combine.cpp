// SPDX-License-Identifier: Apache-2.0
//
// Ops with a region over scalars. The region is evaluated for all lanes at once: a reduction of N
// elements is log2(N) evaluations, each of which combines neighbours, a balanced tree that keeps
// the order of elements.
#include "dialect/interpreter/Evaluator.h"

using namespace mlir;

namespace tigon::interpreter {
namespace {

// Tiles seen as outer x size x inner, the middle being the axis combined along.
struct Axis {
  size_t outer = 1, size, inner = 1;

  Axis(RankedTensorType type, unsigned axis) : size(type.getDimSize(axis)) {
    for (int64_t extent : type.getShape().take_front(axis))
      outer *= extent;
    for (int64_t extent : type.getShape().drop_front(axis + 1))
      inner *= extent;
  }

  size_t lanes() const { return outer * size * inner; }

  // `count` places along the axis of `tile`, the i-th from source(i).
  template <typename Source> Tile take(const Tile &tile, size_t count, Source source) const {
    return tile.pick(outer * count * inner, [&](size_t flat) {
      size_t place = flat / inner % count;
      return (flat / inner / count * size + source(place)) * inner + flat % inner;
    });
  }

  // Write `part`, count places along the axis, over those of `tile` from place `first` on.
  void put(Tile &tile, const Tile &part, size_t count, size_t first) const {
    for (size_t flat = 0; flat < part.size(); ++flat) {
      size_t place = flat / inner % count;
      tile.set((flat / inner / count * size + first + place) * inner + flat % inner,
               part.get(flat));
    }
  }
};

SmallVector<Tile, 4> copyTiles(const Evaluator &evaluator, ValueRange values) {
  return llvm::map_to_vector<4>(values, [&](Value value) { return evaluator.get(value); });
}

LogicalResult setTiles(Evaluator &evaluator, ValueRange values, SmallVectorImpl<Tile> &tiles) {
  for (auto [value, tile] : llvm::zip_equal(values, tiles))
    (void)evaluator.set(value, std::move(tile));
  return success();
}

LogicalResult evaluateReduce(Evaluator &evaluator, tt::ReduceOp op) {
  Axis axis(cast<RankedTensorType>(op.getSrcs()[0].getType()), op.getAxis());
  SmallVector<Tile, 4> tiles = copyTiles(evaluator, op.getSrcs());
  for (; axis.size > 1; axis.size /= 2) {
    size_t half = axis.size / 2;
    SmallVector<Tile, 4> pairs;
    for (const Tile &tile : tiles)
      pairs.push_back(axis.take(tile, half, [](size_t i) { return 2 * i; }));
    for (const Tile &tile : tiles)
      pairs.push_back(axis.take(tile, half, [](size_t i) { return 2 * i + 1; }));
    tiles.clear();
    if (failed(evaluator.runLanes(op.getCombineOp(), std::move(pairs), axis.lanes() / 2, tiles)))
      return failure();
  }
  return setTiles(evaluator, op.getResult(), tiles);
}

// After the round of distance d, each element combines the 2d elements up to it (Hillis and Steele,
// "Data parallel algorithms", 1986). In reverse, elements come from behind instead.
LogicalResult evaluateScan(Evaluator &evaluator, tt::ScanOp op) {
  Axis axis(cast<RankedTensorType>(op.getSrcs()[0].getType()), op.getAxis());
  SmallVector<Tile, 4> tiles = copyTiles(evaluator, op.getSrcs());
  for (size_t distance = 1; distance < axis.size; distance *= 2) {
    size_t count = axis.size - distance;
    size_t earlier = op.getReverse() ? distance : 0, later = op.getReverse() ? 0 : distance;
    SmallVector<Tile, 4> pairs, combined;
    for (size_t first : {earlier, later})
      for (const Tile &tile : tiles)
        pairs.push_back(axis.take(tile, count, [first](size_t i) { return first + i; }));
    size_t lanes = axis.outer * count * axis.inner;
    if (failed(evaluator.runLanes(op.getCombineOp(), std::move(pairs), lanes, combined)))
      return failure();
    for (auto [tile, part] : llvm::zip_equal(tiles, combined))
      axis.put(tile, part, count, later);
  }
  return setTiles(evaluator, op.getResult(), tiles);
}

// A lane of the region takes `pack` neighbours of each operand and gives as many of each result.
LogicalResult evaluateMapElementwise(Evaluator &evaluator, tt::MapElementwiseOp op) {
  if (op->getNumResults() == 0)
    return success();
  size_t pack = op.getPack(), elements = getTileElements(op->getResultTypes().front());
  size_t lanes = elements / pack;
  SmallVector<Tile, 4> arguments, returned, results;
  for (Value source : op.getSrcs())
    for (size_t i = 0; i < pack; ++i)
      arguments.push_back(
          evaluator.get(source).pick(lanes, [pack, i](size_t lane) { return lane * pack + i; }));
  if (failed(evaluator.runLanes(op.getScalarOp(), std::move(arguments), lanes, returned)))
    return failure();
  for (Value result : op.getResult()) {
    Tile tile = Tile::of(getElement(result.getType()), elements);
    for (size_t i = 0; i < elements; ++i)
      tile.set(i, returned[results.size() * pack + i % pack].get(i / pack));
    results.push_back(std::move(tile));
  }
  return setTiles(evaluator, op.getResult(), results);
}

} // namespace

void addCombineOps(OpTable &table) {
  table.add<evaluateReduce>();
  table.add<evaluateScan>();
  table.add<evaluateMapElementwise>();
}

} // namespace tigon::interpreter
