# SPDX-License-Identifier: Apache-2.0
"""Call the operators of flash-linear-attention without tt.dot on CPU tensors, for a recorder.

    tests/peers/environment --triton=3.6.0 --with fla-core==0.6.0
    tests/peers/record --env 3.6.0 --out DIR tests/peers/programs/fla_ops.py [--only NAME]

The recurrent forms carry a [K, V] state tile over time and reduce it along either axis.
"""
import importlib

import torch
from calls import Calls, Tensors

B, T, H, K, V, D = 2, 9, 3, 32, 64, 200
torch.Tensor.is_cuda = True  # some operators insist


class FlaCalls(Calls):
    """Takes an operator's path inside the package for its name and its function."""

    def __call__(self, path, *arguments, **options):
        module, _, function = path.rpartition(".")
        function = getattr(importlib.import_module(f"fla.{module}"), function)
        super().__call__(path, function, *arguments, **options)


def decays(t, *shape):
    return torch.nn.functional.logsigmoid(t.c(*shape)).requires_grad_()


def recurrent(call, t):
    def heads(n):
        return t.x(B, T, H, n)

    state = dict(initial_state=t.x(B, H, K, V), output_final_state=True)
    q, k, v, beta = heads(K), heads(K), heads(V), t.x(B, T, H)
    gk, g, sequence = decays(t, B, T, H, K), decays(t, B, T, H), t.x(B, T, D)
    call("ops.gla.fused_recurrent_gla", q, k, v, gk, **state)
    call("ops.gla.fused_recurrent_gla", q, k, v, gk, reverse=True)
    call("ops.retention.fused_recurrent_retention", q, k, v, **state)
    call("ops.linear_attn.fused_recurrent_linear_attn", q, k, v, normalize=False)
    call("ops.simple_gla.fused_recurrent_simple_gla", q, k, v, g, **state)
    call("ops.delta_rule.fused_recurrent_delta_rule", q, k, v, beta, **state)
    call("ops.delta_rule.fused_recurrent_delta_rule", q, k, v, heads(V),
         use_qk_l2norm_in_kernel=True)
    call("ops.generalized_delta_rule.fused_recurrent_iplr_delta_rule", q, k, v, heads(K), heads(K),
         **state)
    call("ops.rwkv6.fused_recurrent_rwkv6", q, k, v, gk, t.x(H, K), **state)
    call("ops.gsa.fused_recurrent_gsa", q, k, v, heads(16), decays(t, B, T, H, 16))
    call("ops.hgrn.fused_recurrent_hgrn", sequence, decays(t, B, T, D), t.x(B, D), True)
    call("ops.hgrn.chunk_hgrn", t.x(B, 300, D), decays(t, B, 300, D))
    f32 = Tensors(torch.float32)
    call("ops.rwkv4.fused_recurrent_rwkv4", decays(f32, D), f32.x(D), sequence, t.x(B, T, D),
         f32.x(B, 3, 1, D))
    with torch.no_grad():  # these have no backward pass
        call("ops.gated_delta_rule.fused_recurrent_gated_delta_rule", q, k, v, g, beta=beta,
             **state)
        call("ops.gated_delta_rule.fused_recurrent_gated_delta_rule", t.x(1, 18, H, K),
             t.x(1, 18, H, K), t.x(1, 18, H, V), decays(t, 1, 18, H), beta=t.x(1, 18, H),
             cu_seqlens=torch.tensor([0, 5, 18]), use_qk_l2norm_in_kernel=True)
        call("ops.kda.fused_recurrent_kda", q, k, v, gk, beta, **state)
        call("ops.rwkv7.fused_mul_recurrent_rwkv7", q, gk, k, v, heads(K), heads(K))


def pointwise(call, t):
    a, b = t.x(B, T, D), t.x(B, T, D)
    for name in ("sigmoid", "swish", "logsigmoid", "elu_p1"):
        call(f"modules.activations.{name}", a)
    for name in ("swiglu", "sigmoidglu", "powglu"):
        call(f"modules.activations.{name}", a, b)
    call("ops.common.gate.fused_beta_sigmoid", t.x(B, T, H))
    call("modules.token_shift.token_shift", a)
    call("modules.token_shift.token_shift", t.x(1, 18, D), torch.tensor([0, 5, 18]))
    angles = t.c(T, K // 2), t.c(T, K // 2)
    call("modules.rotary.rotary_embedding", t.x(B, T, H, K), *angles)
    call("modules.rotary.rotary_embedding", t.x(B, T, H, K), *angles, interleaved=True)
    call("modules.causal_conv1d.ops.causal_conv1d", a, t.x(D, 4), t.x(D), activation="swish")
    call("modules.causal_conv1d.ops.causal_conv1d", a, t.x(D, 4), residual=b)
    call("ops.rwkv7.fused_k_update.fused_k_rwkv7", a, b, t.x(D))
    call("ops.rwkv7.fused_addcmul.fused_addcmul_rwkv7", a, b, *[t.x(1, 1, D) for _ in range(6)])


def normsAndLosses(call, t):
    a, b, w = t.x(B, T, D), t.x(B, T, D), t.x(D)
    call("modules.norm.layernorm.layer_norm", a, w, t.x(D), residual=b, prenorm=True)
    call("modules.norm.layernorm.layer_norm", t.x(4, 5000), t.x(5000), t.x(5000))
    call("modules.norm.layernorm.rms_norm", a, w, None)
    call("modules.norm.layernorm.group_norm", a, w, t.x(D), num_groups=4)
    call("modules.norm.fused_norm_gate.rms_norm_gated", a, b, w, None)
    call("modules.norm.fused_norm_gate.layer_norm_gated", t.x(4, 2000), t.x(4, 2000), t.x(2000),
         t.x(2000), activation="sigmoid")
    call("modules.norm.layernorm_gated.layernorm_fn", a, w, t.x(D), z=b)
    call("modules.norm.l2norm.l2norm", a)
    call("modules.norm.l2norm.l2norm", t.x(4, 2000))
    call("ops.utils.softmax.softmax_fwd", a)
    call("ops.utils.softmax.softmax_bwd", a, b)
    call("ops.utils.logsumexp.logsumexp_fwd", t.x(5, 3000), 0.5)
    call("ops.utils.pooling.mean_pooling", t.x(B, 70, H, K), 32)
    call("modules.fused_cross_entropy.ops.cross_entropy_loss", t.x(5, 3000),
         torch.randint(0, 3000, (5,)), label_smoothing=0.1, lse_square_scale=1e-4)
    call("modules.fused_kl_div.ops.fused_kl_div_loss", t.x(5, 64), t.c(5, 64), t.x(1000, 64),
         t.c(1000, 64))
    call("modules.grpo.ops.fused_grpo_loss", t.x(2, 5, 1000), torch.randn(2, 4),
         torch.randint(0, 1000, (2, 4)), torch.randn(2))


def scansAndPacking(call, t):
    with torch.no_grad():
        for reverse in (False, True):
            for shape in [(B, 100, H), (B, 100, H, K)]:
                call("ops.utils.cumsum.chunk_local_cumsum", t.x(*shape), 32, reverse=reverse)
                call("ops.utils.cumsum.chunk_global_cumsum", t.x(*shape), reverse=reverse)
    lengths = torch.tensor([0, 4, 13])
    call("ops.utils.pack.pack_sequence", t.x(B, T, D), lengths)
    call("ops.utils.pack.unpack_sequence", t.x(13, D), lengths, "left", (B, T, D))
    call("ops.attnres.fused.fused_attnres", t.x(D), [t.x(B, T, D) for _ in range(3)], t.x(D))
    call("ops.utils.sinkhorn.ops.sinkhorn", t.x(B, T, 4, 4), 5)


def main():
    call = FlaCalls(__doc__)
    for dtype in (torch.float32, torch.bfloat16):
        recurrent(call, Tensors(dtype))
        pointwise(call, Tensors(dtype))
        normsAndLosses(call, Tensors(dtype))
    scansAndPacking(call, Tensors(torch.float32))
    call.finish()


if __name__ == "__main__":
    main()
