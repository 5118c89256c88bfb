// SPDX-License-Identifier: Apache-2.0
#include "dialect/ttg/TTG.h"

#include "mlir/IR/DialectImplementation.h"

#include "dialect/ttg/TTGDialect.cpp.inc"
#include "dialect/ttg/TTGEnums.cpp.inc"

#define GET_OP_CLASSES
#include "dialect/ttg/TTGOps.cpp.inc"

using namespace mlir;

namespace {

// One sentence for every way to meet TTGIR.
InFlightDiagnostic refuse(AsmParser &parser, StringRef what) {
  return parser.emitError(parser.getNameLoc())
         << "found " << what
         << ", which is TTGIR (Triton's form after layouts are assigned); expected TTIR: give the "
         << "`.ttir` file of the same kernel, from the same folder of Triton's cache";
}

ParseResult refuseOp(OpAsmParser &parser, OperationState &state) {
  return refuse(parser, ("an op of '" + state.name.getDialectNamespace() + "'").str());
}

// A dialect that exists in TTGIR only: whatever is parsed of it is refused.
template <typename Self> class RefusedDialect : public Dialect {
public:
  explicit RefusedDialect(MLIRContext *context)
      : Dialect(Self::getDialectNamespace(), context, TypeID::get<Self>()) {}
  Attribute parseAttribute(DialectAsmParser &parser, Type) const override {
    refuse(parser, "an attribute of '" + getNamespace().str() + "'");
    return {};
  }
  Type parseType(DialectAsmParser &parser) const override {
    refuse(parser, "a type of '" + getNamespace().str() + "'");
    return {};
  }
  std::optional<ParseOpHook> getParseOperationHook(StringRef) const override {
    return ParseOpHook(refuseOp);
  }
};

#define TIGON_REFUSED_DIALECT(Name, prefix)                                                        \
  struct Name : RefusedDialect<Name> {                                                             \
    using RefusedDialect::RefusedDialect;                                                          \
    static StringRef getDialectNamespace() { return prefix; }                                      \
  };
TIGON_REFUSED_DIALECT(TTNGDialect, "ttng")
TIGON_REFUSED_DIALECT(NVWSDialect, "nvws")
TIGON_REFUSED_DIALECT(GluonDialect, "gluon")
// Triton 3.2's names of ttg and ttng.
TIGON_REFUSED_DIALECT(TritonGPUDialect, "triton_gpu")
TIGON_REFUSED_DIALECT(TritonNvidiaGPUDialect, "triton_nvidia_gpu")
#undef TIGON_REFUSED_DIALECT

} // namespace

namespace tigon::ttg {

void TTGDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialect/ttg/TTGOps.cpp.inc"
      >();
}

Attribute TTGDialect::parseAttribute(DialectAsmParser &parser, Type) const {
  refuse(parser, "a layout attribute of 'ttg'");
  return {};
}

Type TTGDialect::parseType(DialectAsmParser &parser) const {
  refuse(parser, "a type of 'ttg'");
  return {};
}

std::optional<Dialect::ParseOpHook> TTGDialect::getParseOperationHook(StringRef) const {
  return ParseOpHook(refuseOp);
}

void registerRefusedDialects(DialectRegistry &registry) {
  registry.insert<TTGDialect, TTNGDialect, NVWSDialect, GluonDialect, TritonGPUDialect,
                  TritonNvidiaGPUDialect>();
}

} // namespace tigon::ttg
