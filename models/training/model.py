"""Qwen2 in plain PyTorch. Layer weights are stacks [layers, out, in], so that one cast, one quantization and one batched
product of the optimizer do all layers."""
import torch
import torch.nn as nn
import torch.nn.functional as F

BLOCK = 32
MATRICES = ("wq", "wk", "wv", "wo", "wg", "wu", "wd")
QUANTIZED = ("emb", *MATRICES)


def to_float16(x):
    """Rounded to float16 by its bits, since a compiler may drop a cast there and back; below 2**-14 nothing is left."""
    bits = x.view(torch.int32)
    bits = (bits + 0xFFF + (bits >> 13 & 1)) & ~0x1FFF
    return torch.where(x.abs() < 2**-14, 0.0, bits.view(torch.float32))


def q4_0(weights):
    """Scales (float16 values) and numbers 0 to 15 of the file format's blocks of 32; a weight is (number - 8) * scale."""
    blocks = weights.reshape(*weights.shape[:-1], -1, BLOCK)
    high, low = blocks.amax(-1, keepdim=True), blocks.amin(-1, keepdim=True)
    scale = to_float16(torch.where(-low >= high, low, high) / -8)
    inverse = torch.where(scale == 0, 0.0, 1 / scale)
    return scale, torch.clamp(torch.floor(blocks * inverse + 8.5), 0, 15)


def as_in_file(weights):
    scale, numbers = q4_0(weights)
    return ((numbers - 8) * scale).reshape(weights.shape)


class Qwen2(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = c = config
        layers, dim, ffn, head = c["layers"], c["dim"], c["ffn"], c["head"]
        inner, keys = c["heads"] * head, c["kv"] * head

        def normal(*shape, std):
            return nn.Parameter(torch.randn(*shape) * std)

        self.emb = normal(c["vocab"], dim, std=0.02)
        std = dim**-0.5
        self.wq, self.wk, self.wv = normal(layers, inner, dim, std=std), normal(layers, keys, dim, std=std), normal(layers, keys, dim, std=std)
        self.wo = normal(layers, dim, inner, std=0.2 * std)
        self.wg, self.wu = normal(layers, ffn, dim, std=std), normal(layers, ffn, dim, std=std)
        self.wd = normal(layers, dim, ffn, std=0.2 * ffn**-0.5)
        self.bq, self.bk, self.bv = (nn.Parameter(torch.zeros(layers, n)) for n in (inner, keys, keys))
        self.n1, self.n2, self.nf = nn.Parameter(torch.ones(layers, dim)), nn.Parameter(torch.ones(layers, dim)), nn.Parameter(torch.ones(dim))

    def rotation(self, length, device):
        half = torch.arange(0, self.config["head"], 2, device=device, dtype=torch.float32)
        angle = torch.arange(length, device=device, dtype=torch.float32)[:, None] * self.config["theta"] ** (-half / self.config["head"])
        return angle.cos(), angle.sin()

    def forward(self, tokens, attention=None, quantized=None, dtype=torch.bfloat16):
        """tokens [batch, length] -> logits. `quantized` (a tensor, 0 to 1) moves the weights towards what the file will hold."""
        c = self.config
        batch, length = tokens.shape
        heads, keys, head, dim = c["heads"], c["kv"], c["head"], c["dim"]
        cos, sin = (part.to(dtype)[None, None] for part in self.rotation(length, tokens.device))

        def rotate(x):
            a, b = x[..., : head // 2], x[..., head // 2:]
            return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)

        w = {}
        for name, value in self.named_parameters():
            if quantized is not None and name in QUANTIZED:
                value = value + quantized * (as_in_file(value.detach()) - value.detach())
            w[name] = value.to(dtype)
        qkv = torch.cat((w["wq"], w["wk"], w["wv"]), 1).unbind(0)
        bias = torch.cat((w["bq"], w["bk"], w["bv"]), 1).unbind(0)
        gate_up = torch.cat((w["wg"], w["wu"]), 1).unbind(0)
        out, down, n1, n2 = (w[name].unbind(0) for name in ("wo", "wd", "n1", "n2"))
        h = F.embedding(tokens, w["emb"])
        for layer in range(c["layers"]):
            q, k, v = F.linear(F.rms_norm(h, (dim,), n1[layer], c["eps"]), qkv[layer], bias[layer]).split((heads * head, keys * head, keys * head), -1)
            q, k, v = rotate(q.view(batch, length, heads, head).transpose(1, 2)), rotate(k.view(batch, length, keys, head).transpose(1, 2)), v.view(batch, length, keys, head).transpose(1, 2)
            o = attention(q, k, v) if attention else F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
            h = h + F.linear(o.transpose(1, 2).reshape(batch, length, heads * head), out[layer])
            gate, up = F.linear(F.rms_norm(h, (dim,), n2[layer], c["eps"]), gate_up[layer]).chunk(2, -1)
            h = h + F.linear(F.silu(gate) * up, down[layer])
        return F.linear(F.rms_norm(h, (dim,), w["nf"], c["eps"]), w["emb"])
