// SPDX-License-Identifier: Apache-2.0
//
// Machine: what differs in kind between targets when tiles become registers. There are two: a GPU, where a register is a
// scalar of a thread, a lane's index comes from a special register and lanes exchange values by shuffles; and a CPU, where
// a register is a vector, a lane's index is a constant and an exchange is a permutation of the vector.
//
// All code above this interface (loops over registers, reductions, conversions, masks) is one for both.
#pragma once

#include "compiler/Target.h"
#include "dialect/LinearLayout.h"
#include "dialect/tg/TG.h"
#include "dialect/tt/TT.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tigon {

/// How a tile access falls on registers.
struct AccessShape {
  /// This many registers in a row lie at neighbouring addresses and share a mask; 1 on a CPU.
  unsigned vector = 1;
  /// Lanes of one register lie at neighbouring addresses, or all at one.
  bool lanesConsecutive = false, lanesEqual = false;
  /// What divides the address of the first element, in bytes.
  int64_t alignment = 1;
};

/// PTX's cache operator and eviction priority; of these a CPU has streaming stores (.cs).
struct CacheHints {
  tt::CacheModifier cache = tt::CacheModifier::None;
  tt::EvictionPolicy evict = tt::EvictionPolicy::Normal;
  bool isVolatile = false;
};

/// One tile access. Each pointer, with its mask (an empty list: all lanes act), moves `shape.vector` registers.
struct TileAccess {
  mlir::Type element;
  llvm::ArrayRef<mlir::Value> pointers, masks;
  AccessShape shape;
  CacheHints hints;
};

/// Memory of a kernel's own, decided by AllocateScratch.
struct KernelSizes {
  int64_t sharedBytes = 0, scratchBytes = 0, arenaBytes = 0;
  int64_t warps = 1;
  int64_t ctasPerProcessor = 0;
};

class Machine {
public:
  using Registers = llvm::SmallVector<mlir::Value>;

  static std::unique_ptr<Machine> create(const Target &target, mlir::ImplicitLocOpBuilder &builder);
  virtual ~Machine() = default;

  //===-- types -------------------------------------------------------------------------------------===//

  /// A tile element, or a scalar of a tile program, as the code generator sees it: pointers are LLVM's, floats that the
  /// target keeps as integers are integers.
  mlir::Type scalarType(mlir::Type type) const;
  /// What holds one element of each lane.
  virtual mlir::Type registerType(mlir::Type element) const = 0;
  /// As it lies in memory: i1 is a byte.
  mlir::Type memoryType(mlir::Type element) const;
  static int64_t memoryBytes(mlir::Type element);

  //===-- kernels -----------------------------------------------------------------------------------===//

  /// Create the kernel, put the builder where a program's code begins, and give the arguments' values.
  virtual llvm::SmallVector<mlir::Value> beginKernel(tt::FuncOp function,
                                                     const KernelSizes &sizes) = 0;
  /// Close the kernel after a program's code.
  virtual void endKernel() = 0;
  virtual mlir::Value programId(tt::ProgramDim axis) = 0;
  virtual mlir::Value numPrograms(tt::ProgramDim axis) = 0;
  /// Wait for all threads of the program, and make their writes visible to each other.
  virtual void barrier() = 0;
  /// Base of the program's own memory: shared memory or the arena; and of scratch in global memory.
  virtual mlir::Value localMemory() = 0;
  virtual mlir::Value globalScratch() = 0;

  //===-- lanes -------------------------------------------------------------------------------------===//

  /// i32 register: the flat coordinate that this thread's (or each lane's) register 0 holds under `layout`.
  virtual mlir::Value threadCoordinate(const LinearLayout &layout) = 0;
  /// i1 register: whether this thread (or lane) holds no duplicate under `layout`. Null: nobody does.
  virtual mlir::Value ownsElements(const LinearLayout &layout) = 0;
  /// i1 scalar: whether this thread acts for the program in scalar side effects. Null: always.
  virtual mlir::Value actsForProgram() = 0;
  /// i32 register: index of this thread in its program; on a CPU the lane.
  virtual mlir::Value threadIndex() = 0;
  virtual mlir::Value broadcast(mlir::Value scalar) = 0;
  /// The value of lane 0 (equal in all lanes wherever it is asked for).
  virtual mlir::Value first(mlir::Value reg) = 0;
  /// The value of the lane whose index differs in `bit`.
  virtual mlir::Value exchange(mlir::Value reg, unsigned bit) = 0;
  /// The value of lane `lanes[i]` of register `registers[i]` for each lane i; only where lanes are not threads.
  virtual mlir::Value pick(llvm::ArrayRef<mlir::Value> registers,
                           llvm::ArrayRef<std::pair<unsigned, unsigned>> registerAndLane) = 0;

  //===-- memory ------------------------------------------------------------------------------------===//

  /// Lanes whose mask is false touch no memory and give `others`, which only a masked load has, one a register.
  virtual Registers load(const TileAccess &access, llvm::ArrayRef<mlir::Value> others) = 0;
  virtual void store(const TileAccess &access, llvm::ArrayRef<mlir::Value> values) = 0;
  /// Begin to copy `bytes` (4, 8 or 16) to local memory where `runs` holds, zeros where `mask` does not (null: everywhere); only
  /// where lanes are threads.
  virtual void copyAsync(mlir::Value to, mlir::Value from, unsigned bytes, mlir::Value runs,
                         mlir::Value mask) = 0;
  virtual void commitCopies() = 0;
  virtual void waitForCopies(unsigned pending) = 0;
  mlir::Value loadScalar(mlir::Value pointer, mlir::Type element, mlir::Value mask,
                         mlir::Value other, const CacheHints &hints);
  void storeScalar(mlir::Value pointer, mlir::Value value, mlir::Type element, mlir::Value mask,
                   const CacheHints &hints);

  //===-- arithmetic that the code generator lacks --------------------------------------------------===//

  /// Convert between float types of tile programs, round to nearest even; on registers or scalars.
  virtual mlir::Value convertFloat(mlir::Value value, mlir::Type from, mlir::Type to) = 0;

  /// An instruction's approximation (tg.approx); only where the target has them.
  virtual mlir::Value approximate(tg::Approximation kind, mlir::ValueRange operands) = 0;

  /// A scalar constant of a tile program.
  mlir::Value constant(mlir::TypedAttr value);

  /// An integer constant of a register's or scalar's type.
  mlir::Value constant(mlir::Type type, int64_t value);

  const Target &getTarget() const { return target; }

protected:
  Machine(const Target &target, mlir::ImplicitLocOpBuilder &builder) : target(target), b(builder) {}

  /// Run `emit` only where the scalar `condition` holds (always if it is null).
  void onlyIf(mlir::Value condition, llvm::function_ref<void()> emit);

  const Target &target;
  mlir::ImplicitLocOpBuilder &b;
};

} // namespace tigon
