// SPDX-License-Identifier: Apache-2.0
#include "dialect/interpreter/Evaluator.h"

#include "dialect/PointerRoot.h"
#include "dialect/interpreter/Blocks.h"
#include "dialect/tg/TG.h"

#include "llvm/ADT/ScopeExit.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace tigon::interpreter {
namespace {

// Regions and calls nest on our own stack.
constexpr unsigned maxDepth = 256;

// Whether `region` computes the same for many lanes at once as for one after the other: straight
// code over scalars.
bool isLanewise(Region &region) {
  auto isScalar = [](Type type) { return !isa<ShapedType>(type); };
  return region.hasOneBlock() && llvm::all_of(region.front(), [&](Operation &op) {
           return op.getNumRegions() == 0 && !isa<CallOpInterface>(op) &&
                  llvm::all_of(op.getOperandTypes(), isScalar) &&
                  llvm::all_of(op.getResultTypes(), isScalar);
         });
}

// Whether values of `type` can be held, and accesses through them made.
bool canHold(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    type = tensor.getElementType();
  if (auto pointer = dyn_cast<tt::PointerType>(type)) {
    Type pointee = pointer.getPointeeType();
    return !isa<tt::TensorDescType, tg::ScratchType>(pointee) && canHold(pointee);
  }
  if (auto descriptor = dyn_cast<tt::TensorDescType>(type))
    return canHold(descriptor.getBlockType());
  if (auto scratch = dyn_cast<tg::ScratchType>(type))
    return canHold(scratch.getTile());
  return !isa<ShapedType>(type) && findElement(type);
}

} // namespace

std::optional<Element> findElement(Type type) {
  type = getElementTypeOrSelf(type);
  if (isa<tt::PointerType, tt::TensorDescType, tg::ScratchType, IndexType>(type))
    return Element();
  if (auto integer = dyn_cast<IntegerType>(type))
    if (integer.getWidth() >= 1 && integer.getWidth() <= 64)
      return Element{integer.getWidth(), nullptr};
  if (const FloatFormat *format = getFloatFormat(type))
    return Element{format->width, format};
  return std::nullopt;
}

Element getElement(Type type) { return *findElement(type); }

const OpTable &OpTable::get() {
  static const OpTable table = [] {
    OpTable ops;
    for (auto add : {addArithOps, addMathOps, addLibdeviceOps, addShapeOps, addAccessOps,
                     addBlockOps, addCombineOps, addDotOps, addControlOps, addDebugOps})
      add(ops);
    return ops;
  }();
  return table;
}

Evaluator::Evaluator(tt::FuncOp kernel, ArrayRef<const void *> arguments, Grid grid,
                     const Options &options)
    : options(options), memory(options), grid{grid.x, grid.y, grid.z}, kernel(kernel),
      arguments(arguments), opsLeft(options.maxOps) {}

LogicalResult Evaluator::start() {
  if (kernel.isExternal())
    return fail(kernel, "found a declaration, expected a kernel with a body");
  if (arguments.size() != kernel.getNumArguments())
    return fail(kernel, "found " + Twine(arguments.size()) + " arguments, expected " +
                            Twine(kernel.getNumArguments()));
  if (failed(prepare(kernel)))
    return failure();
  for (auto [data, type] : llvm::zip(arguments, kernel.getArgumentTypes())) {
    if (isa<ShapedType, tg::ScratchType>(type) || tt::isTensorPointer(type))
      return fail(kernel, "found an argument of type " + debugString(type) +
                              ", expected a scalar, a pointer or a descriptor");
    Tile tile;
    if (auto descriptor = dyn_cast<tt::TensorDescType>(type)) {
      if (descriptor.getBlockType().getRank() > maxDescriptorRank)
        return fail(kernel, "found a descriptor of rank over 5");
      tile = View::of(*static_cast<const TensorDescriptor *>(data),
                      descriptor.getBlockType().getRank())
                 .pack();
    } else {
      Element element = getElement(type);
      tile = Tile::of(element, 1);
      tile.set(0, Memory::read(data, element));
    }
    argumentTiles.push_back(share(std::move(tile)));
  }
  return success();
}

LogicalResult Evaluator::runProgram(uint64_t linear) {
  program = {uint32_t(linear % grid[0]), uint32_t(linear / grid[0] % grid[1]),
             uint32_t(linear / grid[0] / grid[1])};
  Tiles results;
  return call(kernel, kernel, argumentTiles, results);
}

//===-- Preparation -------------------------------------------------------------------------===//

LogicalResult Evaluator::prepare(tt::FuncOp function) {
  if (steps.contains(function))
    return success();
  unsigned number = 0;
  SmallVector<tt::FuncOp> callees;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    Step &step = steps[op];
    step.function = OpTable::get().find(op);
    step.number = number++;
    if (auto call = dyn_cast<tt::CallOp>(op))
      callees.push_back(SymbolTable::lookupNearestSymbolFrom<tt::FuncOp>(op, call.getCalleeAttr()));
  });
  WalkResult walked = function.walk([&](Operation *op) -> WalkResult {
    for (Value result : op->getResults())
      if (failed(prepareValue(op, result)))
        return failure();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          if (failed(prepareValue(op, argument)))
            return failure();
    return success();
  });
  if (walked.wasInterrupted())
    return failure();
  for (tt::FuncOp callee : callees)
    if (failed(prepare(callee)))
      return failure();
  return success();
}

LogicalResult Evaluator::prepareValue(Operation *op, Value value) {
  if (!canHold(value.getType()))
    return fail(op, "found a value of type " + debugString(value.getType()) +
                        ", which the interpreter cannot hold");
  Block *block = value.getParentBlock();
  Operation *last = value.getDefiningOp();
  for (Operation *user : value.getUsers()) {
    Operation *ancestor = block->findAncestorOpInBlock(*user);
    if (!ancestor) // used in another block: it stays
      return success();
    if (!last || steps[last].number < steps[ancestor].number)
      last = ancestor;
  }
  if (last)
    steps[last].dead.push_back(value);
  return success();
}

//===-- Control ------------------------------------------------------------------------------===//

LogicalResult Evaluator::countOp(Operation *op) {
  if (opsLeft == 0)
    return fail(op, "gave up after " + Twine(options.maxOps) + " ops");
  --opsLeft;
  return success();
}

LogicalResult Evaluator::evaluate(Operation *op) {
  const Step &step = steps.find(op)->second;
  if (!step.function)
    return fail(op, "found an op that the interpreter does not know");
  if (failed(countOp(op)) || failed(step.function(*this, op)))
    return failure();
  for (Value value : step.dead)
    values.erase(value);
  return success();
}

LogicalResult Evaluator::run(Region &region, ArrayRef<TileRef> arguments, Tiles &results) {
  if (depth == maxDepth)
    return fail(region.getParentOp(), "found regions nested deeper than " + Twine(maxDepth));
  ++depth;
  llvm::scope_exit leave([&] { --depth; });
  Block *block = &region.front();
  (void)set(block->getArguments(), arguments);
  while (true) {
    for (Operation &op : block->without_terminator())
      if (failed(evaluate(&op)))
        return failure();
    Operation *terminator = block->getTerminator();
    if (failed(countOp(terminator)))
      return failure();
    if (terminator->hasTrait<OpTrait::ReturnLike>() || isa<scf::ConditionOp>(terminator)) {
      results = getRefs(terminator->getOperands());
      return success();
    }
    if (failed(branch(terminator, block)))
      return failure();
  }
}

LogicalResult Evaluator::branch(Operation *terminator, Block *&block) {
  unsigned successor = 0;
  if (auto conditional = dyn_cast<cf::CondBranchOp>(terminator)) {
    successor = getWord(conditional.getCondition()) ? 0 : 1;
  } else if (auto choice = dyn_cast<cf::SwitchOp>(terminator)) {
    if (choice.getCaseValues())
      for (auto [number, value] : llvm::enumerate(choice.getCaseValues()->getValues<APInt>()))
        if (value.getZExtValue() == getWord(choice.getFlag()))
          successor = number + 1;
  } else if (!isa<cf::BranchOp>(terminator)) {
    return fail(terminator, "found an op that the interpreter does not know");
  }
  Tiles passed = getRefs(
      cast<BranchOpInterface>(terminator).getSuccessorOperands(successor).getForwardedOperands());
  block = terminator->getSuccessor(successor);
  return set(block->getArguments(), passed);
}

LogicalResult Evaluator::call(Operation *op, tt::FuncOp callee, ArrayRef<TileRef> arguments,
                              Tiles &results) {
  if (callee.isExternal())
    return fail(op, "found a call of the declaration @" + callee.getName());
  // Values are held by name, not by call; a function that is running cannot start again.
  if (llvm::is_contained(callStack, callee.getOperation()))
    return fail(op, "found a recursive call of @" + callee.getName() + ", expected none");
  callStack.push_back(callee);
  llvm::scope_exit leave([&] { callStack.pop_back(); });
  return run(callee.getBody(), arguments, results);
}

LogicalResult Evaluator::runLanes(Region &region, SmallVector<Tile, 4> arguments, size_t lanes,
                                  SmallVectorImpl<Tile> &results) {
  Tiles returned;
  if (isLanewise(region)) {
    if (failed(run(
            region,
            llvm::map_to_vector<4>(arguments, [](Tile &tile) { return share(std::move(tile)); }),
            returned)))
      return failure();
    for (const TileRef &tile : returned)
      results.push_back(tile->expand(lanes));
    return success();
  }
  for (size_t lane = 0; lane < lanes; ++lane) {
    auto one = [lane](const Tile &tile) {
      return share(tile.pick(1, [lane](size_t) { return lane; }));
    };
    if (failed(run(region, llvm::map_to_vector<4>(arguments, one), returned)))
      return failure();
    if (lane == 0)
      for (const TileRef &tile : returned)
        results.push_back(tile->expand(lanes));
    for (auto [result, tile] : llvm::zip(results, returned))
      result.set(lane, tile->get(0));
  }
  return success();
}

//===-- Values ------------------------------------------------------------------------------===//

Tiles Evaluator::getRefs(ValueRange range) const {
  return llvm::map_to_vector<4>(range, [this](Value value) { return getRef(value); });
}

int64_t Evaluator::getInteger(Value value) const {
  return getElement(value.getType()).extend(getWord(value));
}

LogicalResult Evaluator::set(ValueRange range, ArrayRef<TileRef> tiles) {
  for (auto [value, tile] : llvm::zip_equal(range, tiles))
    values[value] = tile;
  return success();
}

void Evaluator::round(Tile &tile, Type type, std::optional<Rounding> rounding) const {
  const FloatFormat *format = getElement(type).format;
  if (!format || format->width == 64)
    return;
  if (!rounding) {
    if (format->specials == FloatFormat::Specials::FNUZ)
      for (double &real : tile.reals)
        real += 0.0; // -0 + 0 = 0
  } else if (isExact()) {
    for (double &real : tile.reals)
      real = format->round(real, *rounding);
  } else if (format->width == 8) { // saturation is meaning, not loss of precision
    double largest = format->largest();
    for (double &real : tile.reals)
      real = std::isnan(real) ? real : std::clamp(real, -largest, largest);
  }
}

uint64_t Evaluator::allocateScratch(Operation *op, Tile contents) {
  auto [entry, isFirst] = scratchNumbers.try_emplace(op, scratches.size());
  if (isFirst)
    scratches.emplace_back();
  scratches[entry->second] = std::move(contents);
  return entry->second;
}

//===-- Failures ----------------------------------------------------------------------------===//

LogicalResult Evaluator::fail(Operation *op, const Twine &text) {
  llvm::raw_string_ostream stream(message);
  if (auto place = LocationAttr(op->getLoc()).findInstanceOf<FileLineColRange>())
    stream << place.getFilename().getValue() << ":" << place.getStartLine() << ":"
           << place.getStartColumn() << ": ";
  stream << op->getName() << ": " << text;
  if (!callStack.empty())
    stream << " (program " << program[0] << ", " << program[1] << ", " << program[2] << ")";
  return failure();
}

LogicalResult Evaluator::failAccess(Operation *op, size_t lane, uint64_t address,
                                    const Element &element) {
  SmallVector<std::pair<std::string, uint64_t>> pointers;
  Value base;
  if (auto access = dyn_cast<TileAccessOpInterface>(op))
    base = rootOf(access.getAccessedPointer());
  bool known = llvm::is_contained(kernel.getArguments(), base);
  for (BlockArgument argument : kernel.getArguments()) {
    if (!isa<tt::PointerType>(argument.getType()) || (known && argument != base))
      continue;
    auto name = LocationAttr(argument.getLoc()).findInstanceOf<NameLoc>();
    pointers.emplace_back(name ? "%" + name.getName().str()
                               : ("argument #" + Twine(argument.getArgNumber())).str(),
                          argumentTiles[argument.getArgNumber()]->words[0]);
  }
  return fail(op, "lane " + Twine(lane) + ": " + memory.explain(address, element, pointers));
}

} // namespace tigon::interpreter
