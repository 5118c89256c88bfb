// SPDX-License-Identifier: Apache-2.0
//
// Control flow keeps its structure; what it carries is flattened into registers. Conditions and bounds are scalars, the
// same for all threads of a program, so barriers inside are reached by all.
#include "compiler/lowering/Lowering.h"
#include "dialect/ttg/TTG.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tigon {
namespace {

// Lower `from` into `to`, whose arguments take the place of from's (after `skip` of them, which map one to one), and
// leave the builder before the place of the terminator.
LogicalResult lowerInto(Block &from, Block &to, unsigned skip, Lowering &l) {
  l.b.setInsertionPointToEnd(&to);
  for (unsigned i = 0; i < skip; ++i)
    l.set(from.getArgument(i), {to.getArgument(i)});
  SmallVector<Value> registers(to.args_begin() + skip, to.args_end());
  l.setFlat(ValueRange(from.getArguments()).drop_front(skip), registers);
  return l.lowerBlock(from);
}

LogicalResult lowerFor(Operation *op, Lowering &l) {
  auto loop = cast<scf::ForOp>(op);
  auto lowered =
      scf::ForOp::create(l.b, l.getScalar(loop.getLowerBound()), l.getScalar(loop.getUpperBound()),
                         l.getScalar(loop.getStep()), l.flatten(loop.getInitArgs()),
                         /*bodyBuilder=*/nullptr, loop.getUnsignedCmp());
  OpBuilder::InsertionGuard guard(l.b);
  if (!lowered.getBody()->empty())
    lowered.getBody()->getTerminator()->erase();
  if (failed(lowerInto(*loop.getBody(), *lowered.getBody(), 1, l)))
    return failure();
  scf::YieldOp::create(l.b, op->getLoc(),
                       l.flatten(loop.getBody()->getTerminator()->getOperands()));
  l.b.setInsertionPointAfter(lowered);
  l.setFlat(loop.getResults(), lowered.getResults());
  return success();
}

LogicalResult lowerIf(Operation *op, Lowering &l) {
  auto branch = cast<scf::IfOp>(op);
  SmallVector<Type> types = l.flattenTypes(branch.getResultTypes());
  auto lowered =
      scf::IfOp::create(l.b, types, l.getScalar(branch.getCondition()),
                        /*addThenBlock=*/true, /*addElseBlock=*/bool(branch.elseBlock()));
  OpBuilder::InsertionGuard guard(l.b);
  auto lowerBranch = [&](Block *from, Block *to) {
    if (failed(lowerInto(*from, *to, 0, l)))
      return failure();
    scf::YieldOp::create(l.b, op->getLoc(), l.flatten(from->getTerminator()->getOperands()));
    return success();
  };
  if (failed(lowerBranch(branch.thenBlock(), lowered.thenBlock())) ||
      (branch.elseBlock() && failed(lowerBranch(branch.elseBlock(), lowered.elseBlock()))))
    return failure();
  l.b.setInsertionPointAfter(lowered);
  l.setFlat(branch.getResults(), lowered.getResults());
  return success();
}

LogicalResult lowerWhile(Operation *op, Lowering &l) {
  auto loop = cast<scf::WhileOp>(op);
  auto lowered = scf::WhileOp::create(l.b, l.flattenTypes(loop.getResultTypes()),
                                      l.flatten(loop.getInits()), nullptr, nullptr);
  OpBuilder::InsertionGuard guard(l.b);
  if (failed(lowerInto(*loop.getBeforeBody(), lowered.getBefore().front(), 0, l)))
    return failure();
  scf::ConditionOp condition = loop.getConditionOp();
  scf::ConditionOp::create(l.b, op->getLoc(), l.getScalar(condition.getCondition()),
                           l.flatten(condition.getArgs()));
  if (failed(lowerInto(*loop.getAfterBody(), lowered.getAfter().front(), 0, l)))
    return failure();
  scf::YieldOp::create(l.b, op->getLoc(), l.flatten(loop.getYieldOp().getResults()));
  l.b.setInsertionPointAfter(lowered);
  l.setFlat(loop.getResults(), lowered.getResults());
  return success();
}

LogicalResult lowerIndexSwitch(Operation *op, Lowering &l) {
  auto branch = cast<scf::IndexSwitchOp>(op);
  auto lowered = scf::IndexSwitchOp::create(l.b, l.flattenTypes(branch.getResultTypes()),
                                            l.getScalar(branch.getArg()), branch.getCases(),
                                            branch.getCases().size());
  OpBuilder::InsertionGuard guard(l.b);
  for (auto [from, to] : llvm::zip(branch->getRegions(), lowered->getRegions())) {
    if (failed(lowerInto(from.front(), to.emplaceBlock(), 0, l)))
      return failure();
    scf::YieldOp::create(l.b, op->getLoc(), l.flatten(from.front().getTerminator()->getOperands()));
  }
  l.b.setInsertionPointAfter(lowered);
  l.setFlat(branch.getResults(), lowered.getResults());
  return success();
}

LogicalResult lowerProgramId(Operation *op, Lowering &l) {
  l.set(op->getResult(0), {l.machine.programId(cast<tt::GetProgramIdOp>(op).getAxis())});
  return success();
}

LogicalResult lowerNumPrograms(Operation *op, Lowering &l) {
  l.set(op->getResult(0), {l.machine.numPrograms(cast<tt::GetNumProgramsOp>(op).getAxis())});
  return success();
}

LogicalResult lowerBarrier(Operation *, Lowering &l) {
  l.machine.barrier();
  return success();
}

// A hint that nothing here reads.
LogicalResult lowerToNothing(Operation *, Lowering &) { return success(); }

} // namespace

void addControlLowerings(LoweringTable &table) {
  table.add<scf::ForOp>(lowerFor);
  table.add<scf::IfOp>(lowerIf);
  table.add<scf::WhileOp>(lowerWhile);
  table.add<scf::IndexSwitchOp>(lowerIndexSwitch);
  table.add<tt::GetProgramIdOp>(lowerProgramId);
  table.add<tt::GetNumProgramsOp>(lowerNumPrograms);
  table.add<gpu::BarrierOp>(lowerBarrier);
  table.add<ttg::BarrierOp>(lowerBarrier);
  table.add<LLVM::AssumeOp>(lowerToNothing);
}

} // namespace tigon
