# SPDX-License-Identifier: Apache-2.0
"""Small Triton kernels that together use the language: one feature or idiom each, cheap to replay.

    tests/peers/record --env 3.6.0 --out DIR tests/peers/programs/tier1.py [--only NAME]

Every launch is in bounds, so a recording can be replayed and compared. Triton 3.2 to 3.9; a case
that needs a newer front end, or an older one, says so. Prints one line a failure, then the counts.
"""
import argparse
import sys
import traceback

import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice

VERSION = tuple(int(part) for part in triton.__version__.split(".")[:2])
FLOATS = [torch.float32, torch.float16, torch.bfloat16, torch.float64]
INTEGERS = [torch.int32, torch.int64, torch.int16, torch.int8, torch.uint8]
cases = []


def case(since=(3, 2), until=(3, 99)):
    """Register a function that launches kernels, for these versions of Triton."""

    def register(launch):
        if since <= VERSION <= until:
            cases.append(launch)
        return launch

    return register


def randn(*shape, dtype=torch.float32):
    return torch.randn(*shape).to(dtype)


def randint(*shape, low=1, high=100, dtype=torch.int32):
    return torch.randint(low, high, shape).to(dtype)


# ----------------------------------------------------------------------------- elementwise


@triton.jit
def vector_add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask), mask=mask)


@case()
def everyTypeAdds():
    for dtype in FLOATS + INTEGERS:
        x, y = randint(1000, dtype=dtype), randint(1000, dtype=dtype)
        vector_add[(4,)](x, y, torch.empty_like(x), 1000, BLOCK=256)
    x = randn(2**14)
    vector_add[(1,)](x, x, x, 2**14, BLOCK=2**14)  # in place, all three one buffer
    vector_add[(16,)](x, x, x, 2**14, BLOCK=1024, num_warps=8)


@triton.jit
def scale_shift(x, out, alpha, beta, n: tl.int64, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n, other=0.0).to(tl.float32)
    tl.store(out + i, value * alpha + beta, mask=i < n)


@case()
def scalarArguments():
    for dtype in FLOATS:
        x = randn(500, dtype=dtype)
        scale_shift[(4,)](x, torch.empty_like(x), 0.5, 3, 500, BLOCK=128)
        scale_shift[(4,)](x, torch.empty_like(x), 2.0, 1.25, 500, BLOCK=128)


@triton.jit
def integer_arithmetic(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a, b = tl.load(x + i), tl.load(y + i)
    r = (a // b) * 3 + a % b - (a & b) + (a | b) ^ (~a)
    r += (a << 2) + (b >> 1) + tl.abs(-a) + tl.minimum(a, b) - tl.maximum(a, b)
    r = tl.where((a < b) | (a == 7), r, -r) + tl.cdiv(a, 3) + (a != b).to(a.dtype)
    tl.store(out + i, r)


@triton.jit
def multiply_high(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.umulhi(tl.load(x + i), tl.load(y + i)))


@case()
def integers():
    for dtype in INTEGERS:
        x, y = randint(64, dtype=dtype), randint(64, high=7, dtype=dtype)
        integer_arithmetic[(1,)](x, y, torch.empty_like(x), BLOCK=64)
    x = randint(64)
    multiply_high[(1,)](x.to(torch.uint32), x.to(torch.uint32), x.to(torch.uint32), BLOCK=64)


@triton.jit
def float_functions(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    r = tl.exp(a) + tl.exp2(a) + tl.log(tl.abs(a)) + tl.log2(a * a) + tl.sqrt(tl.abs(a)) + tl.rsqrt(a * a)
    r += tl.sin(a) * tl.cos(a) + tl.erf(a) - tl.floor(a) / tl.ceil(a + 0.5) + tl.sigmoid(a)
    tl.store(out + i, tl.fma(r, a, -a))


@triton.jit
def float_rounding(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a, b = tl.load(x + i), tl.load(y + i)
    r = tl.div_rn(a, b) + tl.sqrt_rn(tl.abs(a)) + tl.fdiv(a, b) + a % b
    r = tl.maximum(r, b, propagate_nan=tl.PropagateNan.ALL) + tl.minimum(r, a)
    tl.store(out + i, tl.clamp(r, -4.0, 4.0) + tl.where(a != a, 0.0, b))


@case()
def floats():
    for dtype in [torch.float32, torch.float64]:
        x = randn(256, dtype=dtype)
        float_functions[(1,)](x, torch.empty_like(x), BLOCK=256)
    float_rounding[(1,)](randn(256), randn(256), torch.empty(256), BLOCK=256)


@triton.jit
def convert(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i).to(out.dtype.element_ty))


@triton.jit
def bitcasts(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    bits = tl.load(x + i).to(tl.int32, bitcast=True)
    exponent = (bits >> 23) & 0xFF
    tl.store(out + i, ((exponent << 23) | (bits & 0x7FFFFF)).to(tl.float32, bitcast=True))


@case()
def conversions():
    types = FLOATS + INTEGERS + [torch.bool]
    for source in types:
        for target in types:
            x = randint(128, high=3, dtype=source)
            convert[(1,)](x, torch.empty(128, dtype=target), BLOCK=128)
    bitcasts[(1,)](randn(128), torch.empty(128), BLOCK=128)


@triton.jit
def through_fp8(x, out, KIND: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i).to(KIND).to(tl.float32) + tl.load(x + i).to(tl.float16).to(KIND).to(tl.float32))


@triton.jit
def round_down(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i).to(tl.float16, fp_downcast_rounding="rtz"))


@case()
def eightBitFloats():
    for kind in [tl.float8e5, tl.float8e4nv]:
        through_fp8[(1,)](randn(128), torch.empty(128), KIND=kind, BLOCK=128)
    convert[(1,)](randn(128).to(torch.float8_e4m3fn), torch.empty(128), BLOCK=128)
    convert[(1,)](randn(128), torch.empty(128, dtype=torch.float8_e5m2), BLOCK=128)
    round_down[(1,)](randn(128), torch.empty(128, dtype=torch.float16), BLOCK=128)


@triton.jit
def libdevice_unary(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    r = libdevice.log1p(tl.abs(a)) + libdevice.expm1(a) + libdevice.tanh(a) + libdevice.erf(a) + libdevice.erfc(a)
    r += libdevice.tan(a) + libdevice.atan(a) + libdevice.asinh(a) + libdevice.sinh(a) + libdevice.cosh(a)
    r += libdevice.cbrt(a) + libdevice.rint(a) + libdevice.trunc(a) + libdevice.round(a) + libdevice.log10(tl.abs(a))
    r += libdevice.lgamma(a) + libdevice.tgamma(a) + libdevice.exp10(a) + libdevice.nearbyint(a) + libdevice.rsqrt(a * a)
    r = tl.where(libdevice.isnan(a).to(tl.int1) | libdevice.isinf(a).to(tl.int1), 0.0, r)
    tl.store(out + i, tl.where(libdevice.signbit(a) != 0, -r, r))


@triton.jit
def libdevice_binary(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a, b = tl.load(x + i), tl.load(y + i)
    r = libdevice.pow(tl.abs(a), b) + libdevice.atan2(a, b) + libdevice.fmod(a, b) + libdevice.hypot(a, b)
    r += libdevice.copysign(a, b) + libdevice.fdim(a, b) + libdevice.nextafter(a, b) + libdevice.remainder(a, b)
    tl.store(out + i, r + libdevice.fma(a, b, r) + libdevice.ldexp(a, 3))


@triton.jit
def libdevice_integer(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, libdevice.popc(a) + libdevice.clz(a) + libdevice.brev(a) + libdevice.ffs(a) + libdevice.mulhi(a, a))


@case()
def libdeviceFunctions():
    for dtype in [torch.float32, torch.float64]:
        x, y = randn(128, dtype=dtype), randn(128, dtype=dtype)
        libdevice_unary[(1,)](x, torch.empty_like(x), BLOCK=128)
        libdevice_binary[(1,)](x, y, torch.empty_like(x), BLOCK=128)
    libdevice_integer[(1,)](randint(128), randint(128), BLOCK=128)


@triton.jit
def fast_silu(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, libdevice.fast_dividef(a, 1 + libdevice.fast_expf(-a)) + libdevice.fast_sinf(a) * libdevice.fast_log2f(a * a))


@case()
def fastMath():
    fast_silu[(1,)](randn(128), torch.empty(128), BLOCK=128)


@triton.jit
def dropout(x, keep, out, p, seed, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    kept = tl.rand(seed, i) > p
    tl.store(keep + i, kept, mask=i < n)
    tl.store(out + i, tl.where(kept, tl.load(x + i, mask=i < n) / (1 - p), 0.0), mask=i < n)


@triton.jit
def random_numbers(out, seed, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a, b, c, d = tl.randint4x(seed, i)
    tl.store(out + i, tl.randn(seed, i) + ((a ^ b ^ c ^ d) & 0xFF).to(tl.float32))


@case()
def randomNumbers():
    dropout[(4,)](randn(500), torch.empty(500, dtype=torch.bool), torch.empty(500), 0.3, 1234, 500, BLOCK=128)
    random_numbers[(1,)](torch.empty(128), 77, BLOCK=128)


@triton.jit
def select_by_flags(flags, x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    flag = tl.load(flags + i)
    tl.store(out + i, tl.where(flag, tl.load(x + i, mask=flag, other=-1), tl.load(y + i)))
    tl.store(flags + i, ~flag)


@case()
def flagsInMemory():
    for dtype in [torch.float32, torch.int8]:
        select_by_flags[(1,)](torch.rand(64) > 0.5, randint(64, dtype=dtype), randint(64, dtype=dtype), randint(64, dtype=dtype), BLOCK=64)


# ----------------------------------------------------------------------------- memory


@triton.jit
def transpose_copy(x, out, rows, columns, stride_row, stride_column, R: tl.constexpr, C: tl.constexpr):
    i = tl.program_id(0) * R + tl.arange(0, R)
    j = tl.program_id(1) * C + tl.arange(0, C)
    inside = (i[:, None] < rows) & (j[None, :] < columns)
    tile = tl.load(x + i[:, None] * stride_row + j[None, :] * stride_column, mask=inside, other=0.0)
    tl.store(out + j[:, None] * rows + i[None, :], tl.trans(tile), mask=(j[:, None] < columns) & (i[None, :] < rows))


@triton.jit
def gather_rows(table, index, out, columns, BLOCK: tl.constexpr):
    row = tl.load(index + tl.program_id(0)).to(tl.int64)
    j = tl.arange(0, BLOCK)
    tl.store(out + tl.program_id(0) * columns + j, tl.load(table + row * columns + j, mask=j < columns), mask=j < columns)


@triton.jit
def gather_elements(x, index, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + tl.load(index + i)))


@case()
def indirection():
    x = randn(100, 60)
    transpose_copy[(4, 4)](x, torch.empty(60, 100), 100, 60, 60, 1, R=32, C=16)
    transpose_copy[(4, 4)](x.t(), torch.empty(100, 60), 60, 100, 1, 60, R=32, C=32)
    for dtype in [torch.int32, torch.int64]:
        gather_rows[(5,)](x, randint(5, dtype=dtype), torch.empty(5, 60), 60, BLOCK=64)
        gather_elements[(1,)](x, randint(64, dtype=dtype), torch.empty(64), BLOCK=64)


@triton.jit
def choose_pointers(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    source = tl.where(i % 2 == 0, x + i, y + i)  # a select between tiles of pointers
    if n > 5:  # a select between scalar pointers
        target = out
    else:
        target = out + BLOCK
    tl.store(target + i, tl.load(source))


@triton.jit
def walking_pointers(x, out, n, BLOCK: tl.constexpr):
    pointers = x + tl.arange(0, BLOCK)  # a loop-carried tile of pointers, beside a loop-carried scalar pointer
    total = tl.zeros((BLOCK,), tl.float32)
    for _ in range(0, n, BLOCK):
        total += tl.load(pointers) * tl.load(x)
        pointers += BLOCK
        x += 1
    tl.store(out + tl.arange(0, BLOCK), total)


@triton.jit
def pointer_to_integer(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    address = (x + i).to(tl.int64)
    tl.store(out + i, tl.load((address + 4).to(tl.pointer_type(tl.float32))))


@triton.jit
def table_of_pointers(table, out, BLOCK: tl.constexpr):
    x = tl.load(table + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    i = tl.arange(0, BLOCK)
    tl.store(out + tl.program_id(0) * BLOCK + i, tl.load(x + i))


@case()
def pointers():
    x, y = randn(1024), randn(1024)
    choose_pointers[(1,)](x, y, torch.empty(128), 7, BLOCK=64)
    walking_pointers[(1,)](x, torch.empty(128), 1024, BLOCK=128)
    pointer_to_integer[(1,)](x, torch.empty(64), BLOCK=64)
    table_of_pointers[(2,)](torch.tensor([x.data_ptr(), y.data_ptr()]), torch.empty(128), BLOCK=64)


@triton.jit
def cache_hints(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i, cache_modifier=".ca", eviction_policy="evict_last") + tl.load(x + i + BLOCK, cache_modifier=".cg")
    a += tl.load(x + i + 2 * BLOCK, eviction_policy="evict_first") + tl.load(x + i + 3 * BLOCK, volatile=True)
    tl.store(out + i, a, cache_modifier=".wb")
    tl.store(out + i + BLOCK, a, cache_modifier=".cs", eviction_policy="evict_first")


@triton.jit
def scalar_memory(x, count, out, BLOCK: tl.constexpr):
    n = tl.load(count)
    scale = tl.load(x + n, mask=n < BLOCK, other=1.0)
    i = tl.arange(0, BLOCK)
    total = tl.sum(tl.load(x + i) * scale, 0)
    tl.store(out + tl.program_id(0), total)
    tl.store(out + 8 + tl.program_id(0), scale, mask=n > 3)


@triton.jit
def hints(x, out, n, stride, BLOCK: tl.constexpr):
    tl.assume(n > 0)
    stride = tl.multiple_of(stride, 8)
    i = tl.max_contiguous(tl.multiple_of(tl.arange(0, BLOCK), BLOCK), BLOCK)
    tl.store(out + i, tl.load(x + tl.program_id(0) * stride + i, mask=tl.max_constancy(i < n, 8)))


@triton.jit
def overwrite_then_read(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    first = tl.load(x)  # every lane's store below may hit this address
    tl.debug_barrier()
    tl.store(x + i, tl.load(x + i) * first)
    tl.debug_barrier()
    tl.store(out + i, tl.load(x + (BLOCK - 1 - i)))


@case()
def memoryForms():
    cache_hints[(1,)](randn(512), torch.empty(256), BLOCK=128)
    scalar_memory[(3,)](randn(64), torch.tensor([5]), torch.empty(16), BLOCK=64)
    hints[(2,)](randn(256), torch.empty(64), 60, 128, BLOCK=64)
    overwrite_then_read[(1,)](randn(64), torch.empty(64), BLOCK=64)


@triton.jit
def grid_3d(out, BLOCK: tl.constexpr):
    place = (tl.program_id(2) * tl.num_programs(1) + tl.program_id(1)) * tl.num_programs(0) + tl.program_id(0)
    tl.store(out + place * BLOCK + tl.arange(0, BLOCK), place)


@triton.jit
def optional_bias(x, bias, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i)
    if bias is not None:
        value += tl.load(bias + i)
    tl.store(out + i, value)


@case()
def programsAndOptions():
    grid_3d[(2, 3, 4)](torch.empty(24 * 16, dtype=torch.int32), BLOCK=16)
    optional_bias[(1,)](randn(64), None, torch.empty(64), BLOCK=64)
    optional_bias[(1,)](randn(64), randn(64), torch.empty(64), BLOCK=64)


@triton.jit
def atomics(x, total, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.atomic_add(total, tl.sum(a, 0))
    tl.atomic_max(total + 1 + i % 2, a)
    tl.atomic_min(total + 3 + tl.zeros_like(i), a, mask=i > 5)


@triton.jit
def integer_atomics(x, out, lock, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.atomic_or(out + i % 4, a, sem="relaxed")
    tl.atomic_and(out + i % 4, a, scope="cta")
    tl.atomic_xor(out + i % 4, a)
    before = tl.atomic_xchg(out + 4, 9)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(out + 5, before)
    tl.atomic_xchg(lock, 0)


@case()
def atomicUpdates():
    for dtype in [torch.float32, torch.int32]:
        atomics[(2,)](randint(128, dtype=dtype), torch.zeros(8, dtype=dtype), BLOCK=64)
    integer_atomics[(1,)](randint(64), randint(8), torch.zeros(1, dtype=torch.int32), BLOCK=64)


@triton.jit
def block_pointers(x, out, rows, columns, R: tl.constexpr, C: tl.constexpr):
    source = tl.make_block_ptr(x, (rows, columns), (columns, 1), (tl.program_id(0) * R, 0), (R, C), (1, 0))
    target = tl.make_block_ptr(out, (rows, columns), (columns, 1), (tl.program_id(0) * R, 0), (R, C), (1, 0))
    for _ in range(0, columns, C):
        tile = tl.load(source, boundary_check=(0, 1), padding_option="zero")
        tl.store(target, tile * 2, boundary_check=(0, 1))
        source = tl.advance(source, (0, C))
        target = tl.advance(target, (0, C))


@case(until=(3, 8))
def blockPointers():
    block_pointers[(4,)](randn(50, 70), torch.empty(50, 70), 50, 70, R=16, C=32)


@triton.jit
def device_descriptors(x, out, rows, columns, R: tl.constexpr, C: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [rows, columns], [columns, 1], [R, C])
    target = tl.make_tensor_descriptor(out, [rows, columns], [columns, 1], [R, C])
    for j in range(0, columns, C):
        target.store([tl.program_id(0) * R, j], source.load([tl.program_id(0) * R, j]) + 1)


@case(since=(3, 4))
def descriptors():
    device_descriptors[(4,)](randn(64, 128), torch.empty(64, 128), 64, 128, R=16, C=32)


# ----------------------------------------------------------------------------- reductions and shapes


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
        d = tl.where(j < columns, tl.load(x + j, mask=j < columns, other=0.0).to(tl.float32) - mean, 0.0)
        squares += d * d
    rstd = 1 / tl.sqrt(tl.sum(squares, 0) / columns + eps)
    tl.store(mean_out + row, mean)
    tl.store(rstd_out + row, rstd)
    for start in range(0, columns, BLOCK):
        j = start + tl.arange(0, BLOCK)
        a = (tl.load(x + j, mask=j < columns, other=0.0).to(tl.float32) - mean) * rstd
        tl.store(out + j, a * tl.load(weight + j, mask=j < columns) + tl.load(bias + j, mask=j < columns), mask=j < columns)


@triton.jit
def weight_gradient(dy, x, rstd, dx, dw, rows, columns, BLOCK: tl.constexpr):
    j = tl.arange(0, BLOCK)
    mask = j < columns
    total = tl.zeros((BLOCK,), tl.float32)  # carried over rows, while each row has a reduction inside
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        d = tl.load(dy + row * columns + j, mask=mask, other=0.0).to(tl.float32)
        a = tl.load(x + row * columns + j, mask=mask, other=0.0).to(tl.float32)
        r = tl.load(rstd + row)
        tl.store(dx + row * columns + j, r * (d - a * r * r * tl.sum(d * a, 0) / columns), mask=mask)
        total += d * a * r
    tl.store(dw + tl.program_id(0) * columns + j, total, mask=mask)


@case()
def rowKernels():
    for dtype in [torch.float32, torch.bfloat16]:
        for columns, block in [(1000, 1024), (5120, 8192), (60000, 65536)]:
            x = randn(3, columns, dtype=dtype)
            softmax_rows[(3,)](x, torch.empty_like(x), columns, BLOCK=block)
        x, w = randn(4, 1000, dtype=dtype), randn(1000, dtype=dtype)
        layer_norm[(4,)](x, w, w, torch.empty_like(x), torch.empty(4), torch.empty(4), 1000, 1e-5, BLOCK=256)
        weight_gradient[(2,)](x, x, torch.rand(4), torch.empty_like(x), torch.empty(2, 1000), 4, 1000, BLOCK=1024)
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
    place = tl.arange(0, A)[:, None, None] * B * C + tl.arange(0, B)[None, :, None] * C + tl.arange(0, C)[None, None, :]
    middle = tl.sum(tl.load(x + place), 1)
    tl.store(out + tl.arange(0, A)[:, None] * C + tl.arange(0, C)[None, :], middle)


@case()
def reductions():
    for dtype in FLOATS + [torch.int32, torch.int64]:
        for axis in (0, 1):
            reduce_tile[(1,)](randint(16, 64, dtype=dtype), torch.empty(512, dtype=dtype), AXIS=axis, R=16, C=64)
        reduce_whole[(1,)](randint(16, 64, dtype=dtype), torch.empty(4, dtype=dtype), R=16, C=64)
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
    mean, m2, n = tl.reduce((a, tl.zeros_like(a), tl.full((BLOCK,), 1.0, tl.float32)), 0, merge_welford)
    tl.store(out, mean)
    tl.store(out + 1, m2 / n)
    tl.store(out + 2, tl.reduce(a, 0, multiply))
    tl.store(out + 3, tl.reduce(a > 2.0, 0, either).to(tl.float32))
    tl.store(out + 4, tl.xor_sum((a * 16).to(tl.int32), 0).to(tl.float32))


@triton.jit
def scans(x, out, R: tl.constexpr, C: tl.constexpr):
    place = tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]
    a = tl.load(x + place)
    tl.store(out + place, tl.cumsum(a, 1) + tl.cumprod(a, 0) + tl.associative_scan(a, 1, multiply, reverse=True))


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
    gather_in_tile[(1,)](randn(8, 16), randint(8, 16, low=0, high=16), torch.empty(8, 16), R=8, C=16)


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
        matmul[(2, 2)](randn(50, 40, dtype=dtype), randn(40, 60, dtype=dtype), torch.empty(50, 60), 50, 60, 40,
                       BLOCK_M=32, BLOCK_N=32, BLOCK_K=32)


# ----------------------------------------------------------------------------- control flow


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
    b = tl.inline_asm_elementwise("add.s32 $0, $1, $2;", "=r,r,r", [a, i], dtype=tl.int32, is_pure=True, pack=1)
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
    tuple_arguments[(1,)]((randn(64), randn(50), randn(40)), torch.empty(64), (64, 50, 40), BLOCK=64)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="cases whose name holds this")
    parser.add_argument("--trace", action="store_true", help="print every failure's traceback")
    arguments = parser.parse_args()
    torch.manual_seed(0)
    failures = 0
    chosen = [launch for launch in cases if arguments.only in launch.__name__]
    for launch in chosen:
        try:
            launch()
        except Exception as error:  # the other cases are still wanted
            failures += 1
            print(f"{launch.__name__}: {type(error).__name__}: {str(error)[-300:]}")
            if arguments.trace:
                traceback.print_exc()
    print(f"{len(chosen) - failures} cases ok, {failures} failed, Triton {triton.__version__}")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
