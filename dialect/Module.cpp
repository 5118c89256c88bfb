// SPDX-License-Identifier: Apache-2.0
#include "dialect/Module.h"

#include "dialect/ModuleState.h"
#include "dialect/Session.h"
#include "dialect/tt/TT.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

using namespace mlir;

namespace tigon {
namespace {

std::string elementName(Type type) {
  if (auto floating = dyn_cast<FloatType>(type); floating && floating.isBF16())
    return "bf16";
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

Result<void> checkKernels(ModuleOp module, std::string_view name) {
  if (module.getOps<tt::FuncOp>().empty())
    return fail(ErrorCode::InvalidProgram,
                fmt::format("{}: found no tt.func, expected a kernel", name));
  for (tt::FuncOp function : module.getOps<tt::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      return {};
  return fail(ErrorCode::InvalidProgram,
              fmt::format("{}: found no public tt.func with a body, expected a kernel", name));
}

} // namespace

ArgumentInfo describeArgument(tt::FuncOp kernel, BlockArgument argument) {
  ArgumentInfo info;
  unsigned number = argument.getArgNumber();
  Type type = argument.getType();
  if (auto named = dyn_cast<NameLoc>(argument.getLoc()))
    info.name = named.getName().str();
  else
    info.name = fmt::format("arg{}", number);
  if (auto pointer = dyn_cast<tt::PointerType>(type)) {
    info.type = "*" + elementName(pointer.getPointeeType());
    info.kind = ArgumentKind::Pointer;
    info.bytes = 8;
  } else {
    info.type = elementName(type);
    info.kind = isa<FloatType>(type) ? ArgumentKind::Float : ArgumentKind::Integer;
    info.bytes = type.isIntOrFloat() ? (type.getIntOrFloatBitWidth() + 7) / 8 : 8;
  }
  if (auto divisor = kernel.getArgAttrOfType<IntegerAttr>(number, "tt.divisibility"))
    info.divisibility = std::max<int64_t>(1, divisor.getInt());
  return info;
}

Result<Module> Module::parse(std::string_view text, std::string_view name) {
  Session session;
  auto parsed = session.parse(text, name);
  if (!parsed)
    return parsed.error();
  if (auto valid = checkKernels(**parsed, name); !valid)
    return valid.error();
  auto state = std::make_shared<State>();
  state->name = name;
  auto print = [&](std::string &to, OpPrintingFlags flags) {
    llvm::raw_string_ostream os(to);
    (*parsed)->print(os, flags.printNameLocAsPrefix());
  };
  print(state->text, OpPrintingFlags());
  print(state->textWithLocations, OpPrintingFlags().enableDebugInfo());
  for (tt::FuncOp function : (*parsed)->getOps<tt::FuncOp>()) {
    if (!function.isPublic() || function.isExternal())
      continue;
    state->kernels.push_back(function.getName().str());
    std::vector<ArgumentInfo> &arguments = state->arguments.emplace_back();
    for (BlockArgument argument : function.getArguments())
      arguments.push_back(describeArgument(function, argument));
  }
  return Module(std::shared_ptr<const State>(std::move(state)));
}

const std::vector<std::string> &Module::kernels() const { return state->kernels; }
const std::string &Module::name() const { return state->name; }

std::string Module::text(bool locations) const {
  return locations ? state->textWithLocations : state->text;
}

Result<std::vector<ArgumentInfo>> Module::arguments(std::string_view kernel) const {
  for (auto [name, arguments] : llvm::zip(state->kernels, state->arguments))
    if (name == kernel)
      return arguments;
  if (kernel.empty())
    return fail(ErrorCode::InvalidArgument,
                fmt::format("found {} kernels, expected the name of one of: {}",
                            state->kernels.size(), llvm::join(state->kernels, ", ")));
  return fail(ErrorCode::InvalidArgument, fmt::format("found no kernel '{}', expected one of: {}",
                                                      kernel, llvm::join(state->kernels, ", ")));
}

} // namespace tigon
