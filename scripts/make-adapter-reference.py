#!/usr/bin/env python3
"""Writes a random LoRA adapter for a tiny qwen2 model, and the logits that PyTorch computes with both.

  make-adapter-reference.py test/fixtures/reference mixed     (pip install torch==2.13.0 gguf)

The arguments are FOLDER and NAME. Reads tiny-NAME.gguf and the prompts in tiny-NAME.json. Writes adapter-NAME.gguf, in
F16 as llama.cpp's converter does, and one adapter-NAME.I.f32 per prompt I: its logits, row-major (only the last eight
positions of a long prompt), computed in float32 with the weights as they are in the files.
"""
import json, pathlib, sys
import gguf, numpy, torch
from gguf.quants import dequantize

RANK, ALPHA = 8, 24.0
MATRICES = "attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"


def adapter_of(weights, path):
    random = numpy.random.default_rng(5)
    writer = gguf.GGUFWriter(path, "qwen2")
    writer.add_type("adapter"), writer.add_string("adapter.type", "lora"), writer.add_float32("adapter.lora.alpha", ALPHA)
    adapter = {}
    for name, matrix in weights.items():
        if name.split(".")[2:3] and name.split(".")[2] in MATRICES and name.endswith(".weight"):
            rows, columns = matrix.shape
            a = random.normal(0, columns**-0.5, (RANK, columns)).astype("float16")
            b = random.normal(0, 0.3 / RANK, (rows, RANK)).astype("float16")
            writer.add_tensor(f"{name}.lora_a", a), writer.add_tensor(f"{name}.lora_b", b)
            adapter[name] = [torch.tensor(each.astype("float32")) for each in (a, b)]
    writer.write_header_to_file(), writer.write_kv_data_to_file(), writer.write_tensors_to_file(), writer.close()
    return adapter


def logits(weights, adapter, fields, tokens):
    heads, groups = fields["attention.head_count"], fields["attention.head_count_kv"]

    def linear(x, name):
        a, b = adapter[f"{name}.weight"]
        y = x @ weights[f"{name}.weight"].T + ALPHA / RANK * (x @ a.T @ b.T)
        return y + weights[f"{name}.bias"] if f"{name}.bias" in weights else y

    def normed(x, name):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + fields["attention.layer_norm_rms_epsilon"]) * weights[f"{name}.weight"]

    def rotated(x):
        half = x.shape[-1] // 2
        angles = torch.arange(len(x))[:, None] * fields["rope.freq_base"] ** (-torch.arange(half) / half)
        cosine, sine = angles.cos()[:, None], angles.sin()[:, None]
        first, second = x.split(half, -1)
        return torch.cat([first * cosine - second * sine, first * sine + second * cosine], -1)

    x = weights["token_embd.weight"][tokens]
    hidden = torch.ones(len(tokens), len(tokens)).triu(1).bool()
    for layer in range(fields["block_count"]):
        def of(name):
            return f"blk.{layer}.{name}"
        y = normed(x, of("attn_norm"))
        q, k, v = (linear(y, of(name)).unflatten(-1, (count, -1)) for name, count in zip(MATRICES, (heads, groups, groups)))
        q, k, v = rotated(q), rotated(k).repeat_interleave(heads // groups, 1), v.repeat_interleave(heads // groups, 1)
        scores = torch.einsum("qhd,khd->hqk", q, k) / q.shape[-1] ** 0.5
        shares = scores.masked_fill(hidden, -torch.inf).softmax(-1)
        x = x + linear(torch.einsum("hqk,khd->qhd", shares, v).flatten(1), of("attn_output"))
        y = normed(x, of("ffn_norm"))
        x = x + linear(torch.nn.functional.silu(linear(y, of("ffn_gate"))) * linear(y, of("ffn_up")), of("ffn_down"))
    return normed(x, "output_norm") @ weights["token_embd.weight"].T


def main(folder, name):
    folder = pathlib.Path(folder)
    reader = gguf.GGUFReader(folder / f"tiny-{name}.gguf")
    fields = {key.removeprefix("qwen2."): field.contents() for key, field in reader.fields.items() if key.startswith("qwen2.")}
    weights = {each.name: torch.tensor(dequantize(each.data, each.tensor_type).reshape([int(n) for n in each.shape[::-1]]))
               for each in reader.tensors}
    adapter = adapter_of(weights, folder / f"adapter-{name}.gguf")
    prompts = json.loads((folder / f"tiny-{name}.json").read_text())["prompts"]
    with torch.no_grad():
        for i, prompt in enumerate(prompts):
            logits(weights, adapter, fields, prompt["tokens"])[-8:].numpy().astype("<f4").tofile(folder / f"adapter-{name}.{i}.f32")


main(*sys.argv[1:])
