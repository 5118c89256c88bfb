# SPDX-License-Identifier: Apache-2.0
"""Elementwise kernels: arithmetic, conversions, math, libdevice, random numbers, flags."""
import torch
import triton
import triton.language as tl
from cases import FLOATS, INTEGERS, case, randint, randn
from triton.language.extra import libdevice


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
    r = tl.exp(a) + tl.exp2(a) + tl.log(tl.abs(a)) + tl.log2(a * a)
    r += tl.sqrt(tl.abs(a)) + tl.rsqrt(a * a)
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
    a = tl.load(x + i)
    tl.store(out + i, a.to(KIND).to(tl.float32) + a.to(tl.float16).to(KIND).to(tl.float32))


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
    r = libdevice.log1p(tl.abs(a)) + libdevice.log10(tl.abs(a)) + libdevice.rsqrt(a * a)
    r += libdevice.expm1(a) + libdevice.exp10(a) + libdevice.erf(a) + libdevice.erfc(a)
    r += libdevice.tan(a) + libdevice.atan(a) + libdevice.tanh(a) + libdevice.asinh(a)
    r += libdevice.sinh(a) + libdevice.cosh(a) + libdevice.lgamma(a) + libdevice.tgamma(a)
    r += libdevice.rint(a) + libdevice.trunc(a) + libdevice.round(a) + libdevice.nearbyint(a)
    r += libdevice.cbrt(a)
    r = tl.where(libdevice.isnan(a).to(tl.int1) | libdevice.isinf(a).to(tl.int1), 0.0, r)
    tl.store(out + i, tl.where(libdevice.signbit(a) != 0, -r, r))


@triton.jit
def libdevice_binary(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a, b = tl.load(x + i), tl.load(y + i)
    r = libdevice.pow(tl.abs(a), b) + libdevice.atan2(a, b) + libdevice.hypot(a, b)
    r += libdevice.fmod(a, b) + libdevice.remainder(a, b) + libdevice.fdim(a, b)
    r += libdevice.copysign(a, b) + libdevice.nextafter(a, b)
    tl.store(out + i, r + libdevice.fma(a, b, r) + libdevice.ldexp(a, 3))


@triton.jit
def libdevice_integer(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    r = libdevice.popc(a) + libdevice.clz(a) + libdevice.brev(a) + libdevice.ffs(a)
    tl.store(out + i, r + libdevice.mulhi(a, a))


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
    silu = libdevice.fast_dividef(a, 1 + libdevice.fast_expf(-a))
    tl.store(out + i, silu + libdevice.fast_sinf(a) * libdevice.fast_log2f(a * a))


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
    keep = torch.empty(500, dtype=torch.bool)
    dropout[(4,)](randn(500), keep, torch.empty(500), 0.3, 1234, 500, BLOCK=128)
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
        x, y, flags = randint(64, dtype=dtype), randint(64, dtype=dtype), torch.rand(64) > 0.5
        select_by_flags[(1,)](flags, x, y, torch.empty_like(x), BLOCK=64)
