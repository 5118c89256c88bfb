# SPDX-License-Identifier: Apache-2.0
"""Make many calls whose kernels are wanted even where other calls fail, and report the failures."""
import argparse
import sys
import traceback

import torch
import triton


class Calls:
    """Takes --only NAME, --trace and the given further options; `finish` prints and exits.

    The exit status tells whether a call failed.
    """

    def __init__(self, description, **defaults):
        parser = argparse.ArgumentParser(description=description.splitlines()[0])
        parser.add_argument("--only", default="", help="calls whose name holds this")
        parser.add_argument("--trace", action="store_true", help="print every failure's traceback")
        for name, default in defaults.items():
            parser.add_argument(f"--{name}", default=default, help=f"default {default}")
        self.options = parser.parse_args()
        self.good = 0
        self.failures = {}
        torch.manual_seed(0)

    def __call__(self, name, function, *arguments, **options):
        """Call it and, where its results require gradients, run its backward pass with ones."""
        if self.options.only not in name:
            return
        try:
            backward(function(*arguments, **options))
            self.good += 1
        except Exception as error:  # whatever one call does wrong, the others are still wanted
            self.failures.setdefault(name, f"{type(error).__name__}: {str(error)[-300:]}")
            if self.options.trace:
                traceback.print_exc()

    def finish(self):
        for name, failure in self.failures.items():
            print(f"{name}: {failure}")
        bad = len(self.failures)
        print(f"{self.good} calls ok, {bad} names failed, Triton {triton.__version__}")
        sys.exit(bad > 0)


def backward(results):
    results = results if isinstance(results, (tuple, list)) else (results,)
    results = [result for result in results if torch.is_tensor(result) and result.requires_grad]
    if results:
        torch.autograd.backward(results, [torch.ones_like(result) for result in results])


class Tensors:
    """Makes random tensors of one type: `x` with a gradient, `c` without."""

    def __init__(self, dtype):
        self.dtype = dtype

    def x(self, *shape):
        return self.c(*shape).requires_grad_()

    def c(self, *shape):
        return torch.randn(*shape).to(self.dtype)
