# SPDX-License-Identifier: Apache-2.0
"""Times compiled operators on a GPU beside PyTorch's copy_ of the same bytes, and checks them in double.

    tigon-gpu-cases FOLDER            (any machine)
    python3 bench.py FOLDER OUT.json  (a machine with a GPU and PyTorch)

Both are captured in CUDA graphs of equal length, over buffers that are together larger than L2, and replayed in turn;
the figure is the median of the ratios.
"""
import ctypes
import json
import sys

import torch

SETS = 4  # of buffers, so that nothing is found in L2
driver = ctypes.CDLL("libcuda.so.1")


def check(code, what):
    if code:
        name = ctypes.c_char_p()
        driver.cuGetErrorName(code, ctypes.byref(name))
        raise RuntimeError(f"{what}: {name.value}")


class Kernel:
    def __init__(self, folder, launch):
        self.launch = launch
        data = open(f"{folder}/{launch['file']}", "rb").read() + b"\0"
        module, self.function = ctypes.c_void_p(), ctypes.c_void_p()
        check(driver.cuModuleLoadData(ctypes.byref(module), data), launch["kernel"])
        check(driver.cuModuleGetFunction(ctypes.byref(self.function), module, launch["kernel"].encode()), "function")
        if launch["shared"] > 48 << 10:
            check(driver.cuFuncSetAttribute(self.function, 8, launch["shared"]), "shared memory")
        value = ctypes.c_int()
        check(driver.cuFuncGetAttribute(ctypes.byref(value), 4, self.function), "attribute")
        self.registers = value.value
        check(driver.cuFuncGetAttribute(ctypes.byref(value), 3, self.function), "attribute")
        self.local = value.value
        self.scratch = torch.empty(max(1, launch["scratch"] * launch["grid"]), dtype=torch.int8, device="cuda")

    def run(self, tensors, workspace):
        make = {"tensor": lambda v: ctypes.c_void_p(tensors[v].data_ptr()),
                "workspace": lambda v: ctypes.c_void_p(workspace.data_ptr() + v),
                "i32": ctypes.c_int32, "i64": ctypes.c_int64, "f32": ctypes.c_float}
        values = [make[kind](value) for kind, value in self.launch["arguments"]]
        values += [ctypes.c_void_p(self.scratch.data_ptr()), ctypes.c_void_p(0)]
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.cast(ctypes.pointer(v), ctypes.c_void_p) for v in values])
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        check(driver.cuLaunchKernel(self.function, self.launch["grid"], 1, 1, self.launch["threads"], 1, 1,
                                    self.launch["shared"], stream, pointers, None), self.launch["kernel"])


X, Y, DY, DX, W, DW, RSTD, B, DB, MEAN, UP = range(1, 12)


def layer_norm(t, backward):
    x, w, b = (t[i].double().requires_grad_() for i in (X, W, B))
    y = torch.nn.functional.layer_norm(x, w.shape, w, b, 1e-5)
    if not backward:
        x = x.detach()
        return {Y: y.detach(), MEAN: x.mean(-1), RSTD: (x.var(-1, correction=0) + 1e-5).rsqrt()}
    y.backward(t[DY].double())
    return {DX: x.grad, DW: w.grad, DB: b.grad}


def gated(t, gate, backward):
    a, b = (t[i].double().requires_grad_() for i in (X, UP))
    out = gate(a) * b
    if not backward:
        return {Y: out.detach()}
    out.backward(t[DY].double())
    return {DX: a.grad, Y: b.grad}


def reference(name, t):
    """What the outputs should be, in double: {tensor: value}."""
    unit, backward = name.removesuffix("_backward"), name.endswith("_backward")
    if unit == "layer_norm":
        return layer_norm(t, backward)
    if unit == "swiglu":
        return gated(t, torch.nn.functional.silu, backward)
    if unit == "geglu":
        return gated(t, lambda a: torch.nn.functional.gelu(a, approximate="tanh"), backward)
    x, dy, w = t[X].double(), t[DY].double(), t[W].double()
    if name == "vector_add":
        return {Y: x + dy}
    if name == "softmax":
        return {Y: torch.softmax(x, -1)}
    if name == "softmax_backward":  # x stands for y: any numbers will do
        return {DX: x * (dy - (x * dy).sum(-1, keepdim=True))}
    rstd = (x.pow(2).mean(-1, keepdim=True) + 1e-6).rsqrt()
    if name == "rms_norm":
        return {Y: x * rstd * w, RSTD: rstd[:, 0]}
    m = dy * w
    return {DX: rstd * (m - x * rstd * rstd * (m * x).mean(-1, keepdim=True)), DW: (dy * x * rstd).sum(0)}


def graph_of(work, count):
    torch.cuda.synchronize()
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        work(0)
    side.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(count):
            work(i % SETS)
    return graph


def milliseconds(graph):
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    graph.replay()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end)


def run_case(case, folder):
    dtype = {"bf16": torch.bfloat16, "f32": torch.float32}[case["dtype"]]
    rows, n = case["rows"], case["n"]

    def tensors():
        x, dy = (torch.randn(rows, n, device="cuda").to(dtype) for _ in range(2))
        w = torch.randn(n, device="cuda").to(dtype)
        x64 = x.double()
        mean, rstd = torch.zeros(rows, device="cuda"), (x64.pow(2).mean(-1) + 1e-6).rsqrt().float()
        if case["name"].startswith("layer_norm"):
            mean, rstd = x64.mean(-1).float(), (x64.var(-1, correction=0) + 1e-5).rsqrt().float()
        poison = lambda like: torch.full_like(like, 77)
        if not case["name"].endswith("backward"):  # outputs there
            mean, rstd = poison(mean), poison(rstd)
        return {X: x, Y: poison(x), DY: dy, DX: poison(x), W: w, DW: poison(w), RSTD: rstd, B: w.flip(0), DB: poison(w),
                MEAN: mean, UP: torch.randn_like(x)}

    sets = [tensors() for _ in range(SETS)]
    workspace = torch.empty(case["workspace"] + 16, dtype=torch.int8, device="cuda")
    kernels = [Kernel(folder, launch) for launch in case["launches"]]

    def work(i):
        for kernel in kernels:
            kernel.run(sets[i], workspace)

    work(0)
    torch.cuda.synchronize()
    errors = {}
    for key, wanted in reference(case["name"], sets[0]).items():
        got = sets[0][key].double()
        errors[key] = float((got - wanted).norm() / wanted.norm())
        if not got.isfinite().all():
            errors[key] = float("inf")
    count = 16
    moved = case["moved"] * rows * n * sets[0][X].element_size()
    half = moved // 2 // sets[0][X].element_size()
    sources = [torch.randn(half, device="cuda").to(dtype) for _ in range(SETS)]
    targets = [torch.empty_like(s) for s in sources]
    ours = graph_of(work, count)
    copies = graph_of(lambda i: targets[i].copy_(sources[i]), count)
    times = [(milliseconds(ours), milliseconds(copies)) for _ in range(30)][5:]
    ratios = sorted(a / b for a, b in times)
    mine = sorted(a for a, _ in times)[len(times) // 2] / count
    result = {key: case[key] for key in ("name", "dtype", "rows", "n")}
    result.update(microseconds=mine * 1e3, gigabytes_per_second=moved / mine / 1e6,
                  ratio_to_copy=ratios[len(ratios) // 2], relative_error=max(errors.values()),
                  registers=[k.registers for k in kernels], local_bytes=[k.local for k in kernels],
                  threads=[k.launch["threads"] for k in kernels], grid=[k.launch["grid"] for k in kernels])
    return result


def main():
    folder, output = sys.argv[1:3]
    torch.manual_seed(0)
    torch.zeros(1, device="cuda")
    results, failed = [], 0
    for case in json.load(open(f"{folder}/cases.json")):
        try:
            result = run_case(case, folder)
        except Exception as error:  # one case must not hide the others
            result = {"name": case["name"], "failed": str(error)}
            failed += 1
            print(result, flush=True)
            results.append(result)
            continue
        bound = 4e-3 if case["dtype"] == "bf16" else 2e-6
        result["right"] = result["relative_error"] <= bound
        failed += not result["right"]
        results.append(result)
        print(f"{result['name']:18} {result['dtype']:4} {result['rows']:6} x {result['n']:6} "
              f"{result['microseconds']:8.1f} us {result['gigabytes_per_second']:6.0f} GB/s "
              f"{result['ratio_to_copy']:5.2f} x copy_  error {result['relative_error']:.1e}"
              f"{'' if result['right'] else ' WRONG'}  {result['registers']} registers, {result['local_bytes']} local, "
              f"{result['threads']} threads, grid {result['grid']}", flush=True)
    json.dump({"device": torch.cuda.get_device_name(), "torch": torch.__version__, "cases": results},
              open(output, "w"), indent=1)
    sys.exit(1 if failed else 0)


main()
