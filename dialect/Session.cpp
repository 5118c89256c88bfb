// SPDX-License-Identifier: Apache-2.0
#include "dialect/Session.h"

#include "dialect/Dialects.h"

#include "llvm/Support/SourceMgr.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <mutex>

using namespace mlir;

namespace tigon {

struct Session::Pooled {
  Pooled() : context(registry(), MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
    context.printOpOnDiagnostic(false);
  }

  static const DialectRegistry &registry() {
    static const DialectRegistry *all = [] {
      auto *registry = new DialectRegistry;
      registerTileDialects(*registry);
      registry->insert<NVVM::NVVMDialect>();
      return registry;
    }();
    return *all;
  }

  MLIRContext context;
  unsigned uses = 0;
};

namespace {

// After so many uses a context is dropped, with the attributes that piled up in it (measured: about 40 KB a compilation).
constexpr unsigned usesOfContext = 200;

struct ContextPool {
  std::mutex mutex;
  std::vector<std::unique_ptr<Session::Pooled>> idle;
};

ContextPool &contextPool() {
  static ContextPool *pool = new ContextPool; // may be in use while statics are destroyed
  return *pool;
}

SourceLocation sourceOf(Location location) {
  SourceLocation source;
  location->walk([&](Location inner) {
    auto file = dyn_cast<FileLineColLoc>(inner);
    if (!file)
      return WalkResult::advance();
    source = {file.getFilename().str(), file.getLine(), file.getColumn()};
    return WalkResult::interrupt();
  });
  return source;
}

} // namespace

Session::Session() {
  {
    std::lock_guard lock(contextPool().mutex);
    if (!contextPool().idle.empty()) {
      pooled = std::move(contextPool().idle.back());
      contextPool().idle.pop_back();
    }
  }
  if (!pooled)
    pooled = std::make_unique<Pooled>();
  handler = pooled->context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      errors.push_back(
          {ErrorCode::InvalidProgram, diagnostic.str(), sourceOf(diagnostic.getLocation())});
    else if (diagnostic.getSeverity() == DiagnosticSeverity::Remark)
      remarks.push_back(diagnostic.str());
    return success();
  });
}

Session::~Session() {
  pooled->context.getDiagEngine().eraseHandler(handler);
  if (++pooled->uses >= usesOfContext)
    return;
  std::lock_guard lock(contextPool().mutex);
  contextPool().idle.push_back(std::move(pooled));
}

MLIRContext &Session::context() { return pooled->context; }

// What MLIR's parser would not survive, as "found ..., expected ..."; empty: nothing.
//   - Parsing and verifying recurse into regions, attributes and types, on whatever stack the caller has: 1000 levels of regions are
//     safe in 8 MB, 4000 are not, nor 8000 of others.
//   - `array<index: 1>` asks an index for its width.
static std::string findFatal(llvm::StringRef text) {
  constexpr int mostNested = 512;
  auto isOneOf = [](llvm::StringRef set, char c) { return int(set.contains(c)); };
  int depth = 0;
  while (!text.empty()) {
    if (text.starts_with("//")) {
      text = text.drop_until([](char c) { return c == '\n'; });
    } else if (text.front() == '"') {
      do
        text = text.drop_front(text.starts_with("\\") ? std::min<size_t>(2, text.size()) : 1);
      while (!text.empty() && text.front() != '"');
      text = text.drop_front(text.empty() ? 0 : 1);
    } else if (text.consume_front("array")) {
      llvm::StringRef rest = text.ltrim();
      if (rest.consume_front("<") && rest.ltrim().starts_with("index"))
        return "found array<index: ...>, expected elements of an integer or float type";
    } else if (!text.consume_front("->") && !text.consume_front(">=")) {
      depth += isOneOf("{[(<", text.front()) - isOneOf("}])>", text.front());
      if (depth > mostNested)
        return "found more than 512 open brackets, expected regions, attributes and types that are "
               "nested less deeply";
      text = text.drop_front();
    }
  }
  return "";
}

Result<OwningOpRef<ModuleOp>> Session::parse(std::string_view text, std::string_view name) {
  if (std::string fatal = findFatal({text.data(), text.size()}); !fatal.empty())
    return fail(ErrorCode::InvalidProgram, std::string(name) + ": " + fatal);
  // MLIR's lexer reads the byte after the text, which must be NUL; a copy has one.
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(text.data(), text.size()),
                                                     llvm::StringRef(name.data(), name.size()));
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  clearDiagnostics();
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(sources, ParserConfig(&context(), /*verifyAfterParse=*/true));
  if (!module)
    return firstError(ErrorCode::InvalidProgram, "found text that does not parse as TTIR");
  return module;
}

Error Session::firstError(ErrorCode code, std::string_view fallback) const {
  if (errors.empty())
    return fail(code, std::string(fallback));
  Error error = errors.front();
  error.code = code;
  return error;
}

} // namespace tigon
