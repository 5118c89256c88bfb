# SPDX-License-Identifier: Apache-2.0
"""Record the TTIR of every Triton kernel that a Python program compiles, on a machine without a GPU.

    TTIR_OUT=folder python ttir_recorder.py program.py arguments...
    TTIR_OUT=folder python ttir_recorder.py -m module arguments...

(`record`, beside this file, does that inside one of our environments.) It registers a Triton back
end whose last stage is TTIR, for a made-up GPU (TTIR_ARCH, default 90), and a launcher that
launches nothing. Tensors stay on the CPU. Outputs keep what their buffers held; so that a recording
does not depend on chance, tensors made by torch.empty and its kin are zeroed. Triton 3.2 to 3.9.

TTIR_OUT receives one NAME-HASH.ttir a distinct text, and launches-PID.json, which holds what a
replay needs of the first launch of each compiled kernel:

    {"triton": version, "target": "cuda:90", "program": [arguments], "kernels": [
      {"ttir": file, "name": symbol, "grid": [x, y, z], "launches": how often,
       "options": {"num_warps": ...}, "constants": {parameter: value compiled in},
       "args": [{"name", "type", "value"}                                 a scalar
                {"name", "type", "tensor": {"dtype", "shape", "strides",  a pointer; strides count
                  "address", "storage": [address, bytes],                 elements; arguments alias
                  "range": [least, greatest] or "values": [...]}}         as their addresses do
                {"name", "type", "descriptor": {"base": tensor, "shape", "strides", "block"}}]}]}

`args` are the TTIR function's, in order (tuples taken apart: "t.0", "t.1"). Integer tensors are kept
whole, in row-major order, because a kernel uses them as indices; of float tensors the range of the
finite values is kept (null without any). Non-finite numbers are the strings "nan", "inf", "-inf".
"""
import atexit
import contextlib
import functools
import hashlib
import json
import math
import os
import re
import runpy
import shutil
import sys
import tempfile
import types

import torch
import triton
import triton.backends
from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase
from triton.backends.nvidia.compiler import CUDABackend

OUT = os.environ.get("TTIR_OUT", "ttir-out")
ARCH = int(os.environ.get("TTIR_ARCH", "90"))
OPTIONS = ["num_warps", "num_ctas", "num_stages", "maxnreg", "enable_fp_fusion"]
recordedKernels = {}  # by the hash of Triton's metadata, which differs where text or options do


class RecordingBackend(CUDABackend):
    """CUDA's behaviour up to TTIR; the 'binary' is the text."""

    def __init__(self, target):
        super().__init__(target)
        self.binary_ext = "bin"

    def add_stages(self, stages, options, *language):
        whole = {}
        super().add_stages(whole, options, *language)
        stages["ttir"] = whole["ttir"]
        stages["bin"] = keepText

    def pack_metadata(self, metadata):
        return (metadata.num_warps,)


def keepText(module, metadata):
    text = str(module).encode()
    name = re.search(rb'tt\.func public @"?([^"(]+)', text)[1].decode()
    file = f"{re.sub(r'[^A-Za-z0-9_.]', '_', name)[:100]}-{hashlib.sha1(text).hexdigest()[:10]}.ttir"
    with open(os.path.join(OUT, file), "wb") as f:
        f.write(text)
    metadata.update(name=name, shared=0, tmem_size=0, ttir=file)
    return text


class RecordingLauncher:
    def __init__(self, source, metadata):
        self.signature, self.constants, self.metadata = source.signature, source.constants, metadata

    def __call__(self, x, y, z, stream, function, packed, launchMetadata, enter, leave, *values):
        seen = recordedKernels.get(self.metadata.hash)
        if seen is None:
            seen = recordedKernels[self.metadata.hash] = self.describe([int(n) for n in (x, y, z)], values)
        seen["launches"] += 1

    def describe(self, grid, values):
        arguments, constants = [], {}
        for (name, kind), value in zip(self.signature.items(), values):
            # Triton 3.2 has no "constexpr" kind: it lists parameters by name in `constants` instead.
            describeArgument(name, "constexpr" if name in self.constants else kind, value, arguments, constants)
        if "constexpr" not in self.signature.values():
            constants.update({name: describeScalar(value) for name, value in self.constants.items() if isinstance(name, str)})
        options = {name: getattr(self.metadata, name) for name in OPTIONS if hasattr(self.metadata, name)}
        return dict(ttir=self.metadata.ttir, name=self.metadata.name, grid=grid, launches=0, options=options,
                    constants=constants, args=arguments)


def describeArgument(name, kind, value, arguments, constants):
    """Append one parameter to the arguments, or put it among the constants compiled in."""
    if isinstance(kind, tuple):
        for i, item in enumerate(zip(kind, value)):
            describeArgument(f"{name}.{i}", *item, arguments, constants)
    elif kind == "constexpr":
        constants[name] = describeScalar(value)
    elif hasattr(value, "block_shape"):
        descriptor = dict(base=describeTensor(value.base), shape=[int(n) for n in value.shape],
                          strides=[int(n) for n in value.strides], block=[int(n) for n in value.block_shape])
        arguments.append(dict(name=name, type=kind, descriptor=descriptor))
    elif hasattr(value, "data_ptr"):
        arguments.append(dict(name=name, type=kind, tensor=describeTensor(value)))
    else:
        arguments.append(dict(name=name, type=kind, value=describeScalar(value)))


def describeScalar(value):
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def describeTensor(value):
    tensor = value if torch.is_tensor(value) else value.base  # triton.reinterpret wraps a tensor
    tensor = tensor.detach()
    storage = tensor.untyped_storage()
    facts = dict(dtype=str(value.dtype).removeprefix("torch."), shape=list(tensor.shape), strides=list(tensor.stride()),
                 address=tensor.data_ptr(), storage=[storage.data_ptr(), storage.nbytes()])
    if tensor.is_floating_point():
        finite = tensor.double()
        finite = finite[finite.isfinite()]
        return dict(facts, range=[finite.min().item(), finite.max().item()] if finite.numel() else None)
    return dict(facts, values=tensor.flatten().tolist())


class RecordingUtils:
    def load_binary(self, name, kernel, shared, device):
        """(module, function, registers, spills, most threads a block), of which Triton 3.2 takes four."""
        return (1, 1, 32, 0) if triton.__version__.startswith("3.2.") else (1, 1, 32, 0, 1024)

    def unload_module(self, module):
        pass

    def get_device_properties(self, device):
        return dict(max_shared_mem=232448, multiprocessor_count=132, warpSize=32, max_num_regs=65536)


class RecordingDriver(DriverBase):
    utils = RecordingUtils()
    launcher_cls = RecordingLauncher

    @classmethod
    def is_active(cls):
        return True

    def map_python_to_cpp_type(self, kind):
        return kind

    def get_current_target(self):
        return GPUTarget("cuda", ARCH, 32)

    def get_active_torch_device(self):
        return torch.device("cpu")

    def get_current_device(self):
        return 0

    def set_current_device(self, device):
        pass

    def get_current_stream(self, device=0):
        return 0

    def get_benchmarker(self):
        """An autotuner launches, and so records, each of its configurations once."""

        def once(call, quantiles=None, **_):
            call()
            return [1.0] * len(quantiles) if quantiles else 1.0

        return once

    def get_empty_cache_for_benchmark(self):
        return torch.empty(1)

    def clear_cache(self, cache):
        pass


def zeroed(make):
    @functools.wraps(make)
    def makeZeroed(*arguments, **options):
        with torch.no_grad():
            return make(*arguments, **options).zero_()

    return makeZeroed


def start():
    os.makedirs(OUT, exist_ok=True)
    cache = os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp(prefix="ttir-recorder-")
    atexit.register(shutil.rmtree, cache, ignore_errors=True)
    atexit.register(writeLaunches)
    triton.backends.backends.clear()
    triton.backends.backends["recorder"] = triton.backends.Backend(RecordingBackend, RecordingDriver)
    triton.runtime.driver.set_active(RecordingDriver())
    for place, names in [(torch, ["empty", "empty_like", "empty_strided"]), (torch.Tensor, ["new_empty", "new_empty_strided"])]:
        for name in names:
            setattr(place, name, zeroed(getattr(place, name)))
    pretendCuda()


def pretendCuda():
    """Programs that ask torch.cuda about the GPU hear of the made-up one (is_available stays False)."""
    properties = types.SimpleNamespace(name="recorder", major=ARCH // 10, minor=ARCH % 10, warp_size=32, multi_processor_count=132,
                                       total_memory=2**37, shared_memory_per_multiprocessor=233472, shared_memory_per_block_optin=232448,
                                       regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, L2_cache_size=50 * 2**20)
    torch.cuda.get_device_properties = lambda device=None: properties
    torch.cuda.get_device_capability = lambda device=None: (ARCH // 10, ARCH % 10)
    torch.cuda.get_device_name = lambda device=None: properties.name
    torch.cuda.device_count = lambda: 1
    torch.cuda.current_device = lambda: 0
    torch.cuda.device = contextlib.nullcontext
    torch.cuda.synchronize = lambda device=None: None


def writeLaunches():
    head = json.dumps(dict(triton=triton.__version__, target=f"cuda:{ARCH}", program=sys.argv))
    lines = ",\n".join(json.dumps(kernel) for kernel in recordedKernels.values())
    with open(os.path.join(OUT, f"launches-{os.getpid()}.json"), "w") as f:
        f.write(f'{head[:-1]}, "kernels": [\n{lines}\n]}}\n')


start()
if __name__ == "__main__":
    sys.modules["ttir_recorder"] = sys.modules["__main__"]
    if sys.argv[1] == "-m":
        sys.argv = sys.argv[2:]
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        sys.argv = sys.argv[1:]
        sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
        runpy.run_path(sys.argv[0], run_name="__main__")
