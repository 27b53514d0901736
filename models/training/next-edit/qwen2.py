"""Qwen2 with the weights of a GGUF file, frozen, and an adapter beside them."""
import math

import torch
import torch.nn.functional as F
from torch.nn.attention.flex_attention import BlockMask, flex_attention

MATRICES = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")
BLOCK = 128


class Qwen2:
    def __init__(self, reader, device, dtype):
        fields = {key.removeprefix("qwen2."): value for key, value in reader.fields.items() if key.startswith("qwen2.")}
        self.device, self.dtype = device, dtype
        self.heads, self.groups = fields["attention.head_count"], fields["attention.head_count_kv"]
        self.base, self.epsilon = fields["rope.freq_base"], fields["attention.layer_norm_rms_epsilon"]
        self.name = reader.fields.get("general.name", "qwen2")

        def load(name):
            return reader.tensor(name, device, dtype)
        self.embeddings, self.norm = load("token_embd.weight"), load("output_norm.weight")
        self.output = load("output.weight") if "output.weight" in reader.tensors else self.embeddings
        names = ["attn_norm.weight", "ffn_norm.weight", "attn_q.bias", "attn_k.bias", "attn_v.bias", *(f"{name}.weight" for name in MATRICES)]
        self.layers = [{name: load(f"blk.{number}.{name}") for name in names} for number in range(fields["block_count"])]
        self.width = self.layers[0]["attn_q.weight"].shape[0] // self.heads

    def rotation(self, positions):
        """Cosines and sines, a row for each position."""
        rates = self.base ** (-torch.arange(0, self.width, 2, device=self.device).float() / self.width)
        angles = positions.float()[:, None] * rates
        return torch.cat([angles, angles], 1).cos(), torch.cat([angles, angles], 1).sin()

    def layer(self, x, rotation, attend, weights, adapter, scale):
        """x: (tokens, size). attend: (queries, keys, values), each (tokens, heads, width), to (tokens, heads, width)."""
        def linear(x, name):
            y = F.linear(x, weights[f"{name}.weight"], weights.get(f"{name}.bias"))
            if adapter is None:
                return y
            a, b = adapter[name]
            return y + scale * F.linear(F.linear(x, a.to(x.dtype)), b.to(x.dtype))

        def rotated(x):
            cosines, sines = (each[:, None] for each in rotation)
            first, second = x.float().chunk(2, -1)
            return (x.float() * cosines + torch.cat([-second, first], -1) * sines).to(x.dtype)
        y = self.normed(x, weights["attn_norm.weight"])
        q, k, v = (linear(y, name).unflatten(-1, (-1, self.width)) for name in MATRICES[:3])
        x = x + linear(attend(rotated(q), rotated(k), v).flatten(-2), "attn_output")
        y = self.normed(x, weights["ffn_norm.weight"])
        return x + linear(F.silu(linear(y, "ffn_gate")) * linear(y, "ffn_up"), "ffn_down")

    def normed(self, x, weight):
        wide = x.float()
        return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.epsilon)).to(x.dtype) * weight

    def logits(self, x):
        return F.linear(self.normed(x, self.norm), self.output).float()


class Adapter:
    """Two thin matrices beside each of a model's: B starts at zero, so that it changes nothing at first."""

    def __init__(self, model, rank, alpha, seed):
        self.rank, self.alpha, self.scale = rank, alpha, alpha / rank
        generator = torch.Generator().manual_seed(seed)
        self.layers = []
        for weights in model.layers:
            pairs = {}
            for name in MATRICES:
                outputs, inputs = weights[f"{name}.weight"].shape
                a = torch.randn(rank, inputs, generator=generator) / math.sqrt(inputs)
                pairs[name] = tuple(each.to(model.device).requires_grad_() for each in (a, torch.zeros(outputs, rank)))
            self.layers.append(pairs)

    def parameters(self):
        return [each for pairs in self.layers for pair in pairs.values() for each in pair]

    def named(self):
        return {f"blk.{number}.{name}.weight.lora_{letter}": each for number, pairs in enumerate(self.layers)
                for name, pair in pairs.items() for letter, each in zip("ab", pair)}

    def load(self, tensors):
        with torch.no_grad():
            for name, each in self.named().items():
                each.copy_(tensors[name])


def dense_attention(mask):
    """mask: (tokens, tokens), true where the row's token sees the column's."""
    def attend(q, k, v):
        q, k, v = (each.transpose(0, 1)[None] for each in (q, k, v))
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True)[0].transpose(0, 1)
    return attend


def separate_attention(sizes):
    """Documents of these sizes one behind the other, each of which sees itself only."""
    def attend(q, k, v):
        parts = [F.scaled_dot_product_attention(*(part.transpose(0, 1)[None] for part in parts), is_causal=True, enable_gqa=True)[0].transpose(0, 1)
                 for parts in zip(q.split(sizes), k.split(sizes), v.split(sizes))]
        return torch.cat(parts)
    return attend


def blocks_of(documents):
    """documents: each token's, in order. The blocks of keys that a block of queries sees in part and as a whole, as flex attention wants them."""
    first, last = documents.view(-1, BLOCK)[:, 0], documents.view(-1, BLOCK)[:, -1]
    numbers = torch.arange(len(first), device=documents.device)
    seen = (numbers[:, None] >= numbers) & (last[None] >= first[:, None])
    whole = (numbers[:, None] > numbers) & (first[None] == last[:, None])

    def listed(blocks):
        return blocks.sum(-1, dtype=torch.int32)[None, None], torch.argsort(blocks.int(), dim=-1, descending=True, stable=True).int()[None, None]
    return *listed(seen & ~whole), *listed(whole)


def flex_attend(documents, blocks):
    def sees(_batch, _head, query, key):
        return (query >= key) & (documents[query] == documents[key])
    mask = BlockMask.from_kv_blocks(*blocks, BLOCK_SIZE=BLOCK, mask_mod=sees)

    def attend(q, k, v):
        q, k, v = (each.transpose(0, 1)[None].contiguous() for each in (q, k, v))
        return flex_attention(q, k, v, block_mask=mask, enable_gqa=True)[0].transpose(0, 1)
    return attend
