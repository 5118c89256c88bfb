// SPDX-License-Identifier: Apache-2.0
//
// Dialect tt: registration, types, and the rule that holds for all tensors.
#include "dialect/tg/TG.h"
#include "dialect/tt/TT.h"
#include "dialect/tt/TTDialect.cpp.inc"
#include "dialect/tt/TTEnums.cpp.inc"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/InliningUtils.h"

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
LogicalResult TTDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == "tt.divisibility" || name == "tt.contiguity" || name == "tt.constancy") {
    if (!isa<IntegerAttr, DenseIntElementsAttr>(attribute.getValue()))
      return op->emitError() << "hint '" << name << "': found " << attribute.getValue()
                             << ", expected an integer or one integer an axis";
  }
  return success();
}

//===-- Types
//-----------------------------------------------------------------------------------------------------===//

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
  return PointerType::get(pointee, space);
}

void PointerType::print(AsmPrinter &printer) const {
  printer << "<" << getPointeeType();
  if (getAddressSpace() != globalSpace)
    printer << ", " << getAddressSpace();
  printer << ">";
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
    block = RankedTensorType::get(shape, element);
  }
  if (!block || parser.parseGreater())
    return {};
  return TensorDescType::get(parser.getContext(), block);
}

void TensorDescType::print(AsmPrinter &printer) const { printer << "<" << getBlockType() << ">"; }

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

//===-- tile_c1
//---------------------------------------------------------------------------------------------------===//

LogicalResult verifyTileTensors(Operation *op) {
  auto verify = [&](Type type, const char *what, unsigned number) -> LogicalResult {
    if (auto pointer = dyn_cast<PointerType>(type))
      type = pointer.getPointeeType();
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return success();
    if (!tensor.hasStaticShape())
      return op->emitOpError() << what << " #" << number << " has type " << type
                               << ", expected a static shape";
    int64_t elements = tensor.getNumElements();
    if (elements < 1 || !llvm::isPowerOf2_64(elements) || elements > maxTileElements) // tile_c1
      return op->emitOpError() << what << " #" << number << " has " << elements << " elements ("
                               << type << "), expected a power of two of at most "
                               << maxTileElements;
    if (tensor.getEncoding() && !isa<tg::LayoutAttr>(tensor.getEncoding())) // tile_c1
      return op->emitOpError() << what << " #" << number << " has the encoding "
                               << tensor.getEncoding()
                               << ", expected TTIR, whose tensors carry none";
    return success();
  };
  for (auto [number, type] : llvm::enumerate(op->getOperandTypes()))
    if (failed(verify(type, "operand", number)))
      return failure();
  for (auto [number, type] : llvm::enumerate(op->getResultTypes()))
    if (failed(verify(type, "result", number)))
      return failure();
  return success();
}

} // namespace tigon::tt
