# SPDX-License-Identifier: Apache-2.0
"""Call every Liger operator, forward and backward, on CPU tensors, for a recorder.

    tests/peers/record --env 3.6.0 --out DIR tests/peers/liger_ops.py [--only NAME] [--sizes 1024]
                                                                      [--rows 2048]

Each operator is called once a data type and, where it works on rows, once a row length (sizes).
With the few rows of the default a recording is quick to replay; with an even number of thousands
its grids fill a GPU. The texts are the same but where Liger chooses by the number of rows.
Paths that Liger takes only on a GPU are opened by replacing the question it asks ("is this CUDA?",
"is this a Blackwell?"), never the kernel.
"""
from unittest.mock import patch

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

from programs.calls import Calls, Tensors

ROWS = 4  # --rows


def labels(n):
    return torch.randint(0, n, (ROWS,))


def logProbabilities(n, grad=True):
    return torch.log_softmax(torch.randn(ROWS, n, requires_grad=grad), -1)


def probabilities(n, grad=True):
    return torch.softmax(torch.randn(ROWS, n, requires_grad=grad), -1)


def norms(call, n, t):
    def rows():
        return t.x(ROWS, n)

    call("rms_norm_llama", F.liger_rms_norm, rows(), t.x(n), 1e-6, 0.0, "llama", False)
    call("rms_norm_gemma", F.liger_rms_norm, rows(), t.x(n), 1e-6, 1.0, "gemma", True)
    call("rms_norm_none", F.liger_rms_norm, rows(), t.x(n), 1e-6, 0.0, "none", False)
    call("rms_norm_frozen", F.liger_rms_norm, rows(), t.c(n), 1e-6)
    call("rms_norm_no_weight", F.liger_rms_norm, rows(), None, 1e-6)
    call("fused_add_rms_norm", F.liger_fused_add_rms_norm, rows(), rows(), t.x(n), 1e-6, 0.0,
         "llama", False)
    call("modulated_rms_norm", F.liger_modulated_rms_norm, t.x(2, ROWS // 2, n), t.x(n),
         t.x(2, 1, n), t.x(2, 1, n))
    call("layer_norm", F.liger_layer_norm, rows(), t.x(n), t.x(n), 1e-6)
    call("layer_norm_frozen", F.liger_layer_norm, rows(), t.c(n), t.c(n), 1e-6)
    if n <= 4096:
        call("group_norm", F.liger_group_norm, t.x(max(2, ROWS // 64), 64, n), t.x(64), t.x(64),
             64, 8, 1e-6)
    call("poly_norm", F.liger_poly_norm, rows(), t.x(3), t.x(()), 1e-6, False)
    with patch.object(dyt, "infer_device", lambda: "cuda"):
        call("dyt", F.liger_dyt, rows(), t.x(1), t.x(n), t.x(n))
    call("attn_res", F.liger_attn_res, t.x(3, 2, max(4, ROWS // 4), n), t.x(n), t.x(n))


def activations(call, n, t):
    def rows():
        return t.x(ROWS, n)

    call("swiglu", F.liger_swiglu, rows(), rows())
    call("swiglu_multipliers", swiglu.LigerSiLUMulFunction.apply, rows(), rows(), 0.5, 2.0)
    with patch.object(swiglu, "_should_tile", lambda columns: True):
        call("swiglu_tiled", F.liger_swiglu, rows(), rows())
    call("swiglu_fused_gate_up", swiglu.LigerFusedGateUpSiLUMulFunction.apply, t.x(ROWS, 2 * n))
    call("geglu", F.liger_geglu, rows(), rows())
    call("relu_squared", F.liger_relu_squared, rows())
    call("softmax", F.liger_softmax, rows())
    call("sparsemax", F.liger_sparsemax, rows(), -1)
    call("embedding", LigerEmbeddingFunction.apply, t.x(100, min(n, 1024)),
         torch.randint(0, 100, (ROWS + 3,)))


def losses(call, n, t):
    hidden = max(64, ROWS // 2)  # Liger takes the more rows at once the longer this is
    call("cross_entropy", F.liger_cross_entropy, t.x(ROWS, n), labels(n))
    call("cross_entropy_all", F.liger_cross_entropy, t.x(ROWS, n), labels(n), weight=torch.rand(n),
         lse_square_scale=1e-4, label_smoothing=0.1, softcap=30.0, return_z_loss=True,
         return_token_accuracy=True)
    call("cross_entropy_vocab_parallel", LigerVocabParallelCEFunction.apply, t.x(2, ROWS // 2, n),
         labels(n).view(2, ROWS // 2), None, -100, 0.1, "megatron", "local")
    call("fused_ce_tvd", LigerFusedCETVDFunction.apply, t.x(ROWS, n), t.c(ROWS, n), labels(n))
    call("fused_linear_cross_entropy", F.liger_fused_linear_cross_entropy, t.x(ROWS, hidden),
         t.x(n, hidden), labels(n))
    call("fused_linear_cross_entropy_scaled",
         lambda *arguments: 2 * F.liger_fused_linear_cross_entropy(*arguments),
         t.x(ROWS, hidden), t.x(n, hidden), labels(n))
    call("fused_linear_jsd", F.liger_fused_linear_jsd, t.x(ROWS, hidden), t.x(n, hidden),
         t.c(ROWS, hidden), t.c(n, hidden))
    call("fused_linear_kl_div", F.liger_fused_linear_kl_div, t.x(ROWS, hidden), t.x(n, hidden),
         probabilities(n, grad=False))
    call("kl_div", F.liger_kl_div, logProbabilities(n), probabilities(n, grad=False))
    call("kl_div_log_target", F.liger_kl_div, logProbabilities(n), logProbabilities(n, grad=False),
         reduction="none", log_target=True)
    for beta in (0.0, 0.1, 0.5, 1.0):
        call(f"jsd_{beta}", F.liger_jsd, logProbabilities(n), logProbabilities(n, grad=False),
             beta=beta)
    call("jsd_labels", F.liger_jsd, logProbabilities(n), logProbabilities(n, grad=False),
         shift_labels=labels(n))
    call("tvd", F.liger_tvd, probabilities(n), probabilities(n, grad=False))


def policyLosses(call, n, t):
    def loss(*arguments, **options):
        return triton_grpo_loss(t.x(1, ROWS + 1, n), *arguments, **options)[0]

    tokens, advantages = torch.randint(0, n, (1, ROWS)), torch.ones(1)
    old, reference = torch.randn(1, ROWS), torch.randn(1, ROWS)
    for kind in ("grpo", "dapo", "bnpo", "cispo", "sapo"):
        call(f"grpo_{kind}", loss, None, None, tokens, advantages, None, 0.9, 0.0, 0.2, 0.4,
             loss_type=kind)
    for level in ("token", "sequence"):
        call(f"grpo_masked_{level}", loss, old, reference, tokens, advantages,
             torch.ones(1, ROWS, dtype=torch.int64), importance_sampling_level=level)
    call("grpo_vespo", loss, old, reference, tokens, advantages, loss_type="vespo")


def fixedShapes(call, t):
    """Operators whose kernels do not depend on a row's length."""
    call("rms_norm_many_short_rows", rms_norm.LigerRMSNormFunction.apply, t.x(32768, 128),
         t.x(128), 1e-6)
    tokens = 4 * ROWS
    q, k, angles = (1, 8, tokens, 64), (1, 4, tokens, 64), (1, tokens, 64)
    call("rope", F.liger_rope, t.x(*q), t.x(*k), t.c(*angles), t.c(*angles))
    call("rope_partial", F.liger_rope, t.x(*q), t.x(*k), t.c(1, tokens, 32), t.c(1, tokens, 32),
         rotary_dim=32)
    call("qwen2vl_mrope", F.liger_qwen2vl_mrope, t.x(*q), t.x(*k), t.c(3, *angles), t.c(3, *angles),
         [8, 12, 12])
    call("llama4_rope", liger_llama4_text_rotary_pos_emb, t.x(1, tokens, 8, 64),
         t.x(1, tokens, 4, 64), torch.polar(torch.ones(tokens, 32), torch.rand(tokens, 32)))
    length = min(8 * ROWS, 1024)  # its square is in memory
    call("multi_token_attention", F.liger_multi_token_attention, t.x(1, 2, length, length),
         t.x(2, 2, 3, 3), padding=1)
    heads = (1, 2, length, 32)
    call("neighborhood_attention", F.liger_fused_neighborhood_attention, t.x(*heads), t.x(*heads),
         t.x(*heads), dilation=2)
    f32 = Tensors(torch.float32)
    call("mhc_coeffs", F.liger_mhc_coeffs, t.x(1, ROWS, 4, 64), t.x(256, 24), f32.x(24),
         f32.x(()), f32.x(()), f32.x(()), allow_fp32=True)
    call("mhc_apply", F.liger_mhc_apply, t.x(1, ROWS, 4, 64), t.x(1, ROWS, 64),
         f32.x(1, ROWS, 4), f32.x(1, ROWS, 4), f32.x(1, ROWS, 4, 4))
    call("fused_moe", LigerFusedMoEFunction.apply, t.x(2 * ROWS, 64), t.x(4, 64, 64),
         t.x(4, 64, 32), torch.randint(0, 4, (2 * ROWS, 2), dtype=torch.int32),
         torch.rand(2 * ROWS, 2).to(t.dtype))
    with patch.object(torch.Tensor, "is_cuda", True, create=True):
        call("mlp", LigerMLPFunction.apply, t.x(2, 128, 64), t.x(128, 64), t.x(128, 64),
             t.x(64, 128))
    call("mm_int8int2", mm_int8int2.matmul, torch.randint(-128, 127, (64, 128), dtype=torch.int8),
         torch.randint(0, 255, (32, 64), dtype=torch.uint8))


def main():
    global ROWS
    call = Calls(__doc__, dtypes="float32,bfloat16", sizes="1024,4096,5120,16384", rows=str(ROWS))
    ROWS = int(call.options.rows)
    for dtype in call.options.dtypes.split(","):
        t = Tensors(getattr(torch, dtype))
        for n in map(int, call.options.sizes.split(",")):
            norms(call, n, t)
            activations(call, n, t)
            losses(call, n, t)
            policyLosses(call, n, t)
        fixedShapes(call, t)
    call.finish()


if __name__ == "__main__":
    main()
