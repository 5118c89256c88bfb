// SPDX-License-Identifier: Apache-2.0
//
// LinearLayout against its definition: whatever it computes by linear algebra is computed here by
// enumerating all inputs of many small random layouts.
#include "dialect/LinearLayout.h"

#include "dialect/Dialects.h"
#include "dialect/tg/TG.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <set>

namespace tigon {
namespace {

constexpr std::array<Index, 4> threadIndices = {Index::Register, Index::Lane, Index::Warp,
                                                Index::Block};
using Input = std::array<uint32_t, 4>; // register, lane, warp, block

std::mt19937 &random() {
  static std::mt19937 generator(20240613);
  return generator;
}

// 0 to below - 1.
uint32_t pick(uint32_t below) {
  return std::uniform_int_distribution<uint32_t>(0, below - 1)(random());
}

// The definition.
uint32_t elementAt(const LinearLayout &layout, const Input &input) {
  uint32_t element = 0;
  for (auto [index, value] : llvm::zip(threadIndices, input))
    for (auto [bit, image] : llvm::enumerate(layout.getImages(index)))
      if (value >> bit & 1)
        element ^= image;
  return element;
}

void forAllInputs(const LinearLayout &layout, llvm::function_ref<void(const Input &)> visit) {
  for (uint32_t r = 0; r < layout.getSize(Index::Register); ++r)
    for (uint32_t l = 0; l < layout.getSize(Index::Lane); ++l)
      for (uint32_t w = 0; w < layout.getSize(Index::Warp); ++w)
        for (uint32_t b = 0; b < layout.getSize(Index::Block); ++b)
          visit({r, l, w, b});
}

llvm::SmallVector<int64_t> randomShape(unsigned maxRank, unsigned maxBits) {
  llvm::SmallVector<int64_t> shape(pick(maxRank + 1), 1);
  if (!shape.empty())
    for (unsigned bits = pick(maxBits + 1); bits > 0; --bits)
      shape[pick(shape.size())] *= 2;
  return shape;
}

llvm::SmallVector<uint32_t> randomImages(unsigned count, int64_t elements) {
  llvm::SmallVector<uint32_t> images(count);
  for (uint32_t &image : images)
    image = pick(4) ? pick(elements) : 0; // free bits are common
  return images;
}

LinearLayout randomLayout(llvm::ArrayRef<int64_t> shape) {
  LinearLayout layout(shape);
  for (Index index : threadIndices)
    layout.setImages(index,
                     randomImages(pick(index == Index::Block ? 2 : 4), layout.getNumElements()));
  return layout;
}

// Layouts of which every second one is surjective, in expectation.
LinearLayout randomLayout() { return randomLayout(randomShape(3, 6)); }

constexpr int rounds = 2000;

TEST(LinearLayout, WorkedExampleOfItsHeader) {
  LinearLayout layout({4, 16});
  layout.setImages(Index::Register, {1});
  layout.setImages(Index::Lane, {2, 4, 16});
  layout.setImages(Index::Warp, {8, 32});
  EXPECT_EQ(elementAt(layout, {1, 5, 2, 0}), 3u * 16 + 3);
  EXPECT_TRUE(layout.isSurjective());
  EXPECT_TRUE(layout.isInjectiveButFree());
}

TEST(LinearLayout, ApplyIsTheXorOfImages) {
  for (int round = 0; round < rounds; ++round) {
    LinearLayout layout = randomLayout();
    forAllInputs(layout, [&](const Input &input) {
      uint32_t element = 0;
      for (auto [index, value] : llvm::zip(threadIndices, input))
        element ^= layout.apply(index, value);
      ASSERT_EQ(element, elementAt(layout, input)) << layout.str();
    });
  }
}

TEST(LinearLayout, FreeBitsSelectDuplicates) {
  for (int round = 0; round < rounds; ++round) {
    LinearLayout layout = randomLayout();
    for (auto [position, index] : llvm::enumerate(threadIndices))
      for (unsigned bit = 0; bit < layout.getNumBits(index); ++bit) {
        bool changes = false;
        forAllInputs(layout, [&, position = position](Input input) {
          uint32_t element = elementAt(layout, input);
          input[position] ^= 1u << bit;
          changes |= elementAt(layout, input) != element;
        });
        ASSERT_EQ(layout.getFreeBits(index) >> bit & 1, !changes) << layout.str();
      }
  }
}

TEST(LinearLayout, SurjectiveMeansThatEveryElementIsSomewhere) {
  int surjective = 0;
  for (int round = 0; round < rounds; ++round) {
    LinearLayout layout = randomLayout();
    std::set<uint32_t> held;
    forAllInputs(layout, [&](const Input &input) { held.insert(elementAt(layout, input)); });
    ASSERT_EQ(layout.isSurjective(), int64_t(held.size()) == layout.getNumElements())
        << layout.str();
    surjective += layout.isSurjective();
  }
  EXPECT_GT(surjective, rounds / 10);
  EXPECT_LT(surjective, rounds * 9 / 10);
}

bool freeBitsAreZero(const LinearLayout &layout, const Input &input) {
  return llvm::all_of(llvm::zip(threadIndices, input), [&](auto pair) {
    return (std::get<1>(pair) & layout.getFreeBits(std::get<0>(pair))) == 0;
  });
}

TEST(LinearLayout, InjectiveButFreeMeansThatNoElementIsHeldTwice) {
  int injective = 0;
  for (int round = 0; round < rounds; ++round) {
    LinearLayout layout = randomLayout();
    std::multiset<uint32_t> held;
    forAllInputs(layout, [&](const Input &input) {
      if (freeBitsAreZero(layout, input))
        held.insert(elementAt(layout, input));
    });
    bool once = llvm::all_of(held, [&](uint32_t element) { return held.count(element) == 1; });
    ASSERT_EQ(layout.isInjectiveButFree(), once) << layout.str();
    injective += once;
  }
  EXPECT_GT(injective, rounds / 10);
}

TEST(LinearLayout, FindGivesAHolderWithoutFreeBits) {
  for (int round = 0; round < rounds; ++round) {
    LinearLayout layout = randomLayout();
    std::set<uint32_t> held;
    forAllInputs(layout, [&](const Input &input) { held.insert(elementAt(layout, input)); });
    for (uint32_t element = 0; element < layout.getNumElements(); ++element) {
      auto found = layout.find(element);
      ASSERT_EQ(found.has_value(), held.count(element) == 1) << layout.str();
      if (!found)
        continue;
      Input input;
      for (auto [index, value] : llvm::zip(threadIndices, input)) {
        value = (*found)[unsigned(index)];
        ASSERT_LT(value, layout.getSize(index)) << layout.str();
      }
      ASSERT_EQ(elementAt(layout, input), element) << layout.str();
      ASSERT_TRUE(freeBitsAreZero(layout, input)) << layout.str();
    }
  }
}

TEST(LinearLayout, FindRegisterGivesTheRegisterOfAContribution) {
  for (int round = 0; round < rounds; ++round) {
    LinearLayout layout = randomLayout();
    std::set<uint32_t> held;
    for (uint32_t value = 0; value < layout.getSize(Index::Register); ++value)
      held.insert(elementAt(layout, {value, 0, 0, 0}));
    for (uint32_t element = 0; element < layout.getNumElements(); ++element) {
      std::optional<uint32_t> found = layout.findRegister(element);
      ASSERT_EQ(found.has_value(), held.count(element) == 1) << layout.str();
      if (found)
        ASSERT_EQ(elementAt(layout, {*found, 0, 0, 0}), element) << layout.str();
    }
  }
}

// A layout that may be covered by `ours`: its images are taken from there, but for a few.
LinearLayout relatedLayout(const LinearLayout &ours, llvm::ArrayRef<Index> mixed) {
  LinearLayout other = ours;
  auto combination = [&] {
    uint32_t image = 0;
    for (Index index : mixed)
      image ^= ours.apply(index, pick(ours.getSize(index)));
    return image;
  };
  for (Index index : threadIndices) {
    bool inside = llvm::is_contained(mixed, index);
    unsigned bits = inside ? pick(4) : ours.getNumBits(index);
    llvm::SmallVector<uint32_t> images(bits);
    for (auto [bit, image] : llvm::enumerate(images)) {
      image = inside ? combination() : ours.getImages(index)[bit] ^ (pick(2) ? combination() : 0);
      if (pick(12) == 0)
        image = pick(ours.getNumElements());
    }
    other.setImages(index, images);
  }
  return other;
}

TEST(LinearLayout, CoversInThreadByItsDefinition) {
  int covered = 0;
  for (int round = 0; round < rounds; ++round) {
    LinearLayout ours = randomLayout(), other = relatedLayout(ours, {Index::Register});
    bool expected = true;
    for (uint32_t wanted = 0; wanted < other.getSize(Index::Register) && expected; ++wanted) {
      expected = false;
      for (uint32_t held = 0; held < ours.getSize(Index::Register) && !expected; ++held) {
        expected = true;
        forAllInputs(other, [&](Input input) {
          input[0] = wanted;
          uint32_t element = elementAt(other, input);
          input[0] = held;
          expected &= elementAt(ours, input) == element;
        });
      }
    }
    ASSERT_EQ(ours.coversInThread(other), expected) << ours.str() << " and " << other.str();
    covered += expected;
  }
  EXPECT_GT(covered, rounds / 20);
  EXPECT_LT(covered, rounds * 19 / 20);
}

TEST(LinearLayout, CoversInWarpByItsDefinition) {
  int covered = 0;
  for (int round = 0; round < rounds; ++round) {
    LinearLayout ours = randomLayout();
    LinearLayout other = relatedLayout(ours, {Index::Register, Index::Lane});
    std::set<std::array<uint32_t, 3>> held; // element, warp, block
    forAllInputs(ours, [&](const Input &input) {
      held.insert({elementAt(ours, input), input[2], input[3]});
    });
    bool expected = true;
    forAllInputs(other, [&](const Input &input) {
      expected &= held.count({elementAt(other, input), input[2], input[3]}) == 1;
    });
    ASSERT_EQ(ours.coversInWarp(other), expected) << ours.str() << " and " << other.str();
    covered += expected;
  }
  EXPECT_GT(covered, rounds / 20);
  EXPECT_LT(covered, rounds * 19 / 20);
}

TEST(LinearLayout, MapBitsRenamesTheBitsOfEachElement) {
  for (int round = 0; round < rounds; ++round) {
    LinearLayout layout = randomLayout();
    llvm::SmallVector<int64_t> shape = randomShape(3, 6);
    llvm::SmallVector<std::optional<unsigned>> sources(LinearLayout(shape).getNumBits());
    for (std::optional<unsigned> &source : sources)
      if (layout.getNumBits() && pick(3))
        source = pick(layout.getNumBits());
    LinearLayout mapped = layout.mapBits(shape, [&](unsigned bit) { return sources[bit]; });
    ASSERT_EQ(mapped.getShape(), llvm::ArrayRef(shape));
    forAllInputs(layout, [&](const Input &input) {
      uint32_t element = elementAt(layout, input), expected = 0;
      for (auto [bit, source] : llvm::enumerate(sources))
        expected |= source ? (element >> *source & 1) << bit : 0;
      ASSERT_EQ(elementAt(mapped, input), expected) << layout.str() << " to " << mapped.str();
    });
  }
}

TEST(LinearLayout, ReshapeKeepsWhoHoldsWhat) {
  LinearLayout layout = LinearLayout::blocked({8, 16}, {1, 0}, 2, 4, 2);
  LinearLayout reshaped = layout.reshape({2, 32, 2});
  EXPECT_EQ(reshaped.getShape(), llvm::ArrayRef<int64_t>({2, 32, 2}));
  forAllInputs(layout, [&](const Input &input) {
    EXPECT_EQ(elementAt(reshaped, input), elementAt(layout, input));
  });
}

TEST(LinearLayout, DropFreeRegistersKeepsWhatAThreadHolds) {
  for (int round = 0; round < rounds; ++round) {
    LinearLayout layout = randomLayout(), dropped = layout.dropFreeRegisters();
    EXPECT_EQ(dropped.getFreeBits(Index::Register), 0u);
    using Held = std::array<uint32_t, 4>; // element, lane, warp, block
    std::set<Held> before, after;
    forAllInputs(layout, [&](const Input &in) {
      before.insert({elementAt(layout, in), in[1], in[2], in[3]});
    });
    forAllInputs(dropped, [&](const Input &in) {
      after.insert({elementAt(dropped, in), in[1], in[2], in[3]});
    });
    ASSERT_EQ(before, after) << layout.str();
  }
}

// Element number `place` if a tile is walked with the axes of `order`, fastest first.
uint32_t walk(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> order, uint32_t place) {
  llvm::SmallVector<uint32_t> coordinate(shape.size(), 0);
  for (unsigned axis : order) {
    coordinate[axis] = place % shape[axis];
    place /= shape[axis];
  }
  uint32_t element = 0;
  for (auto [at, size] : llvm::zip(coordinate, shape))
    element = element * size + at;
  return element;
}

// Vectors go to lanes, then warps, then further registers; beyond the tile's end it starts again.
void expectBlocked(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> order, int64_t vector,
                   int64_t lanes, int64_t warps) {
  LinearLayout layout = LinearLayout::blocked(shape, order, vector, lanes, warps);
  SCOPED_TRACE(layout.str());
  ASSERT_EQ(layout.getSize(Index::Lane), lanes);
  ASSERT_EQ(layout.getSize(Index::Warp), warps);
  ASSERT_TRUE(layout.isSurjective());
  ASSERT_TRUE(layout.isInjectiveButFree());
  ASSERT_EQ(layout.getFreeBits(Index::Register), 0u);
  int64_t packed = shape.empty() ? 1 : std::min(vector, shape[order[0]]);
  forAllInputs(layout, [&](const Input &in) {
    uint32_t place = in[0] % packed + packed * (in[1] + lanes * (in[2] + warps * (in[0] / packed)));
    ASSERT_EQ(elementAt(layout, in), walk(shape, order, place % layout.getNumElements()));
  });
}

TEST(LinearLayout, BlockedWalksTheTileInOrder) {
  for (int round = 0; round < 500; ++round) {
    llvm::SmallVector<int64_t> shape = randomShape(4, 12);
    llvm::SmallVector<unsigned> order(shape.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random());
    expectBlocked(shape, order, 1 << pick(5), 1 << pick(6), 1 << pick(4));
    if (HasFatalFailure())
      return;
  }
}

TEST(LinearLayout, BlockedOfExtremeTiles) {
  expectBlocked({}, {}, 4, 32, 4);
  expectBlocked({1, 1}, {1, 0}, 4, 32, 4);
  expectBlocked({2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, {9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, 1, 32, 4);
  expectBlocked({2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, {0, 2, 4, 6, 8, 1, 3, 5, 7, 9}, 4, 32, 4);
  expectBlocked({2, 512}, {1, 0}, 8, 1, 1);
  EXPECT_EQ(LinearLayout::blocked({1024}, {0}, 4, 32, 4).str(),
            "1024, register = [1, 2, 512], lane = [4, 8, 16, 32, 64], warp = [128, 256]");
}

class LayoutText : public testing::Test {
protected:
  LayoutText() {
    mlir::DialectRegistry registry;
    registerTileDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  mlir::MLIRContext context;
};

TEST_F(LayoutText, ListsRegisterLaneAndWarpAlwaysAndOtherIndicesIfTheyHaveBits) {
  LinearLayout layout({2, 4});
  EXPECT_EQ(layout.str(), "2x4, register = [], lane = [], warp = []");
  layout.setImages(Index::Step, {4, 1});
  EXPECT_EQ(layout.str(), "2x4, register = [], lane = [], warp = [], step = [4, 1]");
}

TEST_F(LayoutText, IsReadBackAsItIsPrinted) {
  for (int round = 0; round < rounds; ++round) {
    LinearLayout layout = randomLayout();
    if (pick(2))
      layout.setImages(Index::Step, randomImages(pick(4), layout.getNumElements()));
    if (pick(2))
      layout.setImages(Index::Offset, randomImages(pick(4), layout.getNumElements()));
    std::string text = "#tg.layout<" + layout.str() + ">";
    auto parsed = llvm::dyn_cast_or_null<tg::LayoutAttr>(mlir::parseAttribute(text, &context));
    ASSERT_TRUE(parsed) << text;
    ASSERT_TRUE(parsed.getLayout() == layout) << text;
    std::string printed;
    llvm::raw_string_ostream(printed) << parsed;
    ASSERT_EQ(printed, text);
    ASSERT_EQ(parsed, tg::LayoutAttr::get(&context, layout)) << "equal layouts are one attribute";
  }
}

TEST(LinearLayout, EqualityAndHashSeeShapeAndEveryImage) {
  unsigned collisions = 0;
  for (int round = 0; round < rounds; ++round) {
    LinearLayout layout = randomLayout({4, 8}), copy = layout;
    ASSERT_TRUE(layout == copy);
    ASSERT_EQ(hash_value(layout), hash_value(copy));
    Index index = Index(pick(numIndices));
    llvm::SmallVector<uint32_t> images(layout.getImages(index));
    if (images.empty() || pick(4) == 0)
      images.push_back(pick(32));
    else
      images[pick(images.size())] ^= 1 + pick(31);
    copy.setImages(index, images);
    ASSERT_FALSE(layout == copy) << layout.str() << " and " << copy.str();
    collisions += hash_value(layout) == hash_value(copy);
    ASSERT_FALSE(layout == layout.reshape({32}));
    collisions += hash_value(layout) == hash_value(layout.reshape({32}));
  }
  EXPECT_EQ(collisions, 0u);
}

} // namespace
} // namespace tigon
