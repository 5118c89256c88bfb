// SPDX-License-Identifier: Apache-2.0
//
// Dialect tt, part 1: the dialect itself, its types, enumerations and attributes. The ops are in TTOps.td.
//
// tt is text-compatible with the TTIR of Triton 3.2 to 3.9. Every spelling of those versions is read; Triton 3.6's is
// printed, newer ops in their own. Names, keywords and numeric values of enumerations are therefore Triton's.
// A constraint of the verifier carries an id (make_range_c1), which stands here, at the verifier line that enforces it
// and in the negative test that breaks it.

#ifndef TIGON_DIALECT_TT_TTDIALECT
#define TIGON_DIALECT_TT_TTDIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"

def TT_Dialect : Dialect {
  let name = "tt";
  let cppNamespace = "::tigon::tt";
  let summary = "the tile IR: what a tile program computes, free of how it is spread over a machine";
  let description = [{
    Arguments and results may carry hints of tt.divisibility, tt.contiguity and tt.constancy, on which analyses rely.
    hint_c1: a hint is an integer, or one integer an axis. hint_c2: it is positive.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::ub::UBDialect"
  ];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = [{
    // Ops of older versions under names that Triton has dropped since; each is read as its present form.
    std::optional<ParseOpHook> getParseOperationHook(llvm::StringRef name) const override;
  }];
}

//===-- Types -----------------------------------------------------------------------------------------------------===//

class TT_TypeDef<string name, string keyword> : TypeDef<TT_Dialect, name> { let mnemonic = keyword; }

def TT_PtrType : TT_TypeDef<"Pointer", "ptr"> {
  let summary = "pointer to an element, or to a tile (a block pointer, up to Triton 3.7)";
  let description = [{
    `!tt.ptr<f32>` is in the global address space (1, the default); `!tt.ptr<f32, 3>` names another. Triton 3.9 spells
    the space as a string: "global" is 1 and "constant" 4; both are global memory to a kernel.
    pointer_c1: the pointee is a float, a signless integer, a pointer, or a tile of these.
  }];
  let parameters = (ins "::mlir::Type":$pointeeType, "int":$addressSpace);
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::Type":$pointeeType, CArg<"int", "1">:$addressSpace), [{
    return $_get(pointeeType.getContext(), pointeeType, addressSpace);
  }]>];
  let skipDefaultBuilders = 1;
  let genVerifyDecl = 1;
  let hasCustomAssemblyFormat = 1;
}

def TT_TensorDescType : TT_TypeDef<"TensorDesc", "tensordesc"> {
  let summary = "descriptor of a tensor in memory, from which tiles of one block shape are loaded and stored";
  let description = [{
    `!tt.tensordesc<tensor<64x64xf16>>`; Triton 3.8 and later leave the inner `tensor` out. Integer elements may be
    signed (`si8`, `ui8`). tensordesc_c1: the block's elements are floats or integers.
  }];
  let parameters = (ins "::mlir::RankedTensorType":$blockType);
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    // The type of the tiles that go through the descriptor: the block, its integers signless.
    ::mlir::RankedTensorType getTileType() const;
  }];
  let hasCustomAssemblyFormat = 1;
}

def TT_Float : AnyTypeOf<[F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F16, BF16, F32, F64], "floating point">;
def TT_Int : AnyTypeOf<[I1, I<4>, I8, I16, I32, I64], "integer">;

def TT_NumberTensor : RankedTensorOf<[TT_Float, TT_Int]>;
def TT_FloatTensor : RankedTensorOf<[TT_Float]>;
def TT_IntTensor : RankedTensorOf<[TT_Int]>;
def TT_FloatLike : AnyTypeOf<[TT_Float, TT_FloatTensor]>;
def TT_IntLike : AnyTypeOf<[TT_Int, TT_IntTensor]>;
def TT_BoolLike : AnyTypeOf<[I1, RankedTensorOf<[I1]>]>;
def TT_I32Like : AnyTypeOf<[I32, RankedTensorOf<[I32]>]>;
def TT_I64Like : AnyTypeOf<[I64, RankedTensorOf<[I64]>]>;
def TT_F32Like : AnyTypeOf<[F32, RankedTensorOf<[F32]>]>;
def TT_F32F64Like : AnyTypeOf<[F32, F64, RankedTensorOf<[F32, F64]>]>;

def TT_Ptr : Type<CPred<"::llvm::isa<::tigon::tt::PointerType>($_self)">, "pointer", "::tigon::tt::PointerType">;
def TT_PtrTensor : RankedTensorOf<[TT_Ptr]>;
def TT_PtrLike : AnyTypeOf<[TT_Ptr, TT_PtrTensor], "pointer or tensor of pointers">;
def TT_TensorPtr : Type<CPred<"::tigon::tt::isTensorPointer($_self)">, "block pointer", "::tigon::tt::PointerType">;
def TT_TensorDesc : Type<CPred<"::llvm::isa<::tigon::tt::TensorDescType>($_self)">, "tensor descriptor",
                         "::tigon::tt::TensorDescType">;
def TT_DescLike : AnyTypeOf<[TT_TensorDesc, TT_Ptr], "tensor descriptor">;

def TT_Tensor : RankedTensorOf<[TT_Float, TT_Int, TT_Ptr]>;
def TT_Scalar : AnyTypeOf<[TT_Float, TT_Int, TT_Ptr]>;
def TT_Value : AnyTypeOf<[TT_Float, TT_Int, TT_Ptr, TT_Tensor]>;
def TT_Any : AnyTypeOf<[TT_Float, TT_Int, TT_Ptr, TT_Tensor, TT_TensorDesc]>;

//===-- Enumerations: keyword and value are Triton's --------------------------------------------------------------===//

class TT_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tigon::tt";
}
class TT_Case<string symbol, int value, string keyword> : I32EnumAttrCase<symbol, value, keyword>;

def TT_CacheModifier : TT_Enum<"CacheModifier", "caching of an access, as PTX names it", [
  TT_Case<"None", 1, "none">, TT_Case<"CA", 2, "ca">, TT_Case<"CG", 3, "cg">, TT_Case<"WB", 4, "wb">,
  TT_Case<"CS", 5, "cs">, TT_Case<"WT", 6, "wt">, TT_Case<"CV", 7, "cv">]>;
def TT_EvictionPolicy : TT_Enum<"EvictionPolicy", "eviction priority of an access", [
  TT_Case<"Normal", 1, "evict_normal">, TT_Case<"EvictFirst", 2, "evict_first">,
  TT_Case<"EvictLast", 3, "evict_last">]>;
def TT_PaddingOption : TT_Enum<"PaddingOption", "what lanes outside a block pointer's tensor read", [
  TT_Case<"Zero", 1, "zero">, TT_Case<"NaN", 2, "nan">]>;
def TT_MemSemantic : TT_Enum<"MemSemantic", "memory ordering of an atomic", [
  TT_Case<"Relaxed", 1, "relaxed">, TT_Case<"Acquire", 2, "acquire">, TT_Case<"Release", 3, "release">,
  TT_Case<"AcquireRelease", 4, "acq_rel">]>;
def TT_MemSyncScope : TT_Enum<"MemSyncScope", "threads among which an atomic is ordered", [
  TT_Case<"GPU", 1, "gpu">, TT_Case<"CTA", 2, "cta">, TT_Case<"System", 3, "sys">]>;
def TT_RMWOp : TT_Enum<"RMWOp", "read-modify-write operation", [
  TT_Case<"And", 1, "and">, TT_Case<"Or", 2, "or">, TT_Case<"Xor", 3, "xor">, TT_Case<"Add", 4, "add">,
  TT_Case<"FAdd", 5, "fadd">, TT_Case<"Max", 6, "max">, TT_Case<"Min", 7, "min">, TT_Case<"UMax", 8, "umax">,
  TT_Case<"UMin", 9, "umin">, TT_Case<"Exchange", 10, "exch">]>;
def TT_DescriptorReduceKind : TT_Enum<"DescriptorReduceKind", "reduction of a tile into a described tensor", [
  TT_Case<"Add", 1, "add">, TT_Case<"Min", 2, "min">, TT_Case<"Max", 3, "max">, TT_Case<"Inc", 4, "inc">,
  TT_Case<"Dec", 5, "dec">, TT_Case<"And", 6, "and">, TT_Case<"Or", 7, "or">, TT_Case<"Xor", 8, "xor">]>;
def TT_ProgramDim : TT_Enum<"ProgramDim", "axis of the launch grid", [
  TT_Case<"X", 0, "x">, TT_Case<"Y", 1, "y">, TT_Case<"Z", 2, "z">]>;
def TT_RoundingMode : TT_Enum<"RoundingMode", "rounding of a down-cast", [
  TT_Case<"RTZ", 0, "rtz">, TT_Case<"RTNE", 1, "rtne">]>;
def TT_PropagateNan : TT_Enum<"PropagateNan", "whether a NaN operand makes the result NaN", [
  TT_Case<"None", 0, "none">, TT_Case<"All", 0xFFFF, "all">]>;
def TT_InputPrecision : TT_Enum<"InputPrecision", "precision of f32 operands of a dot", [
  TT_Case<"TF32", 0, "tf32">, TT_Case<"TF32x3", 1, "tf32x3">, TT_Case<"IEEE", 2, "ieee">,
  TT_Case<"BF16x3", 3, "bf16x3">, TT_Case<"BF16x6", 4, "bf16x6">]>;
def TT_ScaleDotElemType : TT_Enum<"ScaleDotElemType", "element format of a scaled dot's operand", [
  TT_Case<"E4M3", 0, "e4m3">, TT_Case<"E5M2", 1, "e5m2">, TT_Case<"E2M3", 2, "e2m3">, TT_Case<"E3M2", 3, "e3m2">,
  TT_Case<"E2M1", 4, "e2m1">, TT_Case<"BF16", 5, "bf16">, TT_Case<"FP16", 6, "fp16">]>;

def TT_CachePolicyAttr : AttrDef<TT_Dialect, "CachePolicy"> {
  let mnemonic = "cache_policy";
  let summary = "Triton 3.9's spelling of an access's cache modifier and eviction policy";
  let parameters = (ins EnumParameter<TT_CacheModifier>:$cache_modifier, EnumParameter<TT_EvictionPolicy>:$eviction_policy);
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif
