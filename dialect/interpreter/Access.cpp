// SPDX-License-Identifier: Apache-2.0
//
// Loads, stores and atomics through pointers and tiles of pointers. Programs run one after the
// other, so an atomic is a load and a store.
#include "dialect/interpreter/Access.h"

#include "dialect/interpreter/Elementwise.h"

#include <cmath>

using namespace mlir;

namespace tigon::interpreter {
namespace {

LogicalResult evaluateAddPtr(Evaluator &evaluator, tt::AddPtrOp op) {
  int64_t bytes = getPointee(op.getPtr().getType()).bytes();
  return applyToLanes<uint64_t, uint64_t, int64_t>(
      evaluator, op,
      [bytes](uint64_t pointer, int64_t offset) { return pointer + uint64_t(offset) * bytes; });
}

// What the lanes of `op` read; `result` holds what the others get.
LogicalResult readLanes(Evaluator &evaluator, TileAccessOpInterface op, Tile result) {
  Element element = getPointee(op.getAccessedPointer().getType());
  if (failed(forEachAccess(evaluator, op, [&](size_t lane, uint64_t address) {
        result.set(lane, evaluator.memory.load(address, element));
      })))
    return failure();
  return evaluator.set(op->getResult(0), std::move(result));
}

LogicalResult writeLanes(Evaluator &evaluator, TileAccessOpInterface op, Value value) {
  Element element = getPointee(op.getAccessedPointer().getType());
  LaneReader<Lane> values(evaluator.get(value), element);
  return forEachAccess(evaluator, op, [&](size_t lane, uint64_t address) {
    evaluator.memory.store(address, element, values[lane]);
  });
}

// Memory that holds `old` at lane `lane` then holds combine(lane, old); gives what it held.
template <typename Combine>
LogicalResult modifyLanes(Evaluator &evaluator, TileAccessOpInterface op, Combine combine) {
  Element element = getPointee(op.getAccessedPointer().getType());
  Tile result = Tile::of(element, countLanes(evaluator, op));
  if (failed(forEachAccess(evaluator, op, [&](size_t lane, uint64_t address) {
        Lane old = evaluator.memory.load(address, element);
        result.set(lane, old);
        evaluator.memory.store(address, element, combine(lane, old));
      })))
    return failure();
  return evaluator.set(op->getResult(0), std::move(result));
}

LogicalResult evaluateLoad(Evaluator &evaluator, tt::LoadOp op) {
  if (tt::isTensorPointer(op.getPtr().getType()))
    return loadBlock(evaluator, op);
  size_t lanes = countLanes(evaluator, op);
  if (op.getOther())
    return readLanes(evaluator, op, evaluator.get(op.getOther()).expand(lanes));
  return readLanes(evaluator, op, Tile::of(getPointee(op.getPtr().getType()), lanes));
}

LogicalResult evaluateStore(Evaluator &evaluator, tt::StoreOp op) {
  if (tt::isTensorPointer(op.getPtr().getType()))
    return storeBlock(evaluator, op);
  return writeLanes(evaluator, op, op.getValue());
}

//===-- Atomics ------------------------------------------------------------------------------===//

LogicalResult evaluateAtomicLoad(Evaluator &evaluator, tt::AtomicLoadOp op) {
  Element element = getPointee(op.getPtr().getType());
  return readLanes(evaluator, op, Tile::of(element, countLanes(evaluator, op)));
}

LogicalResult evaluateAtomicStore(Evaluator &evaluator, tt::AtomicStoreOp op) {
  return writeLanes(evaluator, op, op.getValue());
}

LogicalResult evaluateAtomicRMW(Evaluator &evaluator, tt::AtomicRMWOp op) {
  Element element = getPointee(op.getPtr().getType());
  LaneReader<Lane> values(evaluator.get(op.getVal()), element);
  return modifyLanes(evaluator, op, [&](size_t lane, Lane old) {
    return combineAtomically(evaluator, op.getAtomicRmwOp(), element, old, values[lane]);
  });
}

// Compared as bits: a NaN equals itself, and the zeros differ.
bool haveEqualBits(const Element &element, Lane a, Lane b) {
  if (element.format)
    return element.format->encode(a.real) == element.format->encode(b.real);
  return a.word == b.word;
}

LogicalResult evaluateAtomicCAS(Evaluator &evaluator, tt::AtomicCASOp op) {
  Element element = getPointee(op.getPtr().getType());
  LaneReader<Lane> expected(evaluator.get(op.getCmp()), element);
  LaneReader<Lane> values(evaluator.get(op.getVal()), element);
  return modifyLanes(evaluator, op, [&](size_t lane, Lane old) {
    return haveEqualBits(element, old, expected[lane]) ? values[lane] : old;
  });
}

// Nobody else runs, so what is not there yet never comes: a poll with a timeout has timed out.
LogicalResult evaluateAtomicPoll(Evaluator &evaluator, tt::AtomicPollOp op) {
  Element element = getPointee(op.getPtr().getType());
  LaneReader<Lane> expected(evaluator.get(op.getExpected()), element);
  Tile result = Tile::ofWords(countLanes(evaluator, op));
  if (failed(forEachAccess(evaluator, op, [&](size_t lane, uint64_t address) {
        Lane found = evaluator.memory.load(address, element);
        result.words[lane] = haveEqualBits(element, found, expected[lane]);
      })))
    return failure();
  if (!op.getTimeout() && llvm::is_contained(result.words, 0))
    return evaluator.fail(op, "would wait forever: no other program runs meanwhile");
  return evaluator.set(op, std::move(result));
}

} // namespace

Lane combineAtomically(const Evaluator &evaluator, tt::RMWOp kind, const Element &element, Lane old,
                       Lane value) {
  int64_t signedOld = element.extend(old.word), signedValue = element.extend(value.word);
  switch (kind) {
  case tt::RMWOp::And:
    return {old.word & value.word, 0};
  case tt::RMWOp::Or:
    return {old.word | value.word, 0};
  case tt::RMWOp::Xor:
    return {old.word ^ value.word, 0};
  case tt::RMWOp::Add:
    return {element.truncate(old.word + value.word), 0};
  case tt::RMWOp::FAdd: {
    double sum = old.real + value.real;
    return {0, evaluator.isExact() ? element.format->round(sum) : sum};
  }
  case tt::RMWOp::Max:
    if (element.format)
      return {0, std::fmax(old.real, value.real)};
    return signedOld > signedValue ? old : value;
  case tt::RMWOp::Min:
    if (element.format)
      return {0, std::fmin(old.real, value.real)};
    return signedOld < signedValue ? old : value;
  case tt::RMWOp::UMax:
    return old.word > value.word ? old : value;
  case tt::RMWOp::UMin:
    return old.word < value.word ? old : value;
  case tt::RMWOp::Exchange:
    return value;
  }
  llvm_unreachable("an atomic that is none");
}

void addAccessOps(OpTable &table) {
  table.add<evaluateAddPtr>();
  table.add<evaluateLoad>();
  table.add<evaluateStore>();
  table.add<evaluateAtomicRMW>();
  table.add<evaluateAtomicCAS>();
  table.add<evaluateAtomicLoad>();
  table.add<evaluateAtomicStore>();
  table.add<evaluateAtomicPoll>();
}

} // namespace tigon::interpreter
