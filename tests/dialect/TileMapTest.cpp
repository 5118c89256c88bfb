// SPDX-License-Identifier: Apache-2.0
//
// The bit maps of ops against what the ops mean in coordinates, for all small shapes of up to four
// axes.
#include "dialect/TileMap.h"

#include "dialect/Dialects.h"
#include "dialect/LinearLayout.h"
#include "dialect/tt/TT.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

using namespace mlir;

namespace tigon {
namespace {

using Shape = SmallVector<int64_t>;

SmallVector<int64_t> coordinateOf(uint32_t element, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> coordinate(shape.size());
  for (size_t axis = shape.size(); axis-- > 0; element /= shape[axis])
    coordinate[axis] = element % shape[axis];
  return coordinate;
}

uint32_t elementOf(ArrayRef<int64_t> coordinate, ArrayRef<int64_t> shape) {
  uint32_t element = 0;
  for (auto [at, size] : llvm::zip_equal(coordinate, shape))
    element = element * size + at;
  return element;
}

// All shapes of `rank` axes of 1, 2 or 4.
SmallVector<Shape> shapesOfRank(unsigned rank) {
  SmallVector<Shape> shapes = {{}};
  for (unsigned axis = 0; axis < rank; ++axis) {
    SmallVector<Shape> longer;
    for (const Shape &shape : shapes)
      for (int64_t size : {1, 2, 4}) {
        longer.push_back(shape);
        longer.back().push_back(size);
      }
    shapes = longer;
  }
  return shapes;
}

class TileMap : public testing::Test {
protected:
  TileMap() : builder(&context) {
    DialectRegistry registry;
    registerTileDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    builder.setInsertionPointToStart(&block);
  }

  RankedTensorType tile(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, builder.getF32Type());
  }
  Value argument(Type type) { return block.addArgument(type, builder.getUnknownLoc()); }

  // For each element of the result, `expected` gives the element of operand `operand` that it needs;
  // 0 of a scalar.
  void expectMap(Operation *op, unsigned operand, llvm::function_ref<uint32_t(uint32_t)> expected) {
    std::string text;
    llvm::raw_string_ostream(text) << *op;
    SCOPED_TRACE(text);
    ASSERT_TRUE(succeeded(verify(op)));
    ASSERT_TRUE(hasTileMap(op));
    auto shapeOf = [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor ? tensor.getShape() : ArrayRef<int64_t>();
    };
    ArrayRef<int64_t> source = shapeOf(op->getOperand(operand).getType()),
                      result = shapeOf(op->getResult(0).getType());
    unsigned sourceBits = getTileBits(op->getOperand(operand).getType()),
             resultBits = getTileBits(op->getResult(0).getType());
    for (uint32_t element = 0; element < 1u << resultBits; ++element) {
      uint32_t mapped = 0;
      for (unsigned bit = 0; bit < resultBits; ++bit)
        if (std::optional<unsigned> from = getOperandBit(op, operand, bit))
          mapped |= (element >> bit & 1) << *from;
      ASSERT_EQ(mapped, expected(element)) << "element " << element;
    }
    for (unsigned bit = 0; bit < sourceBits; ++bit) {
      std::optional<unsigned> to = getResultBit(op, operand, bit);
      for (unsigned candidate = 0; candidate < resultBits; ++candidate)
        ASSERT_EQ(getOperandBit(op, operand, candidate) == bit, to == candidate);
    }
    // A thread that holds an element of the result holds, in the operand's layout, what it needs.
    LinearLayout layout(result);
    SmallVector<uint32_t> images(resultBits);
    for (unsigned bit = 0; bit < resultBits; ++bit)
      images[bit] = 1u << (resultBits - 1 - bit) | 1; // any invertible map
    if (resultBits)
      images.back() = 1;
    layout.setImages(Index::Lane, images);
    LinearLayout needed =
        layout.mapBits(source, [&](unsigned bit) { return getResultBit(op, operand, bit); });
    for (uint32_t lane = 0; lane < 1u << resultBits; ++lane)
      ASSERT_EQ(needed.apply(Index::Lane, lane), expected(layout.apply(Index::Lane, lane)));
  }

  MLIRContext context;
  Block block;
  OpBuilder builder;
};

TEST_F(TileMap, ReshapeKeepsFlatIndices) {
  for (unsigned rank = 0; rank <= 4; ++rank)
    for (const Shape &shape : shapesOfRank(rank)) {
      int64_t elements = tile(shape).getNumElements();
      for (const Shape &to : {Shape{elements}, Shape{1, elements}, Shape{elements, 1}}) {
        auto op = tt::ReshapeOp::create(builder, builder.getUnknownLoc(), tile(to),
                                        argument(tile(shape)));
        expectMap(op, 0, [](uint32_t element) { return element; });
      }
    }
}

TEST_F(TileMap, TransPermutesCoordinates) {
  for (unsigned rank = 0; rank <= 4; ++rank)
    for (const Shape &shape : shapesOfRank(rank)) {
      SmallVector<int32_t> order(rank);
      std::iota(order.begin(), order.end(), 0);
      do {
        Shape to = llvm::map_to_vector(order, [&](int32_t axis) { return shape[axis]; });
        auto op = tt::TransOp::create(builder, builder.getUnknownLoc(), tile(to),
                                      argument(tile(shape)), order);
        expectMap(op, 0, [&](uint32_t element) {
          SmallVector<int64_t> at = coordinateOf(element, to), from(rank);
          for (auto [axis, source] : llvm::enumerate(order))
            from[source] = at[axis];
          return elementOf(from, shape);
        });
      } while (std::next_permutation(order.begin(), order.end()));
    }
}

TEST_F(TileMap, ExpandDimsInsertsAnAxis) {
  for (unsigned rank = 0; rank < 4; ++rank)
    for (const Shape &shape : shapesOfRank(rank))
      for (unsigned axis = 0; axis <= rank; ++axis) {
        Shape to = shape;
        to.insert(to.begin() + axis, 1);
        auto op = tt::ExpandDimsOp::create(builder, builder.getUnknownLoc(), tile(to),
                                           argument(tile(shape)), axis);
        expectMap(op, 0, [&](uint32_t element) {
          SmallVector<int64_t> at = coordinateOf(element, to);
          at.erase(at.begin() + axis);
          return elementOf(at, shape);
        });
      }
}

TEST_F(TileMap, BroadcastReadsCoordinateZero) {
  for (unsigned rank = 0; rank <= 4; ++rank)
    for (const Shape &to : shapesOfRank(rank))
      for (unsigned grown = 0; grown < 1u << rank; ++grown) {
        Shape shape = to;
        for (unsigned axis = 0; axis < rank; ++axis)
          if (grown >> axis & 1)
            shape[axis] = 1;
        auto op = tt::BroadcastOp::create(builder, builder.getUnknownLoc(), tile(to),
                                          argument(tile(shape)));
        expectMap(op, 0, [&](uint32_t element) {
          SmallVector<int64_t> at = coordinateOf(element, to);
          for (auto [coordinate, size] : llvm::zip(at, shape))
            coordinate = size == 1 ? 0 : coordinate;
          return elementOf(at, shape);
        });
      }
}

TEST_F(TileMap, ReduceConsumesItsAxis) {
  for (unsigned rank = 1; rank <= 4; ++rank)
    for (const Shape &shape : shapesOfRank(rank))
      for (unsigned axis = 0; axis < rank; ++axis) {
        Shape to = shape;
        to.erase(to.begin() + axis);
        Value source = argument(tile(shape));
        auto op = tt::ReduceOp::create(builder, builder.getUnknownLoc(), ValueRange{source, source},
                                       int32_t(axis));
        Block &body = op.getCombineOp().emplaceBlock();
        Type f32 = builder.getF32Type();
        Location loc = builder.getUnknownLoc();
        body.addArguments({f32, f32, f32, f32}, {loc, loc, loc, loc});
        OpBuilder inside = OpBuilder::atBlockEnd(&body);
        tt::ReduceReturnOp::create(inside, loc, body.getArguments().take_front(2));
        for (unsigned operand : {0, 1})
          expectMap(op, operand, [&](uint32_t element) {
            SmallVector<int64_t> at = coordinateOf(element, to);
            at.insert(at.begin() + axis, 0);
            return elementOf(at, shape);
          });
        for (unsigned bit = 0; bit < getTileBits(source.getType()); ++bit)
          EXPECT_EQ(getResultBit(op, 0, bit).has_value(),
                    coordinateOf(1u << bit, shape)[axis] == 0);
      }
}

TEST_F(TileMap, SplatAndUnsplatDependOnNoBit) {
  Value scalar = argument(builder.getF32Type());
  auto splat = tt::SplatOp::create(builder, builder.getUnknownLoc(), tile({4, 2}), scalar);
  expectMap(splat, 0, [](uint32_t) { return 0; });
  auto unsplat = tt::UnsplatOp::create(builder, builder.getUnknownLoc(), argument(tile({1, 1})));
  expectMap(unsplat, 0, [](uint32_t) { return 0; });
}

TEST_F(TileMap, ElementwiseIsTheIdentityAndScalarsAreConstant) {
  Value a = argument(tile({4, 2})), condition = argument(builder.getI1Type());
  auto select = arith::SelectOp::create(builder, builder.getUnknownLoc(), condition, a, a);
  expectMap(select, 0, [](uint32_t) { return 0; });
  expectMap(select, 1, [](uint32_t element) { return element; });
  auto sum = arith::AddFOp::create(builder, builder.getUnknownLoc(), a, a);
  expectMap(sum, 1, [](uint32_t element) { return element; });
}

TEST_F(TileMap, OpsThatMixElementsHaveNone) {
  Value a = argument(tile({4}));
  auto cat = tt::CatOp::create(builder, builder.getUnknownLoc(), tile({8}), a, a);
  EXPECT_FALSE(hasTileMap(cat));
  auto join = tt::JoinOp::create(builder, builder.getUnknownLoc(), tile({4, 2}), a, a);
  EXPECT_FALSE(hasTileMap(join));
}

} // namespace
} // namespace tigon
