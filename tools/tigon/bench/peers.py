# SPDX-License-Identifier: Apache-2.0
"""Other implementations of the operators that `tigon bench` times: PyTorch, torch.compile, Liger's and quack's kernels.

of(case, sets, wanted) gives {name: work}, where work(i) runs the operator once on the i-th set of tensors. A peer that
cannot be imported, or has no such operator, is not among them; `why` says why.

Run as a program it serves `tigon bench`, a line of JSON a request on standard input, a line an answer:

    {"case": {...}, "against": ["torch"], "sets": 4, "runs": 16, "threads": 2, "device": "cuda:0"}
                                         -> {"ready": ["torch", "copy_"], "not_timed": {"liger": "..."}}
    {"run": "torch"}                     -> {"milliseconds": 0.07}       of one run, of a round of `runs`
"""
import importlib
import json
import os
import sys
import time
import warnings

import torch
import torch.nn.functional as F

DTYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32, "i32": torch.int32, "i64": torch.int64}
device = "cuda"
why = {}
ALL = ("torch", "compile", "liger", "quack")
BACK_ENDS = {"liger": "nvidia-triton", "liger-cute": "nvidia-cutedsl"}


def synchronize():
    if device.startswith("cuda"):
        torch.cuda.synchronize()


#---- tensors ---------------------------------------------------------------------------------------------------------


def make_tensor(spec, t, case):
    dtype, shape = DTYPES[spec["dtype"]], spec["shape"]
    holds = spec["holds"]
    if holds == "out":
        return torch.full(shape, 77, dtype=dtype, device=device)
    if holds == "softmax":
        return torch.softmax(t["x"].float(), -1).to(dtype)
    if holds == "mean":
        return t["x"].float().mean(-1)
    if holds == "layer_rstd":
        return (t["x"].double().var(-1, correction=0) + 1e-5).rsqrt().float()
    if holds == "rms_rstd":
        return (t["x"].double().pow(2).mean(-1) + 1e-6).rsqrt().float()
    if holds == "targets":
        return torch.randint(0, case["n"], shape, device=device).to(dtype)
    if holds == "angles":  # cos or sin of rope, both halves alike
        half = torch.rand(*shape[:-1], shape[-1] // 2, device=device) * 6.28
        return torch.cat((half, half), -1).__getattribute__(spec["name"])().to(dtype)
    values = torch.randn(shape, device=device)
    return (torch.log_softmax(values, -1) if holds == "log_softmax" else values).to(dtype)


def make_tensors(case):
    t = {}
    for holds_x in (True, False):  # some follow from x
        for spec in case["tensors"]:
            if (spec["name"] == "x") == holds_x:
                if spec["holds"] in ("softmax", "mean", "layer_rstd", "rms_rstd") and "x" not in t:
                    t["x"] = torch.randn(case["rows"], case["n"], device=device).to(DTYPES[case["dtype"]])
                t[spec["name"]] = make_tensor(spec, t, case)
    if case["name"] == "layer_norm_backward":  # which the gradient does not depend on
        t["b"] = torch.zeros_like(t["w"])
    return t


#---- implementations -------------------------------------------------------------------------------------------------


def module(name):
    try:
        return importlib.import_module(name)
    except Exception as error:  # also what an import runs into
        why[name] = repr(error)[:200]
        return None


def rotate_half(x):
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), -1)


def rope(t):
    cos, sin = t["cos"].unsqueeze(2), t["sin"].unsqueeze(2)
    return t["q"] * cos + rotate_half(t["q"]) * sin, t["k"] * cos + rotate_half(t["k"]) * sin


def jsd(t):
    x, y = t["x"].exp(), t["y"].exp()
    m = torch.log((x + y) / 2)
    return ((x * (t["x"] - m) + y * (t["y"] - m)) / 2).sum() / t["x"].shape[0]


# Forward of each operator in PyTorch's words, of {letter: tensor}.
FORWARD = {
    "vector_add": lambda t: t["x"] + t["dy"],
    "softmax": lambda t: F.softmax(t["x"], -1),
    "rms_norm": lambda t: F.rms_norm(t["x"], t["w"].shape, t["w"], 1e-6),
    "layer_norm": lambda t: F.layer_norm(t["x"], t["w"].shape, t["w"], t["b"], 1e-5),
    "swiglu": lambda t: F.silu(t["x"]) * t["up"],
    "geglu": lambda t: F.gelu(t["x"], approximate="tanh") * t["up"],
    "rope": rope,
    "cross_entropy": lambda t: F.cross_entropy(t["x"], t["targets"]),
    "jsd": jsd,
}
# What a gradient is taken of; operators that give loss and gradient at once have no _backward of their own.
LEAVES = {"softmax": ("x",), "rms_norm": ("x", "w"), "layer_norm": ("x", "w", "b"), "swiglu": ("x", "up"),
          "geglu": ("x", "up"), "rope": ("q", "k"), "cross_entropy": ("x",), "jsd": ("x",)}
WITH_GRADIENT = ("cross_entropy", "jsd")


def liger_forward(name, back_end):
    functional = module("liger_kernel.functional")
    if not functional:
        return None
    return {
        "softmax": lambda t: functional.softmax(t["x"], impl=back_end),
        "rms_norm": lambda t: functional.rms_norm(t["x"], t["w"], impl=back_end),
        "layer_norm": lambda t: functional.layer_norm(t["x"], t["w"], t["b"], impl=back_end),
        "swiglu": lambda t: functional.swiglu(t["x"], t["up"], impl=back_end),
        "geglu": lambda t: functional.geglu(t["x"], t["up"], impl=back_end),
        "cross_entropy": lambda t: functional.cross_entropy(t["x"], t["targets"], impl=back_end)[0],
        "jsd": lambda t: functional.jsd(t["x"], t["y"], impl=back_end),
        "rope": lambda t: functional.rope(t["q"].transpose(1, 2), t["k"].transpose(1, 2), t["cos"], t["sin"],
                                          impl=back_end),
    }.get(name)


def quack_work(name, sets):
    norm, soft, loss = (module("quack." + part) for part in ("rmsnorm", "softmax", "cross_entropy"))
    if not (norm and soft and loss):
        return None
    if name == "softmax_backward":
        results = [soft.softmax_fwd(t["x"]) for t in sets]
        return lambda i: soft.softmax_bwd(sets[i]["dy"], results[i])
    if name == "layer_norm":
        whole = [(t["w"].float(), t["b"].float()) for t in sets]
        return lambda i: norm.layernorm_fwd(sets[i]["x"], *whole[i])
    return {
        "softmax": lambda i: soft.softmax_fwd(sets[i]["x"]),
        "rms_norm": lambda i: norm.rmsnorm_fwd(sets[i]["x"], sets[i]["w"], store_rstd=True),
        "rms_norm_backward": lambda i: norm.rmsnorm_bwd(sets[i]["x"], sets[i]["w"], sets[i]["dy"], sets[i]["rstd"]),
        "cross_entropy": lambda i: loss.cross_entropy_fwd(sets[i]["x"], sets[i]["targets"], return_dx=True),
    }.get(name)


def with_gradients(forward, name, sets):
    """The backward alone, or, of a loss, both."""
    base = name.removesuffix("_backward")
    if base == "rope":
        sets = [{**t, "q": t["dq_out"], "k": t["dk_out"]} for t in sets]
    leaves = [[t[leaf].detach().requires_grad_() for leaf in LEAVES[base]] for t in sets]
    given = [{**t, **dict(zip(LEAVES[base], own))} for t, own in zip(sets, leaves)]
    if base in WITH_GRADIENT:
        return lambda i: torch.autograd.grad(forward(given[i]), leaves[i])
    outputs = [forward(t) for t in given]
    if base == "rope":
        like = lambda grad, output: grad if grad.shape == output.shape else grad.transpose(1, 2)
        grads = [tuple(map(like, (t["dq_out"], t["dk_out"]), output)) for t, output in zip(sets, outputs)]
        return lambda i: torch.autograd.grad(outputs[i], leaves[i], grads[i], retain_graph=True)
    return lambda i: torch.autograd.grad(outputs[i], leaves[i], sets[i]["dy"], retain_graph=True)


def of(case, sets, wanted):
    name = case["name"]
    base = name.removesuffix("_backward")
    forward = FORWARD.get(base)
    candidates = {}
    if forward:
        if "torch" in wanted:
            candidates["torch"] = lambda: forward
        if "compile" in wanted:
            candidates["compile"] = lambda: torch.compile(forward, dynamic=False)
    if "liger" in wanted:
        for peer, back_end in BACK_ENDS.items():
            candidates[peer] = lambda back_end=back_end: liger_forward(base, back_end)
    found = {}
    for peer, make in candidates.items():
        try:
            own = make()
            if not own:
                continue
            needs_gradient = name != base or base in WITH_GRADIENT
            work = with_gradients(own, name, sets) if needs_gradient else lambda i, own=own: own(sets[i])
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                work(0)
            synchronize()
            found[peer] = work
        except Exception as error:  # a peer that fails is told of, and the others are timed
            why[f"{peer} {name}"] = repr(error)[:200]
    if "quack" in wanted:
        try:
            work = quack_work(name, sets)
            if work:
                work(0)
                synchronize()
                found["quack"] = work
        except Exception as error:
            why[f"quack {name}"] = repr(error)[:200]
    return found


#---- times -----------------------------------------------------------------------------------------------------------


def graph_of(work, count, sets):
    torch.cuda.synchronize()
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        work(0)
        work(0)
    side.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, capture_error_mode="relaxed"):  # gradients are computed by another thread
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


def interleaved(graphs, count, rounds):
    """{name: milliseconds of one of a graph's `count` runs, in each round}: all graphs in turn, two rounds before that uncounted."""
    times = {name: [] for name in graphs}
    for number in range(rounds + 2):
        for name, graph in graphs.items():
            spent = milliseconds(graph) / count
            if number >= 2:
                times[name].append(spent)
    return times


class Timed:
    """Rounds of `runs` runs over the sets in turn: in a CUDA graph, or by the clock."""

    def __init__(self, work, runs, sets):
        self.work, self.runs, self.sets = work, runs, sets
        self.graph = graph_of(work, runs, sets) if device.startswith("cuda") else None

    def milliseconds(self):
        if self.graph:
            return milliseconds(self.graph) / self.runs
        start = time.perf_counter()
        for i in range(self.runs):
            self.work(i % self.sets)
        return (time.perf_counter() - start) * 1e3 / self.runs


def bytes_of(case):
    return sum(DTYPES[spec["dtype"]].itemsize * torch.Size(spec["shape"]).numel() for spec in case["tensors"])


def sets_for(moved):
    """How many sets of so many bytes are larger than four times the L2 of an H200."""
    return -(-(240 << 20) // moved)


def copies(case, count):
    """Of half the bytes of a case: as many read and as many written as it has in all. A copy of 512 MB or more in one piece
    runs at two thirds of the speed of smaller ones on an H200 (2.7 TB/s), so none is."""
    sources = [torch.randn(bytes_of(case) // 4, device=device).to(torch.bfloat16) for _ in range(count)]
    targets = [torch.empty_like(source) for source in sources]
    pieces = [list(zip(target.split(1 << 27), source.split(1 << 27))) for target, source in zip(targets, sources)]

    def copy(i):
        for target, source in pieces[i]:
            target.copy_(source)

    return copy


def prepare(request):
    global device
    device = request["device"]
    why.clear()
    if not device.startswith("cuda"):
        torch.set_num_threads(request["threads"])
    case = request["case"]
    sets = [make_tensors(case) for _ in range(request["sets"])]
    works = {"copy_": copies(case, request["sets"]), **of(case, sets, request["against"])}
    timed = {}
    for name, work in works.items():
        try:
            timed[name] = Timed(work, request["runs"], request["sets"])
        except Exception as error:
            why[f"{name} {case['name']}, captured"] = repr(error)[:200]
            synchronize()
    return timed


def serve():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is not an answer
    timed = {}
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if "run" in request:
                answer = {"milliseconds": timed[request["run"]].milliseconds()}
            else:
                timed = {}
                if device.startswith("cuda") and torch.cuda.is_available():
                    torch.cuda.empty_cache()
                timed = prepare(request)
                answer = {"ready": list(timed), "not_timed": dict(why)}
        except Exception as error:
            answer = {"error": repr(error)[:300]}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    serve()
