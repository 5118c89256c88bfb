# SPDX-License-Identifier: Apache-2.0
"""Call every Liger operator, forward and backward, on CPU tensors, so that a recorder sees its kernels.

    tests/peers/record --env 3.6.0 --out DIR tests/peers/liger_ops.py [--only NAME] [--sizes 1024,...]

Each operator is called once a data type and size (a row's length, where an operator has rows). Prints
one line an operator: calls that went through, calls that failed and the first failure. The exit
status tells whether any failed. Paths that Liger takes only on a GPU are opened by replacing the
question it asks ("is this CUDA?", "is this a Blackwell?"), never the kernel.
"""
import argparse
import sys
import traceback
import unittest.mock

import torch
from liger_kernel.ops import dyt, rms_norm, swiglu
from liger_kernel.ops.experimental import mm_int8int2
from liger_kernel.ops.experimental.embedding import LigerEmbeddingFunction
from liger_kernel.ops.fused_ce_tvd import LigerFusedCETVDFunction
from liger_kernel.ops.fused_moe import LigerFusedMoEFunction
from liger_kernel.ops.mlp import LigerMLPFunction
from liger_kernel.ops.vocab_parallel_cross_entropy import LigerVocabParallelCEFunction
from liger_kernel.transformers import functional as F
from liger_kernel.transformers.grpo_loss import triton_grpo_loss
from liger_kernel.transformers.llama4_rope import liger_llama4_text_rotary_pos_emb

ROWS = 4
operators = []  # (name, call(size, dtype), largest size, whether the size matters)


def t(*shape, dt=torch.float32, grad=True):
    return torch.randn(*shape).to(dt).requires_grad_(grad)


def labels(n):
    return torch.randint(0, n, (ROWS,))


def logProbabilities(n, grad=True):
    return torch.log_softmax(t(ROWS, n, grad=grad), -1)


def probabilities(n, grad=True):
    return torch.softmax(t(ROWS, n, grad=grad), -1)


def add(name, call, largest=None, anySize=True):
    operators.append((name, call, largest, anySize))


def replacing(module, name, answer, call):
    """The call with module.name() answering so (backward passes ask too, hence the backward here)."""

    def replaced(n, d):
        with unittest.mock.patch.object(module, name, lambda *_: answer):
            backward(call(n, d))

    return replaced


def backward(results):
    results = results if isinstance(results, (tuple, list)) else (results,)
    results = [result for result in results if torch.is_tensor(result) and result.requires_grad]
    if results:
        torch.autograd.backward(results, [torch.ones_like(result) for result in results])


def onCuda(call):
    """LigerMLP asserts that its tensors are on a GPU."""
    with unittest.mock.patch.object(torch.Tensor, "is_cuda", True, create=True):
        return call()


# Norms.
for mode, offset, inPlace in [("llama", 0.0, False), ("gemma", 1.0, True), ("none", 0.0, False)]:
    add(f"rms_norm_{mode}", lambda n, d, mode=mode, offset=offset, inPlace=inPlace: F.liger_rms_norm(
        t(ROWS, n, dt=d), t(n, dt=d), 1e-6, offset, mode, inPlace))
add("rms_norm_frozen", lambda n, d: F.liger_rms_norm(t(ROWS, n, dt=d), t(n, dt=d, grad=False), 1e-6))
add("rms_norm_no_weight", lambda n, d: F.liger_rms_norm(t(ROWS, n, dt=d), None, 1e-6))
add("rms_norm_many_short_rows", lambda n, d: rms_norm.LigerRMSNormFunction.apply(
    t(32768, 128, dt=d), t(128, dt=d), 1e-6), anySize=False)
add("fused_add_rms_norm", lambda n, d: F.liger_fused_add_rms_norm(
    t(ROWS, n, dt=d), t(ROWS, n, dt=d), t(n, dt=d), 1e-6, 0.0, "llama", False))
add("modulated_rms_norm", lambda n, d: F.liger_modulated_rms_norm(
    t(2, 2, n, dt=d), t(n, dt=d), t(2, 1, n, dt=d), t(2, 1, n, dt=d)))
add("layer_norm", lambda n, d: F.liger_layer_norm(t(ROWS, n, dt=d), t(n, dt=d), t(n, dt=d), 1e-6))
add("layer_norm_frozen", lambda n, d: F.liger_layer_norm(
    t(ROWS, n, dt=d), t(n, dt=d, grad=False), t(n, dt=d, grad=False), 1e-6))
add("group_norm", lambda n, d: F.liger_group_norm(t(2, 64, n, dt=d), t(64, dt=d), t(64, dt=d), 64, 8, 1e-6), largest=4096)
add("poly_norm", lambda n, d: F.liger_poly_norm(
    t(ROWS, n, dt=d), t(3, dt=d), torch.randn(()).to(d).requires_grad_(), 1e-6, False))
add("dyt", replacing(dyt, "infer_device", "cuda", lambda n, d: F.liger_dyt(t(ROWS, n, dt=d), t(1, dt=d), t(n, dt=d), t(n, dt=d))))
add("attn_res", lambda n, d: F.liger_attn_res(t(3, 2, 4, n, dt=d), t(n, dt=d), t(n, dt=d)))

# Activations and softmax.
add("swiglu", lambda n, d: F.liger_swiglu(t(ROWS, n, dt=d), t(ROWS, n, dt=d)))
add("swiglu_multipliers", lambda n, d: swiglu.LigerSiLUMulFunction.apply(t(ROWS, n, dt=d), t(ROWS, n, dt=d), 0.5, 2.0))
add("swiglu_tiled", replacing(swiglu, "_should_tile", True, lambda n, d: F.liger_swiglu(t(ROWS, n, dt=d), t(ROWS, n, dt=d))))
add("swiglu_fused_gate_up", lambda n, d: swiglu.LigerFusedGateUpSiLUMulFunction.apply(t(ROWS, 2 * n, dt=d)))
add("geglu", lambda n, d: F.liger_geglu(t(ROWS, n, dt=d), t(ROWS, n, dt=d)))
add("relu_squared", lambda n, d: F.liger_relu_squared(t(ROWS, n, dt=d)))
add("softmax", lambda n, d: F.liger_softmax(t(ROWS, n, dt=d)))
add("sparsemax", lambda n, d: F.liger_sparsemax(t(ROWS, n, dt=d), -1))

# Rotary embeddings.
add("rope", lambda n, d: F.liger_rope(
    t(1, 8, 16, 64, dt=d), t(1, 4, 16, 64, dt=d), t(1, 16, 64, dt=d, grad=False), t(1, 16, 64, dt=d, grad=False)), anySize=False)
add("rope_partial", lambda n, d: F.liger_rope(
    t(1, 8, 16, 64, dt=d), t(1, 4, 16, 64, dt=d), t(1, 16, 32, dt=d, grad=False), t(1, 16, 32, dt=d, grad=False),
    rotary_dim=32), anySize=False)
add("qwen2vl_mrope", lambda n, d: F.liger_qwen2vl_mrope(
    t(1, 8, 16, 64, dt=d), t(1, 4, 16, 64, dt=d), t(3, 1, 16, 64, dt=d, grad=False), t(3, 1, 16, 64, dt=d, grad=False),
    [8, 12, 12]), anySize=False)
add("llama4_rope", lambda n, d: liger_llama4_text_rotary_pos_emb(
    t(1, 16, 8, 64, dt=d), t(1, 16, 4, 64, dt=d), torch.polar(torch.ones(16, 32), torch.rand(16, 32))), anySize=False)

# Losses.
add("cross_entropy", lambda n, d: F.liger_cross_entropy(t(ROWS, n, dt=d), labels(n)))
add("cross_entropy_all", lambda n, d: F.liger_cross_entropy(
    t(ROWS, n, dt=d), labels(n), weight=torch.rand(n), lse_square_scale=1e-4, label_smoothing=0.1, softcap=30.0,
    return_z_loss=True, return_token_accuracy=True))
add("cross_entropy_vocab_parallel", lambda n, d: LigerVocabParallelCEFunction.apply(
    t(2, 2, n, dt=d), labels(n).view(2, 2), None, -100, 0.1, "megatron", "local"))
add("fused_ce_tvd", lambda n, d: LigerFusedCETVDFunction.apply(t(ROWS, n, dt=d), t(ROWS, n, dt=d, grad=False), labels(n)))
add("fused_linear_cross_entropy", lambda n, d: F.liger_fused_linear_cross_entropy(t(ROWS, 64, dt=d), t(n, 64, dt=d), labels(n)))
add("fused_linear_cross_entropy_scaled", lambda n, d: 2 * F.liger_fused_linear_cross_entropy(
    t(ROWS, 64, dt=d), t(n, 64, dt=d), labels(n)))
add("fused_linear_jsd", lambda n, d: F.liger_fused_linear_jsd(
    t(ROWS, 64, dt=d), t(n, 64, dt=d), t(ROWS, 64, dt=d, grad=False), t(n, 64, dt=d, grad=False)))
add("fused_linear_kl_div", lambda n, d: F.liger_fused_linear_kl_div(t(ROWS, 64, dt=d), t(n, 64, dt=d), probabilities(n, grad=False)))
add("kl_div", lambda n, d: F.liger_kl_div(logProbabilities(n), probabilities(n, grad=False)))
add("kl_div_log_target", lambda n, d: F.liger_kl_div(
    logProbabilities(n), logProbabilities(n, grad=False), reduction="none", log_target=True))
add("jsd", lambda n, d: F.liger_jsd(logProbabilities(n), logProbabilities(n, grad=False)))
for beta in (0.0, 0.1, 1.0):
    add(f"jsd_beta_{beta}", lambda n, d, beta=beta: F.liger_jsd(logProbabilities(n), logProbabilities(n, grad=False), beta=beta))
add("jsd_labels", lambda n, d: F.liger_jsd(logProbabilities(n), logProbabilities(n, grad=False), shift_labels=labels(n)))
add("tvd", lambda n, d: F.liger_tvd(probabilities(n), probabilities(n, grad=False)))
for kind in ("grpo", "dapo", "bnpo", "cispo", "sapo"):
    add(f"grpo_{kind}", lambda n, d, kind=kind: triton_grpo_loss(
        t(1, 5, n, dt=d), None, None, torch.randint(0, n, (1, 4)), torch.ones(1), None, 0.9, 0.0, 0.2, 0.4, loss_type=kind)[0])
for level in ("token", "sequence"):
    add(f"grpo_masked_{level}", lambda n, d, level=level: triton_grpo_loss(
        t(1, 5, n, dt=d), t(1, 4, grad=False), t(1, 4, grad=False), torch.randint(0, n, (1, 4)), torch.ones(1),
        torch.ones(1, 4, dtype=torch.int64), importance_sampling_level=level)[0])
add("grpo_vespo", lambda n, d: triton_grpo_loss(
    t(1, 5, n, dt=d), t(1, 4, grad=False), t(1, 4, grad=False), torch.randint(0, n, (1, 4)), torch.ones(1), loss_type="vespo")[0])

# Attention, matrix products, embeddings.
add("multi_token_attention", lambda n, d: F.liger_multi_token_attention(
    t(1, 2, 32, 32, dt=d), t(2, 2, 3, 3, dt=d), padding=1), anySize=False)
add("neighborhood_attention", lambda n, d: F.liger_fused_neighborhood_attention(
    t(1, 2, 32, 32, dt=d), t(1, 2, 32, 32, dt=d), t(1, 2, 32, 32, dt=d), dilation=2), anySize=False)
add("mhc_coeffs", lambda n, d: F.liger_mhc_coeffs(
    t(1, 4, 4, 64, dt=d), t(256, 24, dt=d), t(24), t(()), t(()), t(()), allow_fp32=True), anySize=False)
add("mhc_apply", lambda n, d: F.liger_mhc_apply(
    t(1, 4, 4, 64, dt=d), t(1, 4, 64, dt=d), t(1, 4, 4), t(1, 4, 4), t(1, 4, 4, 4)), anySize=False)
add("fused_moe", lambda n, d: LigerFusedMoEFunction.apply(
    t(8, 64, dt=d), t(4, 64, 64, dt=d), t(4, 64, 32, dt=d), torch.randint(0, 4, (8, 2), dtype=torch.int32),
    torch.rand(8, 2).to(d)), anySize=False)
add("mlp", lambda n, d: onCuda(lambda: backward(LigerMLPFunction.apply(
    t(2, 128, 64, dt=d), t(128, 64, dt=d), t(128, 64, dt=d), t(64, 128, dt=d)))), anySize=False)
add("mm_int8int2", lambda n, d: mm_int8int2.matmul(
    torch.randint(-128, 127, (64, 128), dtype=torch.int8), torch.randint(0, 255, (32, 64), dtype=torch.uint8)), anySize=False)
add("embedding", lambda n, d: LigerEmbeddingFunction.apply(t(100, min(n, 1024), dt=d), torch.randint(0, 100, (7,))))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="operators whose name holds this")
    parser.add_argument("--dtypes", default="float32,bfloat16")
    parser.add_argument("--sizes", default="1024,4096,5120,16384")
    parser.add_argument("--trace", action="store_true", help="print every failure's traceback")
    arguments = parser.parse_args()
    sizes = [int(size) for size in arguments.sizes.split(",")]
    failed = False
    torch.manual_seed(0)
    for name, call, largest, anySize in operators:
        if arguments.only not in name:
            continue
        good, failures = 0, []
        for dtype in arguments.dtypes.split(","):
            for n in sizes if anySize else sizes[:1]:
                if largest and n > largest:
                    continue
                try:
                    backward(call(n, getattr(torch, dtype)))
                    good += 1
                except Exception as error:  # whatever an operator does wrong, the others are still wanted
                    failures.append(f"{n} {dtype}: {type(error).__name__}: {str(error)[:160]}")
                    if arguments.trace:
                        traceback.print_exc()
        failed = failed or bool(failures)
        print(f"{name:34s} {good} ok, {len(failures)} failed {failures[0] if failures else ''}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
