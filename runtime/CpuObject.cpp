// SPDX-License-Identifier: Apache-2.0
#include "runtime/CpuObject.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/ExecutionEngine/Orc/TaskDispatch.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TargetParser/Host.h"

#include <cmath>
#include <cstring>
#include <fmt/format.h>

extern "C" {
#define CPU_SYMBOL(name, type)
#define CPU_HELPER(name) void name();
#include "runtime/CpuSymbols.def"
}

namespace tigon {
namespace {

using namespace llvm::orc;

struct CpuSymbol {
  const char *name;
  void *address;
};

template <typename T> void *addressOf(T *function) { return reinterpret_cast<void *>(function); }

// The types pick the C function among C++'s overloads.
const CpuSymbol symbolTable[] = {
#define CPU_SYMBOL(name, type) {#name, addressOf<type>(&::name)},
#define CPU_HELPER(name) {#name, addressOf(&::name)},
#include "runtime/CpuSymbols.def"
};

Error refuse(const std::string &symbol, std::string message) {
  return fail(ErrorCode::InvalidArgument, fmt::format("kernel '{}': {}", symbol, message));
}

/// Looks before linking, for messages that name what is wrong.
Result<void> inspect(llvm::MemoryBufferRef code, const std::string &symbol) {
  auto object = llvm::object::ObjectFile::createELFObjectFile(code);
  if (!object)
    return refuse(symbol, "found code that is no ELF object: " + toString(object.takeError()));
  llvm::Triple host(llvm::sys::getProcessTriple());
  if ((*object)->getArch() != host.getArch())
    return refuse(symbol, fmt::format("found code for {}, but this host is {}",
                                      llvm::Triple::getArchTypeName((*object)->getArch()).str(),
                                      llvm::Triple::getArchTypeName(host.getArch()).str()));

  llvm::StringSet<> known;
  for (const CpuSymbol &entry : symbolTable)
    known.insert(entry.name);
  std::string unknown;
  bool isDefined = false;
  for (const llvm::object::SymbolRef &found : (*object)->symbols()) {
    auto flags = found.getFlags();
    auto name = found.getName();
    if (!flags || !name) {
      llvm::consumeError(flags.takeError());
      llvm::consumeError(name.takeError());
      return refuse(symbol, "found code with a damaged symbol table");
    }
    bool isUndefined = *flags & llvm::object::SymbolRef::SF_Undefined;
    isDefined |= !isUndefined && *name == symbol;
    if (isUndefined && !name->empty() && !known.contains(*name))
      unknown += fmt::format("{}{}", unknown.empty() ? "" : ", ", name->str());
  }
  if (!isDefined)
    return refuse(symbol, "found no function of this name in its own code");
  if (!unknown.empty())
    return refuse(symbol, fmt::format("its code calls {}, which the runtime does not offer "
                                      "(runtime/CpuSymbols.def lists what it does)",
                                      unknown));
  return {};
}

} // namespace

struct CpuObject::Session {
  explicit Session(std::unique_ptr<ExecutorProcessControl> control)
      : execution(std::move(control)), layer(execution) {}
  ~Session() { llvm::consumeError(execution.endSession()); }

  ExecutionSession execution;
  ObjectLinkingLayer layer;
};

CpuObject::CpuObject(std::unique_ptr<Session> session) : session(std::move(session)) {}

CpuObject::~CpuObject() = default;

Result<std::unique_ptr<CpuObject>> CpuObject::load(const std::string &code,
                                                   const std::string &symbol) {
  if (auto sound = inspect({code, symbol}, symbol); !sound)
    return sound.error();
  // In place: ORC's default would run its tasks on threads of its own.
  auto control =
      SelfExecutorProcessControl::Create(nullptr, std::make_unique<InPlaceTaskDispatcher>());
  if (!control)
    return fail(ErrorCode::Internal,
                "cannot start the linker for host code: " + toString(control.takeError()));
  std::unique_ptr<CpuObject> object(new CpuObject(std::make_unique<Session>(std::move(*control))));
  if (auto linked = object->link(code, symbol); !linked)
    return linked.error();
  return object;
}

Result<void> CpuObject::link(const std::string &code, const std::string &symbol) {
  ExecutionSession &execution = session->execution;
  std::string reasons;
  execution.setErrorReporter( // which would print
      [&](llvm::Error error) { reasons += toString(std::move(error)) + "; "; });
  JITDylib &library = execution.createBareJITDylib(symbol);

  SymbolMap symbols;
  for (const CpuSymbol &entry : symbolTable)
    symbols[execution.intern(entry.name)] = {ExecutorAddr::fromPtr(entry.address),
                                             llvm::JITSymbolFlags::Exported};
  llvm::Error failed = library.define(absoluteSymbols(std::move(symbols)));
  if (!failed)
    failed = session->layer.add(library, llvm::MemoryBuffer::getMemBufferCopy(code, symbol));
  if (!failed) {
    auto found = execution.lookup({&library}, execution.intern(symbol));
    if (found)
      entry = found->getAddress().toPtr<CpuFunction>();
    else
      failed = found.takeError();
  }
  execution.setErrorReporter([](llvm::Error error) { llvm::consumeError(std::move(error)); });
  if (failed)
    return refuse(symbol, "its code cannot be linked: " + reasons + toString(std::move(failed)));
  return {};
}

} // namespace tigon
