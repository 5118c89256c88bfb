// SPDX-License-Identifier: Apache-2.0
//
// Tigon's passes. A pass is one file with one name: AssignLayouts is -tigon-assign-layouts, lives in
// compiler/AssignLayouts.cpp and is tested by tests/compiler/AssignLayouts.mlir. What runs, in which
// order and why is in compiler/Pipeline.cpp.
//
// Passes take what they need to know of the compilation from the module: `tg.target` (a string that
// Target::parse understands) and, on a function, `tg.plan` and `tg.strips`.

#ifndef TIGON_COMPILER_PASSES
#define TIGON_COMPILER_PASSES

include "mlir/Pass/PassBase.td"

//===-- tile phase --------------------------------------------------------------------------------===//

def LiftControlFlow : Pass<"tigon-lift-control-flow", "::mlir::ModuleOp"> {
  let summary = "branches between blocks become scf.if, scf.while and scf.index_switch; one block a region";
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::ub::UBDialect"];
}

def InlineCalls : Pass<"tigon-inline-calls", "::mlir::ModuleOp"> {
  let summary = "calls are inlined and device functions dropped; recursion is refused";
}

def DecomposePointers : Pass<"tigon-decompose-pointers", "::tigon::tt::FuncOp"> {
  let summary = "a tile of pointers becomes one scalar pointer and a tile of offsets";
}

def WidenReductions : Pass<"tigon-widen-reductions", "::tigon::tt::FuncOp"> {
  let summary = "sums of f16 and bf16 are kept in f32 and rounded once";
}

def LocalizeLoopReductions : Pass<"tigon-localize-loop-reductions", "::tigon::tt::FuncOp"> {
  let summary = "a loop that adds up reductions carries a tile and reduces it behind the loop";
  let dependentDialects = ["::mlir::scf::SCFDialect"];
}

def PlanTiles : Pass<"tigon-plan-tiles", "::tigon::tt::FuncOp"> {
  let summary = "decide warps, strip size and programs a processor, and write them down";
  let dependentDialects = ["::tigon::tg::TGDialect"];
}

def StripMine : Pass<"tigon-strip-mine", "::tigon::tt::FuncOp"> {
  let summary = "tiles over the register budget are processed strip by strip";
  let dependentDialects = ["::tigon::tg::TGDialect", "::mlir::scf::SCFDialect"];
}

def LowerMath : Pass<"tigon-lower-math", "::tigon::tt::FuncOp"> {
  let summary = "functions, narrow floats and divisions that the target lacks are written out in arithmetic that it has";
  let dependentDialects = ["::tigon::tg::TGDialect", "::mlir::math::MathDialect"];
}

def VerifyTile : Pass<"tigon-verify-tile", "::tigon::tt::FuncOp"> {
  let summary = "border: no calls, one block a region, no tile over budget, no layouts yet";
  let dependentDialects = ["::tigon::tg::TGDialect"];
}

//===-- layout phase ------------------------------------------------------------------------------===//

def AssignLayouts : Pass<"tigon-assign-layouts", "::tigon::tt::FuncOp"> {
  let summary = "every tile gets a layout; where two must differ, a conversion";
  let dependentDialects = ["::tigon::tg::TGDialect"];
}

def RemoveConversions : Pass<"tigon-remove-conversions", "::tigon::tt::FuncOp"> {
  let summary = "what is cheap to make again is made in the layout that is wanted, not converted";
}

def CopyAhead : Pass<"tigon-copy-ahead", "::tigon::tt::FuncOp"> {
  let summary = "what a loop loads is copied to shared memory iterations ahead";
  let dependentDialects = ["::mlir::scf::SCFDialect", "::tigon::tg::TGDialect"];
}

def PipelineLoops : Pass<"tigon-pipeline-loops", "::tigon::tt::FuncOp"> {
  let summary = "a loop's loads are issued an iteration ahead";
  let dependentDialects = ["::mlir::scf::SCFDialect"];
}

def SynchronizeGlobal : Pass<"tigon-synchronize-global", "::tigon::tt::FuncOp"> {
  let summary = "barriers between accesses of one root that meet in different threads";
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
}

def AllocateScratch : Pass<"tigon-allocate-scratch", "::tigon::tt::FuncOp"> {
  let summary = "places in shared memory, global scratch or the arena for scratch, reductions and conversions";
}

def PlaceBarriers : Pass<"tigon-place-barriers", "::tigon::tt::FuncOp"> {
  let summary = "barriers between shared-memory accesses of different threads";
}

def VerifyLayout : Pass<"tigon-verify-layout", "::tigon::tt::FuncOp"> {
  let summary = "border: every tile has a layout that fits its op, and every byte of scratch has a place";
}

//===-- lowered phase -----------------------------------------------------------------------------===//

def LowerTiles : Pass<"tigon-lower-tiles", "::mlir::ModuleOp"> {
  let summary = "tiles become lists of registers, functions kernels of the target's calling convention";
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect"];
}

def LowerToLLVM : Pass<"tigon-lower-to-llvm", "::mlir::ModuleOp"> {
  let summary = "scf, cf, arith, math and ub become the LLVM dialect";
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect"];
}

def VerifyLowered : Pass<"tigon-verify-lowered", "::mlir::ModuleOp"> {
  let summary = "border: only ops that the code generator can select";
}

#endif
