# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels on a GPU, through NVIDIA's driver: PTX and cubins alike."""
import ctypes
import functools

import torch


@functools.cache
def cuda():
    return ctypes.CDLL("libcuda.so.1")


def check(code, what):
    if code:
        name = ctypes.c_char_p()
        cuda().cuGetErrorName(code, ctypes.byref(name))
        raise RuntimeError(f"{what}: {name.value}")


class Kernel:
    """Blocks of (threads, 1, 1) with `shared` bytes of dynamic shared memory. Needs a current context."""

    def __init__(self, code, name, threads, shared):
        self.name, self.threads, self.shared = name, threads, shared
        module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        check(cuda().cuModuleLoadData(ctypes.byref(module), code + b"\0"), name)
        check(cuda().cuModuleGetFunction(ctypes.byref(self.function), module, name.encode()), "function")
        if shared > 48 << 10:
            check(cuda().cuFuncSetAttribute(self.function, 8, shared), "shared memory")
        self.registers, self.local = self.attribute(4), self.attribute(3)

    def attribute(self, number):
        value = ctypes.c_int()
        check(cuda().cuFuncGetAttribute(ctypes.byref(value), number, self.function), "attribute")
        return value.value

    def launch(self, grid, values):
        """On PyTorch's current stream; values of ctypes, all that the kernel takes."""
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.cast(ctypes.pointer(v), ctypes.c_void_p) for v in values])
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        check(cuda().cuLaunchKernel(self.function, *grid, self.threads, 1, 1, self.shared, stream, pointers, None),
              self.name)
