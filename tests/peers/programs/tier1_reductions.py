# SPDX-License-Identifier: Apache-2.0
"""Row-wise kernels, reductions, scans, sorting, reshapes, and one matrix product."""
import torch
import triton
import triton.language as tl
from cases import FLOATS, case, randint, randn


@triton.jit
def softmax_rows(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0) * columns
    j = tl.arange(0, BLOCK)
    a = tl.load(x + row + j, mask=j < columns, other=-float("inf")).to(tl.float32)
    e = tl.exp(a - tl.max(a, 0))
    tl.store(out + row + j, e / tl.sum(e, 0), mask=j < columns)


@triton.jit
def online_softmax(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0) * columns
    greatest = -float("inf")
    total = 0.0
    for start in range(0, columns, BLOCK):
        j = start + tl.arange(0, BLOCK)
        a = tl.load(x + row + j, mask=j < columns, other=-float("inf"))
        step = tl.maximum(greatest, tl.max(a, 0))
        total = total * tl.exp(greatest - step) + tl.sum(tl.exp(a - step), 0)
        greatest = step
    for start in tl.range(0, columns, BLOCK, num_stages=2):
        j = start + tl.arange(0, BLOCK)
        a = tl.load(x + row + j, mask=j < columns)
        tl.store(out + row + j, tl.exp(a - greatest) / total, mask=j < columns)


@triton.jit
def layer_norm(x, weight, bias, out, mean_out, rstd_out, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x += row * columns
    out += row * columns
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        j = start + tl.arange(0, BLOCK)
        total += tl.load(x + j, mask=j < columns, other=0.0).to(tl.float32)
    mean = tl.sum(total, 0) / columns
    squares = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        j = start + tl.arange(0, BLOCK)
        a = tl.load(x + j, mask=j < columns, other=0.0).to(tl.float32)
        d = tl.where(j < columns, a - mean, 0.0)
        squares += d * d
    rstd = 1 / tl.sqrt(tl.sum(squares, 0) / columns + eps)
    tl.store(mean_out + row, mean)
    tl.store(rstd_out + row, rstd)
    for start in range(0, columns, BLOCK):
        j = start + tl.arange(0, BLOCK)
        a = (tl.load(x + j, mask=j < columns, other=0.0).to(tl.float32) - mean) * rstd
        w, b = tl.load(weight + j, mask=j < columns), tl.load(bias + j, mask=j < columns)
        tl.store(out + j, a * w + b, mask=j < columns)


@triton.jit
def weight_gradient(dy, x, rstd, dx, dw, rows, columns, BLOCK: tl.constexpr):
    j = tl.arange(0, BLOCK)
    mask = j < columns
    total = tl.zeros((BLOCK,), tl.float32)  # carried over rows; each row has a reduction inside
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        d = tl.load(dy + row * columns + j, mask=mask, other=0.0).to(tl.float32)
        a = tl.load(x + row * columns + j, mask=mask, other=0.0).to(tl.float32)
        r = tl.load(rstd + row)
        slope = r * (d - a * r * r * tl.sum(d * a, 0) / columns)
        tl.store(dx + row * columns + j, slope, mask=mask)
        total += d * a * r
    tl.store(dw + tl.program_id(0) * columns + j, total, mask=mask)


@case()
def rowKernels():
    for dtype in [torch.float32, torch.bfloat16]:
        for columns, block in [(1000, 1024), (5120, 8192), (60000, 65536)]:
            x = randn(3, columns, dtype=dtype)
            softmax_rows[(3,)](x, torch.empty_like(x), columns, BLOCK=block)
        x, w = randn(4, 1000, dtype=dtype), randn(1000, dtype=dtype)
        y, mean, rstd = torch.empty_like(x), torch.empty(4), torch.rand(4)
        layer_norm[(4,)](x, w, w, y, mean, rstd, 1000, 1e-5, BLOCK=256)
        weight_gradient[(2,)](x, x, rstd, y, torch.empty(2, 1000), 4, 1000, BLOCK=1024)
    online_softmax[(3,)](randn(3, 1000), torch.empty(3, 1000), 1000, BLOCK=256)


@triton.jit
def reduce_tile(x, out, AXIS: tl.constexpr, R: tl.constexpr, C: tl.constexpr):
    tile = tl.load(x + tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :])
    n: tl.constexpr = C if AXIS == 0 else R
    i = tl.arange(0, n)
    tl.store(out + i, tl.sum(tile, AXIS))
    tl.store(out + n + i, tl.max(tile, AXIS))
    tl.store(out + 2 * n + i, tl.min(tile, AXIS))
    tl.store(out + 3 * n + i, tl.argmax(tile, AXIS).to(out.dtype.element_ty))
    tl.store(out + 4 * n + i, tl.argmin(tile, AXIS, tie_break_left=False).to(out.dtype.element_ty))


@triton.jit
def reduce_whole(x, out, R: tl.constexpr, C: tl.constexpr):
    tile = tl.load(x + tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :])
    greatest, place = tl.max(tl.reshape(tile, (R * C,)), 0, return_indices=True)
    tl.store(out, tl.sum(tile))
    tl.store(out + 1, tl.max(tile))
    tl.store(out + 2, tl.sum(tl.sum(tile, 1, keep_dims=True) * tile))
    tl.store(out + 3, greatest + place.to(tile.dtype))


@triton.jit
def reduce_cube(x, out, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    a, b, c = tl.arange(0, A), tl.arange(0, B), tl.arange(0, C)
    place = a[:, None, None] * B * C + b[None, :, None] * C + c[None, None, :]
    middle = tl.sum(tl.load(x + place), 1)
    tl.store(out + a[:, None] * C + c[None, :], middle)


@case()
def reductions():
    for dtype in FLOATS + [torch.int32, torch.int64]:
        for axis in (0, 1):
            out = torch.empty(512, dtype=dtype)
            reduce_tile[(1,)](randint(16, 64, dtype=dtype), out, AXIS=axis, R=16, C=64)
        reduce_whole[(1,)](randint(16, 64, dtype=dtype), out, R=16, C=64)
    reduce_cube[(1,)](randn(4, 8, 16), torch.empty(4, 16), A=4, B=8, C=16)


@triton.jit
def merge_welford(mean_a, m2_a, n_a, mean_b, m2_b, n_b):
    n = n_a + n_b
    d = mean_b - mean_a
    return mean_a + d * n_b / n, m2_a + m2_b + d * d * n_a * n_b / n, n


@triton.jit
def multiply(a, b):
    return a * b


@triton.jit
def either(a, b):
    return a | b


@triton.jit
def custom_reductions(x, out, BLOCK: tl.constexpr):
    a = tl.load(x + tl.arange(0, BLOCK))
    ones = tl.full((BLOCK,), 1.0, tl.float32)
    mean, m2, n = tl.reduce((a, tl.zeros_like(a), ones), 0, merge_welford)
    tl.store(out, mean)
    tl.store(out + 1, m2 / n)
    tl.store(out + 2, tl.reduce(a, 0, multiply))
    tl.store(out + 3, tl.reduce(a > 2.0, 0, either).to(tl.float32))
    tl.store(out + 4, tl.xor_sum((a * 16).to(tl.int32), 0).to(tl.float32))


@triton.jit
def scans(x, out, R: tl.constexpr, C: tl.constexpr):
    place = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    a = tl.load(x + place)
    backwards = tl.associative_scan(a, 1, multiply, reverse=True)
    tl.store(out + place, tl.cumsum(a, 1) + tl.cumprod(a, 0) + backwards)


@triton.jit
def decay(a, x, b, y):
    return a * b, x * b + y


@triton.jit
def linear_recurrence(a, x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    _, h = tl.associative_scan((tl.load(a + i), tl.load(x + i)), 0, decay)
    tl.store(out + i, h)


@case()
def customReductionsAndScans():
    custom_reductions[(1,)](randn(256), torch.empty(5), BLOCK=256)
    scans[(1,)](randn(8, 32), torch.empty(8, 32), R=8, C=32)
    linear_recurrence[(1,)](torch.rand(128), randn(128), torch.empty(128), BLOCK=128)


@triton.jit
def sorting(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, tl.sort(a))
    tl.store(out + BLOCK + i, tl.flip(a, 0))


@triton.jit
def counting(x, out, BINS: tl.constexpr, BLOCK: tl.constexpr):
    tl.store(out + tl.arange(0, BINS), tl.histogram(tl.load(x + tl.arange(0, BLOCK)), BINS))


@triton.jit
def gather_in_tile(x, index, out, R: tl.constexpr, C: tl.constexpr):
    place = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    tl.store(out + place, tl.gather(tl.load(x + place), tl.load(index + place), 1))


@case()
def sortAndHistogram():
    sorting[(1,)](randn(64), torch.empty(128), BLOCK=64)
    sorting[(1,)](randint(64), randint(128), BLOCK=64)
    counting[(1,)](randint(256, high=16), torch.empty(16, dtype=torch.int32), BINS=16, BLOCK=256)


@case(since=(3, 3))
def gatherInTile():
    index = randint(8, 16, low=0, high=16)
    gather_in_tile[(1,)](randn(8, 16), index, torch.empty(8, 16), R=8, C=16)


@triton.jit
def shapes(x, out, R: tl.constexpr, C: tl.constexpr):
    place = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    a = tl.load(x + place)
    b = tl.trans(tl.reshape(a, (C, R)))
    low, high = tl.split(tl.reshape(a, (R, C // 2, 2)))
    c = tl.reshape(tl.join(high, low), (R, C)) + tl.interleave(low, high)
    d = tl.permute(tl.reshape(a, (R, 2, C // 2)), (0, 2, 1))
    e = tl.broadcast_to(tl.expand_dims(tl.arange(16, 16 + C), 0), (R, C))
    tl.store(out + place, b + c + tl.reshape(d, (R, C)) + e)


@triton.jit
def interleaved_rope(x, cos, sin, out, HALF: tl.constexpr):
    i = tl.arange(0, HALF)
    even, odd = tl.split(tl.reshape(tl.load(x + tl.arange(0, 2 * HALF)), (HALF, 2)))
    c, s = tl.load(cos + i), tl.load(sin + i)
    tl.store(out + tl.arange(0, 2 * HALF), tl.interleave(even * c - odd * s, even * s + odd * c))


@case()
def reshapes():
    shapes[(1,)](randn(8, 32), torch.empty(8, 32), R=8, C=32)
    interleaved_rope[(1,)](randn(64), randn(32), randn(32), torch.empty(64), HALF=32)


@triton.jit
def matmul(a, b, out, M, N, K, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    left = a + m[:, None] * K + k[None, :]
    right = b + k[:, None] * N + n[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K, BLOCK_K):
        x = tl.load(left, mask=(m[:, None] < M) & (k[None, :] + start < K), other=0.0)
        y = tl.load(right, mask=(k[:, None] + start < K) & (n[None, :] < N), other=0.0)
        total = tl.dot(x, y, total, input_precision="ieee")
        left += BLOCK_K
        right += BLOCK_K * N
    tl.store(out + m[:, None] * N + n[None, :], total, mask=(m[:, None] < M) & (n[None, :] < N))


@case()
def matrixProduct():
    for dtype in [torch.float32, torch.float16, torch.bfloat16]:
        a, b = randn(50, 40, dtype=dtype), randn(40, 60, dtype=dtype)
        matmul[(2, 2)](a, b, torch.empty(50, 60), 50, 60, 40, BLOCK_M=32, BLOCK_N=32, BLOCK_K=32)
