// SPDX-License-Identifier: Apache-2.0
//
// Dialect tt: types, attributes, ops. Generated from TTDialect.td and TTOps.td, the only source of
// truth.
#pragma once

#include "dialect/TileMap.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialect/tt/TTDialect.h.inc"
#include "dialect/tt/TTEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/tt/TTAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialect/tt/TTTypes.h.inc"

namespace tigon::tt {

/// Most elements of a tile.
constexpr int64_t maxTileElements = 1 << 20;

/// Whether `type` is `!tt.ptr<tensor<...>>`, the block pointer of Triton up to 3.7.
bool isTensorPointer(mlir::Type type);
/// The type of what lies at a pointer, a tensor of pointers or a block pointer: f32, tensor<8xf32>,
/// tensor<8x8xf16>.
mlir::Type getPointeeType(mlir::Type pointer);
/// `type` with `element` for its elements: of one shape and encoding if it is a tensor, else
/// `element`.
mlir::Type withElement(mlir::Type type, mlir::Type element);

/// tile_c1 to tile_c3 of `types`, which are `what` of `op`.
mlir::LogicalResult verifyTiles(mlir::Operation *op, const char *what, mlir::TypeRange types);
/// The same of the operands and results of `op`.
mlir::LogicalResult verifyTileTensors(mlir::Operation *op);

template <typename ConcreteOp>
class TileTensors : public mlir::OpTrait::TraitBase<ConcreteOp, TileTensors> {
public:
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) { return verifyTileTensors(op); }
};

} // namespace tigon::tt

#define GET_OP_CLASSES
#include "dialect/tt/TTOps.h.inc"
