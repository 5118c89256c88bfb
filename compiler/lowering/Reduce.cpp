// SPDX-License-Identifier: Apache-2.0
//
// Reductions, from the inside out: registers of a thread as a tree, lanes by exchanging with the lane that differs in one
// bit, warps through local memory, where each warp leaves its partial results and every thread combines those it needs.
#include "compiler/LocalMemory.h"
#include "compiler/lowering/LocalArray.h"
#include "dialect/TileMap.h"

using namespace mlir;

namespace tigon {
namespace {

using Tuple = SmallVector<Value>; // one register of each operand

class Reduction {
public:
  Reduction(tt::ReduceOp op, Lowering &l) : op(op), l(l), result(reducedLayout(op)) {}

  LogicalResult lower() {
    if (failed(combineRegisters()) || failed(combineLanes()))
      return failure();
    if (combinedBits(op, Index::Warp) && failed(combineWarps()))
      return failure();
    for (auto [operand, value] : llvm::enumerate(op.getResults())) {
      Lowering::Registers registers;
      for (Tuple &tuple : partial)
        registers.push_back(tuple[operand]);
      if (!isa<RankedTensorType>(value.getType()))
        registers = {l.machine.first(registers.front())};
      l.set(value, registers);
    }
    return success();
  }

private:
  FailureOr<Tuple> combine(const Tuple &a, const Tuple &c) {
    return l.combine(op.getCombineOp(), a, c);
  }

  // Combine pairs, then pairs of pairs: fewer dependent steps than one after the other.
  FailureOr<Tuple> combineTree(SmallVector<Tuple> tuples) {
    while (tuples.size() > 1) {
      SmallVector<Tuple> next;
      for (size_t i = 0; i + 1 < tuples.size(); i += 2) {
        FailureOr<Tuple> combined = combine(tuples[i], tuples[i + 1]);
        if (failed(combined))
          return failure();
        next.push_back(*combined);
      }
      if (tuples.size() % 2)
        next.push_back(tuples.back());
      tuples = std::move(next);
    }
    return tuples.front();
  }

  LogicalResult combineRegisters() {
    const LinearLayout &source = *Lowering::layoutOf(op.getSrcs()[0]);
    LinearLayout kept =
        source.mapBits(result.getShape(), [&](unsigned bit) { return getOperandBit(op, 0, bit); });
    SmallVector<SmallVector<Tuple>> groups(result.getSize(Index::Register));
    for (unsigned r = 0; r < source.getSize(Index::Register); ++r) {
      Tuple tuple;
      for (Value operand : op.getSrcs())
        tuple.push_back(l.get(operand)[r]);
      groups[*result.findRegister(kept.apply(Index::Register, r))].push_back(tuple);
    }
    for (SmallVector<Tuple> &group : groups) {
      FailureOr<Tuple> combined = combineTree(group);
      if (failed(combined))
        return failure();
      partial.push_back(*combined);
    }
    return success();
  }

  LogicalResult combineLanes() {
    uint32_t lanes = combinedBits(op, Index::Lane);
    for (unsigned bit = 32; bit-- > 0;) {
      if (!(lanes >> bit & 1))
        continue;
      for (Tuple &tuple : partial) {
        Tuple other =
            llvm::map_to_vector(tuple, [&](Value value) { return l.machine.exchange(value, bit); });
        FailureOr<Tuple> combined = combine(tuple, other);
        if (failed(combined))
          return failure();
        tuple = *combined;
      }
    }
    return success();
  }

  // Element (part, coordinate) of an operand's array is the partial result of the warps whose combined bits are `part`.
  // Each array holds `coordinate` in rows of `parts`, so that a thread's reads are neighbours.
  LogicalResult combineWarps() {
    const LinearLayout &source = *Lowering::layoutOf(op.getSrcs()[0]);
    uint32_t warpBits = combinedBits(op, Index::Warp);
    unsigned parts = 1u << llvm::popcount(warpBits);
    // As a layout: in which part a warp writes.
    LinearLayout part({int64_t(parts)});
    LinearLayout owner = result;
    SmallVector<uint32_t> partOfWarp, duplicates(result.getImages(Index::Warp));
    unsigned next = 0;
    for (unsigned bit = 0; bit < source.getNumBits(Index::Warp); ++bit) {
      bool combined = warpBits >> bit & 1;
      partOfWarp.push_back(combined ? 1u << next++ : 0);
      if (combined)
        duplicates[bit] = 1; // not a duplicate: each warp of these holds its own part
    }
    part.setImages(Index::Lane, SmallVector<uint32_t>(source.getNumBits(Index::Lane), 0));
    part.setImages(Index::Warp, partOfWarp);
    owner.setImages(Index::Warp, duplicates);

    if (op->hasAttr(barrierBeforeAttr))
      l.machine.barrier();
    Value owns = l.machine.ownsElements(owner);
    Value ourPart = l.machine.threadCoordinate(part);
    SmallVector<LocalArray> arrays;
    int64_t offset = op->getAttrOfType<IntegerAttr>(offsetAttr).getInt();
    Value base = op->hasAttr(turnsAttr) ? baseOfTurn() : l.machine.localMemory();
    for (Value operand : op.getSrcs()) {
      Type element = getElementTypeOrSelf(operand.getType());
      arrays.emplace_back(l, base, offset, element);
      offset += llvm::alignTo(result.getNumElements() * Machine::memoryBytes(element), 16) * parts;
    }
    auto rowOf = [&](unsigned r) {
      Value coordinate = coordinateOf(result, r, l);
      return arith::MulIOp::create(l.b, coordinate,
                                   l.machine.constant(coordinate.getType(), parts));
    };
    for (unsigned r = 0; r < partial.size(); ++r) {
      Value index = arith::AddIOp::create(l.b, rowOf(r), ourPart);
      for (auto [array, value] : llvm::zip(arrays, partial[r]))
        array.store(index, value, owns, false);
    }
    l.machine.barrier();
    for (unsigned r = 0; r < partial.size(); ++r) {
      SmallVector<Tuple> tuples(parts);
      Value row = rowOf(r);
      for (auto [operand, array] : llvm::enumerate(arrays)) {
        Type element = getElementTypeOrSelf(op.getSrcs()[operand].getType());
        unsigned vector = std::min<int64_t>(parts, 16 / Machine::memoryBytes(element));
        for (unsigned i = 0; i < parts; i += vector) {
          Value index = arith::AddIOp::create(l.b, row, l.machine.constant(row.getType(), i));
          for (auto [k, value] : llvm::enumerate(array.load(index, vector, false)))
            tuples[i + k].push_back(value);
        }
      }
      FailureOr<Tuple> combined = combineTree(std::move(tuples));
      if (failed(combined))
        return failure();
      partial[r] = *combined;
    }
    return success();
  }

  // Local memory, moved by the size of a place in every other iteration.
  Value baseOfTurn() {
    auto loop = op->getParentOfType<scf::ForOp>();
    Value counter = l.getScalar(loop.getInductionVar());
    auto constant = [&](int64_t value) { return l.machine.constant(counter.getType(), value); };
    // The counter's lowest bit that a step changes.
    uint64_t bit = uint64_t(1) << llvm::countr_zero(uint64_t(*getConstantIntValue(loop.getStep())));
    Value turn = arith::AndIOp::create(l.b, counter, constant(int64_t(bit)));
    Value isOdd = arith::CmpIOp::create(l.b, arith::CmpIPredicate::ne, turn, constant(0));
    Value base = l.machine.localMemory();
    Value offset = arith::SelectOp::create(
        l.b, isOdd,
        l.machine.constant(l.b.getI32Type(), localBytesOf(op, l.machine.getTarget()) / 2),
        l.machine.constant(l.b.getI32Type(), 0));
    return LLVM::GEPOp::create(l.b, base.getType(), l.b.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{offset});
  }

  tt::ReduceOp op;
  Lowering &l;
  LinearLayout result;
  SmallVector<Tuple> partial; // by register of the result
};

LogicalResult lowerReduce(Operation *op, Lowering &l) {
  return Reduction(cast<tt::ReduceOp>(op), l).lower();
}

} // namespace

void addReduceLowerings(LoweringTable &table) { table.add<tt::ReduceOp>(lowerReduce); }

} // namespace tigon
