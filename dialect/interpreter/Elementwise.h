// SPDX-License-Identifier: Apache-2.0
//
// Elementwise ops from scalar functions: `elementwise<[](double a, double b) { return a + b; }>`
// evaluates any op of two float operands and a float result. The types of the function's parameters
// say how elements are read:
//
//     double      a float
//     uint64_t    an integer, zero-extended; an address
//     int64_t     an integer, sign-extended
//     Lane        either, as it is
//
// A double that it returns is rounded to the result's type, an integer cut to its width. A first
// parameter `Width` receives the width of the result's elements.
#pragma once

#include "dialect/interpreter/Evaluator.h"

#include <algorithm>
#include <array>

namespace tigon::interpreter {

struct Width {
  unsigned bits;
};

/// The elements of `tile` as values of type T; one element stands for all lanes.
template <typename T> class LaneReader {
public:
  LaneReader(const Tile &tile, Element element)
      : tile(tile), step(tile.size() > 1), shift(64 - element.width) {}

  T operator[](size_t lane) const {
    if constexpr (std::is_same_v<T, Lane>)
      return tile.get(lane * step);
    else if constexpr (std::is_same_v<T, double>)
      return tile.reals[lane * step];
    else if constexpr (std::is_same_v<T, int64_t>)
      return int64_t(tile.words[lane * step] << shift) >> shift;
    else
      return tile.words[lane * step];
  }

private:
  const Tile &tile;
  size_t step;
  unsigned shift;
};

/// The tile that `function` makes of the lanes of `tiles`, a tile of type `type`.
template <typename Result, typename... Ps, typename Function>
Tile mapLanes(Function function, mlir::Type type, std::array<const Tile *, sizeof...(Ps)> tiles,
              std::array<Element, sizeof...(Ps)> elements) {
  Element element = getElement(type);
  size_t lanes = 1;
  for (const Tile *tile : tiles)
    lanes = std::max(lanes, tile->size());
  Tile result;
  [&]<size_t... I>(std::index_sequence<I...>) {
    std::tuple<LaneReader<Ps>...> readers{LaneReader<Ps>(*tiles[I], elements[I])...};
    if constexpr (std::is_same_v<Result, double>) {
      result.reals.resize_for_overwrite(lanes);
      for (size_t lane = 0; lane < lanes; ++lane)
        result.reals[lane] = function(std::get<I>(readers)[lane]...);
    } else if constexpr (std::is_same_v<Result, Lane>) {
      result = Tile::of(element, lanes);
      for (size_t lane = 0; lane < lanes; ++lane)
        result.set(lane, function(std::get<I>(readers)[lane]...));
    } else {
      result.words.resize_for_overwrite(lanes);
      for (size_t lane = 0; lane < lanes; ++lane)
        result.words[lane] = element.truncate(uint64_t(function(std::get<I>(readers)[lane]...)));
    }
  }(std::index_sequence_for<Ps...>());
  return result;
}

/// Set result `number` of `op` to what `function`, of signature Result(Ps...), makes of the op's
/// operands.
template <typename Result, typename... Ps, typename Function>
llvm::LogicalResult applyToLanes(Evaluator &evaluator, mlir::Operation *op, Function function,
                                 unsigned number = 0,
                                 std::optional<Rounding> rounding = Rounding::NearestEven) {
  std::array<const Tile *, sizeof...(Ps)> tiles;
  std::array<Element, sizeof...(Ps)> elements;
  for (size_t i = 0; i < sizeof...(Ps); ++i) {
    tiles[i] = &evaluator.get(op->getOperand(i));
    elements[i] = getElement(op->getOperand(i).getType());
  }
  mlir::Type type = op->getResult(number).getType();
  Tile result = mapLanes<Result, Ps...>(function, type, tiles, elements);
  if (std::is_same_v<Result, double>)
    evaluator.round(result, type, rounding);
  return evaluator.set(op->getResult(number), std::move(result));
}

namespace signatures {
template <auto function, typename Result, typename... Ps>
llvm::LogicalResult apply(Evaluator &evaluator, mlir::Operation *op, unsigned number,
                          Result (*)(Ps...)) {
  return applyToLanes<Result, Ps...>(evaluator, op, function, number);
}
template <auto function, typename Result, typename... Ps>
llvm::LogicalResult apply(Evaluator &evaluator, mlir::Operation *op, unsigned number,
                          Result (*)(Width, Ps...)) {
  Width width{getElement(op->getResult(number).getType()).width};
  return applyToLanes<Result, Ps...>(
      evaluator, op, [width](Ps... lanes) { return function(width, lanes...); }, number);
}
template <auto function, typename Result, typename... Ps>
llvm::LogicalResult choose(Evaluator &evaluator, mlir::Operation *op, Result (*)(Ps...)) {
  return applyToLanes<Result, Ps...>(evaluator, op, function, 0, std::nullopt);
}
} // namespace signatures

/// The OpFunction of an op with one result.
template <auto function>
llvm::LogicalResult elementwise(Evaluator &evaluator, mlir::Operation *op) {
  return signatures::apply<function>(evaluator, op, 0, +function);
}

/// The OpFunction of an op that gives one of its operands, perhaps with another sign: nothing is
/// rounded, and so no infinity saturates.
template <auto function> llvm::LogicalResult choosing(Evaluator &evaluator, mlir::Operation *op) {
  return signatures::choose<function>(evaluator, op, +function);
}

/// The OpFunction of an op with two results, each by its own function.
template <auto first, auto second>
llvm::LogicalResult elementwisePair(Evaluator &evaluator, mlir::Operation *op) {
  (void)signatures::apply<first>(evaluator, op, 0, +first);
  return signatures::apply<second>(evaluator, op, 1, +second);
}

} // namespace tigon::interpreter
