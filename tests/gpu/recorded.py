# SPDX-License-Identifier: Apache-2.0
"""Times recorded kernels on a GPU beside Triton's own code for the same texts, and compares what they compute.

    tigon-gpu-cases FOLDER --recording RECORDING                         (any machine)
    recorded.py FOLDER OUT.json [--rounds 9] [--seconds 200]             (a machine with a GPU, PyTorch and Triton)
    recorded.py FOLDER OUT.json --without-gpu                            (all but the launches)

Triton compiles each text with the options that it was recorded with, and both codes are launched in the same way on the
same memory. Shapes, strides, aliasing and integers are the recording's; floats are drawn from the recorded range and, where
that is zero alone, as in what other kernels would have written, from 0.25 to 1. The first launches are compared; then each is
captured in a CUDA graph over sets of buffers, larger together than four times L2 if 32 of them are, and the graphs are replayed
in turn, a round after the other. A ratio is the median of the rounds' (Triton's time by ours: above 1 we are faster).

Kernels of one name take turns, so that `--seconds` leaves out some texts of a name, not names. A launch that
breaks the context is told of, and what comes after it runs in a new process.
"""
import argparse
import collections
import concurrent.futures
import ctypes
import importlib.metadata
import json
import math
import multiprocessing
import os
import pathlib
import pickle
import re
import statistics
import sys
import time

# Beside this file where tools/gpu-check packed them.
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / ".." / "tools" / "tigon" / "bench"))

import driver
import torch
from peers import graph_of, interleaved, milliseconds

device = "cuda"


#---- code ------------------------------------------------------------------------------------------------------------


def parameters(ptx):
    """How many the kernel of a PTX text takes."""
    return re.search(r"\.entry\s+\S+?\s*\(([^)]*)\)", ptx)[1].count(".param")


def read_ours(folder, case):
    code = (folder / f"{case['text']}.ptx").read_text()
    assert parameters(code) == len(case["arguments"]) + 2
    return code.encode()


def load_ours(folder, case):
    return driver.Kernel(read_ours(folder, case), case["kernel"], case["threads"], case["shared"])


def compile_theirs(folder, case):
    import triton
    from triton.backends.compiler import GPUTarget

    options = {name: value for name, value in case["options"].items() if value is not None}
    code = triton.compile(str(folder / f"{case['text']}.ttir"), target=GPUTarget("cuda", 90, 32), options=options)
    facts = code.metadata
    assert facts.num_ctas == 1 and parameters(code.asm["ptx"]) == len(case["arguments"]) + 2
    return {"code": code.asm["cubin"], "name": facts.name, "threads": 32 * facts.num_warps, "shared": facts.shared,
            "scratch": facts.global_scratch_size, "profile": facts.profile_scratch_size}


def within(seconds, work, *arguments):
    """What work gives, or in words why it gives nothing: in a process of its own, which is ended after so long."""
    processes = multiprocessing.get_context("fork")
    receiver, sender = processes.Pipe(duplex=False)

    def send():
        try:
            sender.send(work(*arguments))
        except Exception as error:
            sender.send(f"not compiled by Triton: {error!r}"[:300])

    process = processes.Process(target=send)
    process.start()
    sender.close()
    try:
        return receiver.recv() if receiver.poll(seconds) else f"not compiled by Triton in {seconds} s"
    except EOFError:
        return "not compiled by Triton: its process crashed"
    finally:
        process.kill()
        process.join()


def compile_all(folder, cases):
    """{text: Triton's code, or why there is none}. A tile of 1024 x 1024 (Liger's _mask_fwd_kernel) takes it hours."""
    import triton  # noqa: F401, once for all processes

    workers = min(16, len(os.sched_getaffinity(0)))
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        return dict(zip([case["text"] for case in cases],
                        pool.map(lambda case: within(40, compile_theirs, folder, case), cases)))


#---- memory ----------------------------------------------------------------------------------------------------------


class Memory:
    """The tensors of a launch in as many sets as asked for: `sets[i]` are blocks of bytes, one a recorded storage, those that
    overlap in one. All sets hold the same."""

    def __init__(self, arguments, count_of_sets):
        self.tensors = [a["tensor"] for a in arguments if "tensor" in a]
        self.spans = []  # [address, bytes], ascending
        for address, size in sorted(t["storage"] for t in self.tensors if t.get("storage", (0, 0))[1]):
            if self.spans and address < sum(self.spans[-1]):
                self.spans[-1][1] = max(self.spans[-1][1], address + size - self.spans[-1][0])
            else:
                self.spans.append([address, size])
        first = [torch.zeros(size, dtype=torch.uint8, device=device) for _, size in self.spans]
        self.dtypes = [torch.uint8] * len(first)
        for tensor in self.tensors:
            self.fill(first, tensor)
        self.bytes = sum(size for _, size in self.spans)
        self.sets = [first] + [[block.clone() for block in first] for _ in range(count_of_sets(self.bytes) - 1)]

    def find(self, address):
        return next((i for i, (start, size) in enumerate(self.spans) if start <= address < start + size), None)

    def fill(self, blocks, tensor):
        if not tensor.get("storage", (0, 0))[1] or 0 in tensor["shape"]:
            return
        i, dtype = self.find(tensor["storage"][0]), getattr(torch, tensor["dtype"])
        if self.dtypes[i] == torch.uint8 or dtype.is_floating_point:
            self.dtypes[i] = dtype
        whole = blocks[i][:blocks[i].numel() // dtype.itemsize * dtype.itemsize].view(dtype)
        view = whole.as_strided(tensor["shape"], tensor["strides"],
                                (tensor["first"] - self.spans[i][0]) // dtype.itemsize)
        if "values" in tensor:
            values = torch.tensor(tensor["values"]).to(dtype).reshape(tensor["shape"]).to(device)
        else:
            low, high = tensor.get("range", (0, 0))
            low, high = (0.25, 1) if low == high == 0 else (low, high)
            values = torch.rand(tensor["shape"], device=device) * (high - low) + low
        for axis, stride in enumerate(tensor["strides"]):
            if stride == 0:  # one place for all indices
                view, values = view.narrow(axis, 0, 1), values.narrow(axis, 0, 1)
        view.copy_(values)

    def address(self, blocks, tensor):
        size = tensor.get("storage", (0, None))[1]
        i = self.find(tensor["storage"][0] if "storage" in tensor else tensor["address"])
        if size == 0 or (i is None and not tensor["address"]):
            return 0
        assert i is not None, "a pointer to memory that was not recorded"
        return blocks[i].data_ptr() + tensor["address"] - self.spans[i][0]


NUMBERS = {"i1": ctypes.c_uint8, "i8": ctypes.c_int8, "i16": ctypes.c_int16, "i32": ctypes.c_int32, "i64": ctypes.c_int64,
           "f32": ctypes.c_float, "f64": ctypes.c_double}
NARROW = {"f16": torch.float16, "bf16": torch.bfloat16}


def values_of(arguments, memory, blocks):
    """What a launch takes for its arguments, before the addresses of scratch."""
    values = []
    for argument in arguments:
        kind = argument["type"]
        if "tensor" in argument:
            values.append(ctypes.c_void_p(memory.address(blocks, argument["tensor"])))
        elif kind in NARROW:
            bits = torch.tensor(float(argument["value"]), dtype=NARROW[kind]).view(torch.int16).item()
            values.append(ctypes.c_int16(bits))
        else:
            number = float(argument["value"]) if kind.startswith("f") else argument["value"]
            values.append(NUMBERS[kind](number))
    return values


def scratch(*sizes):
    """Memory of so many bytes, and the addresses to launch with, null where none is wanted."""
    memory = [torch.empty(size, dtype=torch.uint8, device=device) for size in sizes]
    return memory, [ctypes.c_void_p(block.data_ptr() if size else 0) for block, size in zip(memory, sizes)]


def difference(got, wanted, dtype):
    """The relative error of the numbers, and how many are no numbers in one of both only."""
    got, wanted = (block[:block.numel() // dtype.itemsize * dtype.itemsize].view(dtype).double()
                   for block in (got, wanted))
    numbers = got.isfinite() & wanted.isfinite()
    unlike = int((~(numbers | (got == wanted) | (got.isnan() & wanted.isnan()))).sum())
    error = float(torch.where(numbers, got - wanted, 0).norm())
    if error == 0:
        return 0.0, unlike
    return error / max(float(torch.where(numbers, wanted, 0).norm()), 1e-300), unlike


#---- times -----------------------------------------------------------------------------------------------------------


def count_of_sets(size):
    return max(2, min(32, -(-(240 << 20) // size) + 1))


def describe(case):
    """What the largest tensor is."""
    tensors = [a["tensor"] for a in case["arguments"] if a.get("tensor", {}).get("shape") is not None]
    largest = max(tensors, key=lambda t: math.prod(t["shape"]), default={"dtype": "", "shape": []})
    return f"{largest['dtype']} {'x'.join(map(str, largest['shape']))}"


def run_case(case, folder, theirs, rounds):
    programs = math.prod(case["grid"])
    memory = Memory(case["arguments"], count_of_sets if rounds else lambda size: 2)
    initial = [block.clone() for block in memory.sets[0]]
    kept, ends = zip(scratch(case["scratch"] * programs, 0), scratch(theirs["scratch"] * programs,
                                                                     theirs["profile"] * programs))
    kernels = {"tigon": load_ours(folder, case),
               "triton": driver.Kernel(theirs["code"], theirs["name"], theirs["threads"], theirs["shared"])}
    values = {name: [values_of(case["arguments"], memory, blocks) + end for blocks in memory.sets]
              for name, end in zip(kernels, ends)}

    def work(name):
        return lambda i: kernels[name].launch(case["grid"], values[name][i])

    work("tigon")(0)
    work("triton")(1)
    torch.cuda.synchronize()
    mine, other = memory.sets[:2]
    found = [difference(*blocks) for blocks in zip(mine, other, memory.dtypes)]
    written = sum(not torch.equal(*blocks) for blocks in zip(other, initial))
    del initial
    compared = {"text": case["text"], "kernel": case["kernel"], "largest": describe(case), "grid": case["grid"],
                "bytes": memory.bytes, "relative_error": max((error for error, _ in found), default=0),
                "unlike": sum(n for _, n in found), "written": written,
                "low_precision": any(d.is_floating_point and d.itemsize < 4 for d in memory.dtypes)}
    if not rounds:
        return compared

    # Launches enough for a millisecond, so that the graph's own start is lost in them.
    sets = len(memory.sets)
    trial = graph_of(work("tigon"), max(4, sets), sets)
    milliseconds(trial)
    once = milliseconds(trial) / max(4, sets)
    count = max(4, sets, min(256, math.ceil(1 / once)))
    graphs = {name: graph_of(work(name), count, sets) for name in kernels}
    times = interleaved(graphs, count, rounds)
    return {**compared, "milliseconds": times,
            "ratio": statistics.median(b / a for a, b in zip(times["tigon"], times["triton"])),
            **{key: {name: getattr(kernel, key) for name, kernel in kernels.items()}
               for key in ("registers", "local", "threads", "shared")}}


def dry_run(case, folder):
    """What of run_case needs no GPU: tensors fit into their storages, and our code takes the arguments."""
    memory = Memory(case["arguments"], lambda size: 2)
    values_of(case["arguments"], memory, memory.sets[1])
    read_ours(folder, case)


#---- reports ---------------------------------------------------------------------------------------------------------


def agrees(result):
    """Sums in another order and other roundings; what is more is to be looked at."""
    return result["relative_error"] <= (1e-2 if result["low_precision"] else 1e-4) and not result["unlike"]


def show(result):
    mine, theirs = (statistics.median(result["milliseconds"][name]) * 1e3 for name in ("tigon", "triton"))
    registers = "/".join(str(n) for n in result["registers"].values())
    local = "/".join(str(n) for n in result["local"].values())
    threads = "/".join(str(n) for n in result["threads"].values())
    print(f"{result['text']:52} {result['largest']:24} {mine:8.2f} us, Triton {theirs:8.2f} us, ratio {result['ratio']:5.2f}"
          f"  registers {registers}, local {local}, threads {threads}, error {result['relative_error']:.1e}"
          f"{'' if agrees(result) else ' DIFFERS'}{'' if result['written'] else ' WROTE NOTHING'}"
          f"{' no numbers: ' + str(result['unlike']) if result['unlike'] else ''}", flush=True)


def mean(ratios):
    return math.exp(statistics.fmean(map(math.log, ratios)))


def summarize(results, refused):
    timed = [result for result in results if "ratio" in result]
    if timed:
        names = collections.defaultdict(list)
        for result in timed:
            names[result["kernel"]].append(result["ratio"])
        print("kernel, texts, ratio's geometric mean and least:")
        for name, ratios in sorted(names.items(), key=lambda item: mean(item[1])):
            print(f"  {name:44} {len(ratios):3} {mean(ratios):5.2f} {min(ratios):5.2f}")
        slow = sorted((result for result in timed if result["ratio"] < 0.9), key=lambda result: result["ratio"])
        print(f"ratio below 0.9: {len(slow)}")
        for result in slow:
            show(result)
        differing = [result for result in timed if not agrees(result)]
        print(f"computing something else: {len(differing)}")
        for result in differing:
            show(result)
    else:
        print(f"launched once: {sum('written' in result for result in results)}")
    why = collections.Counter(re.sub(r"argument \d+ of .*", "a descriptor", text) for text in refused.values())
    why.update(result["failed"] for result in results if "failed" in result)
    print(f"not compared: {sum(why.values())}")
    for reason, count in why.most_common():
        print(f"  {count:4} {reason}")
    if timed:
        long = [r["ratio"] for r in timed if statistics.median(r["milliseconds"]["triton"]) > 5e-3]
        ratios = [result["ratio"] for result in timed]
        print(f"compared: {len(timed)} kernels, {len(names)} names; ratio's geometric mean {mean(ratios):.3f}, of each name's "
              f"{mean([mean(own) for own in names.values()]):.3f}, of the {len(long)} above 5 us "
              f"{mean(long) if long else 0:.3f}, least {min(ratios):.3f}")


def in_turns(cases):
    """The first of each name, the second of each, and so on."""
    seen = collections.Counter()
    turns = []
    for case in cases:
        turns.append(seen[case["kernel"]])
        seen[case["kernel"]] += 1
    return [case for _, case in sorted(zip(turns, cases), key=lambda item: item[0])]


def main():
    global device
    started = time.time()
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=9, help="0: one launch each, for sanitizers")
    parser.add_argument("--seconds", type=float, default=200, help="of all; what is not reached by then is left out")
    parser.add_argument("--only", default="", help="texts whose name holds this")
    parser.add_argument("--code", type=pathlib.Path, help="where Triton's code is kept from one run to the next: "
                        "under a sanitizer, no process can be forked to compile")
    parser.add_argument("--without-gpu", action="store_true")
    parser.add_argument("--resume", action="store_true", help="after what OUT.json has")
    options = parser.parse_args()
    recorded = json.loads((options.folder / "recorded.json").read_text())
    cases = in_turns([case for case in recorded["kernels"] if options.only in case["text"]])
    results = []
    if options.resume:
        kept = json.loads(options.output.read_text())
        started, results = kept["started"], kept["kernels"]
    seen = {result["text"] for result in results}
    cases = [case for case in cases if case["text"] not in seen]
    if options.code and options.code.exists():
        theirs = pickle.loads(options.code.read_bytes())
    else:
        theirs = compile_all(options.folder, cases)
    if options.code:
        options.code.write_bytes(pickle.dumps(theirs))
    print(f"compiled by Triton after {time.time() - started:.0f} s", flush=True)

    def save(facts):
        options.output.write_text(json.dumps({"started": started, **facts, "kernels": results,
                                              "refused": recorded["refused"]}))

    if options.without_gpu:
        device = "meta"
        ready = [case for case in cases if not isinstance(theirs[case["text"]], str)]
        for case in ready:
            dry_run(case, options.folder)
        for text, code in theirs.items():
            if isinstance(code, str):
                print(f"{text}: {code}")
        print(f"{len(ready)} of {len(cases)} kernels could be launched")
        return
    torch.manual_seed(0)
    torch.zeros(1, device=device)
    facts = {"device": torch.cuda.get_device_name(), "torch": torch.__version__,
             "triton": importlib.metadata.version("triton")}
    for case in cases:
        code = theirs[case["text"]]
        try:
            if time.time() - started > options.seconds:
                code = "not reached in time"
            if isinstance(code, str):
                results.append({"text": case["text"], "kernel": case["kernel"], "failed": code})
                continue
            results.append(run_case(case, options.folder, code, options.rounds))
            if options.rounds:
                show(results[-1])
            if len(results) % 50 == 0:
                save(facts)
        except Exception as error:  # one kernel must not hide the others
            print(f"{case['text']:52} failed: {error!r}", flush=True)
            results.append({"text": case["text"], "kernel": case["kernel"], "failed": repr(error)[:300]})
            save(facts)
            try:
                torch.cuda.synchronize()
            except Exception:
                os.execv(sys.executable, [sys.executable, *sys.argv, "--resume"])
        if torch.cuda.memory_reserved() > 48 << 30:
            torch.cuda.empty_cache()
    save(facts)
    summarize(results, recorded["refused"])
    print(f"{time.time() - started:.0f} s")
    raise SystemExit(any(r["failed"] != "not reached in time" if "failed" in r else not agrees(r) for r in results))


if __name__ == "__main__":
    main()
