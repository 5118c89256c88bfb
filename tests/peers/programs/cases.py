# SPDX-License-Identifier: Apache-2.0
"""What the tier1 files share: the register of cases, the types to try, and inputs."""
import torch
import triton

VERSION = tuple(int(part) for part in triton.__version__.split(".")[:2])
FLOATS = [torch.float32, torch.float16, torch.bfloat16, torch.float64]
INTEGERS = [torch.int32, torch.int64, torch.int16, torch.int8, torch.uint8]
cases = []


def case(since=(3, 2), until=(3, 99)):
    """Register a function that launches kernels, for these versions of Triton."""

    def register(launch):
        if since <= VERSION <= until:
            cases.append(launch)
        return launch

    return register


def randn(*shape, dtype=torch.float32):
    return torch.randn(*shape).to(dtype)


def randint(*shape, low=1, high=100, dtype=torch.int32):
    return torch.randint(low, high, shape).to(dtype)
