// SPDX-License-Identifier: Apache-2.0
//
// tigon-opt: run single passes on tile programs, for tests and for looking.
#include "compiler/Passes.h"
#include "dialect/Dialects.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tigon::registerTileDialects(registry);
  registry.insert<mlir::NVVM::NVVMDialect>(); // what -tigon-lower-tiles makes
  mlir::registerTransformsPasses();
  tigon::registerTigonPasses();
  return mlir::failed(mlir::MlirOptMain(argc, argv, "Tigon's passes, one at a time\n", registry));
}
