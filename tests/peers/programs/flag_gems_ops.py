# SPDX-License-Identifier: Apache-2.0
"""Call FlagGems' operators (PyTorch's ATen operators in Triton) on CPU tensors, for a recorder.

    tests/peers/environment --triton=3.6.0 --with flag-gems==5.0.2
    tests/peers/record --env 3.6.0 --out DIR tests/peers/programs/flag_gems_ops.py [--only NAME]

Operators that insist on a device called "cuda" are left out, and so are matrix products and
convolutions.
"""
import os
import pathlib
import shutil
import tempfile

# FlagGems generates Python files; their path stands in every location, so it must not change.
GENERATED = pathlib.Path(tempfile.gettempdir()) / "flag-gems-generated"
shutil.rmtree(GENERATED, ignore_errors=True)
os.environ.update(GEMS_VENDOR="nvidia", FLAGGEMS_CACHE_DIR=str(GENERATED))
import flag_gems
import torch
from calls import Calls, Tensors

torch.Tensor.is_cuda = True  # some operators insist
CONTIGUOUS = """arcsinh isneginf sinh_ floor_ special_i0e special_i1 round relu6 selu sgn_ log1p_
    digamma_ hardswish_ softshrink""".split()
UNARY = """abs acos angle atan ceil cos cosh erf exp exp2 expm1 isfinite isinf isnan log log10
    log_sigmoid neg reciprocal relu rsqrt sigmoid signbit silu sin sqrt square tan tanh gelu
    hardsigmoid softplus celu elu logit nan_to_num logical_not""".split()
BINARY = """add sub mul true_divide pow_tensor_tensor eq ne lt le gt ge atan2 copysign fmin hypot
    logaddexp remainder isclose logical_and logical_or logical_xor""".split()
INTEGER_BINARY = "bitwise_and_tensor bitwise_or_tensor add mul floor_divide remainder".split()
REDUCTIONS = "sum mean max min prod all any argmax argmin amax count_nonzero".split()
REDUCTIONS_ALONG = """sum_dim mean_dim max_dim min_dim prod_dim all_dim any_dim argmax argmin amax
    cumsum cummax cummin""".split()
TAKE_A_LIST = ("sum_dim", "mean_dim", "amax")


def integers(*shape, high=7):
    return torch.randint(1, high, shape, dtype=torch.int32)


def indices(*shape, high):
    return torch.randint(0, high, shape)


def pointwise(call, t):
    for name in CONTIGUOUS:
        call(name, getattr(flag_gems, name), t.c(30, 40))
    for name in UNARY:
        call(name, getattr(flag_gems, name), t.c(30, 40))
        call(name, getattr(flag_gems, name), t.c(30, 40).t())
    for name in BINARY:
        call(name, getattr(flag_gems, name), t.c(30, 40), t.c(30, 40))
        call(name, getattr(flag_gems, name), t.c(30, 1, 5), t.c(40, 5))
    a, b = t.c(30, 40), t.c(30, 40)
    call("clamp", flag_gems.clamp, a, -1.0, 1.0)
    call("lerp_scalar", flag_gems.lerp_scalar, a, b, 0.3)
    call("addcmul", flag_gems.addcmul, a, b, a)
    call("threshold", flag_gems.threshold, a, 0.1, 2.0)
    call("masked_fill", flag_gems.masked_fill, a, b > 0, 3.0)
    call("silu_and_mul", flag_gems.silu_and_mul, a, b)
    call("gelu_and_mul", flag_gems.gelu_and_mul, a, b)


def reductions(call, t):
    for name in REDUCTIONS:
        call(name, getattr(flag_gems, name), t.c(300, 1000))
    for name in REDUCTIONS_ALONG:
        for dim in (0, 1):
            where = [dim] if name in TAKE_A_LIST else dim
            call(name, getattr(flag_gems, name), t.c(64, 1000), where)
    a = t.c(30, 500)
    for dim in (0, 1):
        call("softmax", flag_gems.softmax, a, dim)
        call("log_softmax", flag_gems.log_softmax, a, dim)
        call("softmax_backward", flag_gems.softmax_backward, a, t.c(30, 500), dim, t.dtype)
    call("softmax", flag_gems.softmax, t.c(3, 50000), 1)
    call("vector_norm", flag_gems.vector_norm, a, 2, [1])
    call("var_mean", flag_gems.var_mean, a, [1])
    call("std", flag_gems.std, a, [1])
    call("mv", flag_gems.mv, t.c(50, 100), t.c(100))
    call("dot", flag_gems.dot, t.c(5000), t.c(5000))
    call("topk", flag_gems.topk, t.c(4, 500), 5)
    call("sort", flag_gems.sort, t.c(4, 60))


def norms(call, t):
    a, w = t.c(30, 500), t.c(500)
    call("rms_norm", flag_gems.rms_norm, a, [500], w)
    call("layer_norm", flag_gems.layer_norm, a, [500], w, w)
    call("layer_norm", flag_gems.layer_norm, t.c(30, 9000), [9000], t.c(9000), t.c(9000))
    call("group_norm", flag_gems.group_norm, t.c(2, 8, 100), t.c(8), t.c(8), 2, 8, 100, 4)
    call("batch_norm", flag_gems.batch_norm, t.c(4, 8, 100), t.c(8), t.c(8), training=True)
    call("skip_layer_norm", flag_gems.skip_layer_norm, a, t.c(30, 500), [500], w, w)
    call("fused_add_rms_norm", flag_gems.fused_add_rms_norm, a, t.c(30, 500), [500], w)
    call("apply_rotary_pos_emb", flag_gems.apply_rotary_pos_emb, t.c(7, 4, 64), t.c(7, 2, 64),
         torch.randn(50, 32), torch.randn(50, 32), position_ids=indices(7, high=50))


def integerOperators(call):
    for name in INTEGER_BINARY:
        call(name, getattr(flag_gems, name), integers(30, 40), integers(30, 40))
    for name in ("sum", "max", "argmax", "prod"):
        call(name, getattr(flag_gems, name), integers(300, 100))
    call("cumsum", flag_gems.cumsum, integers(300, 100), 1)
    call("bitwise_not", flag_gems.bitwise_not, integers(30, 40))
    call("isin", flag_gems.isin, integers(500), integers(20))
    call("one_hot", flag_gems.one_hot, indices(30, high=10), 10)


def movement(call):
    a = torch.randn(30, 40)
    for name in ("tril", "triu", "diag_embed", "trace"):
        call(name, getattr(flag_gems, name), a)
    call("diag", flag_gems.diag, torch.randn(40))
    call("flip", flag_gems.flip, a, [1])
    call("cat", flag_gems.cat, [a, torch.randn(20, 40)], 0)
    call("stack", flag_gems.stack, [a, a], 1)
    call("hstack", flag_gems.hstack, [a, torch.randn(30, 20)])
    call("repeat", flag_gems.repeat, a, [2, 3])
    call("tile", flag_gems.tile, a, [2, 3])
    call("pad", flag_gems.pad, a, [1, 2, 3, 4], mode="constant", value=1.0)
    call("pad", flag_gems.pad, torch.randn(1, 3, 30, 40), [1, 2, 3, 4], mode="reflect")
    call("roll", flag_gems.roll, a, [3], [1])
    call("kron", flag_gems.kron, torch.randn(6, 7), torch.randn(8, 9))
    call("repeat_interleave_self_int", flag_gems.repeat_interleave_self_int, a, 3, dim=1)
    call("select_scatter", flag_gems.select_scatter, a, torch.randn(30), 1, 5)
    call("slice_scatter", flag_gems.slice_scatter, a, torch.randn(30, 10), dim=1, start=5, end=15)
    call("gather", flag_gems.gather, a, 1, indices(30, 10, high=40))
    call("scatter", flag_gems.scatter, a, 1, indices(30, 10, high=40), torch.randn(30, 10))
    call("index_select", flag_gems.index_select, a, 1, indices(7, high=40))
    call("index_add", flag_gems.index_add, a, 0, indices(7, high=30), torch.randn(7, 40))
    call("embedding", flag_gems.embedding, torch.randn(100, 64), indices(4, 5, high=100))
    call("embedding_backward", flag_gems.embedding_backward, torch.randn(4, 5, 64),
         indices(4, 5, high=100), 100)


def otherOperators(call):
    a, b = torch.randn(30, 40), torch.randn(30, 40)
    call("nll_loss_forward", flag_gems.nll_loss_forward, a, indices(30, high=40))
    logits = torch.randn(30, 400)
    call("cross_entropy_loss", flag_gems.cross_entropy_loss, logits, indices(30, high=400))
    call("cross_entropy_loss", flag_gems.cross_entropy_loss, logits, torch.softmax(logits, 1))
    call("mse_loss", flag_gems.mse_loss, a, b)
    call("polar", flag_gems.polar, a, b)
    call("quantile", flag_gems.quantile, a, 0.3, dim=1)
    call("weight_norm_interface", flag_gems.weight_norm_interface, a, torch.randn(30, 1))
    image = torch.randn(1, 3, 16, 16)
    call("max_pool2d_with_indices", flag_gems.max_pool2d_with_indices, image, [2, 2])
    call("avg_pool2d", flag_gems.avg_pool2d, image, [2, 2])
    call("hadamard_transform", flag_gems.hadamard_transform, torch.randn(4, 256))
    call("per_token_group_quant_fp8", flag_gems.per_token_group_quant_fp8, torch.randn(30, 256),
         128)


def main():
    call = Calls(__doc__)
    for dtype in (torch.float32, torch.bfloat16):
        pointwise(call, Tensors(dtype))
        reductions(call, Tensors(dtype))
        norms(call, Tensors(dtype))
    integerOperators(call)
    movement(call)
    otherOperators(call)
    call.finish()


if __name__ == "__main__":
    main()
