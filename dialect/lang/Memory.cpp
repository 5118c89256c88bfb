// SPDX-License-Identifier: Apache-2.0
//
// Loads, stores and atomics.
#include "dialect/lang/Emission.h"

using namespace mlir;

namespace tigon::lang {
namespace {

// The enumerations of the tile dialect count from 1.
tt::CacheModifier toTile(Cache cache) { return tt::CacheModifier(int(cache) + 1); }
tt::EvictionPolicy toTile(Evict evict) { return tt::EvictionPolicy(int(evict) + 1); }
tt::MemSemantic toTile(Semantic semantic) { return tt::MemSemantic(int(semantic) + 1); }
tt::MemSyncScope toTile(Scope scope) { return tt::MemSyncScope(int(scope) + 1); }
static_assert(int(tt::CacheModifier::CV) == int(Cache::CV) + 1 &&
              int(tt::EvictionPolicy::EvictLast) == int(Evict::Last) + 1 &&
              int(tt::MemSemantic::AcquireRelease) == int(Semantic::AcquireRelease) + 1 &&
              int(tt::MemSyncScope::System) == int(Scope::System) + 1);

bool isAddress(Emission &emit, const Value &pointer) {
  if (pointer.isPointer())
    return true;
  emit.fail("found {}, expected a pointer", describe(pointer));
  return false;
}

bool isWritable(Emission &emit, const Value &pointer) {
  if (!isAddress(emit, pointer))
    return false;
  if (pointer.internal().isConst)
    emit.fail("found a const pointer {}, expected one that may be written through",
              describe(pointer));
  return !pointer.internal().isConst;
}

// In memory an i1 is a byte.
Value asBytes(Emission &emit, const Value &pointer) {
  if (pointer.dtype() != I1)
    return pointer;
  Type type = emit.tileOf(shapeOf(pointer), emit.pointerTo(I8));
  return emit.wrap(emit.create<tt::BitcastOp>(type, emit.ir(pointer)), I8);
}

// A value in the pointers' shape and element type.
Value stored(Emission &emit, const Value &value, const Value &pointer) {
  if (value.isPointer())
    return emit.fail("found {}, expected a number", describe(value));
  if (isNumber(value))
    return emit.literal(value, pointer.dtype(), shapeOf(pointer));
  return emit.cast(emit.broadcastTo(value, shapeOf(pointer)), pointer.dtype());
}

} // namespace

Value load(const Value &pointer, const LoadOptions &options, Where where) {
  Emission emit("load", where, {&pointer}, {&options.mask, &options.other});
  if (!emit || !isAddress(emit, pointer))
    return emit.poison();
  if (isNone(options.mask) && !isNone(options.other))
    return emit.fail("found `other` without a mask");
  if (options.cache != Cache::None && options.cache != Cache::CA && options.cache != Cache::CG &&
      options.cache != Cache::CV)
    return emit.fail("found a cache modifier of stores, expected CA, CG or CV");
  Value address = pointer, mask = options.mask, other = options.other;
  mlir::Value lanes, fallback;
  if (!isNone(mask)) {
    if (!emit.isMask(mask))
      return emit.poison();
    if (shapeOf(pointer).empty() && !shapeOf(mask).empty())
      return emit.fail("found the mask {} for one pointer, expected a scalar", describe(mask));
    mask = emit.literal(mask, I1, shapeOf(pointer));
    if (!emit.broadcast(address, mask)) // as in Triton, each may widen the other
      return emit.poison();
    lanes = emit.ir(mask);
  }
  address = asBytes(emit, address);
  if (!isNone(other)) {
    other = stored(emit, other, address);
    if (isPoison(other))
      return other;
    fallback = emit.ir(other);
  }
  auto op = emit.create<tt::LoadOp>(emit.ir(address), lanes, fallback);
  op.setCache(toTile(options.cache));
  op.setEvict(toTile(options.evict));
  op.setIsVolatile(options.isVolatile);
  Value loaded = emit.wrap(op.getResult(), address.dtype());
  return pointer.dtype() == I1 ? emit.cast(loaded, I1) : loaded;
}

void store(const Value &pointer, const Value &value, const StoreOptions &options, Where where) {
  Emission emit("store", where, {&pointer, &value}, {&options.mask});
  if (!emit || !isWritable(emit, pointer))
    return;
  if (options.cache == Cache::CA || options.cache == Cache::CV) {
    emit.fail("found a cache modifier of loads, expected WB, CG, CS or WT");
    return;
  }
  Value address = asBytes(emit, pointer);
  Value element = stored(emit, value, address);
  if (isPoison(element))
    return;
  mlir::Value lanes;
  if (!isNone(options.mask)) {
    Value mask = emit.maskOf(options.mask, shapeOf(address));
    if (isPoison(mask))
      return;
    lanes = emit.ir(mask);
  }
  emit.create<tt::StoreOp>(emit.ir(address), emit.ir(element), lanes, ArrayRef<int32_t>(),
                           toTile(options.cache), toTile(options.evict));
}

//===-- Atomics -----------------------------------------------------------------------------------===//

namespace {

struct Atomic {
  Value pointer, value, mask;
};

// Checks and shapes the operands; nothing, with the mistake recorded, if they do not fit.
std::optional<Atomic> prepare(Emission &emit, const Value &pointer, const Value &value,
                              const Value &mask, bool allowSmallFloats) {
  if (!isWritable(emit, pointer))
    return std::nullopt;
  DType dtype = pointer.dtype();
  bool fits = isFloat(dtype) ? bitsOf(dtype) >= (allowSmallFloats ? 16 : 32) : bitsOf(dtype) >= 32;
  if (!fits) {
    emit.fail("found {}, expected a pointer to a type that has this atomic", describe(pointer));
    return std::nullopt;
  }
  Atomic atomic = {pointer, stored(emit, value, pointer),
                   emit.maskOf(isNone(mask) ? Value(true) : mask, shapeOf(pointer))};
  if (isPoison(atomic.value) || isPoison(atomic.mask))
    return std::nullopt;
  return atomic;
}

Value emitAtomic(Emission &emit, tt::RMWOp op, const Atomic &atomic, const AtomicOptions &options) {
  mlir::Value value = emit.ir(atomic.value);
  return emit.wrap(emit.create<tt::AtomicRMWOp>(value.getType(), op, emit.ir(atomic.pointer), value,
                                                emit.ir(atomic.mask), toTile(options.semantic),
                                                toTile(options.scope)),
                   atomic.value);
}

Value combine(std::string_view what, tt::RMWOp op, const Value &pointer, const Value &value,
              const AtomicOptions &options, Where where) {
  Emission emit(what, where, {&pointer, &value}, {&options.mask});
  if (!emit)
    return emit.poison();
  bool isBitwise = op == tt::RMWOp::And || op == tt::RMWOp::Or || op == tt::RMWOp::Xor;
  if (isBitwise && isFloat(pointer.dtype()))
    return emit.fail("found {}, expected a pointer to integers", describe(pointer));
  auto atomic = prepare(emit, pointer, value, options.mask, op == tt::RMWOp::Add);
  if (!atomic)
    return emit.poison();
  if (op == tt::RMWOp::Add && isFloat(pointer.dtype()))
    op = tt::RMWOp::FAdd;
  return emitAtomic(emit, op, *atomic, options);
}

// Floats are ordered like their bits where the sign is clear, and against them where it is set:
// one atomic of signed integers, one of unsigned ones, each with its lanes.
Value extreme(std::string_view what, bool isMax, const Value &pointer, const Value &value,
              const AtomicOptions &options, Where where) {
  Emission emit(what, where, {&pointer, &value}, {&options.mask});
  if (!emit)
    return emit.poison();
  auto atomic = prepare(emit, pointer, value, options.mask, /*allowSmallFloats=*/false);
  if (!atomic)
    return emit.poison();
  DType dtype = pointer.dtype();
  if (isInteger(dtype)) {
    tt::RMWOp op = isSigned(dtype) ? (isMax ? tt::RMWOp::Max : tt::RMWOp::Min)
                                   : (isMax ? tt::RMWOp::UMax : tt::RMWOp::UMin);
    return emitAtomic(emit, op, *atomic, options);
  }
  DType bits = dtype == F32 ? I32 : I64;
  Value ofBits = emit.bitcast(atomic->value, bits);
  Type type = emit.tileOf(shapeOf(pointer), emit.pointerTo(bits));
  Value address = emit.wrap(emit.create<tt::BitcastOp>(type, emit.ir(pointer)), bits);
  Value zero = emit.constant(int64_t(0), bits, shapeOf(ofBits));
  auto lanes = [&](arith::CmpIPredicate sign) {
    auto chosen = emit.create<arith::CmpIOp>(sign, emit.ir(ofBits), emit.ir(zero));
    return emit.wrap(emit.create<arith::AndIOp>(emit.ir(atomic->mask), chosen), I1);
  };
  Value positive = lanes(arith::CmpIPredicate::sge), negative = lanes(arith::CmpIPredicate::slt);
  Value ofPositive = emitAtomic(emit, isMax ? tt::RMWOp::Max : tt::RMWOp::Min,
                                {address, ofBits, positive}, options);
  Value ofNegative = emitAtomic(emit, isMax ? tt::RMWOp::UMin : tt::RMWOp::UMax,
                                {address, ofBits, negative}, options);
  Value before = emit.like<arith::SelectOp>(ofPositive, emit.ir(positive), emit.ir(ofPositive),
                                            emit.ir(ofNegative));
  return emit.bitcast(before, dtype);
}

} // namespace

Value atomicAdd(const Value &pointer, const Value &value, const AtomicOptions &options,
                Where where) {
  return combine("atomicAdd", tt::RMWOp::Add, pointer, value, options, where);
}
Value atomicAnd(const Value &pointer, const Value &value, const AtomicOptions &options,
                Where where) {
  return combine("atomicAnd", tt::RMWOp::And, pointer, value, options, where);
}
Value atomicOr(const Value &pointer, const Value &value, const AtomicOptions &options,
               Where where) {
  return combine("atomicOr", tt::RMWOp::Or, pointer, value, options, where);
}
Value atomicXor(const Value &pointer, const Value &value, const AtomicOptions &options,
                Where where) {
  return combine("atomicXor", tt::RMWOp::Xor, pointer, value, options, where);
}
Value atomicXchg(const Value &pointer, const Value &value, const AtomicOptions &options,
                 Where where) {
  return combine("atomicXchg", tt::RMWOp::Exchange, pointer, value, options, where);
}
Value atomicMax(const Value &pointer, const Value &value, const AtomicOptions &options,
                Where where) {
  return extreme("atomicMax", /*isMax=*/true, pointer, value, options, where);
}
Value atomicMin(const Value &pointer, const Value &value, const AtomicOptions &options,
                Where where) {
  return extreme("atomicMin", /*isMax=*/false, pointer, value, options, where);
}

Value atomicCas(const Value &pointer, const Value &compared, const Value &value,
                const AtomicOptions &options, Where where) {
  Emission emit("atomicCas", where, {&pointer, &compared, &value});
  if (!emit || !isWritable(emit, pointer))
    return emit.poison();
  if (!isNone(options.mask))
    return emit.fail("found a mask, expected none");
  if (bitsOf(pointer.dtype()) < 16)
    return emit.fail("found {}, expected a pointer to 16, 32 or 64 bits", describe(pointer));
  Value expected = stored(emit, compared, pointer), next = stored(emit, value, pointer);
  if (isPoison(expected) || isPoison(next))
    return emit.poison();
  mlir::Value desired = emit.ir(next);
  return emit.wrap(emit.create<tt::AtomicCASOp>(desired.getType(), emit.ir(pointer),
                                                emit.ir(expected), desired,
                                                toTile(options.semantic), toTile(options.scope)),
                   next);
}

} // namespace tigon::lang
