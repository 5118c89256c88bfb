// SPDX-License-Identifier: Apache-2.0
//
// Dialect tg: how a tile program is spread over a machine. Layouts are values of one attribute (dialect/LinearLayout.h
// has the essay); scratch is memory of the program's own in which strip-mining parks tiles.

#ifndef TIGON_DIALECT_TG_TGDIALECT
#define TIGON_DIALECT_TG_TGDIALECT

include "dialect/Interfaces.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TG_Dialect : Dialect {
  let name = "tg";
  let cppNamespace = "::tigon::tg";
  let summary = "how a tile program is spread over a machine";
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

//===-- Attributes and types --------------------------------------------------------------------------------------===//

def TG_LayoutAttr : AttrDef<TG_Dialect, "Layout"> {
  let mnemonic = "layout";
  let summary = "a linear layout: where each hardware index's bits lie in a tile's coordinates";
  let description = [{
    `#tg.layout<1024, register = [1, 2], lane = [4, 8, 16, 32, 64], warp = [128, 256], block = []>`. The shape comes
    first; an image is a flat (row-major) index of that shape; 0 means that the bit selects a duplicate.
  }];
  let parameters = (ins AttrParameter<"::tigon::LinearLayout", "", "const ::tigon::LinearLayout &">:$layout);
  let hasCustomAssemblyFormat = 1;
}

def TG_PlanAttr : AttrDef<TG_Dialect, "Plan"> {
  let mnemonic = "plan";
  let summary = "what PlanTiles decided for a function, or what its caller asked for; 0 leaves a field open";
  let parameters = (ins DefaultValuedParameter<"int32_t", "0">:$warps, DefaultValuedParameter<"int32_t", "0">:$cluster,
                        DefaultValuedParameter<"int32_t", "0">:$strip, DefaultValuedParameter<"int32_t", "0">:$ctas,
                        DefaultValuedParameter<"int32_t", "0">:$stages, DefaultValuedParameter<"int32_t", "0">:$hold);
  let assemblyFormat = "`<` struct(params) `>`";
}

def TG_Residency : I32EnumAttr<"Residency", "where a tile lives between two stages", [
  I32EnumAttrCase<"Registers", 0, "registers">, I32EnumAttrCase<"Private", 1, "private">,
  I32EnumAttrCase<"Memory", 2, "memory">]> {
  let cppNamespace = "::tigon::tg";
}

def TG_ScratchType : TypeDef<TG_Dialect, "Scratch"> {
  let mnemonic = "scratch";
  let summary = "room for one tile, owned by one program: `!tg.scratch<tensor<16384xf32>>`";
  let description = "scratch_c4: the tile has a power-of-two number of elements.";
  let parameters = (ins "::mlir::RankedTensorType":$tile);
  let genVerifyDecl = 1;
  let assemblyFormat = "`<` $tile `>`";
}

def TG_Approximation : I32EnumAttr<"Approximation", "a PTX instruction that approximates a function of f32", [
  I32EnumAttrCase<"Ex2", 0, "ex2">, I32EnumAttrCase<"Ex2Flush", 1, "ex2_flush">, I32EnumAttrCase<"Lg2", 2, "lg2">,
  I32EnumAttrCase<"Rcp", 3, "rcp">, I32EnumAttrCase<"Rsqrt", 4, "rsqrt">, I32EnumAttrCase<"Sqrt", 5, "sqrt">,
  I32EnumAttrCase<"Sin", 6, "sin">, I32EnumAttrCase<"Cos", 7, "cos">, I32EnumAttrCase<"Tanh", 8, "tanh">,
  I32EnumAttrCase<"Div", 9, "div">]> {
  let cppNamespace = "::tigon::tg";
}

//===-- Scratch ---------------------------------------------------------------------------------------------------===//
// A strip is named by the bits of the tile's flat index that it fixes (lowest step bit first) and the step whose bits
// they take: strip [12, 13] at step 2 is the elements whose bit 12 is 0 and bit 13 is 1. Without bits it is the tile.

class TG_Op<string mnemonic, list<Trait> traits = []> : Op<TG_Dialect, mnemonic, traits>;

def TG_ScratchAllocOp : TG_Op<"scratch_alloc", [MemoryEffects<[MemAlloc]>]> {
  let summary = "room for a tile until the function ends";
  let arguments = (ins OptionalAttr<TG_Residency>:$residency);
  let results = (outs TG_ScratchType:$result);
  let assemblyFormat = "(`in` $residency^)? attr-dict `:` type($result)";
}

def TG_ScratchPutOp : TG_Op<"scratch_put", [MemoryEffects<[MemWrite]>]> {
  let summary = "write a strip";
  let description = [{
    scratch_c1: the value has the strip's size and the scratch's element type. scratch_c2: a strip has a step, the whole
    tile has none. scratch_c3: the bits are different ones of the tile.
  }];
  let arguments = (ins TG_ScratchType:$scratch, Optional<I32>:$step, AnyRankedTensor:$value, DenseI32ArrayAttr:$bits);
  let assemblyFormat = "$value `,` $scratch (`[` $step^ `]`)? `strip` $bits attr-dict `:` type($value) `,` type($scratch)";
  let hasVerifier = 1;
}

def TG_ScratchGetOp : TG_Op<"scratch_get", [MemoryEffects<[MemRead]>]> {
  let summary = "read a strip";
  let arguments = (ins TG_ScratchType:$scratch, Optional<I32>:$step, DenseI32ArrayAttr:$bits);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$scratch (`[` $step^ `]`)? `strip` $bits attr-dict `:` type($scratch) `->` type($result)";
  let hasVerifier = 1;
}

def TG_AsyncCopyOp : TG_Op<"async_copy", [DeclareOpInterfaceMethods<TileAccessOpInterface>,
                                          AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "begin to load a strip into private scratch, if `runs` holds; masked lanes get `other`";
  let description = [{
    What was begun since the last `tg.async_commit` is one batch. It is there, for the thread that began it, behind a
    `tg.async_wait` that leaves fewer batches under way.
  }];
  let arguments = (ins AnyRankedTensor:$ptr, Optional<AnyRankedTensor>:$mask, Optional<AnyRankedTensor>:$other,
                       TG_ScratchType:$scratch, Optional<I32>:$step, I1:$runs, DenseI32ArrayAttr:$bits);
  let assemblyFormat = [{
    $ptr (`,` $mask^)? (`other` $other^)? `to` $scratch (`[` $step^ `]`)? `strip` $bits `if` $runs attr-dict `:`
    type($ptr) (`,` type($mask)^)? (`other` type($other)^)? `to` type($scratch)
  }];
  let hasVerifier = 1;
}

def TG_AsyncCommitOp : TG_Op<"async_commit"> {
  let summary = "the copies begun since the last one are a batch";
  let assemblyFormat = "attr-dict";
}

def TG_AsyncWaitOp : TG_Op<"async_wait"> {
  let summary = "until at most `pending` batches of this thread are under way";
  let arguments = (ins I32Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
}

//===-- Layouts ---------------------------------------------------------------------------------------------------===//

def TG_ConvertLayoutOp : TG_Op<"convert_layout", [Pure, SameOperandsAndResultShape, SameOperandsAndResultElementType]> {
  let summary = "the same tile, spread otherwise";
  let arguments = (ins AnyRankedTensor:$src);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

//===-- Arithmetic ------------------------------------------------------------------------------------------------===//

def TG_ApproxOp : TG_Op<"approx", [Pure, Elementwise, Scalarizable, Vectorizable, Tensorizable,
                                   SameOperandsAndResultType]> {
  let summary = "a function of f32 as the target's instruction approximates it: `tg.approx ex2 %x : f32`";
  let description = [{
    Only on targets that approximate. `_flush` takes denormals for zero; `div` has two operands, the others one.
  }];
  let arguments = (ins TG_Approximation:$kind, Variadic<AnyTypeOf<[F32, TensorOf<[F32]>]>>:$operands);
  let results = (outs AnyTypeOf<[F32, TensorOf<[F32]>]>:$result);
  let assemblyFormat = "$kind $operands attr-dict `:` type($result)";
}

#endif
