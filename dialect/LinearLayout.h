// SPDX-License-Identifier: Apache-2.0
//
// LinearLayout: which element of a tile a piece of hardware holds.
//
// A tile of 32 x 64 elements on a GPU is spread over warps, lanes of a warp and registers of a
// lane. All sizes are powers of two, so each of these indices is a few bits, and so is an element's
// coordinate. A *linear layout* is a map from the hardware's bits to the coordinate's bits that is
// linear over GF(2), the field {0, 1} whose addition is XOR:
//
//     coordinate(register r, lane l, warp w) = XOR of the images of all bits set in r, l and w
//
// so it is fully described by one image a bit. Reference: "Linear Layouts: Robust Code Generation
// of Efficient Tensor Computation Using F2" (arXiv 2505.23819).
//
// Coordinates here are *flat*: element (i, j) of a 32 x 64 tile is the number i*64 + j, j's six
// bits below i's five. Then an image is one integer, a reshape changes no image at all, trans
// permutes bits, and expand_dims, broadcast, join, split and the loss of an axis by a reduction
// only insert or drop bits (`mapBits`). A worked example, a tile of 4 x 16 on 8 lanes with two
// elements a lane:
//
//     register = [1]            register bit 0 moves by one column
//     lane     = [2, 4, 16]     lane bits 0 and 1 by two and four columns, bit 2 by one row
//     warp     = [8, 32]        warp bit 0 by eight columns, bit 1 by two rows
//
// lane 5 = 0b101 of warp 2 = 0b10 holds, in register 1, the element 1 ^ 2 ^ 16 ^ 32 = 51, that is
// row 3, column 3.
//
// Three properties say all that the compiler asks:
//   - *surjective*: every element is somewhere. Layouts of tiles always are.
//   - a *free bit* has the image 0: it selects a duplicate. A row's sum, after a reduction, is
//     held by all lanes of the row, and each of them may use it; but an op with side effects acts
//     only where its free bits are 0.
//   - two layouts are *the same spread* if they differ only in the order of registers and in free
//     bits: then a value goes from one to the other without leaving its thread.
//
// Four kinds of index occur in a tile's layout: register, lane, warp, block (of a cluster). On the
// CPU a lane is a lane of a SIMD register and there is one warp and one block. `Step` is the index
// of a strip loop: fixing some of its bits turns the layout of a tile into the layout of its strip.
// Buffers in shared memory map `Offset` to coordinates by the same algebra; there an image with
// several bits is a swizzle.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace tigon {

/// A hardware index, in the order in which layouts list them: bits of `Register` are the lowest of
/// an input.
enum class Index { Register, Lane, Warp, Block, Step, Offset };
constexpr unsigned numIndices = 6;
llvm::StringRef indexName(Index index);

class LinearLayout {
public:
  using Images = llvm::SmallVector<uint32_t, 8>;
  /// For each result bit the source bit, or none; see mapBits.
  using BitMap = llvm::function_ref<std::optional<unsigned>(unsigned)>;

  LinearLayout() = default;
  /// A layout of tiles of `shape` (sizes are powers of two), with no bits yet.
  explicit LinearLayout(llvm::ArrayRef<int64_t> shape) : shape(shape) {}

  /// Row-major in registers and threads: axes are filled in `order` (fastest first), `vector`
  /// consecutive elements of order[0] in a lane, then lanes, warps, and what is left in registers.
  /// Where the tile is smaller than the machine the excess lane and warp bits are free.
  static LinearLayout blocked(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> order,
                              int64_t vector, int64_t lanes, int64_t warps);

  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getRank() const { return shape.size(); }
  int64_t getNumElements() const;
  /// Number of bits of a flat coordinate.
  unsigned getNumBits() const;

  llvm::ArrayRef<uint32_t> getImages(Index index) const { return images[unsigned(index)]; }
  void setImages(Index index, llvm::ArrayRef<uint32_t> to) {
    images[unsigned(index)].assign(to.begin(), to.end());
  }
  unsigned getNumBits(Index index) const { return getImages(index).size(); }
  int64_t getSize(Index index) const { return int64_t(1) << getNumBits(index); }

  /// The flat coordinate that value `value` of `index` contributes (0 for all other indices).
  uint32_t apply(Index index, uint32_t value) const;
  /// The set of bits of `index` with image 0, as a mask.
  uint32_t getFreeBits(Index index) const;

  bool isSurjective() const;
  /// No two inputs, free bits aside, hold the same element.
  bool isInjectiveButFree() const;

  /// The layout of a tile whose coordinate bit b is this one's bit map(b); bits without a source
  /// get no image, so images of dropped bits become free. This is the layout of an op's operand,
  /// given that of its result, and the other way round but for bits that the operand lacks.
  LinearLayout mapBits(llvm::ArrayRef<int64_t> newShape, BitMap map) const;
  /// Equal images, another shape of as many elements.
  LinearLayout reshape(llvm::ArrayRef<int64_t> newShape) const;
  /// Registers whose image equals another's are dropped: a tile that is broadcast over registers
  /// holds one of each.
  LinearLayout dropFreeRegisters() const;

  /// An input (register, lane, warp, block) that holds `coordinate`: the one whose free bits are 0.
  /// None if it is nowhere.
  std::optional<std::array<uint32_t, numIndices>> find(uint32_t coordinate) const;

  /// The register, in every thread the same, whose own contribution is `coordinate`; none if there is none.
  std::optional<uint32_t> findRegister(uint32_t coordinate) const;

  /// Whether values of this layout serve as values of `other` without leaving their thread: every
  /// element that a thread of `other` holds in register r is held here by the same thread, in a
  /// register that depends on r alone. So the images of lanes, warps and blocks are equal, and
  /// `other`'s registers lie in the span of ours.
  bool coversInThread(const LinearLayout &other) const;
  /// Whether every element that a warp of `other` holds is held here by the same warp.
  bool coversInWarp(const LinearLayout &other) const;

  /// `32x64, register = [1], lane = [2, 4, 16]`: the form inside `#tg.layout<...>`.
  std::string str() const;

  bool operator==(const LinearLayout &other) const {
    return shape == other.shape && images == other.images;
  }
  friend llvm::hash_code hash_value(const LinearLayout &layout);

private:
  llvm::SmallVector<int64_t, 4> shape;
  std::array<Images, numIndices> images;
};

llvm::hash_code hash_value(const LinearLayout &layout);

/// log2 of a power of two.
unsigned log2Exact(int64_t value);

} // namespace tigon
