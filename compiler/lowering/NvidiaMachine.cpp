// SPDX-License-Identifier: Apache-2.0
//
// NvidiaMachine: a register is a scalar of a thread. Masked accesses are predicated PTX (PTX ISA, "ld", "st"), since a
// branch around each would cost divergence and hide the accesses from each other; unmasked ones are plain LLVM.
#include "compiler/lowering/Machine.h"
#include "compiler/lowering/NvidiaArithmetic.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <fmt/format.h>
#include <map>

using namespace mlir;

namespace tigon {
namespace {

constexpr unsigned globalSpace = 1, sharedSpace = 3;
constexpr const char *sharedName = "global_smem";

class NvidiaMachine : public Machine {
public:
  NvidiaMachine(const Target &target, ImplicitLocOpBuilder &builder) : Machine(target, builder) {}

  Type registerType(Type element) const override { return scalarType(element); }

  //===-- kernels -----------------------------------------------------------------------------------===//

  SmallVector<Value> beginKernel(tt::FuncOp function, const KernelSizes &sizes) override {
    threads = sizes.warps * target.lanes;
    scratchBytes = sizes.scratchBytes;
    MLIRContext *context = b.getContext();
    auto module = function->getParentOfType<ModuleOp>();
    b.setInsertionPointToStart(module.getBody());
    if (sizes.sharedBytes)
      LLVM::GlobalOp::create(b, LLVM::LLVMArrayType::get(b.getI8Type(), 0), /*isConstant=*/false,
                             LLVM::Linkage::External, sharedName, Attribute(), /*alignment=*/16,
                             sharedSpace);
    SmallVector<Type> types = llvm::map_to_vector(function.getArgumentTypes(), [&](Type type) {
      return type.isInteger(1) ? Type(b.getI8Type()) : scalarType(type);
    });
    types.append(2, LLVM::LLVMPointerType::get(context, globalSpace)); // global and profile scratch
    kernel = LLVM::LLVMFuncOp::create(
        b, function.getName(),
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), types));
    kernel->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), b.getUnitAttr());
    kernel->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                    b.getDenseI32ArrayAttr({int32_t(threads), 1, 1}));
    if (sizes.ctasPerProcessor)
      kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                      b.getI32IntegerAttr(sizes.ctasPerProcessor));
    Block *entry = kernel.addEntryBlock(b);
    b.setInsertionPointToStart(entry);
    auto range = LLVM::ConstantRangeAttr::get(context, APInt(32, 0), APInt(32, threads));
    thread = NVVM::ThreadIdXOp::create(b, b.getI32Type(), range);
    SmallVector<Value> arguments;
    for (auto [argument, type] : llvm::zip(entry->getArguments(), function.getArgumentTypes()))
      arguments.push_back(type.isInteger(1) ? Value(arith::TruncIOp::create(b, type, argument))
                                            : Value(argument));
    return arguments;
  }

  void endKernel() override { LLVM::ReturnOp::create(b, ValueRange()); }

  Value programId(tt::ProgramDim axis) override {
    switch (axis) {
    case tt::ProgramDim::X:
      return NVVM::BlockIdXOp::create(b, b.getI32Type());
    case tt::ProgramDim::Y:
      return NVVM::BlockIdYOp::create(b, b.getI32Type());
    case tt::ProgramDim::Z:
      return NVVM::BlockIdZOp::create(b, b.getI32Type());
    }
    llvm_unreachable("an axis is x, y or z");
  }

  Value numPrograms(tt::ProgramDim axis) override {
    switch (axis) {
    case tt::ProgramDim::X:
      return NVVM::GridDimXOp::create(b, b.getI32Type());
    case tt::ProgramDim::Y:
      return NVVM::GridDimYOp::create(b, b.getI32Type());
    case tt::ProgramDim::Z:
      return NVVM::GridDimZOp::create(b, b.getI32Type());
    }
    llvm_unreachable("an axis is x, y or z");
  }

  void barrier() override { NVVM::Barrier0Op::create(b); }

  Value localMemory() override {
    return LLVM::AddressOfOp::create(b, LLVM::LLVMPointerType::get(b.getContext(), sharedSpace),
                                     sharedName);
  }

  // Scratch of program p starts at p times its size.
  Value globalScratch() override {
    Value x = programId(tt::ProgramDim::X), y = programId(tt::ProgramDim::Y),
          z = programId(tt::ProgramDim::Z);
    Value gx = numPrograms(tt::ProgramDim::X), gy = numPrograms(tt::ProgramDim::Y);
    auto wide = [&](Value value) { return arith::ExtUIOp::create(b, b.getI64Type(), value); };
    Value linear = arith::AddIOp::create(b, arith::MulIOp::create(b, wide(z), wide(gy)), wide(y));
    linear = arith::AddIOp::create(b, arith::MulIOp::create(b, linear, wide(gx)), wide(x));
    Value offset = arith::MulIOp::create(b, linear, constant(b.getI64Type(), scratchBytes));
    Value base = kernel.getArgument(kernel.getNumArguments() - 2);
    return LLVM::GEPOp::create(b, base.getType(), b.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{offset});
  }

  //===-- lanes -------------------------------------------------------------------------------------===//

  Value threadIndex() override { return thread; }

  // Runs of thread bits whose images double from one to the next are one mask and one shift.
  Value threadCoordinate(const LinearLayout &layout) override {
    auto found = coordinates.find(layout.str());
    if (found != coordinates.end())
      return found->second;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfterValue(thread);
    SmallVector<uint32_t> images(layout.getImages(Index::Lane));
    llvm::append_range(images, layout.getImages(Index::Warp));
    Value sum;
    for (unsigned bit = 0; bit < images.size();) {
      if (!images[bit]) {
        ++bit;
        continue;
      }
      unsigned end = bit + 1;
      while (end < images.size() && llvm::isPowerOf2_32(images[bit]) &&
             images[end] == images[end - 1] << 1)
        ++end;
      Value part = thread;
      if (bit || (int64_t(1) << end) < threads)
        part = arith::AndIOp::create(b, part, constant(b.getI32Type(), (1u << end) - (1u << bit)));
      if (llvm::isPowerOf2_32(images[bit])) {
        int shift = int(llvm::Log2_32(images[bit])) - int(bit);
        if (shift > 0)
          part = arith::ShLIOp::create(b, part, constant(b.getI32Type(), shift));
        else if (shift < 0)
          part = arith::ShRUIOp::create(b, part, constant(b.getI32Type(), -shift));
      } else { // a swizzle: several coordinate bits follow one thread bit
        Value zero = constant(b.getI32Type(), 0);
        Value set = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, part, zero);
        part = arith::SelectOp::create(b, set, constant(b.getI32Type(), images[bit]), zero);
      }
      sum = sum ? Value(arith::XOrIOp::create(b, sum, part)) : part;
      bit = end;
    }
    if (!sum)
      sum = constant(b.getI32Type(), 0);
    return coordinates[layout.str()] = sum;
  }

  Value ownsElements(const LinearLayout &layout) override {
    uint32_t free = layout.getFreeBits(Index::Lane) | layout.getFreeBits(Index::Warp)
                                                          << layout.getNumBits(Index::Lane);
    if (!free)
      return {};
    Value bits = arith::AndIOp::create(b, thread, constant(b.getI32Type(), free));
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, bits, constant(b.getI32Type(), 0));
  }

  Value actsForProgram() override {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, thread, constant(b.getI32Type(), 0));
  }

  Value broadcast(Value scalar) override { return scalar; }
  Value first(Value reg) override { return reg; }

  Value exchange(Value reg, unsigned bit) override {
    SmallVector<Value> words = toWords(reg);
    for (Value &word : words)
      word = NVVM::ShflOp::create(b, b.getI32Type(), constant(b.getI32Type(), -1), word,
                                  constant(b.getI32Type(), 1 << bit), constant(b.getI32Type(), 31),
                                  NVVM::ShflKind::bfly, UnitAttr());
    return fromWords(words, reg.getType());
  }

  Value pick(ArrayRef<Value>, ArrayRef<std::pair<unsigned, unsigned>>) override {
    llvm_unreachable("lanes are threads here; values go between them by shuffle or shared memory");
  }

  //===-- memory ------------------------------------------------------------------------------------===//

  Registers load(const TileAccess &access, ArrayRef<Value> others) override {
    Registers registers;
    unsigned vector = access.shape.vector;
    for (auto [i, pointer] : llvm::enumerate(access.pointers)) {
      Value mask = access.masks.empty() ? Value() : access.masks[i];
      llvm::append_range(registers,
                         loadVector(access, pointer, mask,
                                    mask ? others.slice(i * vector, vector) : ArrayRef<Value>()));
    }
    return registers;
  }

  void store(const TileAccess &access, ArrayRef<Value> values) override {
    unsigned vector = access.shape.vector;
    for (auto [i, pointer] : llvm::enumerate(access.pointers))
      storeVector(access, pointer, access.masks.empty() ? Value() : access.masks[i],
                  values.slice(i * vector, vector));
  }

  // PTX ISA, "cp.async"; .cg, which passes L1 by, takes 16 bytes only. Bytes beyond the last operand are filled with zeros. A
  // copy that does not run writes none: nobody would wait for it.
  void copyAsync(Value to, Value from, unsigned bytes, Value runs, Value mask) override {
    const char *cache = bytes == 16 ? "cg" : "ca";
    SmallVector<Value> operands = {to, from, runs};
    if (mask)
      operands.push_back(arith::SelectOp::create(b, mask, constant(b.getI32Type(), bytes),
                                                 constant(b.getI32Type(), 0)));
    inlineAsm(TypeRange(), operands,
              fmt::format("@$2 cp.async.{}.shared.global [$0], [$1], {}{};", cache, bytes,
                          mask ? ", $3" : ""),
              mask ? "l,l,b,r" : "l,l,b");
  }
  void commitCopies() override { inlineAsm(TypeRange(), {}, "cp.async.commit_group;", ""); }
  void waitForCopies(unsigned pending) override {
    inlineAsm(TypeRange(), {}, fmt::format("cp.async.wait_group {};", pending), "");
  }

  //===-- arithmetic --------------------------------------------------------------------------------===//

  Value convertFloat(Value value, Type from, Type to) override {
    return nvidia::convertFloat(b, value, from, to);
  }
  Value approximate(tg::Approximation kind, ValueRange operands) override {
    return nvidia::approximate(b, kind, operands);
  }

private:
  // An access in units that PTX moves: up to four 32-bit words, or two of 64 bits, or one smaller one.
  struct AccessWords {
    unsigned count;
    unsigned bits;
    Type type;
    const char *suffix, *constraint;
    std::string vectorSuffix() const { return count > 1 ? fmt::format(".v{}", count) : ""; }
  };

  AccessWords wordsOf(Type element, unsigned vector) {
    unsigned bits = memoryBytes(element) * 8 * vector;
    if (memoryBytes(element) == 8)
      return {vector, 64, b.getI64Type(), "b64", "l"};
    if (bits >= 32)
      return {bits / 32, 32, b.getI32Type(), "b32", "r"};
    if (bits == 16)
      return {1, 16, b.getI16Type(), "b16", "h"};
    return {1, 8, b.getI8Type(), "b8", "h"}; // PTX has no 8-bit registers; a 16-bit one holds it
  }

  // The element's bits as an integer, as wide as it lies in memory.
  Value toBits(Value value, Type element) {
    Type type = IntegerType::get(b.getContext(), memoryBytes(element) * 8);
    if (isa<LLVM::LLVMPointerType>(value.getType()))
      return LLVM::PtrToIntOp::create(b, type, value);
    if (value.getType().isInteger(1))
      return arith::ExtUIOp::create(b, type, value);
    return value.getType() == type ? value : Value(LLVM::BitcastOp::create(b, type, value));
  }

  Value fromBits(Value bits, Type element) {
    Type type = scalarType(element);
    if (isa<LLVM::LLVMPointerType>(type))
      return LLVM::IntToPtrOp::create(b, type, bits);
    if (type.isInteger(1))
      return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, bits, constant(bits.getType(), 0));
    return bits.getType() == type ? bits : Value(LLVM::BitcastOp::create(b, type, bits));
  }

  SmallVector<Value> packWords(ArrayRef<Value> values, Type element, const AccessWords &words) {
    unsigned each = words.bits / (memoryBytes(element) * 8);
    SmallVector<Value> packed;
    for (unsigned word = 0; word < words.count; ++word) {
      if (each == 1) {
        packed.push_back(toBits(values[word], element));
        continue;
      }
      Type part = IntegerType::get(b.getContext(), memoryBytes(element) * 8);
      Value vector = LLVM::PoisonOp::create(b, VectorType::get(each, part));
      for (unsigned i = 0; i < each; ++i)
        vector = LLVM::InsertElementOp::create(b, vector, toBits(values[word * each + i], element),
                                               constant(b.getI32Type(), i));
      packed.push_back(LLVM::BitcastOp::create(b, words.type, vector));
    }
    return packed;
  }

  // By shifts, which conversions swallow.
  Registers unpackWords(ArrayRef<Value> packed, Type element, const AccessWords &words,
                        unsigned vector) {
    unsigned each = words.bits / (memoryBytes(element) * 8);
    Registers values;
    for (Value word : packed) {
      if (each == 1) {
        values.push_back(fromBits(word, element));
        continue;
      }
      Type part = IntegerType::get(b.getContext(), memoryBytes(element) * 8);
      for (unsigned i = 0; i < each; ++i) {
        Value shifted =
            arith::ShRUIOp::create(b, word, constant(words.type, i * words.bits / each));
        values.push_back(fromBits(arith::TruncIOp::create(b, part, shifted), element));
      }
    }
    assert(values.size() == vector && "all elements come out");
    return values;
  }

  Registers loadVector(const TileAccess &access, Value pointer, Value mask,
                       ArrayRef<Value> others) {
    AccessWords words = wordsOf(access.element, access.shape.vector);
    SmallVector<Value> loaded;
    if (!mask && isPlain(access.hints)) {
      Type type = words.count == 1 ? words.type : VectorType::get(words.count, words.type);
      Value value =
          LLVM::LoadOp::create(b, type, pointer, access.shape.alignment, access.hints.isVolatile);
      for (unsigned word = 0; word < words.count; ++word)
        loaded.push_back(words.count == 1 ? value
                                          : Value(LLVM::ExtractElementOp::create(
                                                b, value, constant(b.getI32Type(), word))));
    } else {
      SmallVector<Value> packed;
      if (mask)
        packed = packWords(others, access.element, words);
      loaded = loadPredicated(pointer, packed, mask, words, access.hints);
    }
    return unpackWords(loaded, access.element, words, access.shape.vector);
  }

  void storeVector(const TileAccess &access, Value pointer, Value mask, ArrayRef<Value> values) {
    AccessWords words = wordsOf(access.element, access.shape.vector);
    SmallVector<Value> packed = packWords(values, access.element, words);
    if (!mask && isPlain(access.hints)) {
      Value value = packed.front();
      if (words.count > 1) {
        auto type = VectorType::get(words.count, words.type);
        value = LLVM::PoisonOp::create(b, type);
        for (auto [word, part] : llvm::enumerate(packed))
          value = LLVM::InsertElementOp::create(b, value, part, constant(b.getI32Type(), word));
      }
      LLVM::StoreOp::create(b, value, pointer, access.shape.alignment, access.hints.isVolatile);
      return;
    }
    SmallVector<Value> operands(packed);
    std::string constraints, list;
    for (unsigned word = 0; word < words.count; ++word) {
      constraints += fmt::format("{},", words.constraint);
      list += fmt::format("{}${}", word ? ", " : "", word);
    }
    operands.push_back(pointer);
    constraints += "l";
    std::string predicate;
    if (mask) {
      operands.push_back(mask);
      constraints += ",b";
      predicate = fmt::format("@${} ", words.count + 1);
    }
    std::string text = fmt::format(
        "{}st{}{}{}{}.{} [${}], {};", predicate, access.hints.isVolatile ? ".volatile" : "",
        spaceOf(pointer), modifiers(access.hints, /*isLoad=*/false), words.vectorSuffix(),
        words.suffix, words.count, words.count == 1 ? list : "{" + list + "}");
    inlineAsm(TypeRange(), operands, text, constraints);
  }

  static const char *spaceOf(Value pointer) {
    auto type = cast<LLVM::LLVMPointerType>(pointer.getType());
    return type.getAddressSpace() == sharedSpace ? ".shared" : ".global";
  }

  static bool isPlain(const CacheHints &hints) {
    return hints.cache == tt::CacheModifier::None && hints.evict == tt::EvictionPolicy::Normal;
  }

  static std::string modifiers(const CacheHints &hints, bool isLoad) {
    if (hints.isVolatile)
      return "";
    std::string text;
    // PTX gives loads .ca .cg .cs .lu .cv and stores .wb .cg .cs .wt; other pairs mean the default.
    switch (hints.cache) {
    case tt::CacheModifier::CA:
    case tt::CacheModifier::CV:
      text = isLoad ? "." + tt::stringifyCacheModifier(hints.cache).str() : "";
      break;
    case tt::CacheModifier::WB:
    case tt::CacheModifier::WT:
      text = isLoad ? "" : "." + tt::stringifyCacheModifier(hints.cache).str();
      break;
    case tt::CacheModifier::CG:
    case tt::CacheModifier::CS:
      text = "." + tt::stringifyCacheModifier(hints.cache).str();
      break;
    case tt::CacheModifier::None:
      break;
    }
    // The grammar takes a cache operator or an eviction priority, not both.
    if (text.empty() && hints.evict == tt::EvictionPolicy::EvictFirst)
      text = ".L1::evict_first";
    if (text.empty() && hints.evict == tt::EvictionPolicy::EvictLast)
      text = ".L1::evict_last";
    return text;
  }

  SmallVector<Value> loadPredicated(Value pointer, ArrayRef<Value> others, Value mask,
                                    const AccessWords &words, const CacheHints &hints) {
    // Outputs are tied to `others`, so lanes that are off keep them.
    std::string outputs, tied, list;
    SmallVector<Value> operands;
    for (unsigned word = 0; word < words.count; ++word) {
      outputs += fmt::format("=&{},", words.constraint);
      list += fmt::format("{}${}", word ? ", " : "", word);
    }
    unsigned next = words.count;
    operands.push_back(pointer);
    std::string constraints = outputs + "l";
    std::string address = fmt::format("${}", next++);
    std::string predicate;
    if (mask) {
      operands.push_back(mask);
      constraints += ",b";
      predicate = fmt::format("@${} ", next++);
      for (unsigned word = 0; word < words.count; ++word) {
        operands.push_back(others[word]);
        constraints += fmt::format(",{}", word);
      }
    }
    std::string text =
        fmt::format("{}ld{}{}{}{}.{} {}, [{}];", predicate, hints.isVolatile ? ".volatile" : "",
                    spaceOf(pointer), modifiers(hints, /*isLoad=*/true), words.vectorSuffix(),
                    words.suffix, words.count == 1 ? list : "{" + list + "}", address);
    // An 8-bit load leaves its value in a 16-bit register.
    Type type = words.bits == 8 ? Type(b.getI16Type()) : words.type;
    if (words.bits == 8 && mask)
      operands.back() = arith::ExtUIOp::create(b, type, operands.back());
    SmallVector<Type> types(words.count, type);
    SmallVector<Value> loaded = inlineAsm(types, operands, text, constraints);
    if (words.bits == 8)
      loaded[0] = arith::TruncIOp::create(b, words.type, loaded[0]);
    return loaded;
  }

  SmallVector<Value> inlineAsm(TypeRange types, ArrayRef<Value> operands, const std::string &text,
                               const std::string &constraints) {
    Type result;
    if (types.size() == 1)
      result = types[0];
    else if (types.size() > 1)
      result = LLVM::LLVMStructType::getLiteral(b.getContext(), llvm::to_vector(types));
    auto op = LLVM::InlineAsmOp::create(
        b, result ? TypeRange(result) : TypeRange(), operands, text, constraints,
        /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::TailCallKind::None,
        LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT), ArrayAttr());
    if (types.size() <= 1)
      return llvm::to_vector(llvm::map_range(op->getResults(), [](Value v) { return v; }));
    SmallVector<Value> values;
    for (unsigned i = 0; i < types.size(); ++i)
      values.push_back(LLVM::ExtractValueOp::create(b, op->getResult(0), i));
    return values;
  }

  // Any value as 32-bit words, for shuffles.
  SmallVector<Value> toWords(Value value) {
    Type type = value.getType();
    if (isa<LLVM::LLVMPointerType>(type))
      value = LLVM::PtrToIntOp::create(b, b.getI64Type(), value);
    unsigned bits = isa<LLVM::LLVMPointerType>(type) ? 64 : type.getIntOrFloatBitWidth();
    if (bits == 64) {
      auto pair = VectorType::get(2, b.getI32Type());
      Value words = LLVM::BitcastOp::create(b, pair, value);
      return {LLVM::ExtractElementOp::create(b, words, constant(b.getI32Type(), 0)),
              LLVM::ExtractElementOp::create(b, words, constant(b.getI32Type(), 1))};
    }
    Type integer = IntegerType::get(b.getContext(), bits);
    if (type != integer)
      value = LLVM::BitcastOp::create(b, integer, value);
    if (bits < 32)
      value = arith::ExtUIOp::create(b, b.getI32Type(), value);
    return {value};
  }

  Value fromWords(ArrayRef<Value> words, Type type) {
    bool pointer = isa<LLVM::LLVMPointerType>(type);
    unsigned bits = pointer ? 64 : type.getIntOrFloatBitWidth();
    if (bits == 64) {
      Value pair = LLVM::PoisonOp::create(b, VectorType::get(2, b.getI32Type()));
      for (auto [i, word] : llvm::enumerate(words))
        pair = LLVM::InsertElementOp::create(b, pair, word, constant(b.getI32Type(), i));
      Value value = LLVM::BitcastOp::create(b, pointer ? Type(b.getI64Type()) : type, pair);
      return pointer ? Value(LLVM::IntToPtrOp::create(b, type, value)) : value;
    }
    Value value = words[0];
    Type integer = IntegerType::get(b.getContext(), bits);
    if (bits < 32)
      value = arith::TruncIOp::create(b, integer, value);
    return type == integer ? value : Value(LLVM::BitcastOp::create(b, type, value));
  }

  LLVM::LLVMFuncOp kernel;
  Value thread;
  int64_t threads = 0, scratchBytes = 0;
  std::map<std::string, Value> coordinates;
};

} // namespace

std::unique_ptr<Machine> createNvidiaMachine(const Target &target, ImplicitLocOpBuilder &builder) {
  return std::make_unique<NvidiaMachine>(target, builder);
}

} // namespace tigon
