// SPDX-License-Identifier: Apache-2.0
//
// LocalizeLoopReductions: a loop that adds up reductions carries a tile and reduces it once, behind the loop. In
//
//   for block in row:  total += sum(load(block))
//
// each sum would go through all threads of the program, with a barrier; adding to a tile goes through none. The order of
// the additions is another, as in any reduction (docs/semantics.md). A tile of more than 16 elements for 512 threads is
// left alone: it would have to be kept in strips.
#include "compiler/Passes.h"
#include "dialect/Combiner.h"
#include "dialect/TileMap.h"
#include "dialect/tt/TT.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tigon {
#define GEN_PASS_DEF_LOCALIZELOOPREDUCTIONS
#include "compiler/Passes.h.inc"

namespace {

using namespace mlir;

constexpr int64_t largestCarried = 8192;

// `next = op(carried, reduce(source))`, where the reduction combines by `op` too.
struct Accumulation {
  unsigned number;
  Operation *combine;
  tt::ReduceOp reduce;
  TypedAttr identity;
};

bool anyOrderWillDo(Operation *op) {
  return isa<arith::AddFOp, arith::AddIOp, arith::MulFOp, arith::MulIOp, arith::AndIOp,
             arith::OrIOp, arith::XOrIOp, arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp,
             arith::MinUIOp, arith::MaxNumFOp, arith::MinNumFOp, arith::MaximumFOp,
             arith::MinimumFOp>(op);
}

std::optional<Accumulation> findAccumulation(scf::ForOp loop) {
  for (auto [number, yielded] : llvm::enumerate(loop.getYieldedValues())) {
    Value carried = loop.getRegionIterArgs()[number];
    Operation *combine = yielded.getDefiningOp();
    if (!combine || !yielded.hasOneUse() || !carried.hasOneUse() ||
        *carried.user_begin() != combine || combine->getBlock() != loop.getBody() ||
        !anyOrderWillDo(combine))
      continue;
    Value term = combine->getOperand(combine->getOperand(0) == carried ? 1 : 0);
    auto reduce = term.getDefiningOp<tt::ReduceOp>();
    if (!reduce || !term.hasOneUse() || reduce->getNumResults() != 1 ||
        reduce->getBlock() != loop.getBody() ||
        getTileElements(reduce.getSrcs()[0].getType()) > largestCarried)
      continue;
    Block &body = reduce.getCombineOp().front();
    auto identity = identityOf(reduce.getCombineOp());
    if (!identity || body.getOperations().size() != 2 ||
        body.front().getName() != combine->getName() ||
        !llvm::equal(body.front().getOperands(), body.getArguments()))
      continue;
    return Accumulation{unsigned(number), combine, reduce, identity->front()};
  }
  return std::nullopt;
}

scf::ForOp localize(scf::ForOp loop, Accumulation found) {
  IRRewriter b(loop);
  Location loc = found.reduce.getLoc();
  Value source = found.reduce.getSrcs()[0], init = loop.getInitArgs()[found.number];
  auto tile = cast<RankedTensorType>(source.getType());
  Value start =
      arith::ConstantOp::create(b, loc, DenseElementsAttr::get(tile, Attribute(found.identity)));
  auto localized = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      b, start, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &builder, Location, ArrayRef<BlockArgument> added) {
        Operation *step = builder.clone(*found.combine);
        step->setOperands({added[0], source});
        step->getResult(0).setType(tile);
        return SmallVector<Value>{step->getResult(0)};
      }));
  Value carried = localized.getRegionIterArgs()[found.number];
  localized.getBody()->getTerminator()->setOperand(found.number, carried);
  b.setInsertionPointAfter(localized);
  auto reduce = cast<tt::ReduceOp>(b.clone(*found.reduce));
  reduce->setOperand(0, localized.getResults().back());
  Operation *total = b.clone(*found.combine);
  total->setOperands({init, reduce->getResult(0)});
  localized.getResult(found.number).replaceAllUsesWith(total->getResult(0));
  found.combine->erase();
  found.reduce->erase();
  return localized;
}

struct LocalizeLoopReductions : impl::LocalizeLoopReductionsBase<LocalizeLoopReductions> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      while (std::optional<Accumulation> found = findAccumulation(loop))
        loop = localize(loop, *found);
  }
};

} // namespace
} // namespace tigon
