// SPDX-License-Identifier: Apache-2.0
//
// Dialect tt: the forms that the declarative formats of TTOps.td cannot say, mostly because
// Triton's versions disagree. All spellings of 3.2 to 3.9 are read, 3.6's is printed.
#include "dialect/tt/TT.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;

namespace tigon::tt {
namespace {

//===-- Cache hints: clauses, or 3.9's attribute cachePolicy ----------------------------------===//

template <typename Enum>
ParseResult parseEnum(OpAsmParser &parser, Enum &value, std::optional<Enum> (*symbolize)(StringRef),
                      const char *what) {
  StringRef keyword;
  SMLoc where = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<Enum> found = symbolize(keyword);
  if (!found)
    return parser.emitError(where) << "found " << what << " '" << keyword << "', which is none";
  value = *found;
  return success();
}

template <typename Properties>
ParseResult parseCacheClauses(OpAsmParser &parser, OperationState &state) {
  MLIRContext *context = parser.getContext();
  Properties &properties = state.getOrAddProperties<Properties>();
  while (true) {
    if (succeeded(parser.parseOptionalKeyword("cacheModifier"))) {
      CacheModifier cache;
      if (parser.parseEqual() || parseEnum(parser, cache, symbolizeCacheModifier, "cacheModifier"))
        return failure();
      properties.cache = CacheModifierAttr::get(context, cache);
    } else if (succeeded(parser.parseOptionalKeyword("evictionPolicy"))) {
      EvictionPolicy evict;
      if (parser.parseEqual() ||
          parseEnum(parser, evict, symbolizeEvictionPolicy, "evictionPolicy"))
        return failure();
      properties.evict = EvictionPolicyAttr::get(context, evict);
    } else {
      return success();
    }
  }
}

// The attribute dictionary. An attribute of the op that is of a wrong kind would be dropped silently
// later, so it is refused here.
ParseResult parseAttributes(OpAsmParser &parser, OperationState &state) {
  SMLoc where = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDict(state.attributes))
    return failure();
  return state.name.getRegisteredInfo()->verifyInherentAttrs(state.attributes, [&] {
    return parser.emitError(where) << "'" << state.name.getStringRef() << "' op ";
  });
}

// The same, with 3.9's cachePolicy taken apart into cache and evict.
template <typename Properties>
ParseResult parseAccessAttributes(OpAsmParser &parser, OperationState &state) {
  SMLoc where = parser.getCurrentLocation();
  if (parseAttributes(parser, state))
    return failure();
  Attribute policy = state.attributes.erase("cachePolicy");
  if (!policy)
    return success();
  auto cachePolicy = dyn_cast<CachePolicyAttr>(policy);
  if (!cachePolicy)
    return parser.emitError(where)
           << "found cachePolicy = " << policy << ", expected #tt.cache_policy<...>";
  Properties &properties = state.getOrAddProperties<Properties>();
  MLIRContext *context = parser.getContext();
  properties.cache = CacheModifierAttr::get(context, cachePolicy.getCacheModifier());
  properties.evict = EvictionPolicyAttr::get(context, cachePolicy.getEvictionPolicy());
  return success();
}

template <typename AccessOp> void printCacheClauses(OpAsmPrinter &printer, AccessOp op) {
  if (op.getCache() != CacheModifier::None)
    printer << " cacheModifier = " << stringifyCacheModifier(op.getCache());
  if (op.getEvict() != EvictionPolicy::Normal)
    printer << " evictionPolicy = " << stringifyEvictionPolicy(op.getEvict());
}

// What the attribute dictionary leaves out: the hints printed as clauses, and attributes equal to
// their default.
template <typename AccessOp> SmallVector<StringRef> elidedAccessAttributes(AccessOp op) {
  SmallVector<StringRef> elided = {"operandSegmentSizes", "cache", "evict"};
  if constexpr (requires { op.getBoundaryCheck(); })
    if (op.getBoundaryCheck().empty())
      elided.push_back("boundaryCheck");
  if constexpr (requires { op.getIsVolatile(); })
    if (!op.getIsVolatile())
      elided.push_back("isVolatile");
  return elided;
}

using Operands = SmallVector<OpAsmParser::UnresolvedOperand, 4>;

Type maskTypeFor(Type pointer, Builder &builder) {
  return withElement(pointer, builder.getI1Type());
}

ParseResult expectPointee(OpAsmParser &parser, SMLoc where, Type pointer) {
  if (getPointeeType(pointer))
    return success();
  return parser.emitError(where) << "found an access through " << pointer
                                 << ", expected a pointer or a tensor of pointers";
}

} // namespace

//===-- tt.load, tt.store ---------------------------------------------------------------------===//

ParseResult LoadOp::parse(OpAsmParser &parser, OperationState &state) {
  Operands operands;
  Type pointer;
  SMLoc where = parser.getCurrentLocation();
  if (parser.parseOperandList(operands) || parseCacheClauses<Properties>(parser, state) ||
      parseAccessAttributes<Properties>(parser, state) || parser.parseColonType(pointer) ||
      expectPointee(parser, where, pointer))
    return failure();
  if (operands.empty() || operands.size() > 3)
    return parser.emitError(where)
           << "found " << operands.size() << " operands, expected pointer[, mask[, other]]";
  Type pointee = getPointeeType(pointer);
  SmallVector<Type> types = {pointer, maskTypeFor(pointer, parser.getBuilder()), pointee};
  if (parser.resolveOperands(operands, ArrayRef(types).take_front(operands.size()), where,
                             state.operands))
    return failure();
  state.getOrAddProperties<Properties>().operandSegmentSizes = {1, operands.size() > 1,
                                                                operands.size() > 2};
  state.addTypes(pointee);
  return success();
}

void LoadOp::print(OpAsmPrinter &printer) {
  printer << " " << getOperands();
  printCacheClauses(printer, *this);
  printer.printOptionalAttrDict((*this)->getAttrs(), elidedAccessAttributes(*this));
  printer << " : " << getPtr().getType();
}

ParseResult StoreOp::parse(OpAsmParser &parser, OperationState &state) {
  Operands operands;
  Type pointer;
  SMLoc where = parser.getCurrentLocation();
  if (parser.parseOperandList(operands) || parseCacheClauses<Properties>(parser, state) ||
      parseAccessAttributes<Properties>(parser, state) || parser.parseColonType(pointer) ||
      expectPointee(parser, where, pointer))
    return failure();
  if (operands.size() < 2 || operands.size() > 3)
    return parser.emitError(where)
           << "found " << operands.size() << " operands, expected pointer, value[, mask]";
  SmallVector<Type> types = {pointer, getPointeeType(pointer),
                             maskTypeFor(pointer, parser.getBuilder())};
  return parser.resolveOperands(operands, ArrayRef(types).take_front(operands.size()), where,
                                state.operands);
}

void StoreOp::print(OpAsmPrinter &printer) {
  printer << " " << getOperands();
  printCacheClauses(printer, *this);
  printer.printOptionalAttrDict((*this)->getAttrs(), elidedAccessAttributes(*this));
  printer << " : " << getPtr().getType();
}

//===-- Descriptors: experimental_* in 3.2 and 3.3, and plain pointers in 3.2 -----------------===//

ParseResult DescriptorLoadOp::parse(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand desc;
  Operands indices;
  Type descType, result;
  if (parser.parseOperand(desc) || parser.parseOperandList(indices, AsmParser::Delimiter::Square) ||
      parseCacheClauses<Properties>(parser, state) ||
      parseAccessAttributes<Properties>(parser, state) || parser.parseColonType(descType) ||
      parser.parseArrow() || parser.parseType(result) ||
      parser.resolveOperand(desc, descType, state.operands) ||
      parser.resolveOperands(indices, parser.getBuilder().getI32Type(), state.operands))
    return failure();
  state.addTypes(result);
  return success();
}

void DescriptorLoadOp::print(OpAsmPrinter &printer) {
  printer << " " << getDesc() << "[" << getIndices() << "]";
  printCacheClauses(printer, *this);
  printer.printOptionalAttrDict((*this)->getAttrs(), elidedAccessAttributes(*this));
  printer << " : " << getDesc().getType() << " -> " << getResult().getType();
}

std::optional<Dialect::ParseOpHook> TTDialect::getParseOperationHook(StringRef name) const {
  if (name.starts_with("tt.experimental_tensormap_"))
    return ParseOpHook([](OpAsmParser &parser, OperationState &state) -> ParseResult {
      return parser.emitError(parser.getNameLoc())
             << "found a raw descriptor (Triton 3.2 and 3.3), expected "
                "`tt.make_tensor_descriptor` or pointers";
    });
  StringRef present = name;
  if (!present.consume_front("tt.experimental_descriptor_"))
    return std::nullopt;
  if (present == "load")
    return ParseOpHook([](OpAsmParser &parser, OperationState &state) {
      state.name = OperationName(DescriptorLoadOp::getOperationName(), parser.getContext());
      return DescriptorLoadOp::parse(parser, state);
    });
  if (present == "store")
    return ParseOpHook([](OpAsmParser &parser, OperationState &state) {
      state.name = OperationName(DescriptorStoreOp::getOperationName(), parser.getContext());
      return DescriptorStoreOp::parse(parser, state);
    });
  if (present == "gather")
    return ParseOpHook([](OpAsmParser &parser, OperationState &state) {
      state.name = OperationName(DescriptorGatherOp::getOperationName(), parser.getContext());
      return DescriptorGatherOp::parse(parser, state);
    });
  if (present == "scatter")
    return ParseOpHook([](OpAsmParser &parser, OperationState &state) {
      state.name = OperationName(DescriptorScatterOp::getOperationName(), parser.getContext());
      return DescriptorScatterOp::parse(parser, state);
    });
  return std::nullopt;
}

//===-- tt.dot_scaled: `%a scale %as, %b scale %bs, %c`, or 3.2's `%a, %as, %b, %c` -----------===//

ParseResult DotScaledOp::parse(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand a, b, c;
  std::optional<OpAsmParser::UnresolvedOperand> aScale, bScale;
  Properties &properties = state.getOrAddProperties<Properties>();
  MLIRContext *context = parser.getContext();
  auto scale = [&](std::optional<OpAsmParser::UnresolvedOperand> &operand) -> ParseResult {
    return failed(parser.parseOptionalKeyword("scale")) ? success()
                                                        : parser.parseOperand(operand.emplace());
  };
  auto format = [&](const char *side, ScaleDotElemTypeAttr &attribute) -> ParseResult {
    ScaleDotElemType type;
    if (parser.parseKeyword(side) || parser.parseEqual() ||
        parseEnum(parser, type, symbolizeScaleDotElemType, "element format"))
      return failure();
    attribute = ScaleDotElemTypeAttr::get(context, type);
    return success();
  };
  if (parser.parseOperand(a) || scale(aScale) || parser.parseComma() || parser.parseOperand(b) ||
      scale(bScale) || parser.parseComma() || parser.parseOperand(c))
    return failure();
  if (succeeded(parser.parseOptionalComma())) { // 3.2: the second operand was a's scale
    aScale = b;
    b = c;
    if (parser.parseOperand(c))
      return failure();
    properties.fastMath = parser.getBuilder().getBoolAttr(false);
  }
  Type aType, aScaleType, bType, bScaleType, cType;
  if (format("lhs", properties.a_elem_type) || format("rhs", properties.b_elem_type) ||
      parseAttributes(parser, state) || parser.parseColonType(aType) ||
      (aScale && (parser.parseComma() || parser.parseType(aScaleType))) || parser.parseStar() ||
      parser.parseType(bType) ||
      (bScale && (parser.parseComma() || parser.parseType(bScaleType))) || parser.parseArrow() ||
      parser.parseType(cType) || parser.resolveOperand(a, aType, state.operands) ||
      parser.resolveOperand(b, bType, state.operands) ||
      parser.resolveOperand(c, cType, state.operands) ||
      (aScale && parser.resolveOperand(*aScale, aScaleType, state.operands)) ||
      (bScale && parser.resolveOperand(*bScale, bScaleType, state.operands)))
    return failure();
  properties.operandSegmentSizes = {1, 1, 1, bool(aScale), bool(bScale)};
  state.addTypes(cType);
  return success();
}

void DotScaledOp::print(OpAsmPrinter &printer) {
  auto operand = [&](Value value, Value scale) {
    printer << value;
    if (scale)
      printer << " scale " << scale;
  };
  auto type = [&](Value value, Value scale) {
    printer << value.getType();
    if (scale)
      printer << ", " << scale.getType();
  };
  printer << " ";
  operand(getA(), getAScale());
  printer << ", ";
  operand(getB(), getBScale());
  printer << ", " << getC() << " lhs = " << stringifyScaleDotElemType(getAElemType())
          << " rhs = " << stringifyScaleDotElemType(getBElemType());
  SmallVector<StringRef> elided = {"operandSegmentSizes", "a_elem_type", "b_elem_type"};
  if (getLhsKPack())
    elided.push_back("lhs_k_pack");
  if (getRhsKPack())
    elided.push_back("rhs_k_pack");
  printer.printOptionalAttrDict((*this)->getAttrs(), elided);
  printer << " : ";
  type(getA(), getAScale());
  printer << " * ";
  type(getB(), getBScale());
  printer << " -> " << getD().getType();
}

//===-- Types that follow from others ---------------------------------------------------------===//

// tt.atomic_store prints the pointer's type only.
static ParseResult parseAccessTypes(OpAsmParser &parser, Type &pointer, Type &value, Type &mask,
                                    std::optional<OpAsmParser::UnresolvedOperand> maskOperand) {
  SMLoc where = parser.getCurrentLocation();
  if (parser.parseType(pointer) || expectPointee(parser, where, pointer))
    return failure();
  value = getPointeeType(pointer);
  if (maskOperand)
    mask = maskTypeFor(pointer, parser.getBuilder());
  return success();
}

static void printAccessTypes(OpAsmPrinter &printer, Operation *, Type pointer, Type, Type, Value) {
  printer << pointer;
}

// tt.histogram prints no type for its mask.
static ParseResult parseMaskType(OpAsmParser &parser, Type source, Type &mask,
                                 std::optional<OpAsmParser::UnresolvedOperand> maskOperand) {
  if (maskOperand)
    mask = maskTypeFor(source, parser.getBuilder());
  return success();
}

static void printMaskType(OpAsmPrinter &, Operation *, Type, Type, Value) {}

// tt.make_tensor_ptr prints the block pointer's type only, without its `!tt.ptr`.
// The op knows only the total of its three lists, so that they are equally long is checked here.
static ParseResult parseBlockPointer(OpAsmParser &parser, Type &base, Type &result,
                                     ArrayRef<OpAsmParser::UnresolvedOperand> shape,
                                     ArrayRef<OpAsmParser::UnresolvedOperand> strides,
                                     ArrayRef<OpAsmParser::UnresolvedOperand> offsets) {
  if (strides.size() != shape.size() || offsets.size() != shape.size())
    return parser.emitError(parser.getNameLoc())
           << "found " << shape.size() << " sizes, " << strides.size() << " strides and "
           << offsets.size() << " offsets, expected one each an axis";
  PointerType pointer;
  SMLoc where = parser.getCurrentLocation();
  if (parser.parseCustomTypeWithFallback(pointer))
    return failure();
  auto tile = dyn_cast<RankedTensorType>(pointer.getPointeeType());
  if (!tile)
    return parser.emitError(where) << "found " << pointer << ", expected a pointer to a tensor";
  result = pointer;
  base = PointerType::get(tile.getElementType(), pointer.getAddressSpace());
  return success();
}

static void printBlockPointer(OpAsmPrinter &printer, Operation *, Type, Type result, ValueRange,
                              ValueRange, ValueRange) {
  printer.printStrippedAttrOrType(cast<PointerType>(result));
}

//===-- tt.func -------------------------------------------------------------------------------===//

void FuncOp::build(OpBuilder &builder, OperationState &state, StringRef name, FunctionType type) {
  state.addAttribute(SymbolTable::getSymbolAttrName(), builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  state.addAttribute(getSymVisibilityAttrName(state.name), builder.getStringAttr("public"));
  state.addRegion();
}

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &state) {
  auto build = [](Builder &builder, ArrayRef<Type> arguments, ArrayRef<Type> results,
                  function_interface_impl::VariadicFlag,
                  std::string &) { return builder.getFunctionType(arguments, results); };
  return function_interface_impl::parseFunctionOp(
      parser, state, /*allowVariadic=*/false, getFunctionTypeAttrName(state.name), build,
      getArgAttrsAttrName(state.name), getResAttrsAttrName(state.name));
}

void FuncOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false,
                                           getFunctionTypeAttrName(), getArgAttrsAttrName(),
                                           getResAttrsAttrName());
}

} // namespace tigon::tt

#define GET_OP_CLASSES
#include "dialect/tt/TTOps.cpp.inc"
