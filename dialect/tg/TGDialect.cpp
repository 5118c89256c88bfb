// SPDX-License-Identifier: Apache-2.0
#include "dialect/tg/TG.h"
#include "dialect/tt/TT.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

#include "dialect/tg/TGDialect.cpp.inc"
#include "dialect/tg/TGEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/tg/TGAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialect/tg/TGTypes.cpp.inc"
#define GET_OP_CLASSES
#include "dialect/tg/TGOps.cpp.inc"

using namespace mlir;

namespace tigon::tg {

void TGDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialect/tg/TGTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/tg/TGAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialect/tg/TGOps.cpp.inc"
      >();
}

const LinearLayout *getLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto layout = tensor ? dyn_cast_or_null<LayoutAttr>(tensor.getEncoding()) : LayoutAttr();
  return layout ? &layout.getLayout() : nullptr;
}

//===-- #tg.layout<32x64, register = [1], lane = [2, 4, 16]> ----------------------------------===//

// `name = [image, ...]`, `name` read already.
static ParseResult parseImages(AsmParser &parser, StringRef name, LinearLayout &layout,
                               unsigned &seen) {
  SMLoc where = parser.getCurrentLocation();
  int64_t elements = layout.getNumElements();
  SmallVector<uint32_t> images;
  auto image = [&]() -> ParseResult {
    SMLoc at = parser.getCurrentLocation();
    uint32_t value = 0;
    if (parser.parseInteger(value))
      return failure();
    if (int64_t(value) >= elements)
      return parser.emitError(at) << "found the image " << value << " outside a tile of "
                                  << elements << " elements";
    images.push_back(value);
    return success();
  };
  if (parser.parseEqual() || parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, image))
    return failure();
  unsigned index = 0;
  while (index < numIndices && indexName(Index(index)) != name)
    ++index;
  if (index == numIndices || images.size() > 20)
    return parser.emitError(where)
           << "found the index '" << name << "' of " << images.size()
           << " bits, expected register, lane, warp, block, step or offset of at most 20";
  if (seen >> index & 1)
    return parser.emitError(where) << "found the index '" << name << "' twice";
  seen |= 1u << index;
  layout.setImages(Index(index), images);
  return success();
}

// A tile of rank 0 has no shape to print: `<register = [], lane = [0, 0]>`.
Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> shape;
  StringRef name;
  if (parser.parseLess())
    return {};
  SMLoc where = parser.getCurrentLocation();
  bool more = succeeded(parser.parseOptionalKeyword(&name));
  if (!more) {
    if (parser.parseDimensionList(shape, /*allowDynamic=*/false, /*withTrailingX=*/false))
      return {};
    more = succeeded(parser.parseOptionalComma());
    if (more && parser.parseKeyword(&name))
      return {};
  }
  int64_t elements = 1;
  for (int64_t size : shape) {
    if (size < 1 || !llvm::isPowerOf2_64(size) || size > (int64_t(1) << 30) / elements) {
      parser.emitError(where) << "found a layout of size " << size
                              << ", expected powers of two up to 2^30 in all";
      return {};
    }
    elements *= size;
  }
  LinearLayout layout(shape);
  unsigned seen = 0;
  while (more) {
    if (parseImages(parser, name, layout, seen))
      return {};
    more = succeeded(parser.parseOptionalComma());
    if (more && parser.parseKeyword(&name))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return LayoutAttr::get(parser.getContext(), layout);
}

void LayoutAttr::print(AsmPrinter &printer) const { printer << "<" << getLayout().str() << ">"; }

//===-- Scratch -------------------------------------------------------------------------------===//

static LogicalResult verifyStrip(Operation *op, ScratchType scratch, bool hasStep,
                                 ArrayRef<int32_t> bits, Type strip) {
  RankedTensorType tile = scratch.getTile();
  auto type = cast<RankedTensorType>(strip);
  unsigned tileBits = log2Exact(tile.getNumElements());
  uint64_t fixed = 0;
  for (int32_t bit : bits) {
    if (bit < 0 || unsigned(bit) >= tileBits || (fixed >> bit & 1)) // scratch_c3
      return op->emitOpError() << "found the strip bits [" << bits << "], expected different ones "
                               << "of the " << tileBits << " of " << scratch;
    fixed |= uint64_t(1) << bit;
  }
  if (type.getElementType() != tile.getElementType() || !type.hasStaticShape() ||
      type.getNumElements() != tile.getNumElements() >> bits.size()) // scratch_c1
    return op->emitOpError() << "found a strip " << strip << " with " << bits.size()
                             << " bits fixed, of " << scratch;
  if (hasStep != !bits.empty()) // scratch_c2
    return op->emitOpError() << "found " << bits.size() << " strip bits and "
                             << (hasStep ? "a" : "no")
                             << " step, expected a step exactly if bits are fixed";
  return success();
}

LogicalResult ScratchType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  RankedTensorType tile) {
  int64_t elements = 1;
  for (int64_t size : tile.getShape()) {
    if (size < 1 || !llvm::isPowerOf2_64(size) ||
        size > (int64_t(1) << 30) / elements) // scratch_c4
      return emitError() << "found scratch for " << tile
                         << ", expected a tile of a power of two of elements";
    elements *= size;
  }
  return success();
}

LogicalResult ScratchPutOp::verify() {
  return verifyStrip(*this, getScratch().getType(), bool(getStep()), getBits(),
                     getValue().getType());
}

LogicalResult AsyncCopyOp::verify() {
  auto pointers = getPtr().getType();
  auto pointer = dyn_cast<tt::PointerType>(pointers.getElementType());
  if (!pointer)
    return emitOpError() << "found " << pointers << ", expected a tile of pointers";
  return verifyStrip(*this, getScratch().getType(), bool(getStep()), getBits(),
                     pointers.clone(pointer.getPointeeType()));
}

Value AsyncCopyOp::getAccessedPointer() { return getPtr(); }
Value AsyncCopyOp::getAccessMask() { return getMask(); }
bool AsyncCopyOp::readsMemory() { return true; }
bool AsyncCopyOp::writesMemory() { return false; }
bool AsyncCopyOp::isOrdered() { return false; }

LogicalResult ScratchGetOp::verify() {
  return verifyStrip(*this, getScratch().getType(), bool(getStep()), getBits(),
                     getResult().getType());
}

} // namespace tigon::tg
