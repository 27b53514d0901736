"""What int8 activations cost at the first token of a text: activation_scales.py FILE.gguf (qwen2)

Prints, for several tokens and several ways to quantize, the greatest difference of a logit from float32. A scale is shared
by 256 or 32 activations, in the products named; the others have float32. At the first position attention is a token's
own v, so that a pass needs no cache.
"""
import sys

import numpy as np
from gguf import GGUFReader
from gguf.quants import dequantize

TOKENS = [750, 1499, 322, 474, 1040, 2, 73594, 151644]
PRODUCTS = ["qkv", "out", "gate_up", "down", "head"]
WAYS = {"float32": {}, "256 in all": dict.fromkeys(PRODUCTS, 256), "32 in all": dict.fromkeys(PRODUCTS, 32)}
WAYS |= {f"256 in {name} alone": {name: 256} for name in PRODUCTS}
WAYS |= {f"32 in {name}, else 256": dict.fromkeys(PRODUCTS, 256) | {name: 32} for name in PRODUCTS}


def quantized(x, size):
    if not size:
        return x
    blocks = x.reshape(len(x), -1, size)
    scale = np.maximum(np.abs(blocks).max(2, keepdims=True) / 127, 1e-30)
    return (np.round(blocks / scale) * scale).reshape(x.shape).astype(np.float32)


def main(path):
    reader = GGUFReader(path)
    tensors = {tensor.name: tensor for tensor in reader.tensors}

    def value(key):
        return reader.get_field("qwen2." + key).contents()

    def rows(name, which=slice(None)):
        tensor = tensors[name]
        return np.asarray(dequantize(np.array(tensor.data[which]), tensor.tensor_type), dtype=np.float32)

    def normed(x, name):
        return x / np.sqrt((x * x).mean(1, keepdims=True) + value("attention.layer_norm_rms_epsilon")) * rows(name)

    kv_heads, group = value("attention.head_count_kv"), value("attention.head_count") // value("attention.head_count_kv")
    xs = {way: rows("token_embd.weight", TOKENS) for way in WAYS}
    greatest = 0
    for layer in range(value("block_count")):
        name = f"blk.{layer}."
        v, bias, out = rows(name + "attn_v.weight"), rows(name + "attn_v.bias"), rows(name + "attn_output.weight")
        gate, up, down = (rows(name + f"ffn_{which}.weight") for which in ("gate", "up", "down"))
        for way, sizes in WAYS.items():
            x = xs[way]
            heads = quantized(normed(x, name + "attn_norm.weight"), sizes.get("qkv")) @ v.T + bias
            heads = np.repeat(heads.reshape(len(x), kv_heads, -1), group, axis=1).reshape(len(x), -1)
            x = x + quantized(heads, sizes.get("out")) @ out.T
            h = quantized(normed(x, name + "ffn_norm.weight"), sizes.get("gate_up"))
            g = h @ gate.T
            h = g / (1 + np.exp(-g)) * (h @ up.T)
            xs[way] = x + quantized(h, sizes.get("down")) @ down.T
        greatest = max(greatest, float(np.abs(xs["float32"]).max()))
    head = "output.weight" if "output.weight" in tensors else "token_embd.weight"
    logits = {way: [] for way in WAYS}
    for first in range(0, len(tensors[head].data), 16384):
        w = rows(head, slice(first, first + 16384))
        for way, sizes in WAYS.items():
            logits[way].append(quantized(normed(xs[way], "output_norm.weight"), sizes.get("head")) @ w.T)
    exact = np.concatenate(logits["float32"], 1)
    print(f"greatest residual {greatest:.0f}, logits spread by {exact.std(1).mean():.2f}")
    for way, pieces in logits.items():
        ours = np.concatenate(pieces, 1)
        error = np.abs(ours - exact)
        best = int((ours.argmax(1) == exact.argmax(1)).sum())
        print(f"{way:24} {np.round(error.max(1), 2)} NMSE {(error ** 2).sum() / (exact ** 2).sum():.1e}, best {best}")


main(sys.argv[1])
