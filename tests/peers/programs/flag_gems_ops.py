# SPDX-License-Identifier: Apache-2.0
"""Call FlagGems' operators (PyTorch's ATen operators written in Triton) on CPU tensors, for a recorder.

    tests/peers/environment --triton=3.6.0 --with flag-gems==5.0.2
    tests/peers/record --env 3.6.0 --out DIR tests/peers/programs/flag_gems_ops.py [--only NAME]

Prints one line a failure, then the counts. Operators that make tensors on "cuda" themselves are left
out, and so are matrix products and convolutions.
"""
import argparse
import os
import sys
import tempfile
import traceback

os.environ["GEMS_VENDOR"] = "nvidia"
os.environ["FLAGGEMS_CACHE_DIR"] = tempfile.mkdtemp(prefix="flag-gems-")
import flag_gems
import torch

UNARY = """abs acos angle arcsinh atan ceil cos cosh erf exp exp2 expm1 i0 isfinite isinf isnan isneginf
    log log10 log_sigmoid neg reciprocal relu relu6 rsqrt selu sgn_ sigmoid signbit silu sin sinh_ sqrt square tan tanh
    gelu hardsigmoid hardswish_ floor_ log1p_ softplus softshrink celu elu digamma_ special_i0e special_i1 logit
    nan_to_num round logical_not""".split()
BINARY = """add sub mul true_divide maximum minimum pow_tensor_tensor eq ne lt le gt ge atan2 copysign fmin hypot
    logaddexp floor_divide remainder isclose logical_and logical_or logical_xor""".split()
INTEGER_BINARY = "bitwise_and_tensor bitwise_or_tensor bitwise_left_shift bitwise_right_shift add mul floor_divide remainder".split()
REDUCTIONS = "sum mean max min prod all any argmax argmin amax count_nonzero".split()
REDUCTIONS_ALONG = "sum_dim mean_dim max_dim min_dim prod_dim all_dim any_dim argmax argmin amax cumsum cummax cummin logcumsumexp".split()


def x(*shape, dtype=torch.float32):
    return torch.randn(*shape).to(dtype)


def integers(*shape, high=7):
    return torch.randint(1, high, shape, dtype=torch.int32)


def indices(*shape, high):
    return torch.randint(0, high, shape)


def along(name, dim):
    """Reductions of one name differ in whether they take a list of dimensions."""
    takesList = name in ("sum_dim", "mean_dim", "amax")
    return [dim] if takesList else dim


def makeCalls():
    """(label, operator's name, positional arguments, keyword arguments), each made when it is called."""
    for dtype in (torch.float32, torch.bfloat16):
        for name in UNARY:
            yield name, lambda dtype=dtype: (x(30, 40, dtype=dtype),), {}
            yield name, lambda dtype=dtype: (x(30, 40, dtype=dtype).t(),), {}
        for name in BINARY:
            yield name, lambda dtype=dtype: (x(30, 40, dtype=dtype), x(30, 40, dtype=dtype)), {}
            yield name, lambda dtype=dtype: (x(30, 1, 5, dtype=dtype), x(40, 5, dtype=dtype)), {}
        for name in REDUCTIONS:
            yield name, lambda dtype=dtype: (x(300, 1000, dtype=dtype),), {}
        for name in REDUCTIONS_ALONG:
            for dim in (0, 1):
                yield name, lambda dtype=dtype, name=name, dim=dim: (x(64, 1000, dtype=dtype), along(name, dim)), {}
        for dim in (0, 1):
            yield "softmax", lambda dtype=dtype, dim=dim: (x(30, 500, dtype=dtype), dim), {}
            yield "log_softmax", lambda dtype=dtype, dim=dim: (x(30, 500, dtype=dtype), dim), {}
            yield "softmax_backward", lambda dtype=dtype, dim=dim: (x(30, 500, dtype=dtype), x(30, 500, dtype=dtype), dim, dtype), {}
        yield "softmax", lambda dtype=dtype: (x(3, 50000, dtype=dtype), 1), {}
        yield "rms_norm", lambda dtype=dtype: (x(30, 500, dtype=dtype), [500], x(500, dtype=dtype)), {}
        yield "layer_norm", lambda dtype=dtype: (x(30, 500, dtype=dtype), [500], x(500, dtype=dtype), x(500, dtype=dtype)), {}
        yield "layer_norm", lambda dtype=dtype: (x(30, 9000, dtype=dtype), [9000], x(9000, dtype=dtype), x(9000, dtype=dtype)), {}
        yield "group_norm", lambda dtype=dtype: (x(2, 8, 100, dtype=dtype), x(8, dtype=dtype), x(8, dtype=dtype), 2, 8, 100, 4), {}
        yield "batch_norm", lambda dtype=dtype: (x(4, 8, 100, dtype=dtype), x(8, dtype=dtype), x(8, dtype=dtype)), dict(training=True)
        yield "skip_layer_norm", lambda dtype=dtype: (x(30, 500, dtype=dtype), x(30, 500, dtype=dtype), [500], x(500, dtype=dtype), x(500, dtype=dtype)), {}
        yield "fused_add_rms_norm", lambda dtype=dtype: (x(30, 500, dtype=dtype), x(30, 500, dtype=dtype), [500], x(500, dtype=dtype)), {}
        yield "silu_and_mul", lambda dtype=dtype: (x(30, 500, dtype=dtype), x(30, 500, dtype=dtype)), {}
        yield "gelu_and_mul", lambda dtype=dtype: (x(30, 500, dtype=dtype), x(30, 500, dtype=dtype)), {}
        yield "apply_rotary_pos_emb", lambda dtype=dtype: (x(7, 4, 64, dtype=dtype), x(7, 2, 64, dtype=dtype), x(50, 32), x(50, 32)), dict(position_ids=indices(7, high=50))
        yield "where_self", lambda dtype=dtype: (x(30, 40) > 0, x(30, 40, dtype=dtype), x(30, 40, dtype=dtype)), {}
        yield "clamp", lambda dtype=dtype: (x(30, 40, dtype=dtype), -1.0, 1.0), {}
        yield "lerp_scalar", lambda dtype=dtype: (x(30, 40, dtype=dtype), x(30, 40, dtype=dtype), 0.3), {}
        yield "addcmul", lambda dtype=dtype: (x(30, 40, dtype=dtype), x(30, 40, dtype=dtype), x(30, 40, dtype=dtype)), {}
        yield "threshold", lambda dtype=dtype: (x(30, 40, dtype=dtype), 0.1, 2.0), {}
        yield "masked_fill", lambda dtype=dtype: (x(30, 40, dtype=dtype), x(30, 40) > 0, 3.0), {}
        yield "vector_norm", lambda dtype=dtype: (x(30, 500, dtype=dtype), 2, [1]), {}
        yield "var_mean", lambda dtype=dtype: (x(30, 500, dtype=dtype), [1]), {}
        yield "std", lambda dtype=dtype: (x(30, 500, dtype=dtype), [1]), {}
        yield "mv", lambda dtype=dtype: (x(50, 100, dtype=dtype), x(100, dtype=dtype)), {}
        yield "dot", lambda dtype=dtype: (x(5000, dtype=dtype), x(5000, dtype=dtype)), {}
        yield "topk", lambda dtype=dtype: (x(4, 500, dtype=dtype), 5), {}
        yield "sort", lambda dtype=dtype: (x(4, 60, dtype=dtype),), {}
    for name in INTEGER_BINARY:
        yield name, lambda: (integers(30, 40), integers(30, 40)), {}
    for name in ("sum", "max", "argmax", "prod", "cumsum"):
        yield name, lambda name=name: (integers(300, 100), *([1] if name == "cumsum" else [])), {}
    yield "bitwise_not", lambda: (integers(30, 40),), {}
    yield "tril", lambda: (x(30, 40),), {}
    yield "triu", lambda: (x(30, 40),), {}
    yield "flip", lambda: (x(30, 40), [1]), {}
    yield "cat", lambda: ([x(30, 40), x(20, 40)], 0), {}
    yield "stack", lambda: ([x(30, 40), x(30, 40)], 1), {}
    yield "hstack", lambda: ([x(30, 40), x(30, 20)],), {}
    yield "repeat", lambda: (x(30, 40), [2, 3]), {}
    yield "tile", lambda: (x(30, 40), [2, 3]), {}
    yield "pad", lambda: (x(30, 40), [1, 2, 3, 4]), dict(mode="constant", value=1.0)
    yield "pad", lambda: (x(1, 3, 30, 40), [1, 2, 3, 4]), dict(mode="reflect")
    yield "gather", lambda: (x(30, 40), 1, indices(30, 10, high=40)), {}
    yield "scatter", lambda: (x(30, 40), 1, indices(30, 10, high=40), x(30, 10)), {}
    yield "index_select", lambda: (x(30, 40), 1, indices(7, high=40)), {}
    yield "index_add", lambda: (x(30, 40), 0, indices(7, high=30), x(7, 40)), {}
    yield "embedding", lambda: (x(100, 64), indices(4, 5, high=100)), {}
    yield "embedding_backward", lambda: (x(4, 5, 64), indices(4, 5, high=100), 100), {}
    yield "nll_loss_forward", lambda: (x(30, 40), indices(30, high=40)), {}
    yield "cross_entropy_loss", lambda: (x(30, 400), indices(30, high=400)), {}
    yield "cross_entropy_loss", lambda: (x(30, 400), torch.softmax(x(30, 400), 1)), {}
    yield "mse_loss", lambda: (x(30, 40), x(30, 40)), {}
    yield "isin", lambda: (integers(500), integers(20)), {}
    yield "diag", lambda: (x(40),), {}
    yield "diag_embed", lambda: (x(30, 40),), {}
    yield "trace", lambda: (x(30, 40),), {}
    yield "kron", lambda: (x(6, 7), x(8, 9)), {}
    yield "polar", lambda: (x(30, 40), x(30, 40)), {}
    yield "one_hot", lambda: (indices(30, high=10), 10), {}
    yield "repeat_interleave_self_int", lambda: (x(30, 40), 3), dict(dim=1)
    yield "select_scatter", lambda: (x(30, 40), x(30), 1, 5), {}
    yield "slice_scatter", lambda: (x(30, 40), x(30, 10)), dict(dim=1, start=5, end=15)
    yield "quantile", lambda: (x(30, 40), 0.3), dict(dim=1)
    yield "roll", lambda: (x(30, 40), [3], [1]), {}
    yield "weight_norm_interface", lambda: (x(30, 40), x(30, 1)), {}
    yield "upsample_nearest2d", lambda: (x(1, 3, 10, 12), [20, 24]), {}
    yield "upsample_bicubic2d_aa", lambda: (x(1, 3, 10, 12), [20, 24], False), {}
    yield "max_pool2d_with_indices", lambda: (x(1, 3, 16, 16), [2, 2]), {}
    yield "avg_pool2d", lambda: (x(1, 3, 16, 16), [2, 2]), {}
    yield "hadamard_transform", lambda: (x(4, 256),), {}
    yield "per_token_group_quant_fp8", lambda: (x(30, 256), 128), {}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="operators whose name holds this")
    parser.add_argument("--trace", action="store_true", help="print every failure's traceback")
    arguments = parser.parse_args()
    torch.manual_seed(0)
    good, failures = 0, {}
    for name, make, options in makeCalls():
        if arguments.only not in name:
            continue
        try:
            getattr(flag_gems, name)(*make(), **options)
            good += 1
        except Exception as error:  # the other operators are still wanted
            failures.setdefault(name, f"{type(error).__name__}: {str(error)[-200:]}")
            if arguments.trace:
                traceback.print_exc()
    for name, failure in failures.items():
        print(f"{name}: {failure}")
    print(f"{good} calls ok, {len(failures)} operators failed")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
