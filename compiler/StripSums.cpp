// SPDX-License-Identifier: Apache-2.0
#include "compiler/StripSums.h"

#include "dialect/Combiner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tigon {

// What the strip loop's reductions start from. Where no identity is known the first strip takes its place.
SmallVector<Value> StripSums::startValues(tt::ReduceOp reduce, OpBuilder &builder) const {
  std::optional<SmallVector<TypedAttr>> identities = identityOf(reduce.getCombineOp());
  SmallVector<Value> starts;
  for (auto [number, source] : llvm::enumerate(reduce.getSrcs())) {
    RankedTensorType type = cloner.stripTypeOf(source);
    TypedAttr element =
        identities ? (*identities)[number] : builder.getZeroAttr(type.getElementType());
    starts.push_back(arith::ConstantOp::create(builder, reduce.getLoc(),
                                               SplatElementsAttr::get(type, Attribute(element))));
  }
  return starts;
}

// Float sums of many strips are kept on two levels, so that their error grows with the square root of the count
// (N. Higham, "The Accuracy of Floating Point Summation", 1993, on blocked sums): 2048 strips are 32 + 64 additions.
static constexpr int stripsOfBlock = 32;

unsigned StripSums::levelsOf(tt::ReduceOp reduce) const {
  bool rounds = llvm::any_of(reduce.getCombineOp().front(),
                             [](Operation &op) { return isa<arith::AddFOp, arith::MulFOp>(op); });
  return rounds && steps > 2 * stripsOfBlock && identityOf(reduce.getCombineOp()) ? 2 : 1;
}

SmallVector<Value> StripSums::flush(tt::ReduceOp reduce, ValueRange sums, ValueRange totals,
                                    Value step, OpBuilder &builder) const {
  Location loc = step.getLoc();
  Value most = arith::ConstantIntOp::create(builder, loc, step.getType(), stripsOfBlock - 1);
  Value within = arith::AndIOp::create(builder, loc, step, most);
  Value isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, within, most);
  SmallVector<Type> types(sums.getTypes());
  llvm::append_range(types, totals.getTypes());
  auto branch = scf::IfOp::create(builder, loc, types, isLast, /*withElseRegion=*/true);
  OpBuilder then = branch.getThenBodyBuilder(), otherwise = branch.getElseBodyBuilder();
  SmallVector<Value> flushed = startValues(reduce, then);
  llvm::append_range(flushed, combineTiles(reduce.getCombineOp(), totals, sums, then));
  scf::YieldOp::create(then, loc, flushed);
  SmallVector<Value> kept(sums);
  llvm::append_range(kept, totals);
  scf::YieldOp::create(otherwise, loc, kept);
  return SmallVector<Value>(branch.getResults());
}

SmallVector<Value> StripSums::accumulate(tt::ReduceOp reduce, ValueRange carried, Value step,
                                         IRMapping &strips, OpBuilder &builder) const {
  SmallVector<Value> fresh =
      llvm::map_to_vector(reduce.getSrcs(), [&](Value source) { return strips.lookup(source); });
  SmallVector<Value> combined = combineTiles(reduce.getCombineOp(), carried, fresh, builder);
  if (identityOf(reduce.getCombineOp()))
    return combined;
  Value isFirst = arith::CmpIOp::create(
      builder, reduce.getLoc(), arith::CmpIPredicate::eq, step,
      arith::ConstantIntOp::create(builder, reduce.getLoc(), step.getType(), 0));
  for (auto [value, strip] : llvm::zip(combined, fresh))
    value = arith::SelectOp::create(builder, reduce.getLoc(), isFirst, strip, value);
  return combined;
}

SmallVector<Value> combineTiles(Region &region, ValueRange a, ValueRange b, OpBuilder &builder) {
  Block &body = region.front();
  Type like = a[0].getType();
  IRMapping map;
  map.map(body.getArguments().take_front(a.size()), a);
  map.map(body.getArguments().drop_front(a.size()), b);
  auto asTile = [&](Value value) -> Value {
    if (Value mapped = map.lookupOrNull(value))
      return mapped;
    return isa<RankedTensorType>(like)
               ? tt::SplatOp::create(builder, value.getLoc(),
                                     tt::withElement(like, value.getType()), value)
               : value;
  };
  for (Operation &op : body.without_terminator()) {
    if (isa<arith::ConstantOp>(op)) {
      map.map(op.getResult(0), asTile(builder.clone(op)->getResult(0)));
      continue;
    }
    SmallVector<Value> operands = llvm::map_to_vector(op.getOperands(), asTile);
    Operation *clone = op.clone();
    clone->setOperands(operands);
    for (OpResult result : clone->getResults())
      result.setType(tt::withElement(like, result.getType()));
    builder.insert(clone);
    map.map(op.getResults(), clone->getResults());
  }
  return llvm::map_to_vector(body.getTerminator()->getOperands(), asTile);
}

} // namespace tigon
