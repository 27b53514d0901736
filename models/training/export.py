#!/usr/bin/env python3
"""Step 6: writes the GGUF file out of a checkpoint. Its Q4_0 blocks are bit by bit those that training computed with.

    export.py STATE TOKENIZER OUT.gguf [--config CONFIG] [--name NAME] [--size LABEL]     STATE: or another such file
"""
import argparse
import json
import os
import struct

import numpy as np
import torch

from model import QUANTIZED, q4_0

TEMPLATE = ("{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}{% endfor %}"
            "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}")
SPECIAL = dict(bos="<|endoftext|>", eos="<|endoftext|>", padding="<|endoftext|>", eot="<|im_end|>", fim_pre="<|fim_prefix|>", fim_suf="<|fim_suffix|>",
               fim_mid="<|fim_middle|>", fim_pad="<|fim_pad|>", fim_rep="<|repo_name|>", fim_sep="<|file_sep|>")
F32, Q4_0 = 0, 2
NAMES = dict(n1="attn_norm.weight", wq="attn_q.weight", bq="attn_q.bias", wk="attn_k.weight", bk="attn_k.bias", wv="attn_v.weight", bv="attn_v.bias",
             wo="attn_output.weight", n2="ffn_norm.weight", wg="ffn_gate.weight", wu="ffn_up.weight", wd="ffn_down.weight")


def string(text):
    raw = text.encode()
    return struct.pack("<Q", len(raw)) + raw


def value(item):
    """A metadata value, after its type."""
    if isinstance(item, bool):
        return struct.pack("<I?", 7, item)
    if isinstance(item, int):
        return struct.pack("<II", 4, item)
    if isinstance(item, float):
        return struct.pack("<If", 6, item)
    if isinstance(item, str):
        return struct.pack("<I", 8) + string(item)
    is_text = isinstance(item[0], str)
    body = b"".join(map(string, item)) if is_text else np.array(item, "<i4").tobytes()
    return struct.pack("<IIQ", 9, 8 if is_text else 5, len(item)) + body


def blocks(scale, numbers):
    """Q4_0: a float16 scale, then 16 bytes with numbers 0 to 15 in the low halves and 16 to 31 in the high ones."""
    scale, numbers = scale.reshape(-1).numpy(), numbers.reshape(-1, 32).to(torch.uint8).numpy()
    out = np.empty((len(numbers), 18), np.uint8)
    out[:, :2] = scale.astype("<f2").view(np.uint8).reshape(-1, 2)
    out[:, 2:] = numbers[:, :16] | numbers[:, 16:] << 4
    return out.tobytes()


def metadata(config, tokenizer, name, size):
    tokens = {number: text for text, number in tokenizer["model"]["vocab"].items()}
    types = dict.fromkeys(tokens, 1)
    for added in tokenizer["added_tokens"]:
        tokens[added["id"]], types[added["id"]] = added["content"], 3
    numbers = {text: number for number, text in tokens.items()}
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in tokenizer["model"]["merges"]]
    order = range(config["vocab"])
    return {
        "general.architecture": "qwen2", "general.type": "model", "general.name": name, "general.size_label": size, "general.license": "apache-2.0",
        "general.description": "Small code completion model (FIM), trained from scratch on permissively licensed code",
        "general.file_type": 2, "general.quantization_version": 2,
        "qwen2.context_length": config["context"], "qwen2.embedding_length": config["dim"], "qwen2.block_count": config["layers"],
        "qwen2.feed_forward_length": config["ffn"], "qwen2.attention.head_count": config["heads"], "qwen2.attention.head_count_kv": config["kv"],
        "qwen2.rope.freq_base": float(config["theta"]), "qwen2.attention.layer_norm_rms_epsilon": float(config["eps"]),
        "tokenizer.ggml.model": "gpt2", "tokenizer.ggml.pre": "qwen2", "tokenizer.ggml.tokens": [tokens[i] for i in order],
        "tokenizer.ggml.token_type": [types[i] for i in order], "tokenizer.ggml.merges": merges,
        **{f"tokenizer.ggml.{key}_token_id": numbers[text] for key, text in SPECIAL.items()},
        "tokenizer.ggml.add_bos_token": False, "tokenizer.chat_template": TEMPLATE,
    }


def tensors(weights, layers):
    yield "token_embd.weight", weights["emb"], True
    yield "output_norm.weight", weights["nf"], False
    for layer in range(layers):
        for own, name in NAMES.items():
            yield f"blk.{layer}.{name}", weights[own][layer], own in QUANTIZED


def weights_in(path, config):
    """The weights of a file that this script wrote, as they are in a state: what a run can begin with when its state is gone."""
    import gguf

    found = {}
    for tensor in gguf.GGUFReader(path).tensors:
        found[tensor.name] = torch.from_numpy(np.array(gguf.dequantize(tensor.data, tensor.tensor_type))).reshape(*map(int, reversed(tensor.shape)))
    layers = {own: torch.stack([found[f"blk.{layer}.{name}"] for layer in range(config["layers"])]) for own, name in NAMES.items()}
    return {"emb": found["token_embd.weight"], "nf": found["output_norm.weight"], **layers}


def load_state(path, config, device="cpu"):
    """A state, with moments if it has them, or the weights of a model file."""
    if path.endswith(".gguf"):
        return {"weights": weights_in(path, config)}
    return torch.load(path, map_location=device, weights_only=True)


def write(path, keys, tensors):
    """tensors: each one's name, shape (as in PyTorch), type and bytes."""
    info, bodies, at = b"", [], 0
    for name, shape, kind, body in tensors:
        info += string(name) + struct.pack(f"<I{len(shape)}Q", len(shape), *reversed(shape)) + struct.pack("<IQ", kind, at)
        body += b"\0" * (-len(body) % 32)
        bodies.append(body)
        at += len(body)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(bodies), len(keys)) + b"".join(string(key) + value(item) for key, item in keys.items()) + info
    with open(path, "wb") as out:
        out.write(head + b"\0" * (-len(head) % 32))
        out.writelines(bodies)
    print(path, os.path.getsize(path), "bytes", len(bodies), "tensors")


def as_bytes(name, weight, is_quantized):
    if is_quantized:
        return name, weight.shape, Q4_0, blocks(*q4_0(weight.float()))
    return name, weight.shape, F32, weight.float().numpy().astype("<f4").tobytes()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("state")
    parser.add_argument("tokenizer")
    parser.add_argument("out")
    parser.add_argument("--config", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "config.json"))
    parser.add_argument("--name", default="Starter Coder v3 83M")
    parser.add_argument("--size", default="83M")
    args = parser.parse_args()
    with open(args.config) as source:
        config = json.load(source)
    with open(args.tokenizer, encoding="utf8") as source:
        keys = metadata(config, json.load(source), args.name, args.size)
    weights = load_state(args.state, config)["weights"]
    write(args.out, keys, (as_bytes(*each) for each in tensors(weights, config["layers"])))
