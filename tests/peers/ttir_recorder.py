# SPDX-License-Identifier: Apache-2.0
"""Record the TTIR of every Triton kernel that a Python program compiles, without a GPU.

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
                {"name", "type", "tensor": {"dtype", "address",           a pointer
                  "first", "shape", "strides", "storage": [address, bytes],
                  "range": [least, greatest] or "values": [...]}}
                {"name", "type", "descriptor": {"base": tensor, "shape", "strides", "block"}}]}]}

`args` are the TTIR function's, in order (tuples taken apart: "t.0", "t.1"). Arguments alias as
their addresses do. Strides count elements from `first`, which is the address except where a program
passes a wrapper of a tensor (triton.reinterpret, negative strides); a bare pointer has an address
only. Integer tensors are kept whole, row-major, because kernels use them as indices; of float
tensors the range of the finite values is kept (null without any). Non-finite scalars are the
strings "nan", "inf", "-inf".
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
from triton.runtime.autotuner import Autotuner

OUT = os.environ.get("TTIR_OUT", "ttir-out")
ARCH = int(os.environ.get("TTIR_ARCH", "90"))
PROCESSORS = 132
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
    stem = re.sub(r"[^A-Za-z0-9_.]", "_", name)[:100]
    file = f"{stem}-{hashlib.sha1(text).hexdigest()[:10]}.ttir"
    with open(os.path.join(OUT, file), "wb") as f:
        f.write(text)
    metadata.update(name=name, shared=0, tmem_size=0, ttir=file)
    return text


class RecordingLauncher:
    def __init__(self, source, metadata):
        self.metadata, self.signature = metadata, dict(source.signature)
        if "constexpr" not in self.signature.values():
            # Triton 3.2 lists the parameters compiled in by name, and passes the others only.
            self.compiledIn = {n: v for n, v in source.constants.items() if isinstance(n, str)}
            self.signature.update((n, "constexpr") for n in self.compiledIn if n in self.signature)
        else:
            self.compiledIn = {}

    def __call__(self, x, y, z, stream, function, packed, launchMetadata, enter, leave, *values):
        if self.metadata.hash not in recordedKernels:
            recordedKernels[self.metadata.hash] = self.describe([int(n) for n in (x, y, z)], values)
        recordedKernels[self.metadata.hash]["launches"] += 1

    def describe(self, grid, values):
        arguments = []
        constants = {name: describeScalar(value) for name, value in self.compiledIn.items()}
        for (name, kind), value in zip(self.signature.items(), values):
            describeArgument(name, kind, value, arguments, constants)
        options = {n: getattr(self.metadata, n) for n in OPTIONS if hasattr(self.metadata, n)}
        return dict(ttir=self.metadata.ttir, name=self.metadata.name, grid=grid, launches=0,
                    options=options, constants=constants, args=arguments)


def describeArgument(name, kind, value, arguments, constants):
    """Append one parameter to the arguments, or put it among the constants compiled in."""
    if isinstance(kind, tuple):
        for i, item in enumerate(zip(kind, value)):
            describeArgument(f"{name}.{i}", *item, arguments, constants)
    elif kind == "constexpr":
        constants[name] = describeScalar(value)
    elif hasattr(value, "block_shape"):
        descriptor = dict(base=describeTensor(value.base), shape=list(map(int, value.shape)),
                          strides=list(map(int, value.strides)),
                          block=list(map(int, value.block_shape)))
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
    facts = dict(dtype=str(value.dtype).removeprefix("torch."), address=value.data_ptr())
    parts = [value] if torch.is_tensor(value) else vars(value).values()
    tensor = next((part.detach() for part in parts if torch.is_tensor(part)), None)
    if tensor is None:
        return facts
    storage = tensor.untyped_storage()
    facts.update(first=tensor.data_ptr(), shape=list(tensor.shape), strides=list(tensor.stride()),
                 storage=[storage.data_ptr(), storage.nbytes()])
    if not tensor.is_floating_point():
        return dict(facts, values=tensor.flatten().tolist())
    numbers = tensor if tensor.element_size() > 1 else tensor.double()
    # Both are nan where any element is; choosing the finite ones takes 40 times as long.
    if not tensor.numel() or not all(bound.isfinite() for bound in numbers.aminmax()):
        numbers = numbers[numbers.isfinite()]
    return dict(facts, range=[x.item() for x in numbers.aminmax()] if numbers.numel() else None)


class RecordingUtils:
    def load_binary(self, name, kernel, shared, device):
        """(module, function, registers, spills, most threads); until 3.3 without the last."""
        old = tuple(map(int, triton.__version__.split(".")[:2])) < (3, 4)
        return (1, 1, 32, 0) if old else (1, 1, 32, 0, 1024)

    def unload_module(self, module):
        pass

    def get_device_properties(self, device):
        return dict(max_shared_mem=232448, multiprocessor_count=PROCESSORS, warpSize=32,
                    max_num_regs=65536)


class SlowEvent:
    """Every launch seems to take a second, so that benchmark loops do not repeat it."""

    def __init__(self, enable_timing=True):
        pass

    def record(self):
        pass

    def elapsed_time(self, end):
        return 1000.0


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
        def once(call, quantiles=None, **_):
            call()
            return [1.0] * len(quantiles) if quantiles else 1.0

        return once

    def get_device_interface(self):
        return types.SimpleNamespace(Event=SlowEvent, synchronize=lambda: None)

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
    backend = triton.backends.Backend(RecordingBackend, RecordingDriver)
    triton.backends.backends.clear()
    triton.backends.backends["recorder"] = backend
    triton.runtime.driver.set_active(RecordingDriver())
    for name in ("empty", "empty_like", "empty_strided"):
        setattr(torch, name, zeroed(getattr(torch, name)))
    for name in ("new_empty", "new_empty_strided"):
        setattr(torch.Tensor, name, zeroed(getattr(torch.Tensor, name)))
    pruneConfigurations()
    pretendCuda()


def pruneConfigurations():
    """Autotuners shall try one configuration a text: numbers of warps and stages change none."""
    prune = Autotuner.prune_configs

    def pruneMore(self, arguments):
        distinct = {}
        for configuration in prune(self, arguments):
            distinct.setdefault(str(configuration.kwargs), configuration)
        return list(distinct.values())

    Autotuner.prune_configs = pruneMore


def pretendCuda():
    """Programs that ask torch.cuda hear of the made-up GPU; torch.cuda.is_available stays False."""
    properties = types.SimpleNamespace(
        name="recorder", major=ARCH // 10, minor=ARCH % 10, warp_size=32, total_memory=2**37,
        multi_processor_count=PROCESSORS, max_threads_per_multi_processor=2048,
        regs_per_multiprocessor=65536, shared_memory_per_multiprocessor=233472,
        shared_memory_per_block_optin=232448, L2_cache_size=50 * 2**20)
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
