// SPDX-License-Identifier: Apache-2.0
//
// A relocatable object of the host, linked into memory by LLVM's JITLink. Each has a session of its
// own: nothing is shared, no thread is started, and all of it goes with the object.
#pragma once

#include "dialect/Result.h"
#include "runtime/CpuPool.h"

#include <memory>
#include <string>

namespace tigon {

class CpuObject {
public:
  /// Links `code` against CpuSymbols.def and nothing else. Fails if it is no object of this host,
  /// lacks `symbol`, or calls what is not in the table.
  static Result<std::unique_ptr<CpuObject>> load(const std::string &code,
                                                 const std::string &symbol);
  ~CpuObject();
  CpuObject(const CpuObject &) = delete;
  CpuObject &operator=(const CpuObject &) = delete;

  CpuFunction function() const { return entry; }

private:
  struct Session;
  explicit CpuObject(std::unique_ptr<Session> session);
  Result<void> link(const std::string &code, const std::string &symbol);

  std::unique_ptr<Session> session;
  CpuFunction entry = nullptr;
};

} // namespace tigon
