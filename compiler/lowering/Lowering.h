// SPDX-License-Identifier: Apache-2.0
//
// Lowering: from tiles with layouts to registers. A tile value becomes a list with one entry for each register of its
// layout (Machine says what an entry is), a scalar a list of one. Control flow keeps its structure; its tile operands are
// flattened into registers.
//
// What an op becomes is said in one file per op group, which adds a function per op to a table.
#pragma once

#include "compiler/AxisAnalysis.h"
#include "compiler/lowering/Machine.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tigon {

class Lowering;
using LowerOp = mlir::LogicalResult (*)(mlir::Operation *, Lowering &);

/// From op name to lowering.
class LoweringTable {
public:
  template <typename Op> void add(LowerOp lower) { byName[Op::getOperationName()] = lower; }
  LowerOp find(mlir::Operation *op) const { return byName.lookup(op->getName().getStringRef()); }
  /// The table of all op groups.
  static const LoweringTable &all();

private:
  llvm::StringMap<LowerOp> byName;
};

void addControlLowerings(LoweringTable &table);
void addConversionLowerings(LoweringTable &table);
void addElementwiseLowerings(LoweringTable &table);
void addMemoryLowerings(LoweringTable &table);
void addReduceLowerings(LoweringTable &table);
void addScratchLowerings(LoweringTable &table);
void addShapeLowerings(LoweringTable &table);

class Lowering {
public:
  using Registers = Machine::Registers;

  Lowering(tt::FuncOp function, Machine &machine, mlir::ImplicitLocOpBuilder &builder)
      : b(builder), machine(machine), axes(function), function(function) {}

  /// Lower all ops of `block` but its terminator.
  mlir::LogicalResult lowerBlock(mlir::Block &block);

  /// Registers of a value that was lowered; and set them.
  llvm::ArrayRef<mlir::Value> get(mlir::Value value) const;
  mlir::Value getScalar(mlir::Value value) const;
  void set(mlir::Value value, Registers registers);
  /// Registers of all values, one after the other, as control flow carries them; and the types they have.
  Registers flatten(mlir::ValueRange values) const;
  llvm::SmallVector<mlir::Type> flattenTypes(mlir::TypeRange types) const;
  /// Hand out a flat list to `values`, in order.
  void setFlat(mlir::ValueRange values, mlir::ValueRange registers);

  /// The layout of a tile; scalars have none.
  static const LinearLayout *layoutOf(mlir::Value value);
  /// How the type of one register of a value looks.
  mlir::Type registerType(mlir::Type type) const;
  static unsigned countRegisters(mlir::Type type);

  /// The combine region of a reduction or scan applied to tuples of registers.
  mlir::FailureOr<Registers> combine(mlir::Region &region, llvm::ArrayRef<mlir::Value> a,
                                     llvm::ArrayRef<mlir::Value> c);

  mlir::ImplicitLocOpBuilder &b;
  Machine &machine;
  const AxisAnalysis axes;

private:
  unsigned registersPerWord(mlir::Type type) const;
  uint32_t repeatedBits(mlir::Value value) const;
  mlir::LogicalResult lowerOp(mlir::Operation *op);

  tt::FuncOp function;
  llvm::DenseMap<mlir::Value, Registers> lowered;
};

/// Clone `op`, which has no regions, on registers: same attributes, other operands and result types.
mlir::Operation *cloneOnRegisters(mlir::Operation *op, mlir::ValueRange operands,
                                  mlir::TypeRange results, mlir::OpBuilder &builder);

} // namespace tigon
