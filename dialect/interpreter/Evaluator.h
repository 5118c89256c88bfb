// SPDX-License-Identifier: Apache-2.0
//
// Evaluation of one launch: where values live, how control flows, how an op finds the function that
// evaluates it. The ops themselves are in one file a group, each of which adds its part to OpTable.
#pragma once

#include "dialect/interpreter/Interpreter.h"
#include "dialect/interpreter/Memory.h"
#include "dialect/interpreter/Tile.h"

#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Support/DebugStringHelper.h"

#include <array>

namespace tigon::interpreter {

class Evaluator;

/// Evaluates `op`: reads its operands and sets its results, or fails with a message.
using OpFunction = llvm::LogicalResult (*)(Evaluator &, mlir::Operation *op);

/// Which function evaluates an op.
class OpTable {
public:
  /// The table of all ops, made once.
  static const OpTable &get();
  /// Null if the interpreter does not know the op.
  OpFunction find(mlir::Operation *op) const { return functions.lookup(op->getName().getTypeID()); }

  template <typename Op> void add(OpFunction function) {
    functions[mlir::TypeID::get<Op>()] = function;
  }
  /// `table.add<evaluateLoad>()`, for a function that takes the op as the class it is.
  template <auto function> void add() { addTyped<function>(function); }

private:
  template <auto function, typename Op> void addTyped(llvm::LogicalResult (*)(Evaluator &, Op)) {
    add<Op>([](Evaluator &evaluator, mlir::Operation *op) {
      return function(evaluator, llvm::cast<Op>(op));
    });
  }

  llvm::DenseMap<mlir::TypeID, OpFunction> functions;
};

// The groups, each in the file of its name.
void addArithOps(OpTable &table);
void addMathOps(OpTable &table);
void addLibdeviceOps(OpTable &table);
void addShapeOps(OpTable &table);
void addAccessOps(OpTable &table);
void addBlockOps(OpTable &table);
void addCombineOps(OpTable &table);
void addDotOps(OpTable &table);
void addControlOps(OpTable &table);
void addDebugOps(OpTable &table);

class Evaluator {
public:
  Evaluator(tt::FuncOp kernel, llvm::ArrayRef<const void *> arguments, Grid grid,
            const Options &options);

  /// Read the arguments and look through the code; once, before the first program.
  llvm::LogicalResult start();
  llvm::LogicalResult runProgram(uint64_t linear);
  /// What failed, once something has.
  llvm::StringRef getMessage() const { return message; }

  const Options &options;
  Memory memory;
  const std::array<uint32_t, 3> grid;
  std::array<uint32_t, 3> program = {};

  bool isExact() const { return options.mode == Mode::Exact; }

  const TileRef &getRef(mlir::Value value) const { return values.find(value)->second; }
  const Tile &get(mlir::Value value) const { return *getRef(value); }
  Tiles getRefs(mlir::ValueRange range) const;
  /// The one element of a scalar integer, zero-extended or sign-extended.
  uint64_t getWord(mlir::Value value) const { return get(value).words[0]; }
  int64_t getInteger(mlir::Value value) const;
  llvm::LogicalResult set(mlir::Value value, Tile tile) {
    values[value] = share(std::move(tile));
    return mlir::success();
  }
  llvm::LogicalResult set(mlir::ValueRange range, llvm::ArrayRef<TileRef> tiles);

  /// In Exact mode, round the elements of `tile` to the elements of `type`, if these are floats. No
  /// rounding: they are such already, but for -0 in a type that has none.
  void round(Tile &tile, mlir::Type type,
             std::optional<Rounding> rounding = Rounding::NearestEven) const;

  /// Evaluate `region` with `arguments` for its entry block's; gives what its terminator returns,
  /// the condition first if it is scf.condition.
  llvm::LogicalResult run(mlir::Region &region, llvm::ArrayRef<TileRef> arguments, Tiles &results);
  llvm::LogicalResult call(mlir::Operation *op, tt::FuncOp callee,
                           llvm::ArrayRef<TileRef> arguments, Tiles &results);
  /// Evaluate a region over scalars for `lanes` lanes: each argument has an element a lane, and so
  /// has each result.
  llvm::LogicalResult runLanes(mlir::Region &region, llvm::SmallVector<Tile, 4> arguments,
                               size_t lanes, llvm::SmallVectorImpl<Tile> &results);

  /// Give `op`, a tg.scratch_alloc, its tile; the number names it from then on.
  uint64_t allocateScratch(mlir::Operation *op, Tile contents);
  Tile &getScratch(uint64_t number) { return scratches[number]; }

  /// Whether lane `lane` of `op` may touch the element at `address`.
  llvm::LogicalResult checkAccess(mlir::Operation *op, size_t lane, uint64_t address,
                                  const Element &element) {
    return memory.holds(address, element) ? mlir::success()
                                          : failAccess(op, lane, address, element);
  }

  /// Record `message` with the op's place and the program's id.
  llvm::LogicalResult fail(mlir::Operation *op, const llvm::Twine &message);

private:
  /// What evaluating an op takes, found once per function.
  struct Step {
    OpFunction function = nullptr;
    unsigned number = 0; // in the order of the text
    /// Values whose last use this op is: their tiles are freed after it.
    llvm::SmallVector<mlir::Value, 2> dead;
  };

  llvm::LogicalResult prepare(tt::FuncOp function);
  llvm::LogicalResult prepareValue(mlir::Operation *op, mlir::Value value);
  llvm::LogicalResult evaluate(mlir::Operation *op);
  llvm::LogicalResult branch(mlir::Operation *terminator, mlir::Block *&block);
  llvm::LogicalResult countOp(mlir::Operation *op);
  llvm::LogicalResult failAccess(mlir::Operation *op, size_t lane, uint64_t address,
                                 const Element &element);

  tt::FuncOp kernel;
  llvm::ArrayRef<const void *> arguments;
  Tiles argumentTiles;
  llvm::DenseMap<mlir::Value, TileRef> values;
  llvm::DenseMap<mlir::Operation *, Step> steps;
  llvm::SmallVector<mlir::Operation *, 4> callStack;
  std::vector<Tile> scratches;
  llvm::DenseMap<mlir::Operation *, uint64_t> scratchNumbers;
  uint64_t opsLeft;
  unsigned depth = 0;
  std::string message;
};

} // namespace tigon::interpreter
