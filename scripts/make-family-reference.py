#!/usr/bin/env python3
"""Writes a tiny model of a family with random weights, and the logits that transformers computes with them.

  make-family-reference.py llama test/fixtures/reference     (pip install torch==2.13.0 transformers==5.19.0 gguf)

The arguments are FAMILY and FOLDER. tiny-FAMILY.gguf holds several tensor types. transformers gets the same weights
after quantization, as float32, and computes in float32. tiny-FAMILY.I.f32 contains the logits of prompt I, row-major
(only the last eight positions of a long prompt). tiny-FAMILY.json contains the tokens of each prompt and the 20 greedy
tokens that follow, each with its logit and the margin to the second-best token.
"""
import json, pathlib, sys
import gguf, numpy, torch, transformers
from gguf import GGMLQuantizationType as T
from gguf.quants import dequantize, quantize

# Small, because the files are in the repository; but Q4_K needs rows of 256 columns.
HIDDEN, HEADS, KV_HEADS, HEAD, FFN, LAYERS, VOCABULARY = 256, 4, 2, 32, 96, 2, 288
EXPERTS, EXPERTS_USED, EXPERT_FFN = 6, 3, 32
common = dict(hidden_size=HIDDEN, num_attention_heads=HEADS, num_key_value_heads=KV_HEADS, head_dim=HEAD,
              intermediate_size=FFN, num_hidden_layers=LAYERS, vocab_size=VOCABULARY, max_position_embeddings=2048,
              rms_norm_eps=1e-5, bos_token_id=None, eos_token_id=None, pad_token_id=None)
LLAMA3 = dict(rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
              original_max_position_embeddings=64)
# The window is smaller than the prompt of 330 tokens and than the kernels' largest batch.
WINDOW, LAYER_TYPES = 50, ["sliding_attention", "full_attention"]
YARN = dict(rope_type="yarn", rope_theta=50000.0, factor=4.0, original_max_position_embeddings=64)
PLAIN = dict(rope_type="default", rope_theta=10000.0)
experts = dict(num_experts=EXPERTS, num_experts_per_tok=EXPERTS_USED, moe_intermediate_size=EXPERT_FFN,
               norm_topk_prob=True, tie_word_embeddings=False, experts_implementation="eager")
FAMILIES = {
    "llama": lambda: transformers.LlamaForCausalLM(
        transformers.LlamaConfig(**common, rope_theta=50000.0, rope_scaling=LLAMA3, tie_word_embeddings=False)),
    "qwen3": lambda: transformers.Qwen3ForCausalLM(
        transformers.Qwen3Config(**common, rope_theta=1000000.0, tie_word_embeddings=True)),
    "qwen3moe": lambda: transformers.Qwen3MoeForCausalLM(
        transformers.Qwen3MoeConfig(**common, **experts, rope_theta=1000000.0)),
    "mellum": lambda: transformers.MellumForCausalLM(
        transformers.MellumConfig(**common, **experts, sliding_window=WINDOW, layer_types=LAYER_TYPES,
                                  rope_parameters={"full_attention": YARN, "sliding_attention": PLAIN})),
    "granite": lambda: transformers.GraniteForCausalLM(
        transformers.GraniteConfig(**common, rope_theta=10000.0, tie_word_embeddings=True, embedding_multiplier=12.0,
                                   residual_multiplier=0.22, attention_multiplier=0.015625 * 4, logits_scaling=3.0)),
}
NEIGHBOURS = {"llama", "granite"}  # the families for which converters reorder the rows of Wq and Wk (see reordered())
NAMES = {
    "model.embed_tokens.weight": "token_embd.weight", "model.norm.weight": "output_norm.weight",
    "lm_head.weight": "output.weight", "input_layernorm.weight": "attn_norm.weight",
    "post_attention_layernorm.weight": "ffn_norm.weight", "self_attn.q_proj.weight": "attn_q.weight",
    "self_attn.k_proj.weight": "attn_k.weight", "self_attn.v_proj.weight": "attn_v.weight",
    "self_attn.o_proj.weight": "attn_output.weight", "self_attn.q_norm.weight": "attn_q_norm.weight",
    "self_attn.k_norm.weight": "attn_k_norm.weight", "mlp.gate_proj.weight": "ffn_gate.weight",
    "mlp.up_proj.weight": "ffn_up.weight", "mlp.down_proj.weight": "ffn_down.weight",
    "mlp.gate.weight": "ffn_gate_inp.weight", "mlp.experts.down_proj": "ffn_down_exps.weight",
}
# The types of the layers, in turn. q4_k() below quantizes to Q4_K, because the package can only read it.
TYPES = {
    "attn_q.weight": (T.Q4_K, T.Q8_0), "attn_k.weight": (T.Q8_0, T.Q4_K), "attn_v.weight": (T.Q5_1, T.F16),
    "attn_output.weight": (T.Q4_0, T.Q5_0), "ffn_gate.weight": (T.Q4_K, T.Q5_0), "ffn_up.weight": (T.BF16, T.Q4_1),
    "ffn_down.weight": (T.Q8_0, T.Q5_1), "ffn_gate_exps.weight": (T.Q4_K, T.Q5_0),
    "ffn_up_exps.weight": (T.Q4_K, T.Q5_0), "ffn_down_exps.weight": (T.Q8_0, T.Q5_1),
    "token_embd.weight": (T.Q8_0,), "output.weight": (T.Q8_0,),
}


def q4_k(weights):
    """Makes blocks of 256: d, dmin, eight 6-bit scales and minima, nibbles. Here dmin = 7.5 d and minimum = scale."""
    blocks = weights.reshape(-1, 8, 32)
    most = numpy.abs(blocks).max(2) / 7.5
    d = (most.max(1) / 63).astype(numpy.float16)
    scale = numpy.maximum(1, numpy.round(most / d[:, None].astype(numpy.float32))).clip(1, 63).astype(numpy.uint8)
    step = d.astype(numpy.float32)[:, None, None] * scale[:, :, None]
    q = numpy.round(blocks / step + 7.5).clip(0, 15).astype(numpy.uint8)
    low, high = scale[:, :4], scale[:, 4:]
    packed = numpy.concatenate([low | (high >> 4) << 6, low | (high >> 4) << 6, high & 15 | (high & 15) << 4], 1)
    nibbles = (q[:, 0::2] | q[:, 1::2] << 4).reshape(-1, 128)
    ends = numpy.stack([d, (7.5 * d.astype(numpy.float32)).astype(numpy.float16)], 1).view(numpy.uint8)
    return numpy.concatenate([ends, packed, nibbles], 1).reshape(*weights.shape[:-1], -1)


def reordered(weights):
    """In each head, moves rows i and i + HEAD / 2, which RoPE rotates together, to the places 2i and 2i + 1."""
    return weights.reshape(-1, 2, HEAD // 2, weights.shape[1]).swapaxes(1, 2).reshape(weights.shape)


def restored(weights):
    """Undoes reordered()."""
    return weights.reshape(-1, HEAD // 2, 2, weights.shape[1]).swapaxes(1, 2).reshape(weights.shape)


def write_matrix(writer, name, layer, weights):
    """Writes a matrix into the file, and returns it as it is after quantization."""
    types = TYPES.get(name, (T.F32,))
    kind = types[(layer or 0) % len(types)]
    data = q4_k(weights) if kind == T.Q4_K else weights if kind == T.F32 else quantize(weights, kind)
    writer.add_tensor(name if layer is None else f"blk.{layer}.{name}", data, raw_dtype=kind)
    return weights if kind == T.F32 else dequantize(data, kind).reshape(weights.shape)


def write_weights(writer, family, model):
    """Writes each tensor into the file, and gives the model the weights as they are after quantization."""
    for name, parameter in model.named_parameters():
        layer = int(name.split(".")[2]) if name.startswith("model.layers.") else None
        last = name if layer is None else name.split(".", 3)[3]
        weights = parameter.detach().numpy()
        if last == "mlp.experts.gate_up_proj":
            halves = [numpy.ascontiguousarray(half) for half in numpy.split(weights, 2, axis=1)]
            names = ("ffn_gate_exps.weight", "ffn_up_exps.weight")
            exact = numpy.concatenate([write_matrix(writer, *pair) for pair in zip(names, (layer, layer), halves)], 1)
        else:
            turned = family in NEIGHBOURS and last in ("self_attn.q_proj.weight", "self_attn.k_proj.weight")
            exact = write_matrix(writer, NAMES[last], layer, reordered(weights) if turned else weights)
            exact = restored(exact) if turned else exact
        parameter.data = torch.tensor(exact)


def write_keys(writer, config):
    writer.add_block_count(LAYERS), writer.add_embedding_length(HIDDEN), writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS), writer.add_key_length(HEAD), writer.add_value_length(HEAD)
    writer.add_rope_dimension_count(HEAD), writer.add_feed_forward_length(FFN), writer.add_context_length(2048)
    rope = config.rope_parameters
    if config.model_type == "mellum":
        writer.add_sliding_window(WINDOW), writer.add_sliding_window_pattern([t != "full_attention" for t in LAYER_TYPES])
        writer.add_float32("mellum.rope.freq_base_swa", rope["sliding_attention"]["rope_theta"])
        rope = rope["full_attention"]
        writer.add_rope_scaling_type(gguf.RopeScalingType.YARN), writer.add_rope_scaling_factor(rope["factor"])
        writer.add_rope_scaling_orig_ctx_len(rope["original_max_position_embeddings"])
    writer.add_rope_freq_base(rope["rope_theta"]), writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    if hasattr(config, "num_experts"):
        writer.add_expert_count(EXPERTS), writer.add_expert_used_count(EXPERTS_USED)
        writer.add_expert_feed_forward_length(EXPERT_FFN)
    if config.model_type == "granite":
        writer.add_embedding_scale(config.embedding_multiplier), writer.add_residual_scale(config.residual_multiplier)
        writer.add_attention_scale(config.attention_multiplier), writer.add_logit_scale(config.logits_scaling)
    printable = [*range(0x21, 0x7f), *range(0xa1, 0xad), *range(0xae, 0x100)]
    others = iter(range(0x100, 0x200))
    alphabet = [chr(byte if byte in printable else next(others)) for byte in range(256)]
    pairs = [a + b for a in alphabet[97:123] for b in alphabet[97:123]][: VOCABULARY - 257]
    writer.add_tokenizer_model("gpt2"), writer.add_tokenizer_pre("smollm")
    writer.add_token_list([*alphabet, *pairs, "<|endoftext|>"])
    writer.add_token_types([1] * (VOCABULARY - 1) + [3]), writer.add_token_merges([" ".join(pair) for pair in pairs])
    writer.add_eos_token_id(VOCABULARY - 1)


def greedy_tokens(model, tokens):
    answer = []
    for _ in range(20):
        logits = model(torch.tensor([tokens + [step["id"] for step in answer]])).logits[0, -1]
        (first, second), ids = torch.topk(logits, 2)
        answer.append({"id": int(ids[0]), "logit": round(float(first), 5), "margin": round(float(first - second), 5)})
    return answer


def main(family, folder):
    torch.manual_seed(1)
    model = FAMILIES[family]().eval()
    for name, parameter in model.named_parameters():
        is_vector = parameter.ndim == 1
        # Spreads a router's logits, because otherwise rounding would choose other experts for many tokens.
        deviation = 0.32 if name.endswith("mlp.gate.weight") else 0.08
        parameter.data = 1 + 0.2 * torch.randn_like(parameter) if is_vector else deviation * torch.randn_like(parameter)
    path = pathlib.Path(folder) / f"tiny-{family}"
    writer = gguf.GGUFWriter(f"{path}.gguf", family)
    write_keys(writer, model.config)
    write_weights(writer, family, model)
    if family == "llama":
        plain = 1 / model.config.rope_parameters["rope_theta"] ** (torch.arange(0, HEAD, 2) / HEAD)
        writer.add_tensor("rope_freqs.weight", (plain / model.model.rotary_emb.inv_freq).numpy().astype("float32"))
    writer.write_header_to_file(), writer.write_kv_data_to_file(), writer.write_tensors_to_file(), writer.close()
    random = numpy.random.default_rng(2)
    prompts = []
    with torch.no_grad():
        for i, n in enumerate((1, 7, 330 if family == "mellum" else 130)):
            tokens = [int(token) for token in random.integers(0, VOCABULARY - 1, n)]
            logits = model(torch.tensor([tokens])).logits[0][-8:]
            logits.numpy().astype("<f4").tofile(f"{path}.{i}.f32")
            prompts.append({"tokens": tokens, "rows": n, "greedy": greedy_tokens(model, tokens)})
    lines = ",\n ".join(json.dumps(prompt) for prompt in prompts)
    pathlib.Path(f"{path}.json").write_text(f'{{"n_vocab": {VOCABULARY}, "prompts": [\n {lines}\n]}}\n')


main(*sys.argv[1:])
