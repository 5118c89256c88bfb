// SPDX-License-Identifier: Apache-2.0
//
// CpuMachine: a register is a vector of the SIMD width, lane by lane. The loop over programs is inside the compiled
// function, so that what does not depend on the program is computed once for a range of them.
#include "compiler/lowering/Machine.h"

#include "mlir/Dialect/LLVMIR/LLVMAttrs.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tigon {
namespace {

class CpuMachine : public Machine {
public:
  CpuMachine(const Target &target, ImplicitLocOpBuilder &builder) : Machine(target, builder) {}

  Type registerType(Type element) const override {
    return VectorType::get(target.lanes, scalarType(element));
  }

  //===-- kernels: f(const void *const *args, i64 begin, i64 end, const u32 grid[3], void *arena) ---===//

  SmallVector<Value> beginKernel(tt::FuncOp function, const KernelSizes &) override {
    MLIRContext *context = b.getContext();
    auto pointer = LLVM::LLVMPointerType::get(context);
    b.setInsertionPointToStart(function->getParentOfType<ModuleOp>().getBody());
    Type i64 = b.getI64Type(), i32 = b.getI32Type();
    auto kernel = LLVM::LLVMFuncOp::create(
        b, function.getName(),
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                    {pointer, i64, i64, pointer, pointer}));
    Block *entry = kernel.addEntryBlock(b);
    b.setInsertionPointToStart(entry);
    arena = entry->getArgument(4);
    SmallVector<Value> arguments;
    for (auto [number, type] : llvm::enumerate(function.getArgumentTypes())) {
      Value slot = LLVM::GEPOp::create(b, pointer, pointer, entry->getArgument(0),
                                       ArrayRef<LLVM::GEPArg>{int32_t(number)});
      Value address = LLVM::LoadOp::create(b, pointer, slot);
      Value value = LLVM::LoadOp::create(b, memoryType(type), address);
      if (type.isInteger(1))
        value =
            arith::CmpIOp::create(b, arith::CmpIPredicate::ne, value, constant(b.getI8Type(), 0));
      arguments.push_back(value);
    }
    SmallVector<Value> size;
    for (int32_t axis = 0; axis < 3; ++axis) {
      Value slot =
          LLVM::GEPOp::create(b, pointer, i32, entry->getArgument(3), ArrayRef<LLVM::GEPArg>{axis});
      grid[axis] = LLVM::LoadOp::create(b, i32, slot);
      size.push_back(arith::ExtUIOp::create(b, i64, grid[axis]));
    }
    loop = scf::ForOp::create(b, entry->getArgument(1), entry->getArgument(2), constant(i64, 1));
    LLVM::ReturnOp::create(b, ValueRange());
    b.setInsertionPointToStart(loop.getBody());
    Value linear = loop.getInductionVar();
    auto narrow = [&](Value value) { return arith::TruncIOp::create(b, i32, value); };
    program[0] = narrow(arith::RemUIOp::create(b, linear, size[0]));
    Value row = arith::DivUIOp::create(b, linear, size[0]);
    program[1] = narrow(arith::RemUIOp::create(b, row, size[1]));
    program[2] = narrow(arith::DivUIOp::create(b, row, size[1]));
    return arguments;
  }

  // What went past the cache is not ordered by what hands the results on.
  void endKernel() override {
    if (!streams)
      return;
    b.setInsertionPointAfter(loop);
    LLVM::CallIntrinsicOp::create(b, b.getStringAttr("llvm.x86.sse.sfence"), ValueRange());
  }

  Value programId(tt::ProgramDim axis) override { return program[unsigned(axis)]; }
  Value numPrograms(tt::ProgramDim axis) override { return grid[unsigned(axis)]; }
  void barrier() override {} // one thread runs a program
  Value localMemory() override { return arena; }
  Value globalScratch() override { return arena; }

  //===-- lanes -------------------------------------------------------------------------------------===//

  Value threadIndex() override {
    SmallVector<int32_t> lanes = llvm::to_vector(llvm::seq<int32_t>(0, target.lanes));
    return vectorConstant<int32_t>(lanes);
  }

  Value threadCoordinate(const LinearLayout &layout) override {
    SmallVector<int32_t> lanes;
    for (int lane = 0; lane < target.lanes; ++lane)
      lanes.push_back(layout.apply(Index::Lane, lane));
    return vectorConstant<int32_t>(lanes);
  }

  Value ownsElements(const LinearLayout &layout) override {
    uint32_t free = layout.getFreeBits(Index::Lane);
    if (!free)
      return {};
    SmallVector<bool> lanes;
    for (int lane = 0; lane < target.lanes; ++lane)
      lanes.push_back((lane & free) == 0);
    auto type = VectorType::get(target.lanes, b.getI1Type());
    return arith::ConstantOp::create(b, DenseElementsAttr::get(type, ArrayRef<bool>(lanes)));
  }

  Value actsForProgram() override { return {}; }

  Value broadcast(Value scalar) override {
    auto type = VectorType::get(target.lanes, scalar.getType());
    Attribute attribute;
    if (matchPattern(scalar, m_Constant(&attribute)) && isa<IntegerAttr, FloatAttr>(attribute))
      return arith::ConstantOp::create(b, DenseElementsAttr::get(type, attribute));
    Value lone = LLVM::InsertElementOp::create(b, LLVM::PoisonOp::create(b, type), scalar,
                                               constant(b.getI32Type(), 0));
    return LLVM::ShuffleVectorOp::create(b, lone, LLVM::PoisonOp::create(b, type),
                                         SmallVector<int32_t>(target.lanes, 0));
  }

  Value first(Value reg) override {
    return LLVM::ExtractElementOp::create(b, reg, constant(b.getI32Type(), 0));
  }

  Value exchange(Value reg, unsigned bit) override {
    SmallVector<int32_t> lanes;
    for (int lane = 0; lane < target.lanes; ++lane)
      lanes.push_back(lane ^ (1 << bit));
    return LLVM::ShuffleVectorOp::create(b, reg, LLVM::PoisonOp::create(b, reg.getType()), lanes);
  }

  // Lanes come from several registers: blend them in one after the other.
  Value pick(ArrayRef<Value> registers,
             ArrayRef<std::pair<unsigned, unsigned>> registerAndLane) override {
    Value result;
    for (auto [number, reg] : llvm::enumerate(registers)) {
      SmallVector<int32_t> lanes;
      bool used = false;
      for (auto [lane, source] : llvm::enumerate(registerAndLane)) {
        bool ours = source.first == number;
        used |= ours;
        // In a shuffle of (reg, result), lanes of the second operand come after the first's.
        lanes.push_back(ours ? int32_t(source.second) : result ? int32_t(target.lanes + lane) : -1);
      }
      if (used)
        result = LLVM::ShuffleVectorOp::create(
            b, reg, result ? result : Value(LLVM::PoisonOp::create(b, reg.getType())), lanes);
    }
    return result;
  }

  //===-- memory ------------------------------------------------------------------------------------===//

  Registers load(const TileAccess &access, ArrayRef<Value> others) override {
    auto memory = VectorType::get(target.lanes, memoryType(access.element));
    bool isBool = access.element.isInteger(1);
    Registers replacements(others), loaded;
    for (Value &other : replacements)
      if (isBool)
        other = arith::ExtUIOp::create(b, memory, other);
    forGroups(access, [&](const TileAccess &group, size_t begin) {
      ArrayRef<Value> rest = ArrayRef<Value>(replacements).drop_front(others.empty() ? 0 : begin);
      llvm::append_range(loaded, loadGroup(group, memory, rest));
    });
    for (Value &value : loaded)
      if (isBool)
        value = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, value, constant(memory, 0));
    return loaded;
  }

  void store(const TileAccess &access, ArrayRef<Value> values) override {
    auto memory = VectorType::get(target.lanes, memoryType(access.element));
    Registers stored(values);
    for (Value &value : stored)
      if (access.element.isInteger(1))
        value = arith::ExtUIOp::create(b, memory, value);
    forGroups(access, [&](const TileAccess &group, size_t begin) {
      storeGroup(group, ArrayRef<Value>(stored).drop_front(begin));
    });
  }

  void copyAsync(Value, Value, unsigned, Value, Value) override {
    llvm_unreachable("a CPU fetches ahead by itself");
  }
  void commitCopies() override { llvm_unreachable("a CPU fetches ahead by itself"); }
  void waitForCopies(unsigned) override { llvm_unreachable("a CPU fetches ahead by itself"); }

  //===-- floats kept as integers -------------------------------------------------------------------===//

  Value convertFloat(Value value, Type from, Type to) override {
    if (from == to)
      return value;
    Type f32 = like(value, b.getF32Type());
    assert((from.getIntOrFloatBitWidth() <= 32 || to.getIntOrFloatBitWidth() >= 32) &&
           "LowerMath rounds f64 to f32 first, to odd");
    Value wide = value;
    if (from.getIntOrFloatBitWidth() < 32)
      wide = widen(value, from);
    if (to.isF32())
      return from.isF64() ? Value(arith::TruncFOp::create(b, f32, wide)) : wide;
    if (to.isF64())
      return arith::ExtFOp::create(b, like(value, to), wide);
    return narrow(wide, to);
  }

  Value approximate(tg::Approximation, ValueRange) override {
    llvm_unreachable("formulas approximate only where the target does");
  }

private:
  template <typename T> Value vectorConstant(ArrayRef<T> lanes) {
    auto type = VectorType::get(target.lanes, b.getI32Type());
    return arith::ConstantOp::create(b, DenseElementsAttr::get(type, lanes));
  }

  bool masksNatively(int64_t bytes) const {
    return bytes >= 4 ? target.masksWords : target.masksBytes;
  }

  // The lanes' mask as an integer.
  Value maskBits(Value mask) {
    return LLVM::BitcastOp::create(b, IntegerType::get(b.getContext(), target.lanes), mask);
  }

  Value allOf(Value mask) {
    Value bits = maskBits(mask);
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, bits, constant(bits.getType(), -1));
  }

  // Masked accesses to neighbours that the CPU has no instruction for are tested in groups: where all lanes of a group
  // act it is plain vectors, else calls. A branch for each register would make a tile of 4096 bf16 a thousand blocks,
  // and LLVM's time grows with their square (20 s for one kernel); one branch for all would make the last group of a row
  // slow as a whole.
  static constexpr size_t groupSize = 8;

  bool isGrouped(const TileAccess &access) const {
    return !access.masks.empty() && access.shape.lanesConsecutive && !access.hints.isVolatile &&
           !masksNatively(memoryBytes(access.element));
  }

  void forGroups(const TileAccess &access,
                 llvm::function_ref<void(const TileAccess &, size_t begin)> visit) {
    size_t count = access.pointers.size(), step = isGrouped(access) ? groupSize : 1;
    for (size_t begin = 0; begin < count; begin += step) {
      TileAccess group = access;
      group.pointers = access.pointers.slice(begin, std::min(step, count - begin));
      if (!access.masks.empty())
        group.masks = access.masks.slice(begin, group.pointers.size());
      visit(group, begin);
    }
  }

  Value allActIn(ArrayRef<Value> masks) {
    Value every = masks.front();
    for (Value mask : masks.drop_front())
      every = arith::AndIOp::create(b, every, mask);
    return allOf(every);
  }

  Registers loadGroup(const TileAccess &group, VectorType memory, ArrayRef<Value> others) {
    int64_t bytes = memoryBytes(group.element);
    auto whole = [&](Value at) -> Value {
      return LLVM::LoadOp::create(b, memory, first(at), bytes);
    };
    if (isGrouped(group)) {
      Registers fast, slow;
      SmallVector<Type> types(group.pointers.size(), memory);
      auto branch = scf::IfOp::create(b, types, allActIn(group.masks), /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      for (Value at : group.pointers)
        fast.push_back(whole(at));
      scf::YieldOp::create(b, fast);
      b.setInsertionPointToStart(branch.elseBlock());
      for (auto [at, mask, other] : llvm::zip_first(group.pointers, group.masks, others))
        slow.push_back(callLanes(group, at, mask, other, /*isLoad=*/true).getResult());
      scf::YieldOp::create(b, slow);
      return branch.getResults();
    }
    Value at = group.pointers[0], mask = group.masks.empty() ? Value() : group.masks[0];
    bool isPlain = group.shape.lanesConsecutive && !group.hints.isVolatile;
    if (isPlain)
      return {mask ? Value(LLVM::MaskedLoadOp::create(b, memory, first(at), mask, others[0], bytes))
                   : whole(at)};
    if (!mask && group.shape.lanesEqual)
      return {broadcast(LLVM::LoadOp::create(b, memory.getElementType(), first(at), bytes,
                                             group.hints.isVolatile))};
    Value other = mask ? others[0] : Value(LLVM::ZeroOp::create(b, memory));
    return {callLanes(group, at, mask, other, /*isLoad=*/true).getResult()};
  }

  void storeGroup(const TileAccess &group, ArrayRef<Value> values) {
    int64_t bytes = memoryBytes(group.element);
    if (isGrouped(group)) {
      auto branch = scf::IfOp::create(b, allActIn(group.masks), /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      for (auto [at, value] : llvm::zip_first(group.pointers, values))
        storeWhole(group, at, value);
      b.setInsertionPointToStart(branch.elseBlock());
      for (auto [at, mask, value] : llvm::zip_first(group.pointers, group.masks, values))
        callLanes(group, at, mask, value, /*isLoad=*/false);
      return;
    }
    Value at = group.pointers[0], mask = group.masks.empty() ? Value() : group.masks[0];
    if (!group.shape.lanesConsecutive || group.hints.isVolatile)
      callLanes(group, at, mask, values[0], /*isLoad=*/false);
    else if (mask)
      LLVM::MaskedStoreOp::create(b, values[0], first(at), mask, bytes);
    else
      storeWhole(group, at, values[0]);
  }

  // Streaming (cache modifier .cs): past the cache, which saves reading what is overwritten, a third of a copy's traffic.
  void storeWhole(const TileAccess &group, Value at, Value value) {
    int64_t bytes = memoryBytes(group.element), whole = bytes * target.lanes;
    bool isStreamed = group.hints.cache == tt::CacheModifier::CS && group.shape.alignment >= 16;
    if (isStreamed)
      bytes = std::min<int64_t>(group.shape.alignment, whole);
    streams |= isStreamed;
    LLVM::StoreOp::create(b, value, first(at), bytes, /*isVolatile=*/false, isStreamed);
  }

  // Access one register's lanes one by one; a load gives `value` where the mask is false.
  LLVM::CallOp callLanes(const TileAccess &access, Value pointers, Value mask, Value value,
                         bool isLoad) {
    Value at = access.shape.lanesConsecutive ? first(pointers) : pointers;
    Value bits = mask ? maskBits(mask) : constant(b.getIntegerType(target.lanes), -1);
    LLVM::LLVMFuncOp function =
        getLanesFunction(at.getType(), value.getType(), isLoad, access.hints.isVolatile);
    return LLVM::CallOp::create(b, function, ValueRange{at, bits, value});
  }

  // f(pointers, or the first of neighbours; mask as bits; value) visits, in order, the lanes whose bit is set.
  LLVM::LLVMFuncOp getLanesFunction(Type pointers, Type value, bool isLoad, bool isVolatile) {
    Type element = cast<VectorType>(value).getElementType();
    bool consecutive = !isa<VectorType>(pointers);
    std::string name;
    llvm::raw_string_ostream(name)
        << "tigon." << (isVolatile ? "volatile." : "") << (isLoad ? "load." : "store.")
        << (consecutive ? "neighbours." : "lanes.") << element;
    auto module = arena.getParentRegion()->getParentOfType<ModuleOp>();
    if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
      return known;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(module.getBody());
    Type bitsType = b.getIntegerType(target.lanes), i32 = b.getI32Type();
    Type result = isLoad ? value : LLVM::LLVMVoidType::get(b.getContext());
    auto function = LLVM::LLVMFuncOp::create(
        b, name, LLVM::LLVMFunctionType::get(result, {pointers, bitsType, value}),
        LLVM::Linkage::Internal);
    function.setPassthroughAttr(b.getStrArrayAttr({"cold", "noinline", "nounwind"}));
    Block *entry = function.addEntryBlock(b);
    b.setInsertionPointToStart(entry);
    Value at = entry->getArgument(0), bits = entry->getArgument(1), held = entry->getArgument(2);
    auto lanes = scf::ForOp::create(b, constant(i32, 0), constant(i32, target.lanes),
                                    constant(i32, 1), isLoad ? ValueRange(held) : ValueRange());
    LLVM::ReturnOp::create(b, lanes.getResults());
    b.setInsertionPointToStart(lanes.getBody());
    Value lane = lanes.getInductionVar();
    Value shift = bitsType == i32 ? lane : Value(arith::TruncIOp::create(b, bitsType, lane));
    Value acts = arith::TruncIOp::create(b, b.getI1Type(), arith::ShRUIOp::create(b, bits, shift));
    auto branch = scf::IfOp::create(b, isLoad ? TypeRange(value) : TypeRange(), acts,
                                    /*withElseRegion=*/isLoad);
    if (isLoad)
      scf::YieldOp::create(b, branch.getResults());
    b.setInsertionPointToStart(branch.thenBlock());
    int64_t bytes = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() / 8 : 8;
    Value pointer =
        consecutive
            ? Value(LLVM::GEPOp::create(b, pointers, element, at, ArrayRef<LLVM::GEPArg>{lane}))
            : Value(LLVM::ExtractElementOp::create(b, at, lane));
    if (!isLoad) {
      Value one = LLVM::ExtractElementOp::create(b, held, lane);
      LLVM::StoreOp::create(b, one, pointer, bytes, isVolatile);
      return function;
    }
    Value before = lanes.getRegionIterArg(0);
    Value one = LLVM::LoadOp::create(b, element, pointer, bytes, isVolatile);
    scf::YieldOp::create(b, Value(LLVM::InsertElementOp::create(b, before, one, lane)));
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, before);
    return function;
  }

  //===-- bits of narrow floats ---------------------------------------------------------------------===//

  // `element`, or a vector of it if `value` is one.
  static Type like(Value value, Type element) {
    auto vector = dyn_cast<VectorType>(value.getType());
    return vector ? Type(vector.clone(element)) : element;
  }
  Value i32(Value like_, int64_t value) { return constant(like(like_, b.getI32Type()), value); }
  Value bits(Value value) {
    return arith::BitcastOp::create(b, like(value, b.getI32Type()), value);
  }
  Value floats(Value value) {
    return arith::BitcastOp::create(b, like(value, b.getF32Type()), value);
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(b, condition, yes, no);
  }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, predicate, x, y);
  }

  Value widen(Value value, Type from) {
    if (from.isF16() && target.convertsHalf) {
      Value half = LLVM::BitcastOp::create(b, like(value, b.getF16Type()), value);
      return LLVM::FPExtOp::create(b, like(value, b.getF32Type()), half);
    }
    Value x = arith::ExtUIOp::create(b, like(value, b.getI32Type()), value);
    if (from.isBF16())
      return floats(arith::ShLIOp::create(b, x, i32(x, 16)));
    // f16: shift the magnitude into place and rebias the exponent by 112; infinities and NaNs once more; denormals are
    // what subtracting 2^-14 from 2^-14 + x leaves.
    Value magnitude =
        arith::ShLIOp::create(b, arith::AndIOp::create(b, x, i32(x, 0x7fff)), i32(x, 13));
    Value sign = arith::ShLIOp::create(b, arith::AndIOp::create(b, x, i32(x, 0x8000)), i32(x, 16));
    Value exponent = arith::AndIOp::create(b, magnitude, i32(x, 0x7c00 << 13));
    Value normal = arith::AddIOp::create(b, magnitude, i32(x, 112 << 23));
    Value special = arith::AddIOp::create(b, normal, i32(x, 112 << 23));
    Value tiny = arith::AddIOp::create(b, magnitude, i32(x, 113 << 23));
    tiny = bits(arith::SubFOp::create(b, floats(tiny), floats(i32(x, 113 << 23))));
    using P = arith::CmpIPredicate;
    Value result = select(compare(P::eq, exponent, i32(x, 0x7c00 << 13)), special, normal);
    result = select(compare(P::eq, exponent, i32(x, 0)), tiny, result);
    return floats(arith::OrIOp::create(b, result, sign));
  }

  Value narrow(Value value, Type to) {
    Type result = like(value, IntegerType::get(b.getContext(), to.getIntOrFloatBitWidth()));
    if (to.isF16() && target.convertsHalf) {
      Value half = LLVM::FPTruncOp::create(b, like(value, b.getF16Type()), value);
      return LLVM::BitcastOp::create(b, result, half);
    }
    Value x = bits(value);
    Value rounded = to.isBF16() ? roundToBF16(x) : roundToF16(x);
    return arith::TruncIOp::create(b, result, rounded);
  }

  // Nearest even: add half an ulp less one, and one more if the kept part is odd; NaNs stay NaNs, quiet.
  Value roundToBF16(Value x) {
    using P = arith::CmpIPredicate;
    Value odd = arith::AndIOp::create(b, arith::ShRUIOp::create(b, x, i32(x, 16)), i32(x, 1));
    Value sum = arith::AddIOp::create(b, arith::AddIOp::create(b, x, i32(x, 0x7fff)), odd);
    Value quiet = arith::OrIOp::create(b, x, i32(x, 0x400000));
    Value magnitude = arith::AndIOp::create(b, x, i32(x, 0x7fffffff));
    Value isNan = compare(P::ugt, magnitude, i32(x, 0x7f800000));
    return arith::ShRUIOp::create(b, select(isNan, quiet, sum), i32(x, 16));
  }

  Value roundToF16(Value x) {
    using P = arith::CmpIPredicate;
    Value magnitude = arith::AndIOp::create(b, x, i32(x, 0x7fffffff));
    Value sign = arith::AndIOp::create(b, arith::ShRUIOp::create(b, x, i32(x, 16)), i32(x, 0x8000));
    Value odd =
        arith::AndIOp::create(b, arith::ShRUIOp::create(b, magnitude, i32(x, 13)), i32(x, 1));
    Value normal = arith::AddIOp::create(
        b, arith::AddIOp::create(b, magnitude, i32(x, int32_t(0xc8000fff))), odd);
    normal = arith::ShRUIOp::create(b, normal, i32(x, 13));
    // Adding 0.5 moves a denormal's bits to the end of the significand, rounded by the addition itself.
    Value half = floats(i32(x, 0x3f000000));
    Value tiny = bits(arith::AddFOp::create(b, floats(magnitude), half));
    tiny = arith::SubIOp::create(b, tiny, i32(x, 0x3f000000));
    Value isNan = compare(P::ugt, magnitude, i32(x, 0x7f800000));
    Value special = select(isNan, i32(x, 0x7e00), i32(x, 0x7c00));
    Value result = select(compare(P::ult, magnitude, i32(x, 0x38800000)), tiny, normal);
    result = select(compare(P::uge, magnitude, i32(x, 0x47800000)), special, result);
    return arith::OrIOp::create(b, result, sign);
  }

  Value arena, grid[3], program[3];
  scf::ForOp loop;
  bool streams = false;
};

} // namespace

std::unique_ptr<Machine> createCpuMachine(const Target &target, ImplicitLocOpBuilder &builder) {
  return std::make_unique<CpuMachine>(target, builder);
}

} // namespace tigon
