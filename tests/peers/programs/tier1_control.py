# SPDX-License-Identifier: Apache-2.0
"""Loops, branches, early returns, device functions, printing, assembly, tuples."""
import torch
import triton
import triton.language as tl
from cases import case, randint, randn


@triton.jit
def loops(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    steps = 0
    for k in range(n - 1, -1, -2):
        for m in range(0, k):
            total += tl.load(x + m * BLOCK + i)
            steps += m
    for k in tl.static_range(3):
        total += k * steps
    for k in tl.range(0, n, loop_unroll_factor=2):
        total -= tl.load(x + k * BLOCK + i)
    tl.store(out + i, total)


@triton.jit
def wide_counter(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for k in range(tl.program_id(0).to(tl.int64), n, 2):
        total += tl.load(x + k * BLOCK + i)
    tl.store(out + tl.program_id(0) * BLOCK + i, total)


@triton.jit
def newton(x, out, tolerance, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    root = a
    steps = 0
    while (tl.max(tl.abs(root * root - a), 0) > tolerance) & (steps < 50):
        root = 0.5 * (root + a / root)
        steps += 1
    tl.store(out + i, root)


@triton.jit
def binary_search(sorted_keys, wanted, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    key = tl.load(wanted + i)
    low = tl.zeros((BLOCK,), tl.int32)
    width = n
    while width > 0:
        half = width // 2
        middle = low + half
        below = tl.load(sorted_keys + middle, mask=middle < n, other=2147483647) < key
        low = tl.where(below, middle + 1, low)
        width = half
    tl.store(out + i, low)


@case()
def loopForms():
    loops[(1,)](randn(8, 64), torch.empty(64), 7, BLOCK=64)
    wide_counter[(2,)](randn(8, 64), torch.empty(2, 64), 8, BLOCK=64)
    newton[(1,)](torch.rand(64) + 1, torch.empty(64), 1e-5, BLOCK=64)
    binary_search[(1,)](randint(100).sort().values, randint(64), randint(64), 100, BLOCK=64)


@triton.jit
def early_return(x, labels, out, ignored, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    row = tl.program_id(0)
    label = tl.load(labels + row)
    if label == ignored:
        tl.store(out + row * BLOCK + i, 0.0)
        return
    a = tl.load(x + row * BLOCK + i)
    tl.store(out + row * BLOCK + i, a - tl.load(x + row * BLOCK + label))


@triton.jit
def returns_in_branches(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    if n > 10:
        if n > 100:
            tl.store(out + i, a)
            return
        a = a * 2
    else:
        a = a + 1
        if n < 0:
            return
    for k in range(n):
        a += k
    tl.store(out + i, a)


@triton.jit
def branches(x, out, n, p, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    scale = 1.0
    if p > 0.5 and n != 3:
        a = tl.exp(a)
        scale = 2.0
    elif n == 3:
        a = tl.load(x + BLOCK + i)
    kept = tl.sum(a, 0) if p < 0.1 else tl.max(a, 0)
    for k in range(n):
        if k % 2 == 0:
            a += scale
        else:
            scale = scale * 0.5
    tl.store(out + i, a * scale + kept)
    if n == 0:
        tl.store(out, kept)


@case()
def branchForms():
    early_return[(3,)](randn(3, 64), torch.tensor([5, -100, 7]), torch.empty(3, 64), -100, BLOCK=64)
    returns_in_branches[(1,)](randn(64), torch.empty(64), 20, BLOCK=64)
    branches[(1,)](randn(128), torch.empty(64), 5, 0.7, BLOCK=64)


@triton.jit(noinline=True)
def outlined(a, b):
    return a * b + 1.0


@triton.jit(noinline=True)
def outlined_row(x, out, scale, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) * scale)


@triton.jit
def guarded(a, n):
    if n > 3:
        return a * 2
    return a


@triton.jit
def calls(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    outlined_row(x, out, outlined(tl.load(x), 3.0), BLOCK)
    tl.store(out + BLOCK + i, guarded(a, n))


@case()
def deviceFunctions():
    calls[(1,)](randn(64), torch.empty(128), 4, BLOCK=64)


@triton.jit
def printing(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.static_assert(BLOCK > 1)
    tl.device_print("a:", a, i)
    tl.device_assert(a < 1000, "too large")


@triton.jit
def inline_assembly(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    b = tl.inline_asm_elementwise("add.s32 $0, $1, $2;", "=r,r,r", [a, i], dtype=tl.int32,
                                  is_pure=True, pack=1)
    tl.store(out + i, b)


@case()
def diagnosticsAndAssembly():
    printing[(1,)](randn(16), BLOCK=16, debug=True)
    inline_assembly[(1,)](randint(64), randint(64), BLOCK=64)


@triton.jit
def pair(a, b):
    return tl.minimum(a, b), tl.maximum(a, b)


@triton.jit
def elementwise_map(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    low, high = tl.map_elementwise(pair, tl.load(x + i), tl.load(y + i))
    tl.store(out + i, high - low)


@case(since=(3, 5))
def elementwiseMap():
    elementwise_map[(1,)](randn(64), randn(64), torch.empty(64), BLOCK=64)


@triton.jit
def tuple_arguments(sources, out, shape, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for k in tl.static_range(len(sources)):
        total += tl.load(sources[k] + i, mask=i < shape[k], other=0.0)
    tl.store(out + i, total)


@case(since=(3, 3))
def tuples():
    sources = randn(64), randn(50), randn(40)
    tuple_arguments[(1,)](sources, torch.empty(64), (64, 50, 40), BLOCK=64)
