// SPDX-License-Identifier: Apache-2.0
//
// Dialect tt, part 2: the ops of Triton 3.2 to 3.9. Semantics that Triton leaves open are settled in docs/semantics.md;
// the interpreter (dialect/interpreter) is the executable form of both.
//
// Of every value in a tt.func, whatever op it belongs to: tile_c1: a tensor has a power-of-two number of elements, at most
// 2^20. tile_c2: it has no foreign layout. tile_c3: its layout has its shape and reaches all its elements.

#ifndef TIGON_DIALECT_TT_TTOPS
#define TIGON_DIALECT_TT_TTOPS

include "dialect/Interfaces.td"
include "dialect/tt/TTDialect.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/CastInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"

def TileTensors : NativeOpTrait<"TileTensors"> { let cppNamespace = "::tigon::tt"; }

class TT_Op<string mnemonic, list<Trait> traits = []> : Op<TT_Dialect, mnemonic, !listconcat(traits, [TileTensors])>;

defvar TT_Elementwise = [Elementwise, Scalarizable, Vectorizable, Tensorizable];
defvar TT_TileMap = [DeclareOpInterfaceMethods<TileMapOpInterface>];
def TT_AxisInfer : DeclareOpInterfaceMethods<AxisInferOpInterface>;
defvar TT_Access = [DeclareOpInterfaceMethods<TileAccessOpInterface>];
// Its own verifier compares the result types with the inferred ones: its sentence is better, and layouts may differ.
defvar TT_VerifiesResultTypes = "static bool isCompatibleReturnTypes(::mlir::TypeRange, ::mlir::TypeRange) { return true; }";
// Memory that an op may touch without saying where: keeps it in its place.
defvar TT_Effects = [MemoryEffects<[MemRead, MemWrite]>];

//===-- Program and ranges ----------------------------------------------------------------------------------------===//

def TT_GetProgramIdOp : TT_Op<"get_program_id", [TT_AxisInfer, Pure]> {
  let summary = "index of this program along an axis of the grid";
  let arguments = (ins TT_ProgramDim:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
}

def TT_GetNumProgramsOp : TT_Op<"get_num_programs", [TT_AxisInfer, Pure]> {
  let summary = "size of the grid along an axis";
  let arguments = (ins TT_ProgramDim:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
}

def TT_MakeRangeOp : TT_Op<"make_range", [TT_AxisInfer, Pure]> {
  let summary = "start, start + 1, ..., end - 1";
  let description = [{
    make_range_c1: start < end. make_range_c2: the result is 1-D i32 with end - start elements.
  }];
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs RankedTensorOf<[I32]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===-- Shape: nothing but a renaming of coordinate bits ----------------------------------------------------------===//

def TT_SplatOp : TT_Op<"splat", !listconcat([TT_AxisInfer, Pure, SameOperandsAndResultElementType], TT_TileMap)> {
  let summary = "a tile whose every element is the scalar";
  let arguments = (ins TT_Scalar:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
}

def TT_UnsplatOp : TT_Op<"unsplat", !listconcat([TT_AxisInfer, Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>], TT_TileMap)> {
  let summary = "the one element of a one-element tile";
  let description = "unsplat_c1: the tile has one element.";
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Scalar:$result);
  let assemblyFormat = "$src attr-dict `:` type($src)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TT_ExpandDimsOp : TT_Op<"expand_dims", !listconcat([TT_AxisInfer, Pure, SameOperandsAndResultElementType], TT_TileMap)> {
  let summary = "insert an axis of size 1";
  let description = "expand_dims_c1: 0 <= axis <= rank. expand_dims_c2: the result is the source with a 1 at axis.";
  let arguments = (ins TT_Tensor:$src, I32Attr:$axis);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TT_BroadcastOp : TT_Op<"broadcast", !listconcat([TT_AxisInfer, Pure, SameOperandsAndResultElementType], TT_TileMap)> {
  let summary = "repeat along axes of size 1";
  let description = "broadcast_c1: equal ranks. broadcast_c2: only axes of size 1 grow.";
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TT_ReshapeOp : TT_Op<"reshape", !listconcat([TT_AxisInfer, Pure, SameOperandsAndResultElementType], TT_TileMap)> {
  let summary = "the same elements, row-major, in another shape";
  let description = [{
    With allow_reorder the order of elements is free; we keep it. reshape_c1: equal numbers of elements.
  }];
  let arguments = (ins TT_Tensor:$src, UnitAttr:$allow_reorder, UnitAttr:$efficient_layout);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $src (`allow_reorder` $allow_reorder^)? (`efficient_layout` $efficient_layout^)? attr-dict
    `:` type($src) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TT_TransOp : TT_Op<"trans", !listconcat([TT_AxisInfer, Pure, SameOperandsAndResultElementType], TT_TileMap)> {
  let summary = "permute axes: axis d of the result is axis order[d] of the source";
  let description = "trans_c1: order is a permutation of the axes. trans_c2: the result's shape is the permuted one.";
  let arguments = (ins TT_Tensor:$src, DenseI32ArrayAttr:$order);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TT_JoinOp : TT_Op<"join", [Pure, SameTypeOperands]> {
  let summary = "two tiles side by side along a fresh last axis of size 2";
  let description = "join_c1: the result is the operand with a 2 appended.";
  let arguments = (ins TT_Tensor:$lhs, TT_Tensor:$rhs);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasVerifier = 1;
}

def TT_SplitOp : TT_Op<"split", [Pure, AllTypesMatch<["lhs", "rhs"]>, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "the two halves along the last axis, which has size 2";
  let description = "split_c1: the last axis has size 2. split_c2: the results are the source without it.";
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$lhs, TT_Tensor:$rhs);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($lhs)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDeclaration = TT_VerifiesResultTypes;
}

def TT_CatOp : TT_Op<"cat", [Pure, SameTypeOperands, SameOperandsAndResultElementType]> {
  let summary = "two tiles one after the other along axis 0";
  let description = "Triton lets the order of elements be free; ours is exact. cat_c1: axis 0 doubles, others are equal.";
  let arguments = (ins TT_Tensor:$lhs, TT_Tensor:$rhs);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasVerifier = 1;
}

//===-- Pointers and memory ---------------------------------------------------------------------------------------===//

def TT_AddPtrOp : TT_Op<"addptr", !listconcat([TT_AxisInfer, Pure, AllTypesMatch<["result", "ptr"]>, SameOperandsAndResultShape], TT_Elementwise)> {
  let summary = "pointer plus a signed offset in elements, added in 64 bits";
  let arguments = (ins TT_PtrLike:$ptr, TT_IntLike:$offset);
  let results = (outs TT_PtrLike:$result);
  let assemblyFormat = "$ptr `,` $offset attr-dict `:` type($result) `,` type($offset)";
  let hasFolder = 1;
}

def TT_LoadOp : TT_Op<"load", !listconcat([
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<InferTypeOpInterface>], TT_Access)> {
  let summary = "the elements at the pointers; lanes whose mask is false touch no memory and give `other`, else 0";
  let description = [{
    The type printed is the pointer's. Triton 3.9 writes the cache hints as an attribute `cachePolicy`.
    load_c1: mask and other have the pointer's shape. load_c2: other needs a mask. load_c3: the result is the pointee.
    load_c4: boundaryCheck and padding only with block pointers, which take no mask.
  }];
  let arguments = (ins AnyTypeOf<[TT_PtrLike, TT_TensorPtr]>:$ptr, Optional<TT_BoolLike>:$mask, Optional<TT_Any>:$other,
    DefaultValuedAttr<DenseI32ArrayAttr, "::llvm::ArrayRef<int32_t>{}">:$boundaryCheck,
    OptionalAttr<TT_PaddingOption>:$padding,
    DefaultValuedAttr<TT_CacheModifier, "CacheModifier::None">:$cache,
    DefaultValuedAttr<TT_EvictionPolicy, "EvictionPolicy::Normal">:$evict,
    DefaultValuedAttr<BoolAttr, "false">:$isVolatile);
  let results = (outs TT_Any:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$ptr, CArg<"::mlir::Value", "{}">:$mask,
                                 CArg<"::mlir::Value", "{}">:$other)>];
  let extraClassDeclaration = TT_VerifiesResultTypes;
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def TT_StoreOp : TT_Op<"store", !listconcat([DeclareOpInterfaceMethods<MemoryEffectsOpInterface>], TT_Access)> {
  let summary = "write the elements whose mask is true; others touch no memory";
  let description = [{
    store_c1: the value is of the pointee's type and of the pointer's shape. store_c2: the mask has the pointer's shape.
    store_c3: boundaryCheck only with block pointers, which take no mask.
  }];
  let arguments = (ins AnyTypeOf<[TT_PtrLike, TT_TensorPtr]>:$ptr, TT_Any:$value, Optional<TT_BoolLike>:$mask,
    DefaultValuedAttr<DenseI32ArrayAttr, "::llvm::ArrayRef<int32_t>{}">:$boundaryCheck,
    DefaultValuedAttr<TT_CacheModifier, "CacheModifier::None">:$cache,
    DefaultValuedAttr<TT_EvictionPolicy, "EvictionPolicy::Normal">:$evict);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def TT_AtomicRMWOp : TT_Op<"atomic_rmw", !listconcat([SameOperandsAndResultShape], TT_Effects, TT_Access)> {
  let summary = "read, combine and write each element atomically; gives what was read";
  let description = [{
    atomic_rmw_c1: fadd wants floats, the others integers. atomic_rmw_c2: value and result are of the pointee's type.
  }];
  let arguments = (ins TT_RMWOp:$atomic_rmw_op, TT_PtrLike:$ptr, TT_Any:$val, Optional<TT_BoolLike>:$mask,
                       TT_MemSemantic:$sem, TT_MemSyncScope:$scope);
  let results = (outs TT_Any:$result);
  let assemblyFormat = [{
    $atomic_rmw_op `,` $sem `,` $scope `,` $ptr `,` $val (`,` $mask^)? attr-dict `:`
    functional-type(operands, $result)
  }];
  let hasVerifier = 1;
}

def TT_AtomicCASOp : TT_Op<"atomic_cas", !listconcat([SameOperandsAndResultShape], TT_Effects, TT_Access)> {
  let summary = "compare and swap each element atomically; gives what was read";
  let description = "atomic_cas_c1: compared value, new value and result are of the pointee's type.";
  let arguments = (ins TT_PtrLike:$ptr, TT_Any:$cmp, TT_Any:$val, TT_MemSemantic:$sem, TT_MemSyncScope:$scope);
  let results = (outs TT_Any:$result);
  let assemblyFormat = "$sem `,` $scope `,` $ptr `,` $cmp `,` $val attr-dict `:` functional-type(operands, $result)";
  let hasVerifier = 1;
}

def TT_AtomicLoadOp : TT_Op<"atomic_load", !listconcat([SameOperandsAndResultShape], TT_Effects, TT_Access)> {
  let summary = "atomic read (Triton 3.9)";
  let description = "atomic_load_c1: ordering acquire or relaxed. atomic_load_c2: the result is of the pointee's type.";
  let arguments = (ins TT_PtrLike:$ptr, Optional<TT_BoolLike>:$mask, TT_MemSemantic:$sem, TT_MemSyncScope:$scope);
  let results = (outs TT_Any:$result);
  let assemblyFormat = "$sem `,` $scope `,` $ptr (`,` $mask^)? attr-dict `:` functional-type(operands, $result)";
  let hasVerifier = 1;
}

def TT_AtomicStoreOp : TT_Op<"atomic_store", !listconcat(TT_Effects, TT_Access)> {
  let summary = "atomic write (Triton 3.9)";
  let description = [{
    Only the pointer's type is printed. atomic_store_c1: ordering release or relaxed. atomic_store_c2: the value is of
    the pointee's type. atomic_store_c3: the mask has the pointer's shape.
  }];
  let arguments = (ins TT_PtrLike:$ptr, TT_Any:$value, Optional<TT_BoolLike>:$mask, TT_MemSemantic:$sem,
                       TT_MemSyncScope:$scope);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr `,` $value (`,` $mask^)? attr-dict `:`
    custom<AccessTypes>(type($ptr), type($value), type($mask), ref($mask))
  }];
  let hasVerifier = 1;
}

def TT_AtomicPollOp : TT_Op<"atomic_poll", !listconcat(TT_Effects, TT_Access)> {
  let summary = "spin until the element equals the expected value; false where `timeout` nanoseconds passed (Triton 3.9)";
  let description = [{
    atomic_poll_c1: ordering acquire or relaxed. atomic_poll_c2: expected is of the pointee's type. atomic_poll_c3: the
    result has the pointer's shape.
  }];
  let arguments = (ins TT_PtrLike:$ptr, TT_Any:$expected, Optional<I64>:$timeout, TT_MemSemantic:$sem,
                       TT_MemSyncScope:$scope);
  let results = (outs TT_BoolLike:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $ptr `,` $expected (`timeout` $timeout^)? attr-dict `:` type($ptr) `,` type($expected)
    `->` type($result)
  }];
  let hasVerifier = 1;
}

def TT_MakeTensorPtrOp : TT_Op<"make_tensor_ptr", [Pure, SameVariadicOperandSize]> {
  let summary = "block pointer to a tile of a strided tensor (up to Triton 3.7)";
  let description = [{
    make_tensor_ptr_c1: one size, stride and offset an axis of the tile. make_tensor_ptr_c2: order permutes the axes.
    make_tensor_ptr_c3: the base points to the tile's element type.
  }];
  let arguments = (ins TT_Ptr:$base, Variadic<I64>:$shape, Variadic<I64>:$strides, Variadic<I32>:$offsets,
                       DenseI32ArrayAttr:$order);
  let results = (outs TT_TensorPtr:$result);
  let assemblyFormat = [{
    $base `,` `[` $shape `]` `,` `[` $strides `]` `,` `[` $offsets `]` attr-dict `:`
    custom<BlockPointer>(type($base), type($result), ref($shape), ref($strides), ref($offsets))
  }];
  let hasVerifier = 1;
}

def TT_AdvanceOp : TT_Op<"advance", [Pure, AllTypesMatch<["ptr", "result"]>]> {
  let summary = "block pointer moved by offsets, in elements";
  let description = "advance_c1: one offset an axis of the tile.";
  let arguments = (ins TT_TensorPtr:$ptr, Variadic<I32>:$offsets);
  let results = (outs TT_TensorPtr:$result);
  let assemblyFormat = "$ptr `,` `[` $offsets `]` attr-dict `:` type($result)";
  let hasVerifier = 1;
}

//===-- Descriptors -----------------------------------------------------------------------------------------------===//

def TT_MakeTensorDescOp : TT_Op<"make_tensor_descriptor", [Pure, SameVariadicOperandSize]> {
  let summary = "descriptor of a strided tensor in global memory";
  let description = [{
    make_tensor_descriptor_c1: one size (i32) and one stride (i64) an axis of the block.
    make_tensor_descriptor_c2: the base points to the block's element type.
  }];
  let arguments = (ins TT_Ptr:$base, Variadic<I32>:$shape, Variadic<I64>:$strides,
                       DefaultValuedAttr<TT_PaddingOption, "PaddingOption::Zero">:$padding);
  let results = (outs TT_TensorDesc:$result);
  let assemblyFormat = "$base `,` `[` $shape `]` `,` `[` $strides `]` attr-dict `:` type($base) `,` type($result)";
  let hasVerifier = 1;
}

def TT_ReinterpretTensorDescOp : TT_Op<"reinterpret_tensor_descriptor", [Pure]> {
  let summary = "a raw descriptor in memory seen as a typed one (Triton 3.3)";
  let arguments = (ins TT_Ptr:$rawDesc);
  let results = (outs TT_TensorDesc:$result);
  let assemblyFormat = "$rawDesc attr-dict `:` qualified(type($rawDesc)) `to` qualified(type($result))";
}

def TT_DescriptorLoadOp : TT_Op<"descriptor_load", [MemoryEffects<[MemRead]>]> {
  let summary = "the tile at an offset of a described tensor; outside it reads as padding";
  let description = [{
    descriptor_c1: one index an axis of the block. descriptor_c2: the tile is the block, at will without leading axes of
    size 1.
  }];
  let arguments = (ins TT_DescLike:$desc, Variadic<I32>:$indices,
    DefaultValuedAttr<TT_CacheModifier, "CacheModifier::None">:$cache,
    DefaultValuedAttr<TT_EvictionPolicy, "EvictionPolicy::Normal">:$evict);
  let results = (outs TT_Tensor:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def TT_DescriptorStoreOp : TT_Op<"descriptor_store", TT_Effects> {
  let summary = "write a tile at an offset of a described tensor; what lies outside it is dropped";
  let arguments = (ins TT_DescLike:$desc, TT_Tensor:$src, Variadic<I32>:$indices);
  let assemblyFormat = "$desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,` type($src)";
  let hasVerifier = 1;
}

def TT_DescriptorReduceOp : TT_Op<"descriptor_reduce", TT_Effects> {
  let summary = "combine a tile atomically into a described tensor";
  let arguments = (ins TT_DescriptorReduceKind:$kind, TT_DescLike:$desc, TT_Tensor:$src, Variadic<I32>:$indices);
  let assemblyFormat = "$kind `,` $desc `[` $indices `]` `,` $src attr-dict `:` qualified(type($desc)) `,` type($src)";
  let hasVerifier = 1;
}

def TT_DescriptorGatherOp : TT_Op<"descriptor_gather", [MemoryEffects<[MemRead]>]> {
  let summary = "rows x_offsets of a described matrix, from column y_offset";
  let description = [{
    descriptor_gather_c1: the block is 1 x C. descriptor_gather_c2: the tile is R x C with R offsets, of the block's
    element type.
  }];
  let arguments = (ins TT_DescLike:$desc, RankedTensorOf<[I32]>:$x_offsets, I32:$y_offset);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$desc `[` $x_offsets `,` $y_offset `]` attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def TT_DescriptorScatterOp : TT_Op<"descriptor_scatter", TT_Effects> {
  let summary = "write rows x_offsets of a described matrix, from column y_offset";
  let arguments = (ins TT_DescLike:$desc, RankedTensorOf<[I32]>:$x_offsets, I32:$y_offset, TT_Tensor:$src);
  let assemblyFormat = [{
    $desc `[` $x_offsets `,` $y_offset `]` `,` $src attr-dict `:` qualified(type($desc)) `,` type($x_offsets) `,`
    type($y_offset) `,` type($src)
  }];
  let hasVerifier = 1;
}

//===-- Elementwise -----------------------------------------------------------------------------------------------===//

def TT_BitcastOp : TT_Op<"bitcast", !listconcat([TT_AxisInfer, Pure, SameOperandsAndResultShape, DeclareOpInterfaceMethods<CastOpInterface>], TT_Elementwise)> {
  let summary = "the same bits as another type of equal width, or a pointer to another pointee";
  let description = "bitcast_c1: equal widths. bitcast_c2: pointers only to pointers, of one address space.";
  let arguments = (ins TT_Value:$src);
  let results = (outs TT_Value:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TT_IntToPtrOp : TT_Op<"int_to_ptr", !listconcat([TT_AxisInfer, Pure, SameOperandsAndResultShape], TT_Elementwise)> {
  let summary = "a 64-bit integer as a pointer";
  let arguments = (ins TT_I64Like:$src);
  let results = (outs TT_PtrLike:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
}

def TT_PtrToIntOp : TT_Op<"ptr_to_int", !listconcat([TT_AxisInfer, Pure, SameOperandsAndResultShape], TT_Elementwise)> {
  let summary = "a pointer as a 64-bit integer";
  let arguments = (ins TT_PtrLike:$src);
  let results = (outs TT_I64Like:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
}

def TT_FpToFpOp : TT_Op<"fp_to_fp", !listconcat([Pure, SameOperandsAndResultShape], TT_Elementwise)> {
  let summary = "float conversion with a stated rounding; fp8 on one side, or f16 to bf16 and back (Triton 3.9)";
  let description = [{
    fp_to_fp_c1: a down-cast states its rounding. fp_to_fp_c2: an up-cast states none.
  }];
  let arguments = (ins TT_FloatLike:$src, OptionalAttr<TT_RoundingMode>:$rounding);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = "$src attr-dict (`,` `rounding` `=` $rounding^)? `:` type($src) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TT_ClampFOp : TT_Op<"clampf", !listconcat([Pure, SameOperandsAndResultType], TT_Elementwise)> {
  let summary = "min(max(x, low), high)";
  let arguments = (ins TT_FloatLike:$x, TT_FloatLike:$min, TT_FloatLike:$max, TT_PropagateNan:$propagateNan);
  let results = (outs TT_FloatLike:$result);
  let assemblyFormat = "$x `,` $min `,` $max `,` `propagateNan` `=` $propagateNan attr-dict `:` type($result)";
}

def TT_PreciseSqrtOp : TT_Op<"precise_sqrt", !listconcat([Pure, SameOperandsAndResultType], TT_Elementwise)> {
  let summary = "square root, correctly rounded, denormals kept";
  let arguments = (ins TT_F32F64Like:$x);
  let results = (outs TT_F32F64Like:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def TT_PreciseDivFOp : TT_Op<"precise_divf", !listconcat([Pure, SameOperandsAndResultType], TT_Elementwise)> {
  let summary = "quotient, correctly rounded, denormals kept";
  let arguments = (ins TT_F32F64Like:$x, TT_F32F64Like:$y);
  let results = (outs TT_F32F64Like:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
}

def TT_ApproxDivFOp : TT_Op<"approx_divf", !listconcat([Pure, SameOperandsAndResultType], TT_Elementwise)> {
  let summary = "quotient by an approximate reciprocal (Triton 3.9)";
  let arguments = (ins TT_F32Like:$x, TT_F32Like:$y);
  let results = (outs TT_F32Like:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
}

def TT_MulhiUIOp : TT_Op<"mulhiui", !listconcat([Pure, SameOperandsAndResultType], TT_Elementwise)> {
  let summary = "the high half of the unsigned product";
  let arguments = (ins TT_IntLike:$x, TT_IntLike:$y);
  let results = (outs TT_IntLike:$result);
  let assemblyFormat = "$x `,` $y attr-dict `:` type($x)";
  let hasFolder = 1;
}

def TT_ExternElementwiseOp : TT_Op<"extern_elementwise", !listconcat([
    SameOperandsAndResultShape, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, ConditionallySpeculatable], TT_Elementwise)> {
  let summary = "a function of NVIDIA's device library, by its name (__nv_log1pf)";
  let arguments = (ins Variadic<TT_Any>:$srcs, StrAttr:$libname, StrAttr:$libpath, StrAttr:$symbol, BoolAttr:$pure);
  let results = (outs TT_Any:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, $result)";
  let extraClassDeclaration = "::mlir::Speculation::Speculatability getSpeculatability();";
}

def TT_ElementwiseInlineAsmOp : TT_Op<"elementwise_inline_asm", !listconcat([
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, ConditionallySpeculatable], TT_Elementwise)> {
  let summary = "PTX applied to packed elements";
  let description = "elementwise_inline_asm_c1: packed_element >= 1 divides the tiles' size.";
  let arguments = (ins StrAttr:$asm_string, StrAttr:$constraints, BoolAttr:$pure, I32Attr:$packed_element,
                       Variadic<TT_Any>:$args);
  let results = (outs Variadic<TT_Any>:$result);
  let assemblyFormat = "$asm_string attr-dict ($args^ `:` type($args))? `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = "::mlir::Speculation::Speculatability getSpeculatability();";
}

def TT_MapElementwiseOp : TT_Op<"map_elementwise", [RecursiveMemoryEffects]> {
  let summary = "a scalar region applied to every element";
  let description = [{
    The region may have several blocks, as a function has.
    With pack = p it takes p elements of each operand, grouped by operand, and returns p of each result, grouped
    by result. map_elementwise_c1: block arguments match pack and element types. map_elementwise_c2: the region neither
    reads nor writes memory. map_elementwise_c3: pack >= 1 divides the tiles' size, and all of them have one shape.
    map_elementwise_c4: the region returns pack values of each result's element type.
  }];
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$pack);
  let results = (outs Variadic<TT_Tensor>:$result);
  let regions = (region MinSizedRegion<1>:$scalarOp);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def TT_MapElementwiseReturnOp : TT_Op<"map_elementwise.return", [
    HasParent<"MapElementwiseOp">, Pure, Terminator, ReturnLike]> {
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "attr-dict ($result^ `:` type($result))?";
}

//===-- Reductions, scans and movement ----------------------------------------------------------------------------===//

def TT_ReduceOp : TT_Op<"reduce", !listconcat([
    SingleBlock, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<InferTypeOpInterface>], TT_TileMap)> {
  let summary = "combine all elements along an axis, several tiles at once";
  let description = [{
    The region combines two tuples of scalars; it is taken to be associative and commutative, and the order of
    combination is free. reduce_c1: at least one operand, all of one shape. reduce_c2: 0 <= axis < rank.
    reduce_c3: the region takes two tuples of the operands' element types and returns one. reduce_c4: the results are
    the operands without the axis, or scalars if that was the only one.
  }];
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$axis);
  let results = (outs Variadic<TT_Any>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = TT_VerifiesResultTypes;
}

def TT_ReduceReturnOp : TT_Op<"reduce.return", [HasParent<"ReduceOp">, Pure, Terminator, ReturnLike]> {
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}

def TT_ScanOp : TT_Op<"scan", [SingleBlock, RecursiveMemoryEffects, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "inclusive prefix combination along an axis";
  let description = [{
    scan_c1: at least one operand, all of one shape. scan_c2: 0 <= axis < rank. scan_c3: the region takes two tuples of
    the operands' element types and returns one. scan_c4: the results are of the operands' types.
  }];
  let arguments = (ins Variadic<TT_Tensor>:$srcs, I32Attr:$axis, BoolAttr:$reverse);
  let results = (outs Variadic<TT_Tensor>:$result);
  let regions = (region SizedRegion<1>:$combineOp);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = TT_VerifiesResultTypes;
}

def TT_ScanReturnOp : TT_Op<"scan.return", [HasParent<"ScanOp">, Pure, Terminator, ReturnLike]> {
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}

def TT_GatherOp : TT_Op<"gather", [Pure]> {
  let summary = "result[.., i, ..] = src[.., indices[.., i, ..], ..] along an axis";
  let description = [{
    gather_c1: equal ranks. gather_c2: equal sizes but along the axis. gather_c3: 0 <= axis < rank. gather_c4: the
    result has the indices' shape and the source's element type.
  }];
  let arguments = (ins TT_Tensor:$src, TT_IntTensor:$indices, I32Attr:$axis, UnitAttr:$efficient_layout);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src `[` $indices `]` attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def TT_HistogramOp : TT_Op<"histogram", [Pure]> {
  let summary = "how often 0, 1, ... occur among the unmasked elements; what lies outside the result's range is not counted";
  let description = "histogram_c1: source and result are 1-D integer tiles. histogram_c2: the mask has the source's shape.";
  let arguments = (ins TT_IntTensor:$src, Optional<RankedTensorOf<[I1]>>:$mask);
  let results = (outs TT_IntTensor:$result);
  let assemblyFormat = [{
    $src (`,` $mask^)? attr-dict `:` type($src) `->` type($result) custom<MaskType>(ref(type($src)), type($mask), ref($mask))
  }];
  let hasVerifier = 1;
}

//===-- Matrix products -------------------------------------------------------------------------------------------===//

def TT_DotOp : TT_Op<"dot", [Pure, AllTypesMatch<["c", "d"]>]> {
  let summary = "d = a b + c, for matrices or batches of them";
  let description = [{
    dot_c1: ranks equal, 2 or 3. dot_c2: shapes B x M x K, B x K x N, B x M x N. dot_c3: a and b have equal bit widths.
    dot_c4: a, b and c are all of integers or all of floats.
  }];
  let arguments = (ins TT_NumberTensor:$a, TT_NumberTensor:$b, TT_NumberTensor:$c,
    DefaultValuedAttr<TT_InputPrecision, "InputPrecision::IEEE">:$inputPrecision,
    DefaultValuedAttr<I32Attr, "0">:$maxNumImpreciseAcc);
  let results = (outs TT_NumberTensor:$d);
  let assemblyFormat = [{
    $a `,` $b `,` $c (`,` `inputPrecision` `=` $inputPrecision^)? attr-dict `:` type($a) `*` type($b) `->` type($d)
  }];
  let hasVerifier = 1;
}

def TT_DotScaledOp : TT_Op<"dot_scaled", [Pure, AttrSizedOperandSegments, AllTypesMatch<["c", "d"]>]> {
  let summary = "d = (a * a_scale) (b * b_scale) + c, scales shared by blocks along K";
  let description = [{
    A byte holds two e2m1 elements, which are neighbours along K, or along M or N if the operand's k_pack is false.
    dot_scaled_c1: ranks equal, 2 or 3. dot_scaled_c2: shapes B x M x K, B x K x N, B x M x N in elements.
    dot_scaled_c3: scales of shape B x M x K/s and B x N x K/s, s = 32 or 16. dot_scaled_c4: an operand's elements are
    bytes, or of the type that its format names.
  }];
  let arguments = (ins TT_NumberTensor:$a, TT_NumberTensor:$b, TT_FloatTensor:$c, Optional<TT_NumberTensor>:$a_scale,
    Optional<TT_NumberTensor>:$b_scale, TT_ScaleDotElemType:$a_elem_type, TT_ScaleDotElemType:$b_elem_type,
    BoolAttr:$fastMath, DefaultValuedAttr<BoolAttr, "true">:$lhs_k_pack, DefaultValuedAttr<BoolAttr, "true">:$rhs_k_pack);
  let results = (outs TT_FloatTensor:$d);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

//===-- Debugging and dependent launches --------------------------------------------------------------------------===//

def TT_PrintOp : TT_Op<"print", TT_Effects> {
  let summary = "print values for debugging";
  let description = "print_c1: isSigned has an entry a value.";
  let arguments = (ins StrAttr:$prefix, BoolAttr:$hex, Variadic<TT_Any>:$args, DenseI32ArrayAttr:$isSigned);
  let assemblyFormat = "$prefix attr-dict (`:` $args^ `:` type($args))?";
  let hasVerifier = 1;
}

def TT_AssertOp : TT_Op<"assert", TT_Effects> {
  let summary = "stop the program with a message where the condition is false";
  let arguments = (ins TT_BoolLike:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
}

def TT_GridDependencyWaitOp : TT_Op<"grid_dependency_wait", TT_Effects> {
  let summary = "wait for the memory of the launch this one depends on (Triton 3.9)";
  let assemblyFormat = "attr-dict";
}

def TT_GridDependencyLaunchOp : TT_Op<"grid_dependency_launch_dependents", TT_Effects> {
  let summary = "let launches that depend on this one start (Triton 3.9)";
  let assemblyFormat = "attr-dict";
}

//===-- Functions -------------------------------------------------------------------------------------------------===//

def TT_FuncOp : TT_Op<"func", [AffineScope, AutomaticAllocationScope, CallableOpInterface, FunctionOpInterface, IsolatedFromAbove]> {
  let summary = "a kernel (public) or a device function";
  let description = "func_c1: its name is not empty.";
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<StrAttr>:$sym_visibility, OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    ::mlir::Region *getCallableRegion() { return isExternal() ? nullptr : &getBody(); }
    ::mlir::ArrayRef<::mlir::Type> getCallableResults() { return getFunctionType().getResults(); }
    ::mlir::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::mlir::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
  }];
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type)>];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def TT_ReturnOp : TT_Op<"return", [Pure, HasParent<"FuncOp">, ReturnLike, Terminator]> {
  let description = "return_c1: the operands are of the function's result types.";
  let arguments = (ins Variadic<AnyType>:$srcs);
  let assemblyFormat = "attr-dict ($srcs^ `:` type($srcs))?";
  let hasVerifier = 1;
}

def TT_CallOp : TT_Op<"call", [CallOpInterface, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let description = [{
    call_c1: the callee is a tt.func of the module. call_c2: operands and results are of its type.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$args, OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let results = (outs Variadic<AnyType>);
  let assemblyFormat = "$callee `(` $args `)` attr-dict `:` functional-type($args, results)";
  let extraClassDeclaration = [{
    operand_range getArgOperands() { return getArgs(); }
    ::mlir::MutableOperandRange getArgOperandsMutable() { return getArgsMutable(); }
    ::mlir::CallInterfaceCallable getCallableForCallee() { return getCalleeAttr(); }
    void setCalleeFromCallable(::mlir::CallInterfaceCallable callee) {
      (*this)->setAttr(getCalleeAttrName(), ::llvm::cast<::mlir::SymbolRefAttr>(callee));
    }
  }];
}

#endif
