// SPDX-License-Identifier: Apache-2.0
//
// Session: an MLIR context with Tigon's dialects, and what was said in it. Contexts are pooled, one compilation at a time in
// each, with MLIR's own threads off; attributes made in a context are never freed, so it is replaced after some use.
#pragma once

#include "dialect/Result.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tigon {

class Session {
public:
  Session();
  /// Returns the context to the pool.
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  mlir::MLIRContext &context();

  /// Parse and verify TTIR.
  Result<mlir::OwningOpRef<mlir::ModuleOp>> parse(std::string_view text, std::string_view name);

  /// The first error since `clearDiagnostics`, or `fallback` if none was emitted.
  Error firstError(ErrorCode code, std::string_view fallback) const;
  void clearDiagnostics() { errors.clear(); }
  /// Remarks so far, as text.
  std::vector<std::string> remarks;

  struct Pooled;

private:
  std::unique_ptr<Pooled> pooled;
  uint64_t handler;
  std::vector<Error> errors;
};

} // namespace tigon
