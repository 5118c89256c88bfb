# SPDX-License-Identifier: Apache-2.0
"""Kernels about memory: strides, gathers, pointers as values, cache hints, atomics, descriptors."""
import torch
import triton
import triton.language as tl
from cases import case, randint, randn


@triton.jit
def transpose_copy(x, out, rows, columns, stride_row, stride_column, R: tl.constexpr,
                   C: tl.constexpr):
    i = tl.program_id(0) * R + tl.arange(0, R)
    j = tl.program_id(1) * C + tl.arange(0, C)
    inside = (i[:, None] < rows) & (j[None, :] < columns)
    tile = tl.load(x + i[:, None] * stride_row + j[None, :] * stride_column, mask=inside, other=0.0)
    inside = (j[:, None] < columns) & (i[None, :] < rows)
    tl.store(out + j[:, None] * rows + i[None, :], tl.trans(tile), mask=inside)


@triton.jit
def gather_rows(table, index, out, columns, BLOCK: tl.constexpr):
    row = tl.load(index + tl.program_id(0)).to(tl.int64)
    j = tl.arange(0, BLOCK)
    value = tl.load(table + row * columns + j, mask=j < columns)
    tl.store(out + tl.program_id(0) * columns + j, value, mask=j < columns)


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
    pointers = x + tl.arange(0, BLOCK)  # carried: a tile of pointers and a scalar pointer
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
    a = tl.load(x + i, cache_modifier=".ca", eviction_policy="evict_last")
    a += tl.load(x + i + BLOCK, cache_modifier=".cg")
    a += tl.load(x + i + 2 * BLOCK, eviction_policy="evict_first")
    a += tl.load(x + i + 3 * BLOCK, volatile=True)
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
    place = tl.program_id(2) * tl.num_programs(1) + tl.program_id(1)
    place = place * tl.num_programs(0) + tl.program_id(0)
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
    row = tl.program_id(0) * R
    source = tl.make_block_ptr(x, (rows, columns), (columns, 1), (row, 0), (R, C), (1, 0))
    target = tl.make_block_ptr(out, (rows, columns), (columns, 1), (row, 0), (R, C), (1, 0))
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
