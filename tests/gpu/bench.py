# SPDX-License-Identifier: Apache-2.0
"""Times compiled operators on a GPU beside PyTorch's copy_ of the same bytes and beside peers, and checks them in double.

    tigon-gpu-cases FOLDER                                       (any machine)
    bench.py FOLDER OUT.json [--against torch,compile,liger,quack] [--rounds 15]    (a machine with a GPU and PyTorch)

Each is captured in a CUDA graph over sets of buffers that are together larger than four times L2, and the graphs are replayed
in turn, a round after the other. A figure is the median of the rounds' ratios; the rounds are in the JSON file.
"""
import argparse
import ctypes
import json
import math
import pathlib
import statistics
import sys

# Beside this file where tools/gpu-check packed them.
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / ".." / "tools" / "tigon" / "bench"))

import peers
import torch
from driver import Kernel
from peers import graph_of, interleaved, make_tensors


class Launch:
    def __init__(self, folder, launch):
        code = open(f"{folder}/{launch['file']}", "rb").read()
        self.kernel = Kernel(code, launch["kernel"], launch["threads"], launch["shared"])
        self.grid, self.arguments = launch["grid"], launch["arguments"]
        self.scratch = torch.empty(max(1, launch["scratch"] * math.prod(self.grid)), dtype=torch.int8, device="cuda")

    def run(self, tensors, workspace):
        make = {"tensor": lambda v: ctypes.c_void_p(tensors[v].data_ptr()),
                "workspace": lambda v: ctypes.c_void_p(workspace.data_ptr() + v),
                "i32": ctypes.c_int32, "i64": ctypes.c_int64, "f32": ctypes.c_float}
        values = [make[kind](value) for kind, value in self.arguments]
        values += [ctypes.c_void_p(self.scratch.data_ptr()), ctypes.c_void_p(0)]
        self.kernel.launch(self.grid, values)


#---- tensors and what they should hold -------------------------------------------------------------------------------


def reference(case, t):
    """What the outputs should be, in double: {name: value}. Gradients are PyTorch's own."""
    name = case["name"]
    base = name.removesuffix("_backward")
    if name == base and base not in peers.WITH_GRADIENT:
        exact = {key: value.double() if value.is_floating_point() else value for key, value in t.items()}
        results = peers.FORWARD[base](exact)
        return dict(zip(("q_out", "k_out") if isinstance(results, tuple) else ("out",),
                        results if isinstance(results, tuple) else (results,)))
    gradients = {}
    leaves = peers.LEAVES[base]
    exact = {key: value.double() for key, value in t.items() if key not in ("out", "dx", "dup")}
    if base == "rope":  # linear: the gradient depends on that of its results alone
        exact.update(q=torch.zeros_like(exact["dq_out"]), k=torch.zeros_like(exact["dk_out"]))
    exact = {**t, **exact, **{leaf: exact[leaf].requires_grad_() for leaf in leaves}}
    if "targets" in t:
        exact["targets"] = t["targets"]
    result = peers.FORWARD[base](exact)
    if base in peers.WITH_GRADIENT:
        gradients["loss"] = result.detach()
        grads = torch.autograd.grad(result, [exact[leaf] for leaf in leaves])
    else:
        given = [exact["dq_out"], exact["dk_out"]] if base == "rope" else exact["dy"]
        grads = torch.autograd.grad(result, [exact[leaf] for leaf in leaves], given)
    gradients.update({"d" + leaf: grad for leaf, grad in zip(leaves, grads)})
    return gradients


def relative_error(got, wanted):
    got = got.double()
    if not got.isfinite().all():
        return float("inf")
    return float((got - wanted).norm() / wanted.norm())


#---- times -----------------------------------------------------------------------------------------------------------


def run_case(case, folder, against, rounds):
    moved = peers.bytes_of(case)
    count_of_sets = peers.sets_for(moved)
    sets = [make_tensors(case) for _ in range(count_of_sets)]
    workspace = torch.empty(case["workspace"] + 16, dtype=torch.int8, device="cuda")
    launches = [Launch(folder, launch) for launch in case["launches"]]

    def work(i):
        for launch in launches:
            launch.run(sets[i], workspace)

    wanted = reference(case, sets[0])
    work(0)
    torch.cuda.synchronize()
    errors = {key: relative_error(sets[0][key], value) for key, value in wanted.items() if key in sets[0]}
    assert errors, "nothing was checked"
    del wanted
    torch.cuda.empty_cache()

    # Short kernels often enough that the graph's own start is lost in them.
    count = max(4, min(16, int(2e9 // moved)))
    works = {"tigon": work, "copy": peers.copies(case, count_of_sets), **peers.of(case, sets, against)}
    graphs = {}
    for name, each in works.items():
        try:
            graphs[name] = graph_of(each, count, count_of_sets)
        except Exception as error:
            peers.why[f"{name} {case['name']}, captured"] = repr(error)[:200]
            torch.cuda.synchronize()
    times = interleaved(graphs, count, rounds)
    result = {key: case[key] for key in ("case", "name", "dtype", "rows", "n")}
    result.update(bytes=moved, milliseconds=times, relative_error=max(errors.values()), errors=errors,
                  registers=[each.kernel.registers for each in launches],
                  local_bytes=[each.kernel.local for each in launches],
                  threads=[each.kernel.threads for each in launches], grid=[each.grid for each in launches])
    # Copy's share of our time: 1 is as fast as a copy of the same bytes.
    result["share_of_copy"] = statistics.median(c / t for t, c in zip(times["tigon"], times["copy"]))
    others = {name: statistics.median(o / t for t, o in zip(times["tigon"], times[name]))
              for name in times if name not in ("tigon", "copy")}
    result["times_faster"] = others
    return result


def write(results, path):
    json.dump({"device": torch.cuda.get_device_name(), "torch": torch.__version__, "not_timed": peers.why,
               "cases": results}, open(path, "w"), indent=1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("output")
    parser.add_argument("--against", default="")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    against = [name for name in options.against.split(",") if name]
    torch.manual_seed(0)
    torch.zeros(1, device="cuda")
    results, failed = [], 0
    for case in json.load(open(f"{options.folder}/cases.json")):
        torch.cuda.empty_cache()
        try:
            result = run_case(case, options.folder, against, options.rounds)
        except Exception as error:  # one case must not hide the others
            failed += 1
            print(f"{case['case']:44} failed: {error!r}", flush=True)
            results.append({"case": case["case"], "failed": repr(error)})
            continue
        bound = 4e-3 if case["dtype"] != "f32" else 2e-6
        result["right"] = result["relative_error"] <= bound
        failed += not result["right"]
        results.append(result)
        write(results, options.output)
        mine = statistics.median(result["milliseconds"]["tigon"])
        beside = ", ".join(f"{name} {ratio:.2f}" for name, ratio in result["times_faster"].items())
        print(f"{result['case']:44} {mine * 1e3:8.1f} us {result['bytes'] / mine / 1e6:6.0f} GB/s "
              f"{result['share_of_copy']:6.3f} of copy  error {result['relative_error']:.1e}"
              f"{'' if result['right'] else ' WRONG'}  {result['registers']} registers, {result['local_bytes']} local, "
              f"{result['threads']} threads, grid {result['grid']}{'; times the speed of: ' + beside if beside else ''}",
              flush=True)
    write(results, options.output)
    for what, error in peers.why.items():
        print(f"not timed: {what}: {error}")
    raise SystemExit(1 if failed else 0)


main()
