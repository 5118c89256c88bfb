// SPDX-License-Identifier: Apache-2.0
//
// A tile as the interpreter holds it.
#pragma once

#include "dialect/interpreter/FloatFormat.h"

#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <optional>

namespace tigon::interpreter {

/// How the elements of a type are held.
struct Element {
  unsigned width = 64;                 ///< bits
  const FloatFormat *format = nullptr; ///< null: an integer or a pointer

  /// Room in memory; i1 takes a byte.
  unsigned bytes() const { return (width + 7) / 8; }
  uint64_t truncate(uint64_t word) const { return word << (64 - width) >> (64 - width); }
  int64_t extend(uint64_t word) const { return int64_t(word << (64 - width)) >> (64 - width); }
};

/// How `type`, or the elements of the tensor `type`, are held; none if no tile program holds such.
std::optional<Element> findElement(mlir::Type type);
/// The same, of a type that is held (Evaluator::prepare has seen to that).
Element getElement(mlir::Type type);

/// One element: the member that its type says.
struct Lane {
  uint64_t word = 0;
  double real = 0;
};

/// The elements of one SSA value, row-major; a scalar is a tile of one element. Floats are `reals`,
/// all else are `words`: integers masked to their width, addresses, the words of a block pointer or
/// descriptor (Blocks.cpp), the number of a scratch (Shape.cpp). One of the two is empty.
///
/// In a region that is evaluated for many lanes at once (Combine.cpp) a scalar of the IR has an
/// element a lane, and a tile of one element stands for all lanes.
struct Tile {
  llvm::SmallVector<uint64_t, 1> words;
  llvm::SmallVector<double, 1> reals;

  static Tile ofWords(size_t count, uint64_t word = 0) {
    Tile tile;
    tile.words.assign(count, word);
    return tile;
  }
  static Tile ofReals(size_t count, double real = 0) {
    Tile tile;
    tile.reals.assign(count, real);
    return tile;
  }
  static Tile of(const Element &element, size_t count) {
    return element.format ? ofReals(count) : ofWords(count);
  }

  bool isReal() const { return !reals.empty(); }
  size_t size() const { return isReal() ? reals.size() : words.size(); }
  Lane get(size_t index) const { return isReal() ? Lane{0, reals[index]} : Lane{words[index], 0}; }
  void set(size_t index, Lane lane) {
    if (isReal())
      reals[index] = lane.real;
    else
      words[index] = lane.word;
  }

  /// The tile of `count` elements whose element i is ours at source(i).
  template <typename Source> Tile pick(size_t count, Source source) const {
    Tile result;
    auto copy = [&](auto &to, const auto &from) {
      to.resize_for_overwrite(count);
      for (size_t i = 0; i < count; ++i)
        to[i] = from[source(i)];
    };
    isReal() ? copy(result.reals, reals) : copy(result.words, words);
    return result;
  }
  /// One element as `count` of them; a tile of `count` elements as it is.
  Tile expand(size_t count) const {
    return size() == count ? *this : pick(count, [](size_t) { return 0; });
  }
};

using TileRef = std::shared_ptr<const Tile>;
using Tiles = llvm::SmallVector<TileRef, 4>;

inline TileRef share(Tile tile) { return std::make_shared<const Tile>(std::move(tile)); }

} // namespace tigon::interpreter
