"""Logits of a qwen2 GGUF in float32: truth.py FILE.gguf IDS.json OUT.f32, little-endian, a row for each token.

Weights are dequantized a layer at a time, so that memory holds one layer and the output matrix.
"""
import json, sys

import numpy as np
import torch
from gguf import GGUFReader
from gguf.quants import dequantize


def main(path, ids, out):
    reader = GGUFReader(path)
    tensors = {tensor.name: tensor for tensor in reader.tensors}
    tokens = json.load(open(ids, encoding="utf8"))

    def value(key):
        return reader.get_field("qwen2." + key).contents()

    def weight(name):
        tensor = tensors[name]
        return torch.from_numpy(np.array(dequantize(tensor.data, tensor.tensor_type), dtype=np.float32))

    def norm(x, name):
        scale = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + value("attention.layer_norm_rms_epsilon"))
        return x * scale * weight(name)

    heads, kv_heads, width = value("attention.head_count"), value("attention.head_count_kv"), value("embedding_length")
    n, size = len(tokens), width // heads
    angles = torch.outer(torch.arange(n), value("rope.freq_base") ** (-torch.arange(0, size, 2) / size))
    cos, sin = angles.cos(), angles.sin()

    def rotated(x):
        a, b = x[..., : size // 2], x[..., size // 2 :]
        return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)

    def project(x, name, count):
        return (x @ weight(name + ".weight").T + weight(name + ".bias")).view(n, count, size).transpose(0, 1)

    embedding = weight("token_embd.weight")
    x = embedding[tokens]
    for i in range(value("block_count")):
        layer = f"blk.{i}."
        h = norm(x, layer + "attn_norm.weight")
        q = rotated(project(h, layer + "attn_q", heads))
        k = rotated(project(h, layer + "attn_k", kv_heads)).repeat_interleave(heads // kv_heads, 0)
        v = project(h, layer + "attn_v", kv_heads).repeat_interleave(heads // kv_heads, 0)
        attended = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + attended.transpose(0, 1).reshape(n, width) @ weight(layer + "attn_output.weight").T
        h = norm(x, layer + "ffn_norm.weight")
        gate = torch.nn.functional.silu(h @ weight(layer + "ffn_gate.weight").T)
        x = x + (gate * (h @ weight(layer + "ffn_up.weight").T)) @ weight(layer + "ffn_down.weight").T
    head = weight("output.weight") if "output.weight" in tensors else embedding
    (norm(x, "output_norm.weight") @ head.T).numpy().astype("<f4").tofile(out)


if __name__ == "__main__":
    with torch.inference_mode():
        main(*sys.argv[1:4])
