// SPDX-License-Identifier: Apache-2.0
//
// What the compiler's analyses ask of an op, so that none of them needs a list of op names.

#ifndef TIGON_DIALECT_INTERFACES
#define TIGON_DIALECT_INTERFACES

include "mlir/IR/OpBase.td"

// A tile's coordinates are numbered row-major, so element (i, j) of a tensor<MxN> has the flat index i*N + j, and as M and
// N are powers of two its bits are j's bits below i's. All movement of data that a reshape, trans, expand_dims, broadcast,
// join or split does is a renaming of these bits. Strip-mining and layouts need nothing else of such an op.
def TileMapOpInterface : OpInterface<"TileMapOpInterface"> {
  let cppNamespace = "::tigon";
  let description = [{
    Says how the bits of an op's result coordinates map to those of its operands. Elementwise ops need not implement it
    (`operandBit` in dialect/TileMap.h knows that theirs is the identity).
  }];
  let methods = [
    InterfaceMethod<[{
      The bit of operand `operand`'s flat index that equals bit `resultBit` of the results' flat index, or none where
      the operand does not depend on it. An operand bit that no result bit maps to is *consumed*: the op combines all
      elements along it.
    }], "std::optional<unsigned>", "getOperandBit", (ins "unsigned":$operand, "unsigned":$resultBit)>
  ];
}

def TileAccessOpInterface : OpInterface<"TileAccessOpInterface"> {
  let cppNamespace = "::tigon";
  let description = "An op that reads or writes memory at a pointer or a tensor of pointers.";
  let methods = [
    InterfaceMethod<"The pointer or tensor of pointers accessed.", "::mlir::Value", "getAccessedPointer">,
    InterfaceMethod<"The i1 mask of the lanes that are accessed; null: all.", "::mlir::Value", "getAccessMask">,
    InterfaceMethod<"Whether memory is read.", "bool", "readsMemory">,
    InterfaceMethod<"Whether memory is written.", "bool", "writesMemory">,
    InterfaceMethod<[{
      Whether the access also orders others, or must happen exactly as often as written: volatile accesses and atomics.
    }], "bool", "isOrdered">
  ];
}

def AxisInferOpInterface : OpInterface<"AxisInferOpInterface"> {
  let cppNamespace = "::tigon";
  let description = [{
    What is known of an op's results along each axis, from what is known of its operands (dialect/AxisInfo.h). Ops
    without it yield nothing but what elementwise ops have anyway: constancy where all operands have it.
  }];
  let methods = [
    InterfaceMethod<"One info a result.", "::llvm::SmallVector<::tigon::AxisInfo>", "inferAxisInfo",
                    (ins "::llvm::ArrayRef<::tigon::AxisInfo>":$operands)>
  ];
}

#endif
