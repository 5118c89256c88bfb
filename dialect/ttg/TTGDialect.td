// SPDX-License-Identifier: Apache-2.0
//
// TTIR holds one op of Triton's GPU dialect, from 3.7 on: the barrier. All else of ttg is TTGIR, which is refused with a
// sentence (dialect/ttg/TTG.cpp).

#ifndef TIGON_DIALECT_TTG_TTGDIALECT
#define TIGON_DIALECT_TTG_TTGDIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TTG_Dialect : Dialect {
  let name = "ttg";
  let cppNamespace = "::tigon::ttg";
  let extraClassDeclaration = [{
    // Refuse everything but the barrier, saying why.
    mlir::Attribute parseAttribute(mlir::DialectAsmParser &parser, mlir::Type type) const override;
    mlir::Type parseType(mlir::DialectAsmParser &parser) const override;
    std::optional<ParseOpHook> getParseOperationHook(llvm::StringRef name) const override;
  }];
}

def TTG_AddrSpace : I32EnumAttr<"AddrSpace", "memory that a barrier orders", [
  I32EnumAttrCase<"Local", 1, "local">, I32EnumAttrCase<"All", 2, "all">]> {
  let cppNamespace = "::tigon::ttg";
}

def TTG_BarrierOp : Op<TTG_Dialect, "barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "wait for all threads of the program; orders shared memory (local) or all memory";
  let arguments = (ins TTG_AddrSpace:$addrSpace);
  let assemblyFormat = "$addrSpace attr-dict";
}

#endif
