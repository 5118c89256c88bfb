// SPDX-License-Identifier: Apache-2.0
#include "compiler/ProgramFacts.h"

#include <map>
#include <mutex>

using namespace mlir;

namespace tigon {

// Parsing a target asks the CPU or a table of LLVM's, and every pass asks; targets are few and never change.
const Target &targetOf(Operation *op) {
  static std::mutex mutex;
  static std::map<std::string, Target> known;
  auto module = isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
  auto attribute = module ? module->getAttrOfType<StringAttr>(targetAttr) : StringAttr();
  std::string name = attribute ? attribute.str() : "cpu";
  std::lock_guard lock(mutex);
  auto found = known.find(name);
  if (found == known.end()) {
    Result<Target> parsed = Target::parse(name);
    found = known.emplace(name, parsed ? *parsed : *Target::parse("cpu:x86-64")).first;
  }
  return found->second;
}

tg::PlanAttr planOf(Operation *function) {
  if (auto plan = function->getAttrOfType<tg::PlanAttr>(planAttr))
    return plan;
  return tg::PlanAttr::get(function->getContext(), 0, 0, 0, 0, 0, 0);
}

} // namespace tigon
