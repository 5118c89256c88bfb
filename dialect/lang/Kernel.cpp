// SPDX-License-Identifier: Apache-2.0
#include "dialect/lang/Emission.h"

#include "llvm/Support/raw_ostream.h"
#include "mlir/IR/Verifier.h"

#include <algorithm>
#include <atomic>

using namespace mlir;

namespace tigon::lang {
namespace {

// This thread's kernels that are not built yet, the innermost last.
thread_local std::vector<std::weak_ptr<Kernel::State>> openKernels;

uint32_t makeId() {
  static std::atomic<uint32_t> last = 0;
  return ++last;
}

bool isName(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '.' || c == '$';
  });
}

} // namespace

std::shared_ptr<Kernel::State> currentKernel() {
  while (!openKernels.empty()) {
    if (auto state = openKernels.back().lock(); state && !state->isBuilt)
      return state;
    openKernels.pop_back();
  }
  return nullptr;
}

Kernel::State::State(std::string_view name, Where where)
    : name(name), id(makeId()), builder(&session.context()) {
  Location location = locationOf(where);
  module = ModuleOp::create(location);
  builder.setInsertionPointToStart(module->getBody());
  function = tt::FuncOp::create(builder, location, this->name, builder.getFunctionType({}, {}));
  // Spelled out, as Triton does.
  function->setAttr(SymbolTable::getVisibilityAttrName(), builder.getStringAttr("public"));
  function->setAttr("noinline", builder.getBoolAttr(false));
  builder.setInsertionPointToStart(&function.getBody().emplaceBlock());
  if (!isName(name))
    complain(where, fmt::format("found the kernel name '{}', expected letters, digits and "
                                "underscores",
                                name));
}

Location Kernel::State::locationOf(Where where) {
  return FileLineColLoc::get(&session.context(), where.file_name(), where.line(), where.column());
}

void Kernel::State::complain(Where where, std::string message) {
  errors.push_back({ErrorCode::InvalidProgram,
                    std::move(message),
                    {where.file_name(), where.line(), where.column()}});
}

Kernel::Kernel(std::string_view name, Where where) : state(std::make_shared<State>(name, where)) {
  openKernels.push_back(state);
}

Kernel::~Kernel() = default;

static Value addArgument(Kernel::State &state, std::string_view name, bool isPointer, DType dtype,
                         const ArgumentHints &hints, Where where) {
  Emission emit("argument", where, {});
  if (!emit || emit.state != &state)
    return emit.fail("found '{}' of kernel '{}', expected one of the kernel opened last", name,
                     state.name);
  if (!isName(name))
    return emit.fail("found the name '{}', expected letters, digits and underscores", name);
  if (std::ranges::find(state.arguments, name) != state.arguments.end())
    return emit.fail("found a second '{}', expected another name", name);
  if (hints.divisibility < 1 || (hints.divisibility > 1 && !isPointer && isFloat(dtype)))
    return emit.fail("found the divisibility {} of '{}', expected 1 or more, of a pointer or an "
                     "integer",
                     hints.divisibility, name);
  state.arguments.emplace_back(name);
  Block &entry = state.function.getBody().front();
  Type type = isPointer ? emit.pointerTo(dtype) : emit.elementType(dtype);
  Location location = NameLoc::get(state.builder.getStringAttr(name), state.locationOf(where));
  BlockArgument argument = entry.addArgument(type, location);
  state.function.setType(state.builder.getFunctionType(entry.getArgumentTypes(), {}));
  if (hints.divisibility > 1)
    state.function.setArgAttr(argument.getArgNumber(), "tt.divisibility",
                              state.builder.getI32IntegerAttr(int32_t(hints.divisibility)));
  Value::Handle handle = emit.wrap(argument, dtype).internal();
  handle.isConst = hints.isConst;
  return Value(handle);
}

Value Kernel::pointer(std::string_view name, DType dtype, const ArgumentHints &hints, Where where) {
  return addArgument(*state, name, /*isPointer=*/true, dtype, hints, where);
}

Value Kernel::scalar(std::string_view name, DType dtype, const ArgumentHints &hints, Where where) {
  return addArgument(*state, name, /*isPointer=*/false, dtype, hints, where);
}

Result<Module> Kernel::build() {
  if (state->isBuilt)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("found a second build of kernel '{}', expected one", state->name));
  state->isBuilt = true;
  tt::ReturnOp::create(state->builder, state->function.getLoc(), ValueRange());
  if (!state->errors.empty()) {
    Error error = state->errors.front();
    if (size_t others = state->errors.size() - 1)
      error.message += fmt::format(" (the first of {} mistakes)", others + 1);
    return error;
  }
  state->session.clearDiagnostics();
  if (failed(mlir::verify(*state->module)))
    return state->session.firstError(ErrorCode::InvalidProgram,
                                     "found a kernel that does not verify");
  std::string text;
  llvm::raw_string_ostream os(text);
  state->module->print(os, OpPrintingFlags().enableDebugInfo().printNameLocAsPrefix());
  return Module::parse(text, state->name);
}

Value Value::named(std::string_view name, Where where) const {
  Emission emit("named", where, {this});
  if (!emit)
    return emit.poison();
  if (!isName(name))
    return emit.fail("found the name '{}', expected letters, digits and underscores", name);
  Value value = emit.literal(*this);
  mlir::Value ir = emit.ir(value);
  ir.setLoc(NameLoc::get(emit.state->builder.getStringAttr(name), ir.getLoc()));
  return value;
}

Shape Value::shape() const {
  ArrayRef<int64_t> shape = shapeOf(*this);
  return Shape(shape.begin(), shape.end());
}

Value Value::to(DType dtype, Where where) const {
  return cast(*this, dtype, Rounding::Nearest, where);
}

void Value::setReal(double number) {
  handle = Handle(Handle::Real, typeOfReal(number));
  handle.real = number;
}

void Value::setBool(bool number) {
  handle = Handle(Handle::Boolean, I1);
  handle.integer = number;
}

void Value::setInteger(int64_t number) {
  handle = Handle(Handle::Integer, typeOfInteger(number));
  handle.integer = number;
}

void Value::setUnsigned(uint64_t number) {
  handle = Handle(Handle::Unsigned, typeOfUnsigned(number));
  handle.integer = int64_t(number);
}

} // namespace tigon::lang
