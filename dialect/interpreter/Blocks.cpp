// SPDX-License-Identifier: Apache-2.0
//
// Block pointers and tensor descriptors: tiles of a strided tensor in memory, with bounds.
#include "dialect/interpreter/Blocks.h"

#include "dialect/interpreter/Access.h"

#include <limits>

using namespace mlir;

namespace tigon::interpreter {

View View::of(const TensorDescriptor &descriptor, int64_t rank) {
  View view;
  view.base = reinterpret_cast<uint64_t>(descriptor.base);
  view.padWithNaN = descriptor.padWithNaN;
  view.shape.assign(descriptor.shape, descriptor.shape + rank);
  view.strides.assign(descriptor.strides, descriptor.strides + rank);
  view.offsets.assign(rank, 0);
  return view;
}

Tile View::pack() const {
  Tile tile;
  tile.words = {base, padWithNaN};
  for (auto [size, stride, offset] : llvm::zip(shape, strides, offsets))
    tile.words.append({uint64_t(size), uint64_t(stride), uint64_t(offset)});
  return tile;
}

View View::unpack(const Tile &tile) {
  View view;
  view.base = tile.words[0];
  view.padWithNaN = tile.words[1];
  for (size_t i = 2; i < tile.words.size(); i += 3) {
    view.shape.push_back(tile.words[i]);
    view.strides.push_back(tile.words[i + 1]);
    view.offsets.push_back(tile.words[i + 2]);
  }
  return view;
}

namespace {

// A tile of memory: `view`'s elements at its offsets plus 0 .. sizes - 1 along each axis.
struct Block {
  Operation *op;
  View view;
  SmallVector<int64_t, 5> sizes;
  Element element;
  SmallVector<bool, 5> checked; ///< for each axis whether lanes outside its bounds touch no memory
};

// The view in `value`, of rank `rank`. Casts and loads can give block pointers that are none.
FailureOr<View> getView(Evaluator &evaluator, Operation *op, Value value, size_t rank) {
  const Tile &tile = evaluator.get(value);
  if (tile.words.size() == 2 + 3 * rank)
    return View::unpack(tile);
  return evaluator.fail(op, "found a " + debugString(value.getType()) +
                                " that was not made by an op that makes one");
}

// Call visit(lane, address) for the lanes of `block` inside the bounds.
template <typename Visit>
LogicalResult forEachInside(Evaluator &evaluator, const Block &block, Visit visit) {
  const View &view = block.view;
  size_t lanes = 1;
  for (int64_t size : block.sizes)
    lanes *= size;
  for (size_t lane = 0; lane < lanes; ++lane) {
    uint64_t address = view.base;
    bool inside = true;
    size_t rest = lane;
    for (size_t axis = block.sizes.size(); axis-- > 0; rest /= block.sizes[axis]) {
      int64_t index = uint64_t(view.offsets[axis]) + rest % block.sizes[axis];
      inside &= !block.checked[axis] || (index >= 0 && index < view.shape[axis]);
      address += uint64_t(index) * view.strides[axis] * block.element.bytes();
    }
    if (!inside)
      continue;
    if (failed(evaluator.checkAccess(block.op, lane, address, block.element)))
      return failure();
    visit(lane, address);
  }
  return success();
}

LogicalResult loadTile(Evaluator &evaluator, const Block &block, Value result) {
  bool nan = block.view.padWithNaN && block.element.format;
  Tile tile = Tile::of(block.element, getTileElements(result.getType()));
  if (nan)
    llvm::fill(tile.reals, std::numeric_limits<double>::quiet_NaN());
  if (failed(forEachInside(evaluator, block, [&](size_t lane, uint64_t address) {
        tile.set(lane, evaluator.memory.load(address, block.element));
      })))
    return failure();
  return evaluator.set(result, std::move(tile));
}

LogicalResult storeTile(Evaluator &evaluator, const Block &block, Value value) {
  const Tile &tile = evaluator.get(value);
  return forEachInside(evaluator, block, [&](size_t lane, uint64_t address) {
    evaluator.memory.store(address, block.element, tile.get(lane));
  });
}

//===-- Block pointers -----------------------------------------------------------------------===//

LogicalResult evaluateMakeTensorPtr(Evaluator &evaluator, tt::MakeTensorPtrOp op) {
  auto read = [&](Value value) { return evaluator.getInteger(value); };
  View view;
  view.base = evaluator.getWord(op.getBase());
  llvm::append_range(view.shape, llvm::map_range(op.getShape(), read));
  llvm::append_range(view.strides, llvm::map_range(op.getStrides(), read));
  llvm::append_range(view.offsets, llvm::map_range(op.getOffsets(), read));
  return evaluator.set(op, view.pack());
}

LogicalResult evaluateAdvance(Evaluator &evaluator, tt::AdvanceOp op) {
  FailureOr<View> view = getView(evaluator, op, op.getPtr(), op.getOffsets().size());
  if (failed(view))
    return failure();
  for (auto [offset, by] : llvm::zip(view->offsets, op.getOffsets()))
    offset += evaluator.getInteger(by);
  return evaluator.set(op, view->pack());
}

FailureOr<Block> blockAt(Evaluator &evaluator, Operation *op, Value pointer,
                         ArrayRef<int32_t> boundaryCheck) {
  auto tile = cast<RankedTensorType>(tt::getPointeeType(pointer.getType()));
  FailureOr<View> view = getView(evaluator, op, pointer, tile.getRank());
  if (failed(view))
    return failure();
  Block block{op, *view, SmallVector<int64_t, 5>(tile.getShape()), getElement(tile),
              SmallVector<bool, 5>(tile.getRank(), false)};
  for (int32_t axis : boundaryCheck)
    block.checked[axis] = true;
  return block;
}

//===-- Descriptors --------------------------------------------------------------------------===//

LogicalResult evaluateMakeTensorDesc(Evaluator &evaluator, tt::MakeTensorDescOp op) {
  auto read = [&](Value value) { return evaluator.getInteger(value); };
  View view;
  view.base = evaluator.getWord(op.getBase());
  view.padWithNaN = op.getPadding() == tt::PaddingOption::NaN;
  llvm::append_range(view.shape, llvm::map_range(op.getShape(), read));
  llvm::append_range(view.strides, llvm::map_range(op.getStrides(), read));
  view.offsets.assign(view.shape.size(), 0);
  return evaluator.set(op, view.pack());
}

// The block of `desc` at `offsets`. Triton 3.2 and 3.3 describe by a pointer to a descriptor that
// the driver encoded, which nobody else can read.
FailureOr<Block> describe(Evaluator &evaluator, Operation *op, Value desc,
                          ArrayRef<int64_t> offsets) {
  auto type = dyn_cast<tt::TensorDescType>(desc.getType());
  if (!type)
    return evaluator.fail(op, "found a descriptor of type " + debugString(desc.getType()) +
                                  ", expected !tt.tensordesc");
  RankedTensorType tile = type.getBlockType();
  FailureOr<View> view = getView(evaluator, op, desc, tile.getRank());
  if (failed(view))
    return failure();
  Block block{op, *view, SmallVector<int64_t, 5>(tile.getShape()), getElement(tile),
              SmallVector<bool, 5>(tile.getRank(), true)};
  block.view.offsets.assign(offsets.begin(), offsets.end());
  return block;
}

SmallVector<int64_t> readIndices(Evaluator &evaluator, ValueRange indices) {
  return llvm::map_to_vector(indices, [&](Value value) { return evaluator.getInteger(value); });
}

LogicalResult evaluateDescriptorLoad(Evaluator &evaluator, tt::DescriptorLoadOp op) {
  FailureOr<Block> block =
      describe(evaluator, op, op.getDesc(), readIndices(evaluator, op.getIndices()));
  return failed(block) ? failure() : loadTile(evaluator, *block, op.getResult());
}

LogicalResult evaluateDescriptorStore(Evaluator &evaluator, tt::DescriptorStoreOp op) {
  FailureOr<Block> block =
      describe(evaluator, op, op.getDesc(), readIndices(evaluator, op.getIndices()));
  return failed(block) ? failure() : storeTile(evaluator, *block, op.getSrc());
}

// What a reduction of kind inc, dec or any other leaves in memory that held `old`.
Lane reduceInMemory(const Evaluator &evaluator, tt::DescriptorReduceKind kind,
                    const Element &element, bool isUnsigned, Lane old, Lane value) {
  using Kind = tt::DescriptorReduceKind;
  auto combine = [&](tt::RMWOp op) {
    return combineAtomically(evaluator, op, element, old, value);
  };
  switch (kind) {
  case Kind::Add:
    return combine(element.format ? tt::RMWOp::FAdd : tt::RMWOp::Add);
  case Kind::Min:
    return combine(isUnsigned ? tt::RMWOp::UMin : tt::RMWOp::Min);
  case Kind::Max:
    return combine(isUnsigned ? tt::RMWOp::UMax : tt::RMWOp::Max);
  case Kind::Inc:
    return {old.word >= value.word ? 0 : old.word + 1, 0};
  case Kind::Dec:
    return {old.word == 0 || old.word > value.word ? value.word : old.word - 1, 0};
  case Kind::And:
    return combine(tt::RMWOp::And);
  case Kind::Or:
    return combine(tt::RMWOp::Or);
  case Kind::Xor:
    return combine(tt::RMWOp::Xor);
  }
  llvm_unreachable("a reduction that is none");
}

LogicalResult evaluateDescriptorReduce(Evaluator &evaluator, tt::DescriptorReduceOp op) {
  FailureOr<Block> block =
      describe(evaluator, op, op.getDesc(), readIndices(evaluator, op.getIndices()));
  if (failed(block))
    return failure();
  Type type = cast<tt::TensorDescType>(op.getDesc().getType()).getBlockType().getElementType();
  tt::DescriptorReduceKind kind = op.getKind();
  bool takesFloats = kind == tt::DescriptorReduceKind::Add ||
                     kind == tt::DescriptorReduceKind::Min || kind == tt::DescriptorReduceKind::Max;
  if (block->element.format && !takesFloats)
    return evaluator.fail(op, "found '" + tt::stringifyDescriptorReduceKind(kind) +
                                  "' of floats, expected add, min or max");
  const Tile &tile = evaluator.get(op.getSrc());
  return forEachInside(evaluator, *block, [&](size_t lane, uint64_t address) {
    Lane old = evaluator.memory.load(address, block->element);
    evaluator.memory.store(address, block->element,
                           reduceInMemory(evaluator, kind, block->element, type.isUnsignedInteger(),
                                          old, tile.get(lane)));
  });
}

// Gather and scatter go row by row; `visit` gets the block of a row and the row's number.
template <typename Visit>
LogicalResult forEachRow(Evaluator &evaluator, Operation *op, Value desc, Value rows, Value column,
                         Visit visit) {
  const Tile &offsets = evaluator.get(rows);
  for (size_t row = 0; row < offsets.size(); ++row) {
    FailureOr<Block> block =
        describe(evaluator, op, desc,
                 {Element{32}.extend(offsets.words[row]), evaluator.getInteger(column)});
    if (failed(block) || failed(visit(*block, row)))
      return failure();
  }
  return success();
}

LogicalResult evaluateDescriptorGather(Evaluator &evaluator, tt::DescriptorGatherOp op) {
  RankedTensorType type = op.getResult().getType();
  int64_t columns = type.getDimSize(1);
  Tile tile = Tile::of(getElement(type), type.getNumElements());
  auto load = [&](const Block &block, size_t row) {
    if (block.view.padWithNaN && tile.isReal())
      std::fill_n(tile.reals.begin() + row * columns, columns,
                  std::numeric_limits<double>::quiet_NaN());
    return forEachInside(evaluator, block, [&](size_t lane, uint64_t address) {
      tile.set(row * columns + lane, evaluator.memory.load(address, block.element));
    });
  };
  if (failed(forEachRow(evaluator, op, op.getDesc(), op.getXOffsets(), op.getYOffset(), load)))
    return failure();
  return evaluator.set(op, std::move(tile));
}

LogicalResult evaluateDescriptorScatter(Evaluator &evaluator, tt::DescriptorScatterOp op) {
  int64_t columns = op.getSrc().getType().getDimSize(1);
  const Tile &tile = evaluator.get(op.getSrc());
  auto store = [&](const Block &block, size_t row) {
    return forEachInside(evaluator, block, [&](size_t lane, uint64_t address) {
      evaluator.memory.store(address, block.element, tile.get(row * columns + lane));
    });
  };
  return forEachRow(evaluator, op, op.getDesc(), op.getXOffsets(), op.getYOffset(), store);
}

} // namespace

LogicalResult loadBlock(Evaluator &evaluator, tt::LoadOp op) {
  FailureOr<Block> block = blockAt(evaluator, op, op.getPtr(), op.getBoundaryCheck());
  if (failed(block))
    return failure();
  block->view.padWithNaN = op.getPadding() == tt::PaddingOption::NaN;
  return loadTile(evaluator, *block, op.getResult());
}

LogicalResult storeBlock(Evaluator &evaluator, tt::StoreOp op) {
  FailureOr<Block> block = blockAt(evaluator, op, op.getPtr(), op.getBoundaryCheck());
  return failed(block) ? failure() : storeTile(evaluator, *block, op.getValue());
}

void addBlockOps(OpTable &table) {
  table.add<evaluateMakeTensorPtr>();
  table.add<evaluateAdvance>();
  table.add<evaluateMakeTensorDesc>();
  table.add<evaluateDescriptorLoad>();
  table.add<evaluateDescriptorStore>();
  table.add<evaluateDescriptorReduce>();
  table.add<evaluateDescriptorGather>();
  table.add<evaluateDescriptorScatter>();
}

} // namespace tigon::interpreter
