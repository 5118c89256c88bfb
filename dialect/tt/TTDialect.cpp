// SPDX-License-Identifier: Apache-2.0
//
// Dialect tt: registration, types, and the rule that holds for all tensors.
#include "dialect/tg/TG.h"
#include "dialect/tt/TT.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/InliningUtils.h"

#include "dialect/tt/TTDialect.cpp.inc"
#include "dialect/tt/TTEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/tt/TTAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialect/tt/TTTypes.cpp.inc"

using namespace mlir;

namespace tigon::tt {
namespace {

// NVPTX's numbers of the address spaces that Triton 3.9 names.
constexpr int globalSpace = 1, constantSpace = 4;

struct TTInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Operation *, bool) const override { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const override { return true; }
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const override { return true; }

  // A callee of several blocks: its returns become branches.
  void handleTerminator(Operation *op, Block *next) const override {
    OpBuilder builder(op);
    cf::BranchOp::create(builder, op->getLoc(), next, cast<ReturnOp>(op).getSrcs());
    op->erase();
  }
  void handleTerminator(Operation *op, ValueRange toReplace) const override {
    for (auto [from, to] : llvm::zip(toReplace, cast<ReturnOp>(op).getSrcs()))
      from.replaceAllUsesWith(to);
  }
};

} // namespace

void TTDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/tt/TTTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/tt/TTAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/tt/TTOps.cpp.inc"
      >();
  addInterfaces<TTInliner>();
}

Operation *TTDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                          Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

// The hints that Triton attaches to arguments and results. A wrong kind would be a silent promise,
// so it is refused.
static LogicalResult verifyHint(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name != "tt.divisibility" && name != "tt.contiguity" && name != "tt.constancy")
    return success();
  bool positive = true;
  if (auto one = dyn_cast<IntegerAttr>(attribute.getValue()))
    positive = one.getValue().isStrictlyPositive();
  else if (auto each = dyn_cast<DenseIntElementsAttr>(attribute.getValue()))
    positive = !each.empty() &&
               llvm::all_of(each, [](const APInt &one) { return one.isStrictlyPositive(); });
  else // hint_c1
    return op->emitError() << "hint '" << name << "': found " << attribute.getValue()
                           << ", expected an integer or one integer an axis";
  if (!positive) // hint_c2
    return op->emitError() << "hint '" << name << "': found " << attribute.getValue()
                           << ", expected it to be positive";
  return success();
}

LogicalResult TTDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  return verifyHint(op, attribute);
}

LogicalResult TTDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned,
                                                  NamedAttribute attribute) {
  return verifyHint(op, attribute);
}

//===-- Types ---------------------------------------------------------------------------------===//

Type PointerType::parse(AsmParser &parser) {
  Type pointee;
  int space = globalSpace;
  if (parser.parseLess() || parser.parseType(pointee))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    std::string name;
    SMLoc where = parser.getCurrentLocation();
    if (succeeded(parser.parseOptionalString(&name))) {
      if (name != "global" && name != "constant") {
        parser.emitError(where) << "found address space '" << name
                                << "', expected \"global\" or \"constant\"";
        return {};
      }
      space = name == "global" ? globalSpace : constantSpace;
    } else if (parser.parseInteger(space)) {
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<PointerType>(parser.getContext(), pointee, space);
}

void PointerType::print(AsmPrinter &printer) const {
  printer << "<" << getPointeeType();
  if (getAddressSpace() != globalSpace)
    printer << ", " << getAddressSpace();
  printer << ">";
}

LogicalResult PointerType::verify(function_ref<InFlightDiagnostic()> emitError, Type pointee, int) {
  Type element = pointee;
  if (auto tile = dyn_cast<RankedTensorType>(pointee))
    element = tile.getElementType();
  if (!isa<FloatType, PointerType>(element) && !element.isSignlessInteger()) // pointer_c1
    return emitError() << "found a pointer to " << pointee
                       << ", expected one to a float, a signless integer, a pointer or a tile";
  return success();
}

// `<tensor<16x32xf16>>`, or since Triton 3.8 `<16x32xf16>`.
Type TensorDescType::parse(AsmParser &parser) {
  if (parser.parseLess())
    return {};
  RankedTensorType block;
  Type spelled;
  SMLoc where = parser.getCurrentLocation();
  OptionalParseResult parsed = parser.parseOptionalType(spelled);
  if (parsed.has_value()) {
    block = succeeded(*parsed) ? dyn_cast<RankedTensorType>(spelled) : RankedTensorType();
    if (succeeded(*parsed) && !block)
      parser.emitError(where) << "found descriptor of " << spelled
                              << ", expected one of a ranked tensor";
  } else {
    SmallVector<int64_t> shape;
    Type element;
    if (parser.parseDimensionList(shape, /*allowDynamic=*/false, /*withTrailingX=*/true) ||
        parser.parseType(element))
      return {};
    block = parser.getChecked<RankedTensorType>(where, shape, element, Attribute());
  }
  if (!block || parser.parseGreater())
    return {};
  return parser.getChecked<TensorDescType>(where, parser.getContext(), block);
}

void TensorDescType::print(AsmPrinter &printer) const { printer << "<" << getBlockType() << ">"; }

LogicalResult TensorDescType::verify(function_ref<InFlightDiagnostic()> emitError,
                                     RankedTensorType block) {
  if (!isa<FloatType, IntegerType>(block.getElementType())) // tensordesc_c1
    return emitError() << "found a descriptor of " << block
                       << ", expected one of floats or integers";
  return success();
}

RankedTensorType TensorDescType::getTileType() const {
  auto integer = dyn_cast<IntegerType>(getBlockType().getElementType());
  if (!integer)
    return getBlockType();
  return getBlockType().clone(IntegerType::get(getContext(), integer.getWidth()));
}

bool isTensorPointer(Type type) {
  auto pointer = dyn_cast<PointerType>(type);
  return pointer && isa<RankedTensorType>(pointer.getPointeeType());
}

Type getPointeeType(Type pointer) {
  if (auto tensor = dyn_cast<RankedTensorType>(pointer))
    if (auto element = dyn_cast<PointerType>(tensor.getElementType()))
      return tensor.clone(element.getPointeeType());
  if (auto scalar = dyn_cast<PointerType>(pointer))
    return scalar.getPointeeType();
  return {};
}

Type withElement(Type type, Type element) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.clone(element) : element;
}

//===-- Tiles --------------------------------------------------------------------------------===//

static bool isTileShape(ArrayRef<int64_t> shape) {
  int64_t elements = 1;
  for (int64_t size : shape) {
    if (size < 1 || !llvm::isPowerOf2_64(size) || size > maxTileElements / elements)
      return false;
    elements *= size;
  }
  return true;
}

LogicalResult verifyTiles(Operation *op, const char *what, TypeRange types) {
  for (auto [number, type] : llvm::enumerate(types)) {
    Type tile = type;
    if (auto pointer = dyn_cast<PointerType>(type))
      tile = pointer.getPointeeType();
    else if (auto descriptor = dyn_cast<TensorDescType>(type))
      tile = descriptor.getBlockType();
    auto tensor = dyn_cast<RankedTensorType>(tile);
    if (!tensor)
      continue;
    if (!isTileShape(tensor.getShape())) // tile_c1
      return op->emitOpError() << what << " #" << number << " has type " << type
                               << ", expected a power of two of elements of at most "
                               << maxTileElements;
    auto layout = dyn_cast_or_null<tg::LayoutAttr>(tensor.getEncoding());
    if (tensor.getEncoding() && !layout) // tile_c2
      return op->emitOpError() << what << " #" << number << " has the encoding "
                               << tensor.getEncoding()
                               << ", expected TTIR, whose tensors carry none";
    if (layout && (layout.getLayout().getShape() != tensor.getShape() ||
                   !layout.getLayout().isSurjective())) // tile_c3
      return op->emitOpError() << what << " #" << number << " has type " << type
                               << ", expected a layout of its shape that reaches all elements";
  }
  return success();
}

LogicalResult verifyTileTensors(Operation *op) {
  return success(succeeded(verifyTiles(op, "operand", op->getOperandTypes())) &&
                 succeeded(verifyTiles(op, "result", op->getResultTypes())));
}

} // namespace tigon::tt
