// SPDX-License-Identifier: Apache-2.0
//
// Dialect tt: verifiers (each line carries the id of its rule, which TTOps.td states and a negative
// test breaks), result types, and the interfaces through which analyses ask an op.
#include "dialect/LinearLayout.h"
#include "dialect/tt/TT.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace tigon::tt {
namespace {

ArrayRef<int64_t> shapeOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getShape() : ArrayRef<int64_t>();
}

Type elementOf(Type type) { return getElementTypeOrSelf(type); }

bool isPermutation(ArrayRef<int32_t> order, size_t rank) {
  llvm::SmallBitVector seen(rank);
  for (int32_t axis : order) {
    if (axis < 0 || size_t(axis) >= rank || seen.test(axis))
      return false;
    seen.set(axis);
  }
  return order.size() == rank;
}

bool sameShape(Type a, Type b) {
  return shapeOf(a) == shapeOf(b) && isa<RankedTensorType>(a) == isa<RankedTensorType>(b);
}

// The first (lowest) flat bit of each axis.
SmallVector<unsigned> firstBits(ArrayRef<int64_t> shape) {
  SmallVector<unsigned> first(shape.size());
  unsigned bit = 0;
  for (size_t axis = shape.size(); axis-- > 0; bit += log2Exact(shape[axis]))
    first[axis] = bit;
  return first;
}

// The axis that a flat bit belongs to, and the bit's number in it.
std::pair<size_t, unsigned> locate(ArrayRef<int64_t> shape, unsigned bit) {
  for (size_t axis = shape.size(); axis-- > 0;) {
    unsigned bits = log2Exact(shape[axis]);
    if (bit < bits)
      return {axis, bit};
    bit -= bits;
  }
  llvm_unreachable("bit outside the tile");
}

} // namespace

//===-- Ranges and shape ----------------------------------------------------------------------===//

LogicalResult MakeRangeOp::verify() {
  int64_t start = int32_t(getStart()), end = int32_t(getEnd());
  auto type = getResult().getType();
  if (start >= end) // make_range_c1
    return emitOpError() << "found start " << start << " and end " << end
                         << ", expected start < end";
  if (type.getRank() != 1 || type.getDimSize(0) != end - start) // make_range_c2
    return emitOpError() << "found " << type << " for " << end - start
                         << " numbers, expected tensor<" << end - start << "xi32>";
  return success();
}

std::optional<unsigned> SplatOp::getOperandBit(unsigned, unsigned) { return std::nullopt; }

LogicalResult UnsplatOp::verify() {
  if (getSrc().getType().getNumElements() != 1) // unsplat_c1
    return emitOpError() << "found " << getSrc().getType() << ", expected a tile of one element";
  return success();
}

LogicalResult UnsplatOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                          ValueRange operands, DictionaryAttr, OpaqueProperties,
                                          RegionRange, SmallVectorImpl<Type> &types) {
  types.push_back(elementOf(operands[0].getType()));
  return success();
}

std::optional<unsigned> UnsplatOp::getOperandBit(unsigned, unsigned) { return std::nullopt; }

LogicalResult ExpandDimsOp::verify() {
  ArrayRef<int64_t> source = getSrc().getType().getShape(),
                    result = getResult().getType().getShape();
  int32_t axis = getAxis();
  if (axis < 0 || size_t(axis) > source.size()) // expand_dims_c1
    return emitOpError() << "found axis " << axis << ", expected 0 to " << source.size();
  SmallVector<int64_t> expected(source);
  expected.insert(expected.begin() + axis, 1);
  if (result != ArrayRef(expected)) // expand_dims_c2
    return emitOpError() << "found " << getResult().getType() << ", expected shape [" << expected
                         << "]";
  return success();
}

std::optional<unsigned> ExpandDimsOp::getOperandBit(unsigned, unsigned resultBit) {
  return resultBit;
}

LogicalResult BroadcastOp::verify() {
  ArrayRef<int64_t> source = getSrc().getType().getShape(),
                    result = getResult().getType().getShape();
  if (source.size() != result.size()) // broadcast_c1
    return emitOpError() << "found ranks " << source.size() << " and " << result.size()
                         << ", expected equal ranks";
  for (auto [axis, from, to] : llvm::enumerate(source, result))
    if (from != to && from != 1) // broadcast_c2
      return emitOpError() << "found axis " << axis << " growing from " << from << " to " << to
                           << ", expected only axes of size 1 to grow";
  return success();
}

std::optional<unsigned> BroadcastOp::getOperandBit(unsigned, unsigned resultBit) {
  ArrayRef<int64_t> source = getSrc().getType().getShape();
  auto [axis, bit] = locate(getResult().getType().getShape(), resultBit);
  if (source[axis] == 1)
    return std::nullopt;
  return firstBits(source)[axis] + bit;
}

LogicalResult ReshapeOp::verify() {
  if (getSrc().getType().getNumElements() != getResult().getType().getNumElements()) // reshape_c1
    return emitOpError() << "found " << getSrc().getType() << " and " << getResult().getType()
                         << ", expected equal numbers of elements";
  return success();
}

std::optional<unsigned> ReshapeOp::getOperandBit(unsigned, unsigned resultBit) { return resultBit; }

LogicalResult TransOp::verify() {
  ArrayRef<int64_t> source = getSrc().getType().getShape(),
                    result = getResult().getType().getShape();
  if (!isPermutation(getOrder(), source.size())) // trans_c1
    return emitOpError() << "found order [" << getOrder() << "], expected a permutation of "
                         << source.size() << " axes";
  if (result != ArrayRef(llvm::map_to_vector(getOrder(), [&](int32_t axis) { // trans_c2
        return source[axis];
      })))
    return emitOpError() << "found " << getResult().getType() << " for order [" << getOrder()
                         << "] of " << getSrc().getType();
  return success();
}

std::optional<unsigned> TransOp::getOperandBit(unsigned, unsigned resultBit) {
  auto [axis, bit] = locate(getResult().getType().getShape(), resultBit);
  return firstBits(getSrc().getType().getShape())[getOrder()[axis]] + bit;
}

LogicalResult JoinOp::verify() {
  RankedTensorType source = getLhs().getType(), result = getResult().getType();
  SmallVector<int64_t> expected(source.getShape());
  expected.push_back(2);
  if (result.getShape() != ArrayRef(expected) ||
      result.getElementType() != source.getElementType()) // join_c1
    return emitOpError() << "found " << result << ", expected "
                         << RankedTensorType::get(expected, source.getElementType());
  return success();
}

LogicalResult SplitOp::verify() {
  ArrayRef<int64_t> source = getSrc().getType().getShape();
  if (source.empty() || source.back() != 2) // split_c1
    return emitOpError() << "found " << getSrc().getType() << ", expected a last axis of size 2";
  if (getLhs().getType().getShape() != source.drop_back() ||
      elementOf(getLhs().getType()) != elementOf(getSrc().getType())) // split_c2
    return emitOpError() << "found results " << getLhs().getType() << " of " << getSrc().getType();
  return success();
}

LogicalResult SplitOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands,
                                        DictionaryAttr, OpaqueProperties, RegionRange,
                                        SmallVectorImpl<Type> &types) {
  auto source = cast<RankedTensorType>(operands[0].getType());
  ArrayRef<int64_t> shape = source.getShape();
  types.assign(
      2, RankedTensorType::get(shape.empty() ? shape : shape.drop_back(), source.getElementType()));
  return success();
}

LogicalResult CatOp::verify() {
  SmallVector<int64_t> expected(getLhs().getType().getShape());
  if (!expected.empty())
    expected[0] *= 2;
  if (expected.empty() || getResult().getType().getShape() != ArrayRef(expected)) // cat_c1
    return emitOpError() << "found " << getResult().getType() << ", expected shape [" << expected
                         << "]";
  return success();
}

//===-- Memory --------------------------------------------------------------------------------===//

static LogicalResult verifyBlockPointerAccess(Operation *op, Type pointer,
                                              ArrayRef<int32_t> boundaryCheck, bool padded,
                                              Value mask) {
  if (isTensorPointer(pointer)) {
    int64_t rank = shapeOf(getPointeeType(pointer)).size();
    if (mask) // load_c4, store_c3
      return op->emitOpError() << "found a mask with the block pointer " << pointer
                               << ", expected boundaryCheck";
    for (int32_t axis : boundaryCheck)
      if (axis < 0 || axis >= rank) // load_c4, store_c3
        return op->emitOpError() << "found boundaryCheck of axis " << axis << ", expected 0 to "
                                 << rank - 1;
  } else if (!boundaryCheck.empty() || padded) { // load_c4, store_c3
    return op->emitOpError() << "found boundaryCheck or padding with " << pointer
                             << ", expected a block pointer";
  }
  return success();
}

LogicalResult LoadOp::verify() {
  Type pointer = getPtr().getType();
  for (Value lane : {getMask(), getOther()})
    if (lane && !isTensorPointer(pointer) && !sameShape(lane.getType(), pointer)) // load_c1
      return emitOpError() << "found mask or other of type " << lane.getType() << " for " << pointer
                           << ", expected equal shapes";
  if (getOther() && !getMask()) // load_c2
    return emitOpError() << "found other without a mask, expected both or neither";
  if (getResult().getType() != getPointeeType(pointer)) // load_c3
    return emitOpError() << "found a load of " << getResult().getType() << " from " << pointer
                         << ", expected " << getPointeeType(pointer);
  if (getOther() && getOther().getType() != getResult().getType()) // load_c3
    return emitOpError() << "found other of type " << getOther().getType() << " for " << pointer
                         << ", expected " << getPointeeType(pointer);
  return verifyBlockPointerAccess(*this, pointer, getBoundaryCheck(), getPadding().has_value(),
                                  getMask());
}

LogicalResult LoadOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands,
                                       DictionaryAttr, OpaqueProperties, RegionRange,
                                       SmallVectorImpl<Type> &types) {
  Type pointee = getPointeeType(operands[0].getType());
  if (!pointee)
    return failure();
  types.push_back(pointee);
  return success();
}

void LoadOp::build(OpBuilder &builder, OperationState &state, Value ptr, Value mask, Value other) {
  state.addOperands(ptr);
  if (mask)
    state.addOperands(mask);
  if (other)
    state.addOperands(other);
  state.getOrAddProperties<Properties>().operandSegmentSizes = {1, bool(mask), bool(other)};
  state.addTypes(getPointeeType(ptr.getType()));
}

void LoadOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), &getPtrMutable());
  if (getIsVolatile())
    effects.emplace_back(MemoryEffects::Write::get());
}

Value LoadOp::getAccessedPointer() { return getPtr(); }
Value LoadOp::getAccessMask() { return getMask(); }
bool LoadOp::readsMemory() { return true; }
bool LoadOp::writesMemory() { return false; }
bool LoadOp::isOrdered() { return getIsVolatile(); }

LogicalResult StoreOp::verify() {
  Type pointer = getPtr().getType();
  if (getValue().getType() != getPointeeType(pointer)) // store_c1
    return emitOpError() << "found a store of " << getValue().getType() << " to " << pointer
                         << ", expected " << getPointeeType(pointer);
  if (getMask() && !isTensorPointer(pointer) &&
      !sameShape(getMask().getType(), pointer)) // store_c2
    return emitOpError() << "found a mask of type " << getMask().getType() << " for " << pointer
                         << ", expected equal shapes";
  return verifyBlockPointerAccess(*this, pointer, getBoundaryCheck(), false, getMask());
}

void StoreOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getPtrMutable());
}

Value StoreOp::getAccessedPointer() { return getPtr(); }
Value StoreOp::getAccessMask() { return getMask(); }
bool StoreOp::readsMemory() { return false; }
bool StoreOp::writesMemory() { return true; }
bool StoreOp::isOrdered() { return false; }

LogicalResult AtomicRMWOp::verify() {
  Type element = elementOf(getVal().getType());
  bool wantsFloat = getAtomicRmwOp() == RMWOp::FAdd;
  bool anyKind = getAtomicRmwOp() == RMWOp::Exchange;
  if (!anyKind && isa<FloatType>(element) != wantsFloat) // atomic_rmw_c1
    return emitOpError() << "found " << stringifyRMWOp(getAtomicRmwOp()) << " of " << element
                         << ", expected " << (wantsFloat ? "a float" : "an integer");
  Type pointee = getPointeeType(getPtr().getType());
  if (getVal().getType() != pointee || getResult().getType() != pointee) // atomic_rmw_c2
    return emitOpError() << "found " << getVal().getType() << " and result "
                         << getResult().getType() << ", expected " << pointee;
  return success();
}

LogicalResult AtomicCASOp::verify() {
  Type pointee = getPointeeType(getPtr().getType());
  if (getCmp().getType() != pointee || getVal().getType() != pointee ||
      getResult().getType() != pointee) // atomic_cas_c1
    return emitOpError() << "found " << getCmp().getType() << ", " << getVal().getType()
                         << " and result " << getResult().getType() << ", expected " << pointee;
  return success();
}

LogicalResult AtomicLoadOp::verify() {
  if (getSem() != MemSemantic::Acquire && getSem() != MemSemantic::Relaxed) // atomic_load_c1
    return emitOpError() << "found ordering " << stringifyMemSemantic(getSem())
                         << ", expected acquire or relaxed";
  if (getResult().getType() != getPointeeType(getPtr().getType())) // atomic_load_c2
    return emitOpError() << "found " << getResult().getType() << ", expected "
                         << getPointeeType(getPtr().getType());
  return success();
}

LogicalResult AtomicStoreOp::verify() {
  if (getSem() != MemSemantic::Release && getSem() != MemSemantic::Relaxed) // atomic_store_c1
    return emitOpError() << "found ordering " << stringifyMemSemantic(getSem())
                         << ", expected release or relaxed";
  if (getValue().getType() != getPointeeType(getPtr().getType())) // atomic_store_c2
    return emitOpError() << "found " << getValue().getType() << ", expected "
                         << getPointeeType(getPtr().getType());
  if (getMask() && !sameShape(getMask().getType(), getPtr().getType())) // atomic_store_c3
    return emitOpError() << "found a mask of type " << getMask().getType() << " for "
                         << getPtr().getType() << ", expected equal shapes";
  return success();
}

LogicalResult AtomicPollOp::verify() {
  if (getSem() != MemSemantic::Acquire && getSem() != MemSemantic::Relaxed) // atomic_poll_c1
    return emitOpError() << "found ordering " << stringifyMemSemantic(getSem())
                         << ", expected acquire or relaxed";
  if (getExpected().getType() != getPointeeType(getPtr().getType())) // atomic_poll_c2
    return emitOpError() << "found " << getExpected().getType() << ", expected "
                         << getPointeeType(getPtr().getType());
  if (!sameShape(getResult().getType(), getPtr().getType())) // atomic_poll_c3
    return emitOpError() << "found a result of type " << getResult().getType() << " for "
                         << getPtr().getType() << ", expected equal shapes";
  return success();
}

// Atomics read, write and order.
#define TIGON_ATOMIC_ACCESS(Op, reads, writes, mask)                                               \
  Value Op::getAccessedPointer() { return getPtr(); }                                              \
  Value Op::getAccessMask() { return mask; }                                                       \
  bool Op::readsMemory() { return reads; }                                                         \
  bool Op::writesMemory() { return writes; }                                                       \
  bool Op::isOrdered() { return true; }
TIGON_ATOMIC_ACCESS(AtomicRMWOp, true, true, getMask())
TIGON_ATOMIC_ACCESS(AtomicCASOp, true, true, Value())
TIGON_ATOMIC_ACCESS(AtomicLoadOp, true, false, getMask())
TIGON_ATOMIC_ACCESS(AtomicStoreOp, false, true, getMask())
TIGON_ATOMIC_ACCESS(AtomicPollOp, true, false, Value())
#undef TIGON_ATOMIC_ACCESS

LogicalResult MakeTensorPtrOp::verify() {
  PointerType result = getResult().getType();
  size_t rank = shapeOf(result.getPointeeType()).size();
  if (getNumOperands() != 1 + 3 * rank) // make_tensor_ptr_c1
    return emitOpError() << "found " << getNumOperands() - 1
                         << " sizes, strides and offsets for a tile of rank " << rank
                         << ", expected " << 3 * rank;
  if (!isPermutation(getOrder(), rank)) // make_tensor_ptr_c2
    return emitOpError() << "found order [" << getOrder() << "], expected a permutation of " << rank
                         << " axes";
  auto base = PointerType::get(elementOf(result.getPointeeType()), result.getAddressSpace());
  if (getBase().getType() != base) // make_tensor_ptr_c3
    return emitOpError() << "found the base " << getBase().getType() << ", expected " << base;
  return success();
}

LogicalResult AdvanceOp::verify() {
  size_t rank = shapeOf(getPtr().getType().getPointeeType()).size();
  if (getOffsets().size() != rank) // advance_c1
    return emitOpError() << "found " << getOffsets().size() << " offsets for a tile of rank "
                         << rank;
  return success();
}

//===-- Descriptors ---------------------------------------------------------------------------===//

LogicalResult MakeTensorDescOp::verify() {
  RankedTensorType block = getResult().getType().getBlockType();
  if (getNumOperands() != 1 + 2 * block.getRank()) // make_tensor_descriptor_c1
    return emitOpError() << "found " << getNumOperands() - 1
                         << " sizes and strides for a block of rank " << block.getRank()
                         << ", expected " << 2 * block.getRank();
  Type element = elementOf(getResult().getType().getTileType());
  if (getBase().getType().getPointeeType() != element) // make_tensor_descriptor_c2
    return emitOpError() << "found the base " << getBase().getType() << " for a block of "
                         << block.getElementType();
  return success();
}

static LogicalResult verifyDescriptorAccess(Operation *op, Value desc, Type tile, size_t indices) {
  auto type = dyn_cast<TensorDescType>(desc.getType());
  Type block = type ? Type(type.getTileType()) : tile; // 3.2 describes by a plain pointer
  ArrayRef<int64_t> shape = shapeOf(block);
  if (indices != shape.size()) // descriptor_c1
    return op->emitOpError() << "found " << indices << " indices into " << block << ", expected "
                             << shape.size();
  while (shape.size() > shapeOf(tile).size() && shape.front() == 1)
    shape = shape.drop_front();
  if (shape != shapeOf(tile) || elementOf(block) != elementOf(tile)) // descriptor_c2
    return op->emitOpError() << "found the tile " << tile << " of " << type;
  return success();
}

LogicalResult DescriptorLoadOp::verify() {
  return verifyDescriptorAccess(*this, getDesc(), getResult().getType(), getIndices().size());
}
LogicalResult DescriptorStoreOp::verify() {
  return verifyDescriptorAccess(*this, getDesc(), getSrc().getType(), getIndices().size());
}
LogicalResult DescriptorReduceOp::verify() {
  return verifyDescriptorAccess(*this, getDesc(), getSrc().getType(), getIndices().size());
}

static LogicalResult verifyRows(Operation *op, Value desc, RankedTensorType offsets,
                                RankedTensorType tile) {
  auto type = dyn_cast<TensorDescType>(desc.getType());
  if (!type)
    return success();
  RankedTensorType block = type.getBlockType();
  if (block.getRank() != 2 || block.getDimSize(0) != 1) // descriptor_gather_c1
    return op->emitOpError() << "found the block " << block << ", expected one of shape 1 x C";
  if (offsets.getRank() != 1 || tile.getRank() != 2 ||
      tile.getDimSize(0) != offsets.getDimSize(0) || tile.getDimSize(1) != block.getDimSize(1) ||
      tile.getElementType() != elementOf(type.getTileType())) // descriptor_gather_c2
    return op->emitOpError() << "found the tile " << tile << " for offsets " << offsets << " into "
                             << block;
  return success();
}

LogicalResult DescriptorGatherOp::verify() {
  return verifyRows(*this, getDesc(), cast<RankedTensorType>(getXOffsets().getType()),
                    getResult().getType());
}
LogicalResult DescriptorScatterOp::verify() {
  return verifyRows(*this, getDesc(), cast<RankedTensorType>(getXOffsets().getType()),
                    getSrc().getType());
}

//===-- Elementwise ---------------------------------------------------------------------------===//

LogicalResult BitcastOp::verify() {
  Type from = elementOf(getSrc().getType()), to = elementOf(getResult().getType());
  auto fromPointer = dyn_cast<PointerType>(from), toPointer = dyn_cast<PointerType>(to);
  if (bool(fromPointer) != bool(toPointer) ||
      (fromPointer && fromPointer.getAddressSpace() != toPointer.getAddressSpace())) // bitcast_c2
    return emitOpError() << "found a cast of " << from << " to " << to
                         << ", expected pointers of one address space or none";
  if (!fromPointer && from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth()) // bitcast_c1
    return emitOpError() << "found a cast of " << from << " to " << to << ", expected equal widths";
  return success();
}

bool BitcastOp::areCastCompatible(TypeRange from, TypeRange to) {
  return from.size() == 1 && to.size() == 1;
}

LogicalResult FpToFpOp::verify() {
  unsigned from = elementOf(getSrc().getType()).getIntOrFloatBitWidth();
  unsigned to = elementOf(getResult().getType()).getIntOrFloatBitWidth();
  if (from > to && !getRounding()) // fp_to_fp_c1
    return emitOpError() << "found no rounding for the down-cast of " << getSrc().getType()
                         << " to " << getResult().getType()
                         << ", expected `rounding = rtne` or `rtz`";
  if (from < to && getRounding()) // fp_to_fp_c2
    return emitOpError() << "found a rounding for the up-cast of " << getSrc().getType() << " to "
                         << getResult().getType() << ", expected none";
  return success();
}

void ExternElementwiseOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (getPure())
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

Speculation::Speculatability ExternElementwiseOp::getSpeculatability() {
  return getPure() ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

LogicalResult ElementwiseInlineAsmOp::verify() {
  int32_t packed = getPackedElement();
  if (packed < 1) // elementwise_inline_asm_c1
    return emitOpError() << "found packed_element = " << packed << ", expected at least 1";
  for (Type type : llvm::concat<const Type>(getOperandTypes(), getResultTypes()))
    if (isa<RankedTensorType>(type) && getTileElements(type) % packed) // elementwise_inline_asm_c1
      return emitOpError() << "found packed_element = " << packed << " for " << type
                           << ", expected a divisor of its size";
  return success();
}

void ElementwiseInlineAsmOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (getPure())
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

Speculation::Speculatability ElementwiseInlineAsmOp::getSpeculatability() {
  return getPure() ? Speculation::Speculatable : Speculation::NotSpeculatable;
}

LogicalResult MapElementwiseOp::verify() {
  int32_t pack = getPack();
  Type first;
  for (Type type : llvm::concat<const Type>(getOperandTypes(), getResultTypes())) {
    first = first ? first : type;
    if (pack < 1 || getTileElements(type) % pack || !sameShape(type, first)) // map_elementwise_c3
      return emitOpError() << "found " << type << " with pack = " << pack
                           << ", expected tiles of one shape whose size pack divides";
  }
  return success();
}

LogicalResult MapElementwiseOp::verifyRegions() {
  Block &block = getScalarOp().front();
  size_t pack = getPack();
  if (block.getNumArguments() != getSrcs().size() * pack) // map_elementwise_c1
    return emitOpError() << "found " << block.getNumArguments() << " block arguments for "
                         << getSrcs().size() << " operands and pack = " << pack;
  for (auto [number, argument] : llvm::enumerate(block.getArguments()))
    if (argument.getType() != elementOf(getSrcs()[number / pack].getType())) // map_elementwise_c1
      return emitOpError() << "found block argument #" << number << " of type "
                           << argument.getType() << ", expected "
                           << elementOf(getSrcs()[number / pack].getType());
  WalkResult pure = getScalarOp().walk([&](Operation *op) {
    return isMemoryEffectFree(op) ? WalkResult::advance() : WalkResult::interrupt();
  });
  if (pure.wasInterrupted()) // map_elementwise_c2
    return emitOpError() << "found a memory access in the region, expected pure arithmetic";
  SmallVector<Type> expected;
  for (Type type : getResultTypes())
    expected.append(pack, elementOf(type));
  for (Block &end : getScalarOp())
    if (auto returned = dyn_cast<MapElementwiseReturnOp>(end.getTerminator());
        returned && returned.getOperandTypes() != TypeRange(expected)) // map_elementwise_c4
      return returned.emitOpError()
             << "found " << returned.getOperandTypes() << ", expected " << expected;
  return success();
}

//===-- Reductions, scans and movement --------------------------------------------------------===//

static LogicalResult verifyCombine(Operation *op, ValueRange sources, int32_t axis) {
  if (sources.empty()) // reduce_c1, scan_c1
    return op->emitOpError() << "found no operand, expected at least one";
  for (Value source : sources)
    if (!sameShape(source.getType(), sources[0].getType())) // reduce_c1, scan_c1
      return op->emitOpError() << "found operands " << sources[0].getType() << " and "
                               << source.getType() << ", expected one shape";
  int64_t rank = shapeOf(sources[0].getType()).size();
  if (axis < 0 || axis >= rank) // reduce_c2, scan_c2
    return op->emitOpError() << "found axis " << axis << " of " << sources[0].getType()
                             << ", expected less than its rank";
  return success();
}

static LogicalResult verifyCombineRegion(Operation *op, ValueRange sources) {
  Block &block = op->getRegion(0).front();
  size_t operands = sources.size();
  if (block.getNumArguments() != 2 * operands) // reduce_c3, scan_c3
    return op->emitOpError() << "found " << block.getNumArguments() << " block arguments, expected "
                             << 2 * operands;
  for (auto [number, argument] : llvm::enumerate(block.getArguments()))
    if (argument.getType() != elementOf(sources[number % operands].getType())) // reduce_c3, scan_c3
      return op->emitOpError() << "found block argument #" << number << " of type "
                               << argument.getType() << ", expected "
                               << elementOf(sources[number % operands].getType());
  Operation *terminator = block.getTerminator();
  if (!isa<ReduceReturnOp, ScanReturnOp>(terminator) ||
      terminator->getNumOperands() != operands) // reduce_c3, scan_c3
    return op->emitOpError() << "found the terminator '" << terminator->getName() << "' with "
                             << terminator->getNumOperands() << " values, expected " << operands;
  for (auto [source, value] : llvm::zip(sources, terminator->getOperands()))
    if (value.getType() != elementOf(source.getType())) // reduce_c3, scan_c3
      return op->emitOpError() << "found " << value.getType() << " returned, expected "
                               << elementOf(source.getType());
  return success();
}

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                         ValueRange operands, DictionaryAttr,
                                         OpaqueProperties properties, RegionRange,
                                         SmallVectorImpl<Type> &types) {
  IntegerAttr axisAttr = properties ? properties.as<Properties *>()->axis : IntegerAttr();
  for (Value operand : operands) {
    auto source = dyn_cast<RankedTensorType>(operand.getType());
    if (!source || !axisAttr || axisAttr.getInt() < 0 || axisAttr.getInt() >= source.getRank())
      return success(); // verify() says what is wrong
    SmallVector<int64_t> shape(source.getShape());
    shape.erase(shape.begin() + axisAttr.getInt());
    if (shape.empty())
      types.push_back(source.getElementType());
    else
      types.push_back(RankedTensorType::get(shape, source.getElementType()));
  }
  return success();
}

// A result's layout follows from its operand's only in the compiler.
static bool equalButLayout(TypeRange a, TypeRange b) {
  return llvm::equal(
      a, b, [](Type x, Type y) { return sameShape(x, y) && elementOf(x) == elementOf(y); });
}

LogicalResult ReduceOp::verify() {
  if (failed(verifyCombine(*this, getSrcs(), getAxis())))
    return failure();
  SmallVector<Type> expected;
  if (failed(inferReturnTypes(getContext(), getLoc(), getSrcs(), {},
                              OpaqueProperties(&getProperties()), {}, expected)) ||
      !equalButLayout(expected, getResultTypes())) // reduce_c4
    return emitOpError() << "found results " << getResultTypes() << ", expected " << expected;
  return success();
}

LogicalResult ReduceOp::verifyRegions() { return verifyCombineRegion(*this, getSrcs()); }

std::optional<unsigned> ReduceOp::getOperandBit(unsigned operand, unsigned resultBit) {
  ArrayRef<int64_t> source = shapeOf(getSrcs()[operand].getType());
  unsigned below =
      0; // bits of the axes inside the reduced one keep their place, those outside move up
  for (int64_t size : source.drop_front(getAxis() + 1))
    below += log2Exact(size);
  return resultBit < below ? resultBit : resultBit + log2Exact(source[getAxis()]);
}

LogicalResult ScanOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands,
                                       DictionaryAttr, OpaqueProperties, RegionRange,
                                       SmallVectorImpl<Type> &types) {
  llvm::append_range(types, operands.getTypes());
  return success();
}

LogicalResult ScanOp::verify() {
  if (failed(verifyCombine(*this, getSrcs(), getAxis())))
    return failure();
  if (!equalButLayout(getOperandTypes(), getResultTypes())) // scan_c4
    return emitOpError() << "found results " << getResultTypes() << ", expected "
                         << getOperandTypes();
  return success();
}
LogicalResult ScanOp::verifyRegions() { return verifyCombineRegion(*this, getSrcs()); }

LogicalResult GatherOp::verify() {
  ArrayRef<int64_t> source = getSrc().getType().getShape(),
                    indices = getIndices().getType().getShape();
  if (source.size() != indices.size()) // gather_c1
    return emitOpError() << "found ranks " << source.size() << " and " << indices.size()
                         << ", expected equal ranks";
  if (int32_t(getAxis()) < 0 || size_t(getAxis()) >= source.size()) // gather_c3
    return emitOpError() << "found axis " << int32_t(getAxis()) << ", expected 0 to "
                         << int64_t(source.size()) - 1;
  for (auto [axis, ours, theirs] : llvm::enumerate(source, indices))
    if (axis != getAxis() && ours != theirs) // gather_c2
      return emitOpError() << "found sizes " << ours << " and " << theirs << " along axis " << axis
                           << ", expected equal sizes but along axis " << getAxis();
  if (getResult().getType().getShape() != indices ||
      getResult().getType().getElementType() != getSrc().getType().getElementType()) // gather_c4
    return emitOpError() << "found " << getResult().getType() << ", expected shape [" << indices
                         << "] of " << getSrc().getType().getElementType();
  return success();
}

LogicalResult HistogramOp::verify() {
  if (getSrc().getType().getRank() != 1 || getResult().getType().getRank() != 1) // histogram_c1
    return emitOpError() << "found " << getSrc().getType() << " and " << getResult().getType()
                         << ", expected 1-D tiles";
  if (getMask() && !sameShape(getMask().getType(), getSrc().getType())) // histogram_c2
    return emitOpError() << "found a mask " << getMask().getType() << " for " << getSrc().getType();
  return success();
}

//===-- Dots ----------------------------------------------------------------------------------===//

LogicalResult DotOp::verify() {
  RankedTensorType a = getA().getType(), b = getB().getType(), c = getC().getType();
  int64_t rank = a.getRank();
  if ((rank != 2 && rank != 3) || b.getRank() != rank || c.getRank() != rank) // dot_c1
    return emitOpError() << "found ranks " << rank << ", " << b.getRank() << " and " << c.getRank()
                         << ", expected 2, or 3 with a batch";
  ArrayRef<int64_t> as = a.getShape(), bs = b.getShape(), cs = c.getShape();
  bool batches = rank == 2 || (as[0] == bs[0] && as[0] == cs[0]);
  if (!batches || as[rank - 1] != bs[rank - 2] || as[rank - 2] != cs[rank - 2] ||
      bs[rank - 1] != cs[rank - 1]) // dot_c2
    return emitOpError() << "found " << a << " * " << b << " -> " << c
                         << ", expected M x K, K x N and M x N";
  if (a.getElementTypeBitWidth() != b.getElementTypeBitWidth()) // dot_c3
    return emitOpError() << "found operands of " << a.getElementTypeBitWidth() << " and "
                         << b.getElementTypeBitWidth() << " bits, expected equal widths";
  bool floats = isa<FloatType>(a.getElementType());
  if (isa<FloatType>(b.getElementType()) != floats ||
      isa<FloatType>(c.getElementType()) != floats) // dot_c4
    return emitOpError() << "found " << a.getElementType() << " * " << b.getElementType()
                         << " accumulated in " << c.getElementType()
                         << ", expected integers in integers or floats in floats";
  return success();
}

// Whether elements of `type` can hold a scaled dot's operand of `format`.
static bool holds(Type type, ScaleDotElemType format) {
  if (type.isInteger(8))
    return format != ScaleDotElemType::BF16 && format != ScaleDotElemType::FP16;
  switch (format) {
  case ScaleDotElemType::E4M3:
    return isa<Float8E4M3FNType>(type);
  case ScaleDotElemType::E5M2:
    return isa<Float8E5M2Type>(type);
  case ScaleDotElemType::BF16:
    return type.isBF16();
  case ScaleDotElemType::FP16:
    return type.isF16();
  case ScaleDotElemType::E2M3:
  case ScaleDotElemType::E3M2:
  case ScaleDotElemType::E2M1:
    return false;
  }
  llvm_unreachable("no such format");
}

LogicalResult DotScaledOp::verify() {
  int64_t rank = getA().getType().getRank();
  if ((rank != 2 && rank != 3) || getB().getType().getRank() != rank ||
      getC().getType().getRank() != rank) // dot_scaled_c1
    return emitOpError() << "found ranks " << rank << ", " << getB().getType().getRank() << " and "
                         << getC().getType().getRank() << ", expected 2, or 3 with a batch";
  for (Value scale : {getAScale(), getBScale()})
    if (scale && int64_t(shapeOf(scale.getType()).size()) != rank) // dot_scaled_c1
      return emitOpError() << "found the scale " << scale.getType() << ", expected rank " << rank;
  for (auto [tile, format] : {std::pair(getA(), getAElemType()), std::pair(getB(), getBElemType())})
    if (!holds(elementOf(tile.getType()), format)) // dot_scaled_c4
      return emitOpError() << "found " << stringifyScaleDotElemType(format) << " in "
                           << tile.getType();

  // Shapes in elements: two of e2m1 in a byte.
  SmallVector<int64_t> a(getA().getType().getShape()), b(getB().getType().getShape()),
      c(getC().getType().getShape());
  if (getAElemType() == ScaleDotElemType::E2M1)
    a[getLhsKPack() ? rank - 1 : rank - 2] *= 2;
  if (getBElemType() == ScaleDotElemType::E2M1)
    b[getRhsKPack() ? rank - 2 : rank - 1] *= 2;
  int64_t m = c[rank - 2], n = c[rank - 1], k = a[rank - 1];
  SmallVector<int64_t> batch(ArrayRef(c).drop_back(2));
  auto with = [&](int64_t rows, int64_t columns) {
    SmallVector<int64_t> shape(batch);
    shape.append({rows, columns});
    return shape;
  };
  if (a != with(m, k) || b != with(k, n)) // dot_scaled_c2
    return emitOpError() << "found elements [" << a << "] * [" << b << "] -> [" << c
                         << "], expected M x K, K x N and M x N";
  for (auto [scale, rows] : {std::pair(getAScale(), m), std::pair(getBScale(), n)})
    if (scale && shapeOf(scale.getType()) != ArrayRef(with(rows, k / 32)) &&
        shapeOf(scale.getType()) != ArrayRef(with(rows, k / 16))) // dot_scaled_c3
      return emitOpError() << "found the scale " << scale.getType() << " of " << rows << " x " << k
                           << " elements, expected one for each 32 or 16 along K";
  return success();
}

//===-- Debugging ------------------------------------------------------------------------------===//

LogicalResult PrintOp::verify() {
  if (getIsSigned().size() != getArgs().size()) // print_c1
    return emitOpError() << "found " << getIsSigned().size() << " entries of isSigned for "
                         << getArgs().size() << " values";
  return success();
}

//===-- Functions -----------------------------------------------------------------------------===//

// An empty name would print as something else.
LogicalResult FuncOp::verify() {
  if (getSymName().empty()) // func_c1
    return emitOpError() << "found an empty name";
  return success();
}

// Values of foreign ops, and block arguments, which belong to no op.
LogicalResult FuncOp::verifyRegions() {
  auto verifyBlocks = [](Operation *op) -> LogicalResult {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (failed(verifyTiles(op, "block argument", block.getArgumentTypes())))
          return failure();
    return success();
  };
  if (failed(verifyBlocks(*this)))
    return failure();
  WalkResult result = getBody().walk([&](Operation *op) {
    bool done = isa_and_nonnull<TTDialect>(op->getDialect()); // its ops have the trait TileTensors
    if (failed(verifyBlocks(op)) || (!done && failed(verifyTileTensors(op))))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult ReturnOp::verify() {
  auto function = (*this)->getParentOfType<FuncOp>();
  if (getOperandTypes() != TypeRange(function.getResultTypes())) // return_c1
    return emitOpError() << "found operands " << getOperandTypes() << ", expected "
                         << function.getResultTypes();
  return success();
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto callee = symbols.lookupNearestSymbolFrom<FuncOp>(*this, getCalleeAttr());
  if (!callee) // call_c1
    return emitOpError() << "found no tt.func named " << getCalleeAttr();
  if (callee.getArgumentTypes() != getOperandTypes() ||
      callee.getResultTypes() != getResultTypes()) // call_c2
    return emitOpError() << "found " << getOperandTypes() << " -> " << getResultTypes()
                         << ", expected " << callee.getFunctionType() << " of " << getCalleeAttr();
  return success();
}

} // namespace tigon::tt
