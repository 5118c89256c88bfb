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

SETS = 4  # of buffers, so that nothing is found in L2; of GBs one would do
LARGE = 1 << 30  # bytes of a tensor of which there are two sets
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


X, Y, DY, DX, W, DW, RSTD, OUT, TARGET, COS, SIN = range(1, 12)


def poison(like):
    return torch.full_like(like, 77)


def norm_tensors(rows, n, dtype):
    x, dy = (torch.randn(rows, n, device="cuda").to(dtype) for _ in range(2))
    w = torch.randn(n, device="cuda").to(dtype)
    rstd = (x.double().pow(2).mean(-1) + 1e-6).rsqrt().float()
    return {X: x, Y: poison(x), DY: dy, DX: poison(x), W: w, DW: poison(w), RSTD: rstd}


def loss_tensors(rows, n, dtype):
    """Logits, one row of eight ignored."""
    x = torch.randn(rows, n, device="cuda", dtype=dtype)
    target = torch.randint(n, (rows,), device="cuda")
    target[::8] = -100
    return {X: x, DX: poison(x), TARGET: target, OUT: torch.full((), 77.0, device="cuda")}


def divergence_tensors(rows, n, dtype):
    """Log probabilities."""
    t = loss_tensors(rows, n, dtype)
    t[Y] = torch.empty_like(t[X])
    for part in parts(rows, n):
        t[Y][part] = torch.randn_like(t[X][part]).float().mul(2).log_softmax(-1).to(dtype)
        t[X][part] = t[X][part].float().mul(2).log_softmax(-1).to(dtype)
    return t


def rope_tensors(rows, n, dtype):
    length = rows // 4
    q, k = (torch.randn(4, length, heads, 128, device="cuda").to(dtype) for heads in (32, 8))
    angle = torch.arange(length, device="cuda").outer(1e4 ** (torch.arange(64, device="cuda") / -64)).repeat(1, 2)
    return {X: q, Y: k, DX: poison(q), DY: poison(k), COS: angle.cos()[None].to(dtype), SIN: angle.sin()[None].to(dtype)}


TENSORS = {"cross_entropy": loss_tensors, "jsd": divergence_tensors, "rope": rope_tensors}


def parts(rows, n):
    """Slices of rows of which double takes half a GB."""
    step = max(1, (1 << 26) // n)
    return [slice(first, first + step) for first in range(0, rows, step)]


def wanted(name, t):
    """What the outputs should be, in double: (tensor, part of it, value)."""
    if name == "rope":
        for x, out in ((X, DX), (Y, DY)):
            a, b = t[x].double().chunk(2, -1)
            cos, sin = (t[table].double()[:, :, None, :64] for table in (COS, SIN))
            yield out, slice(None), torch.cat((a * cos - b * sin, b * cos + a * sin), -1)
        return
    if name not in TENSORS:
        for key, value in reference(name, t).items():
            yield key, slice(None), value
        return
    loss = 0
    rows, n = t[X].shape
    for part in parts(rows, n):
        x = t[X][part].double()
        if name == "cross_entropy":
            counts = t[TARGET][part] != -100
            own = t[TARGET][part].clamp(min=0)[:, None]
            log_p = x.log_softmax(-1)
            scale = counts[:, None] / (t[TARGET] != -100).sum()
            loss -= (log_p.gather(1, own) * scale).sum()
            p = log_p.exp_()
            p.scatter_add_(1, own, torch.full_like(own, -1, dtype=p.dtype))
            yield DX, part, p * scale
        else:
            y = t[Y][part].double()
            p, q = y.exp() / 2, x.exp() / 2
            log_m = (p + q).log()
            loss += (p * (y - log_m) + q * (x - log_m)).sum() / rows
            yield DX, part, q * (x - log_m) / rows
    yield OUT, slice(None), loss


def reference(name, t):
    """What the outputs should be, in double: {tensor: value}."""
    x, dy, w = t[X].double(), t[DY].double(), t[W].double()
    if name == "vector_add":
        return {Y: x + dy}
    if name == "softmax":
        return {Y: torch.softmax(x, -1)}
    rstd = (x.pow(2).mean(-1, keepdim=True) + 1e-6).rsqrt()
    if name == "rms_norm":
        return {Y: x * rstd * w, RSTD: rstd[:, 0]}
    m = dy * w
    return {DX: rstd * (m - x * rstd * rstd * (m * x).mean(-1, keepdim=True)), DW: (dy * x * rstd).sum(0)}


def graph_of(work, count, sets):
    torch.cuda.synchronize()
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        work(0)
    side.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(count):
            work(i % sets)
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

    sets = [TENSORS.get(case["name"], norm_tensors)(rows, n, dtype)
            for _ in range(2 if rows * n * dtype.itemsize > LARGE else SETS)]
    workspace = torch.empty(case["workspace"] + 16, dtype=torch.int8, device="cuda")
    kernels = [Kernel(folder, launch) for launch in case["launches"]]

    def work(i):
        for kernel in kernels:
            kernel.run(sets[i], workspace)

    work(0)
    torch.cuda.synchronize()
    squares = {}
    for key, part, value in wanted(case["name"], sets[0]):
        got = sets[0][key][part].double() if sets[0][key].dim() else sets[0][key].double()
        off = (got - value).norm() if got.isfinite().all() else torch.tensor(float("inf"))
        before = squares.get(key, (0, 0))
        squares[key] = (before[0] + float(off) ** 2, before[1] + float(value.norm()) ** 2)
    errors = {key: (off / size) ** 0.5 for key, (off, size) in squares.items()}
    bounds = {torch.bfloat16: 4e-3, torch.float32: 2e-6}
    right = all(error <= bounds[sets[0][key].dtype] for key, error in errors.items())
    count = 16
    moved = case["moved"] * rows * n * dtype.itemsize
    half = moved // 2 // dtype.itemsize
    sources = [torch.randn(half, device="cuda", dtype=dtype) for _ in sets]
    targets = [torch.empty_like(s) for s in sources]
    ours = graph_of(work, count, len(sets))
    copies = graph_of(lambda i: targets[i].copy_(sources[i]), count, len(sets))
    times = [(milliseconds(ours), milliseconds(copies)) for _ in range(30)][5:]
    ratios = sorted(a / b for a, b in times)
    mine = sorted(a for a, _ in times)[len(times) // 2] / count
    result = {key: case[key] for key in ("name", "dtype", "rows", "n")}
    result.update(microseconds=mine * 1e3, gigabytes_per_second=moved / mine / 1e6,
                  ratio_to_copy=ratios[len(ratios) // 2], relative_error=max(errors.values()), right=right,
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
