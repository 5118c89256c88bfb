// SPDX-License-Identifier: Apache-2.0
#include "dialect/LinearLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace tigon {
namespace {

constexpr std::array<Index, 4> distributed = {Index::Register, Index::Lane, Index::Warp,
                                              Index::Block};

// A basis of a subspace of GF(2)^32, kept reduced so that each vector owns its leading bit. Beside
// each vector stands the input (a set of input bits) that it is the image of.
class Basis {
public:
  // Add an image; false if it was in the span already (then nothing changes).
  bool insert(uint32_t image, uint64_t input) {
    reduce(image, input);
    if (!image)
      return false;
    vectors[llvm::Log2_32(image)] = {image, input};
    return true;
  }

  // Subtract what the basis can of `image`; `input` becomes the input of the part subtracted.
  void reduce(uint32_t &image, uint64_t &input) const {
    for (int bit = 31; bit >= 0 && image; --bit)
      if ((image >> bit & 1) && vectors[bit].image) {
        image ^= vectors[bit].image;
        input ^= vectors[bit].input;
      }
  }

  bool spans(uint32_t image) const {
    uint64_t input = 0;
    reduce(image, input);
    return image == 0;
  }

private:
  struct Vector {
    uint32_t image = 0;
    uint64_t input = 0;
  };
  std::array<Vector, 32> vectors;
};

} // namespace

llvm::StringRef indexName(Index index) {
  constexpr const char *names[] = {"register", "lane", "warp", "block", "step", "offset"};
  return names[unsigned(index)];
}

unsigned log2Exact(int64_t value) {
  assert(value > 0 && llvm::isPowerOf2_64(value) && "not a power of two");
  return llvm::Log2_64(value);
}

LinearLayout LinearLayout::blocked(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> order,
                                   int64_t vector, int64_t lanes, int64_t warps) {
  LinearLayout layout(shape);
  // The coordinate's bits in the order in which they are handed out.
  llvm::SmallVector<uint32_t> bits;
  for (unsigned axis : order) {
    int64_t stride = 1;
    for (size_t inner = axis + 1; inner < shape.size(); ++inner)
      stride *= shape[inner];
    for (unsigned bit = 0; bit < log2Exact(shape[axis]); ++bit)
      bits.push_back(stride << bit);
  }
  llvm::ArrayRef<uint32_t> left = bits;
  auto hand = [&](Index index, unsigned count, bool fill) {
    unsigned taken = std::min<unsigned>(count, left.size());
    llvm::append_range(layout.images[unsigned(index)], left.take_front(taken));
    left = left.drop_front(taken);
    if (fill)
      layout.images[unsigned(index)].append(count - taken, 0);
  };
  unsigned inFastest = shape.empty() ? 0 : log2Exact(shape[order[0]]);
  hand(Index::Register, std::min(log2Exact(vector), inFastest), false);
  hand(Index::Lane, log2Exact(lanes), true);
  hand(Index::Warp, log2Exact(warps), true);
  hand(Index::Register, left.size(), false);
  return layout;
}

int64_t LinearLayout::getNumElements() const {
  int64_t elements = 1;
  for (int64_t size : shape)
    elements *= size;
  return elements;
}

unsigned LinearLayout::getNumBits() const { return log2Exact(getNumElements()); }

uint32_t LinearLayout::apply(Index index, uint32_t value) const {
  uint32_t coordinate = 0;
  for (auto [bit, image] : llvm::enumerate(getImages(index)))
    if (value >> bit & 1)
      coordinate ^= image;
  return coordinate;
}

uint32_t LinearLayout::getFreeBits(Index index) const {
  uint32_t mask = 0;
  for (auto [bit, image] : llvm::enumerate(getImages(index)))
    mask |= uint32_t(image == 0) << bit;
  return mask;
}

bool LinearLayout::isSurjective() const {
  Basis basis;
  unsigned rank = 0;
  for (const Images &of : images)
    for (uint32_t image : of)
      rank += basis.insert(image, 0);
  return rank == getNumBits();
}

bool LinearLayout::isInjectiveButFree() const {
  Basis basis;
  for (const Images &of : images)
    for (uint32_t image : of)
      if (image && !basis.insert(image, 0))
        return false;
  return true;
}

LinearLayout LinearLayout::mapBits(llvm::ArrayRef<int64_t> newShape, BitMap map) const {
  LinearLayout result(newShape);
  unsigned newBits = result.getNumBits();
  for (auto [of, to] : llvm::zip(images, result.images))
    for (uint32_t image : of) {
      uint32_t mapped = 0;
      for (unsigned bit = 0; bit < newBits; ++bit)
        if (std::optional<unsigned> source = map(bit); source && (image >> *source & 1))
          mapped |= uint32_t(1) << bit;
      to.push_back(mapped);
    }
  return result;
}

LinearLayout LinearLayout::reshape(llvm::ArrayRef<int64_t> newShape) const {
  LinearLayout result = *this;
  result.shape.assign(newShape.begin(), newShape.end());
  assert(result.getNumElements() == getNumElements() && "reshape keeps the number of elements");
  return result;
}

LinearLayout LinearLayout::dropFreeRegisters() const {
  LinearLayout result = *this;
  llvm::erase(result.images[unsigned(Index::Register)], 0u);
  return result;
}

std::optional<std::array<uint32_t, numIndices>> LinearLayout::find(uint32_t coordinate) const {
  Basis basis;
  unsigned shift = 0;
  for (Index index : distributed) {
    for (uint32_t image : getImages(index))
      basis.insert(image, uint64_t(1) << shift++);
  }
  uint64_t input = 0;
  basis.reduce(coordinate, input);
  if (coordinate)
    return std::nullopt;
  std::array<uint32_t, numIndices> found{};
  for (Index index : distributed) {
    unsigned bits = getNumBits(index);
    found[unsigned(index)] = input & ((uint64_t(1) << bits) - 1);
    input >>= bits;
  }
  return found;
}

std::optional<uint32_t> LinearLayout::findRegister(uint32_t coordinate) const {
  Basis basis;
  for (auto [bit, image] : llvm::enumerate(getImages(Index::Register)))
    basis.insert(image, uint64_t(1) << bit);
  uint64_t found = 0;
  basis.reduce(coordinate, found);
  if (coordinate)
    return std::nullopt;
  return found;
}

bool LinearLayout::coversInThread(const LinearLayout &other) const {
  for (Index index : {Index::Lane, Index::Warp, Index::Block})
    if (getImages(index) != other.getImages(index))
      return false;
  Basis basis;
  for (uint32_t image : getImages(Index::Register))
    basis.insert(image, 0);
  return llvm::all_of(other.getImages(Index::Register),
                      [&](uint32_t image) { return basis.spans(image); });
}

bool LinearLayout::coversInWarp(const LinearLayout &other) const {
  Basis basis;
  for (Index index : {Index::Register, Index::Lane})
    for (uint32_t image : getImages(index))
      basis.insert(image, 0);
  // A warp's elements are its own image plus this span, so its image matters only up to the span.
  for (Index index : {Index::Register, Index::Lane})
    if (!llvm::all_of(other.getImages(index), [&](uint32_t image) { return basis.spans(image); }))
      return false;
  for (Index index : {Index::Warp, Index::Block}) {
    llvm::ArrayRef<uint32_t> ours = getImages(index), theirs = other.getImages(index);
    for (size_t bit = 0; bit < std::max(ours.size(), theirs.size()); ++bit)
      if (!basis.spans((bit < ours.size() ? ours[bit] : 0) ^
                       (bit < theirs.size() ? theirs[bit] : 0)))
        return false;
  }
  return true;
}

std::string LinearLayout::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(shape, os, "x");
  for (unsigned i = 0; i < numIndices; ++i) {
    if (images[i].empty() && Index(i) >= Index::Block)
      continue;
    os << (i || !shape.empty() ? ", " : "") << indexName(Index(i)) << " = [";
    llvm::interleaveComma(images[i], os);
    os << "]";
  }
  return text;
}

llvm::hash_code hash_value(const LinearLayout &layout) {
  llvm::hash_code hash = llvm::hash_combine_range(layout.shape.begin(), layout.shape.end());
  for (const LinearLayout::Images &of : layout.images)
    hash = llvm::hash_combine(hash, llvm::hash_combine_range(of.begin(), of.end()));
  return hash;
}

} // namespace tigon
