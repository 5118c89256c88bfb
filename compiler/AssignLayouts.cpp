// SPDX-License-Identifier: Apache-2.0
//
// AssignLayouts: every tile gets a layout.
//
// Most ops force the layouts of their tiles on each other: elementwise ops want one layout for all, and the shape ops and
// reductions a renaming of its bits (dialect/TileMap.h). So a layout given to one tile determines those of all tiles that
// hang together with it, but for bits that a broadcast adds. Layouts are therefore chosen for the largest tiles first, by
// what their memory accesses want (neighbouring lanes at neighbouring addresses, as many bytes a lane as one access
// takes), and spread from there. Where two choices meet, a tg.convert_layout is put between.
#include "compiler/AxisAnalysis.h"
#include "compiler/Passes.h"
#include "compiler/ProgramFacts.h"
#include "compiler/TileLayouts.h"
#include "compiler/lowering/Machine.h"
#include "dialect/LinearLayout.h"
#include "dialect/TileMap.h"

#include "llvm/ADT/MapVector.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

namespace tigon {
#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "compiler/Passes.h.inc"

namespace {

using namespace mlir;

RankedTensorType tileType(Value value) { return dyn_cast<RankedTensorType>(value.getType()); }

// How tiles of one shape are best laid out, by the accesses to tiles of that shape.
struct AccessChoice {
  SmallVector<unsigned> order; // axes, fastest first
  int64_t bytes = -1;          // weight of the access that decided the order
};

// An access along its fastest axis: neighbours that one instruction may take, by what is known of its addresses.
struct AccessWidth {
  int64_t elements, vector, elementBytes;

  // Of an element, in instructions: its share of an instruction, and of the 16-byte pieces that it moves. Where a thread has
  // more neighbours than one instruction takes, each instruction leaves gaps and touches as many pieces as a full one.
  double cost(int64_t neighbours) const {
    double taken = double(std::min(neighbours, vector));
    return double(elements) * (1 / taken + double(neighbours) / taken * double(elementBytes) / 16);
  }
};

class Assignment {
public:
  explicit Assignment(tt::FuncOp function)
      : function(function), target(targetOf(function)),
        warps(std::max(1, planOf(function).getWarps())), axes(function) {}

  void run() {
    collectAccesses();
    SmallVector<Value> tiles = tilesLargestFirst();
    for (Value tile : tiles)
      if (!layouts.contains(tile)) {
        assign(tile, chooseLayout(tileType(tile)));
        spread();
      }
    for (auto &[tile, layout] : layouts)
      setLayout(tile, layout);
    insertConversions();
  }

private:
  //===-- choosing ----------------------------------------------------------------------------------===//

  void collectAccesses() {
    function.walk([&](TileAccessOpInterface access) {
      Value pointer = access.getAccessedPointer();
      RankedTensorType type = tileType(pointer);
      if (!type || type.getRank() == 0)
        return;
      Type pointee = cast<tt::PointerType>(type.getElementType()).getPointeeType();
      int64_t elementBytes = Machine::memoryBytes(pointee);
      AxisInfo info = axes.get(pointer);
      SmallVector<unsigned> order = orderByContiguity(info);
      int64_t bytes = type.getNumElements() * elementBytes;
      AccessChoice &choice = choices[type.getShape().vec()];
      if (bytes > choice.bytes) {
        choice.bytes = bytes;
        choice.order = order;
      }
      // A thread's access must be aligned; a SIMD register's need not.
      int64_t neighbours = target.lanesAreThreads ? alignedNeighbours(info, order[0], elementBytes)
                                                  : info.contiguity[order[0]];
      int64_t vector = std::min(neighbours, target.accessBytes / elementBytes);
      widthsOfExtent[type.getDimSize(order[0])].push_back(
          {type.getNumElements(), vector, elementBytes});
    });
  }

  static SmallVector<unsigned> orderByContiguity(const AxisInfo &info) {
    auto order = llvm::to_vector(llvm::reverse(llvm::seq<unsigned>(0, info.getRank())));
    llvm::stable_sort(
        order, [&](unsigned a, unsigned b) { return info.contiguity[a] > info.contiguity[b]; });
    return order;
  }

  LinearLayout chooseLayout(RankedTensorType type) {
    AccessChoice choice;
    auto found = choices.find(type.getShape().vec());
    if (found != choices.end())
      choice = found->second;
    if (choice.order.empty())
      choice.order = llvm::to_vector(llvm::reverse(llvm::seq<unsigned>(0, type.getRank())));
    int64_t threads = int64_t(target.lanes) * warps;
    if (type.getRank() == 0 || !target.lanesAreThreads)
      return LinearLayout::blocked(type.getShape(), choice.order, 1, target.lanes, warps);
    int64_t vector = cheapestVector(widthsOfExtent[type.getDimSize(choice.order[0])]);
    vector = std::min(vector, std::max<int64_t>(1, type.getNumElements() / threads));
    return LinearLayout::blocked(type.getShape(), choice.order, vector, target.lanes, warps);
  }

  static int64_t cheapestVector(ArrayRef<AccessWidth> accesses) {
    int64_t best = 1, most = 1;
    double least = std::numeric_limits<double>::infinity();
    for (const AccessWidth &access : accesses)
      most = std::max(most, access.vector);
    for (int64_t vector = most; vector >= 1; vector /= 2) {
      double cost = 0;
      for (const AccessWidth &access : accesses)
        cost += access.cost(vector);
      if (cost < least) {
        least = cost;
        best = vector;
      }
    }
    return best;
  }

  SmallVector<Value> tilesLargestFirst() {
    SmallVector<Value> tiles;
    auto add = [&](Value value) {
      if (tileType(value))
        tiles.push_back(value);
    };
    function.walk([&](Operation *op) {
      for (Region &region : op->getRegions())
        for (Block &block : region)
          llvm::for_each(block.getArguments(), add);
      llvm::for_each(op->getResults(), add);
    });
    // Of tiles of one size those that are accessed come first: their layout is the one that costs.
    auto isAccessed = [](Value value) {
      return llvm::any_of(value.getUsers(), [&](Operation *user) {
        auto access = dyn_cast<TileAccessOpInterface>(user);
        return access && access.getAccessedPointer() == value;
      });
    };
    DenseMap<Value, std::pair<int64_t, bool>> rank;
    for (Value tile : tiles)
      rank[tile] = {tileType(tile).getNumElements(), isAccessed(tile)};
    llvm::stable_sort(tiles, [&](Value a, Value b) { return rank[a] > rank[b]; });
    return tiles;
  }

  //===-- spreading ---------------------------------------------------------------------------------===//

  void assign(Value tile, const LinearLayout &layout) {
    if (!layouts.try_emplace(tile, layout).second)
      return;
    if (Operation *definition = tile.getDefiningOp())
      worklist.push_back(definition);
    else
      worklist.push_back(tile.getParentBlock()->getParentOp());
    llvm::append_range(worklist, tile.getUsers());
  }

  void spread() {
    while (!worklist.empty())
      visit(worklist.pop_back_val());
  }

  void visit(Operation *op) {
    if (isa<TileMapOpInterface>(op))
      return visitMap(op);
    if (isa<RegionBranchOpInterface>(op))
      return forEachFlow(op, [&](OpOperand &from, Value to) { tie(from.get(), to); });
    if (isa<RegionBranchTerminatorOpInterface>(op))
      return visit(op->getParentOp());
    if (isa<tg::ScratchPutOp, tg::ScratchGetOp>(op))
      return visitScratch(op);
    if (!wantsOneLayout(op))
      return;
    SmallVector<Value> tied = tilesOf(op);
    for (Value a : tied)
      for (Value b : tied)
        tie(a, b);
  }

  std::optional<LinearLayout> find(Value tile) const {
    auto found = layouts.find(tile);
    return found == layouts.end() ? std::nullopt : std::optional(found->second);
  }

  void tie(Value a, Value b) {
    if (!tileType(a) || !tileType(b) || tileType(a).getShape() != tileType(b).getShape())
      return;
    if (std::optional<LinearLayout> known = find(a))
      assign(b, *known);
    else if (std::optional<LinearLayout> known = find(b))
      assign(a, *known);
  }

  void visitMap(Operation *op) {
    for (Value result : op->getResults())
      tie(op->getResult(0), result);
    for (OpOperand &operand : op->getOpOperands()) {
      if (!tileType(operand.get()))
        continue;
      tie(op->getOperand(0), operand.get());
      std::optional<LinearLayout> result = find(op->getResult(0)), source = find(operand.get());
      if (result && resultLeads(op))
        assign(operand.get(), operandLayout(op, operand.getOperandNumber(), *result));
      else if (source && tileType(op->getResult(0)))
        for (Value value : op->getResults())
          assign(value, resultLayout(op, operand.getOperandNumber(), *source));
    }
  }

  // Private scratch is read by the thread that wrote it, in the same registers.
  void visitScratch(Operation *op) {
    auto put = dyn_cast<tg::ScratchPutOp>(op);
    auto get = dyn_cast<tg::ScratchGetOp>(op);
    Value scratch = put ? put.getScratch() : get.getScratch();
    if (!isPrivate(scratch))
      return;
    Value ours = put ? put.getValue() : get.getResult();
    for (Operation *user : scratch.getUsers()) {
      if (auto other = dyn_cast<tg::ScratchPutOp>(user))
        tie(ours, other.getValue());
      else if (auto other = dyn_cast<tg::ScratchGetOp>(user))
        tie(ours, other.getResult());
    }
  }

  //===-- rules of ops ------------------------------------------------------------------------------===//

  static bool isPrivate(Value scratch) {
    auto alloc = scratch.getDefiningOp<tg::ScratchAllocOp>();
    return alloc && alloc.getResidency() == tg::Residency::Private;
  }

  static SmallVector<Value> tilesOf(Operation *op) {
    SmallVector<Value> tiles;
    for (Value value : op->getResults())
      if (tileType(value))
        tiles.push_back(value);
    for (Value value : op->getOperands())
      if (tileType(value))
        tiles.push_back(value);
    return tiles;
  }

  // Bits that the operand lacks go to threads that would hold duplicates, then to new registers.
  LinearLayout resultLayout(Operation *op, unsigned operand, const LinearLayout &source) {
    auto shape = tileType(op->getResult(0)).getShape();
    LinearLayout layout =
        source.mapBits(shape, [&](unsigned bit) { return getOperandBit(op, operand, bit); })
            .dropFreeRegisters();
    for (unsigned bit = 0; bit < layout.getNumBits(); ++bit)
      if (!getOperandBit(op, operand, bit))
        giveBit(layout, uint32_t(1) << bit);
    return layout;
  }

  static void giveBit(LinearLayout &layout, uint32_t image) {
    for (Index index : {Index::Lane, Index::Warp}) {
      SmallVector<uint32_t> images(layout.getImages(index));
      auto free = llvm::find(images, 0u);
      if (free == images.end())
        continue;
      *free = image;
      layout.setImages(index, images);
      return;
    }
    SmallVector<uint32_t> registers(layout.getImages(Index::Register));
    registers.push_back(image);
    layout.setImages(Index::Register, registers);
  }

  // All (operand, region argument or result) pairs between which control flow hands values.
  static void forEachFlow(Operation *op, llvm::function_ref<void(OpOperand &, Value)> visit) {
    auto branch = cast<RegionBranchOpInterface>(op);
    auto hand = [&](OperandRange from, ValueRange to) {
      for (auto [number, target] : llvm::enumerate(to))
        visit(from.getBase()[number], target);
    };
    SmallVector<RegionSuccessor> successors;
    branch.getSuccessorRegions(RegionBranchPoint::parent(), successors);
    for (RegionSuccessor &successor : successors) {
      OperandRange from = branch.getEntrySuccessorOperands(successor);
      if (!from.empty())
        hand(from, successor.getSuccessorInputs());
    }
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        auto terminator = dyn_cast<RegionBranchTerminatorOpInterface>(block.getTerminator());
        if (!terminator)
          continue;
        SmallVector<RegionSuccessor> next;
        branch.getSuccessorRegions(terminator, next);
        for (RegionSuccessor &successor : next) {
          OperandRange from = terminator.getSuccessorOperands(successor);
          if (!from.empty())
            hand(from, successor.getSuccessorInputs());
        }
      }
  }

  //===-- types and conversions ---------------------------------------------------------------------===//

  static void convert(OpOperand &operand, const LinearLayout &layout) {
    if (*tg::getLayout(operand.get().getType()) == layout)
      return;
    OpBuilder builder(operand.getOwner());
    Value value = operand.get();
    RankedTensorType type = withLayout(tileType(value), layout);
    operand.set(tg::ConvertLayoutOp::create(builder, value.getLoc(), type, value));
  }

  void insertConversions() {
    SmallVector<Operation *> ops;
    function.walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops) {
      if (isa<RegionBranchOpInterface>(op))
        forEachFlow(op, [&](OpOperand &from, Value to) {
          if (tileType(to))
            convert(from, LinearLayout(*tg::getLayout(to.getType())));
        });
      else if (isa<TileMapOpInterface>(op))
        convertMap(op);
      else if (isa<tg::ScratchPutOp>(op))
        convertScratch(cast<tg::ScratchPutOp>(op));
      else if (wantsOneLayout(op))
        convertToOne(op);
    }
  }

  void convertToOne(Operation *op) {
    SmallVector<Value> tiles = tilesOf(op);
    if (tiles.empty())
      return;
    LinearLayout layout = *tg::getLayout(tiles.front().getType());
    for (OpOperand &operand : op->getOpOperands())
      if (tileType(operand.get()))
        convert(operand, layout);
  }

  void convertMap(Operation *op) {
    if (resultLeads(op)) {
      LinearLayout result = *tg::getLayout(op->getResult(0).getType());
      for (OpOperand &operand : op->getOpOperands())
        if (tileType(operand.get()))
          convert(operand, operandLayout(op, operand.getOperandNumber(), result));
      return;
    }
    LinearLayout source = *tg::getLayout(op->getOperand(0).getType());
    for (OpOperand &operand : op->getOpOperands())
      convert(operand, source);
    for (OpResult result : op->getResults()) {
      if (!tileType(result))
        continue;
      Type wanted = result.getType();
      LinearLayout given = resultLayout(op, 0, source);
      if (given == *tg::getLayout(wanted))
        continue;
      OpBuilder builder(op->getContext());
      builder.setInsertionPointAfter(op);
      setLayout(result, given);
      auto converted = tg::ConvertLayoutOp::create(builder, result.getLoc(), wanted, result);
      result.replaceAllUsesExcept(converted, converted);
    }
  }

  void convertScratch(tg::ScratchPutOp put) {
    if (!isPrivate(put.getScratch()))
      return;
    for (Operation *user : put.getScratch().getUsers())
      if (auto get = dyn_cast<tg::ScratchGetOp>(user))
        return convert(put.getValueMutable(),
                       LinearLayout(*tg::getLayout(get.getResult().getType())));
  }

  tt::FuncOp function;
  const Target &target;
  int64_t warps;
  AxisAnalysis axes;
  std::map<std::vector<int64_t>, AccessChoice> choices;
  std::map<int64_t, SmallVector<AccessWidth>> widthsOfExtent;
  llvm::MapVector<Value, LinearLayout> layouts;
  SmallVector<Operation *> worklist;
};

struct AssignLayouts : impl::AssignLayoutsBase<AssignLayouts> {
  void runOnOperation() override { Assignment(getOperation()).run(); }
};

} // namespace
} // namespace tigon
