// SPDX-License-Identifier: Apache-2.0
//
// Ops that compute nothing: prints, asserts, promises, barriers; and the inline assembly of ordinary
// kernels.
#include "dialect/interpreter/Elementwise.h"
#include "dialect/ttg/TTG.h"

#include "llvm/Support/Format.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <chrono>

using namespace mlir;

namespace tigon::interpreter {
namespace {

// The coordinates of element `flat`: `(1, 3)`, or nothing for a scalar.
std::string getCoordinates(Type type, size_t flat) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return "";
  SmallVector<std::string> coordinates;
  for (int64_t size : llvm::reverse(tensor.getShape())) {
    coordinates.push_back(std::to_string(flat % size));
    flat /= size;
  }
  return "(" + llvm::join(llvm::reverse(coordinates), ", ") + ")";
}

void printElement(llvm::raw_ostream &stream, const Element &element, Lane lane, bool hex,
                  bool isSigned) {
  if (hex) {
    uint64_t bits = element.format ? element.format->encode(lane.real) : lane.word;
    stream << llvm::format_hex(bits, 2 + element.bytes() * 2);
  } else if (element.format) {
    stream << llvm::format("%.9g", lane.real);
  } else if (isSigned) {
    stream << element.extend(lane.word);
  } else {
    stream << lane.word;
  }
}

// One line an element, much as Triton prints them: `pid (0, 0, 0) idx (3) x: 1.5`.
LogicalResult evaluatePrint(Evaluator &evaluator, tt::PrintOp op) {
  if (!evaluator.options.output)
    return success();
  llvm::raw_ostream &stream = *evaluator.options.output;
  auto begin = [&]() -> llvm::raw_ostream & {
    return stream << "pid (" << evaluator.program[0] << ", " << evaluator.program[1] << ", "
                  << evaluator.program[2] << ")";
  };
  if (op.getArgs().empty())
    begin() << op.getPrefix() << "\n";
  for (auto [number, value] : llvm::enumerate(op.getArgs())) {
    const Tile &tile = evaluator.get(value);
    bool isSigned = number < op.getIsSigned().size() && op.getIsSigned()[number];
    for (size_t i = 0; i < tile.size(); ++i) {
      std::string coordinates = getCoordinates(value.getType(), i);
      begin() << (coordinates.empty() ? "" : " idx ") << coordinates << op.getPrefix();
      if (op.getArgs().size() > 1)
        stream << "(operand " << number << ") ";
      printElement(stream, getElement(value.getType()), tile.get(i), op.getHex(), isSigned);
      stream << "\n";
    }
  }
  return success();
}

LogicalResult expectTrue(Evaluator &evaluator, Operation *op, Value condition, const Twine &what) {
  for (auto [lane, holds] : llvm::enumerate(evaluator.get(condition).words))
    if (!holds)
      return evaluator.fail(op, "found false in lane " + Twine(lane) + ": " + what);
  return success();
}

LogicalResult evaluateAssert(Evaluator &evaluator, tt::AssertOp op) {
  return expectTrue(evaluator, op, op.getCondition(), op.getMessage());
}

LogicalResult evaluateCfAssert(Evaluator &evaluator, cf::AssertOp op) {
  return expectTrue(evaluator, op, op.getArg(), op.getMsg());
}

LogicalResult evaluateAssume(Evaluator &evaluator, LLVM::AssumeOp op) {
  return expectTrue(evaluator, op, op.getCond(), "a promise of the program is broken");
}

// Some value: zeros. Of block pointers, descriptors and scratch there is none.
LogicalResult evaluatePoison(Evaluator &evaluator, ub::PoisonOp op) {
  Type element = getElementTypeOrSelf(op.getType());
  if (!isa<IntegerType, IndexType, FloatType, tt::PointerType>(element))
    return evaluator.fail(op, "found a poison of type " + debugString(op.getType()));
  return evaluator.set(op, Tile::of(getElement(op.getType()), getTileElements(op.getType())));
}

// Programs run one after the other, and so do their ops.
LogicalResult evaluateNothing(Evaluator &, Operation *) { return success(); }

// `mov.u64  $0, %globaltimer; // now` -> `mov.u64 $0, %globaltimer;`
std::string normalize(StringRef assembly) {
  SmallVector<StringRef> words;
  llvm::SplitString(assembly.take_front(assembly.find("//")), words);
  return llvm::join(words, " ");
}

LogicalResult evaluateInlineAsm(Evaluator &evaluator, tt::ElementwiseInlineAsmOp op) {
  std::string assembly = normalize(op.getAsmString());
  uint64_t value = 0; // of %smid: all programs run on one multiprocessor
  if (assembly == "mov.u64 $0, %globaltimer;")
    value = std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
  else if (assembly != "mov.u32 $0, %smid;" && assembly != "griddepcontrol.wait;" &&
           assembly != "griddepcontrol.launch_dependents;")
    return evaluator.fail(op, "found inline assembly that the interpreter does not know: '" +
                                  assembly + "'");
  for (Value result : op.getResult()) {
    Element element = getElement(result.getType());
    if (element.format)
      return evaluator.fail(op, "found '" + assembly + "' with a float result");
    (void)evaluator.set(result,
                        Tile::ofWords(getTileElements(result.getType()), element.truncate(value)));
  }
  return success();
}

} // namespace

void addDebugOps(OpTable &table) {
  table.add<evaluatePrint>();
  table.add<evaluateAssert>();
  table.add<evaluateCfAssert>();
  table.add<evaluateAssume>();
  table.add<evaluatePoison>();
  table.add<evaluateInlineAsm>();
  table.add<gpu::BarrierOp>(evaluateNothing);
  table.add<ttg::BarrierOp>(evaluateNothing);
  table.add<tt::GridDependencyWaitOp>(evaluateNothing);
  table.add<tt::GridDependencyLaunchOp>(evaluateNothing);
}

} // namespace tigon::interpreter
