# SPDX-License-Identifier: Apache-2.0
# FileCheck tests: `// RUN: tigon-opt %s | FileCheck %s`.
import os

import lit.formats

config.name = "tigon"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".ttir"]
config.test_source_root = os.path.dirname(__file__)
config.environment["PATH"] = os.pathsep.join([config.tigon_bin, config.llvm_bin, os.environ["PATH"]])
