#!/usr/bin/env python3
"""Step 6b: writes the mean of two models' weights. Each Q4_0 matrix is rounded column by column, and what the rounding of
a column costs is made up for by the columns after it (GPTQ, arXiv 2210.17323), for inputs as real text gives them.

    blend.py FIRST.gguf SECOND.gguf SELECTED TOKENIZER OUT.gguf [--share 0.5] [--tokens 12000]

SELECTED is what step 2 leaves, of which a few files of each language are read. --share is that of SECOND.
"""
import argparse
import glob
import json
import os
import random
from itertools import islice

import torch
import torch.nn.functional as F
from tokenizers import Tokenizer

from export import F32, NAMES, Q4_0, blocks, load_state, metadata, write
from model import BLOCK, MATRICES, Qwen2, to_float16


# What sixty bundles take of a shard, at most.
BYTES_READ = 4_000_000


def rows_of(selected, tokenizer, wanted):
    """Token ids of up to three files a language, 900 tokens each at most."""
    rng, files, of_language, rows = random.Random(3), [], {}, []
    for path in sorted(glob.glob(f"{selected}/shard-0[0-3]-?.jsonl")):
        with open(path, encoding="utf8", errors="ignore") as shard:
            shard.seek(rng.randrange(max(1, min(30_000_000, os.path.getsize(path) - BYTES_READ))))
            shard.readline()
            files += [json.loads(line)["files"][0] for line in islice(shard, 60)]
    rng.shuffle(files)
    for language, path, text in files:
        if of_language.get(language, 0) >= 3:
            continue
        of_language[language] = of_language.get(language, 0) + 1
        ids = tokenizer.encode(f"{path}\n{text[:4000]}", add_special_tokens=False).ids[:900]
        if len(ids) > 200:
            rows.append(torch.tensor(ids))
        if sum(map(len, rows)) > wanted:
            break
    return rows


def scale_of(block, importance):
    """Of six scales the one whose rounding costs least."""
    high, low = block.amax(-1), block.amin(-1)
    base = torch.where(-low >= high, low, high) / -8
    best = chosen = None
    for factor in (1.0, 0.96, 0.92, 0.88, 0.84, 1.04):
        scale = to_float16((base * factor).contiguous())
        inverse = torch.where(scale == 0, 0.0, 1 / scale)[:, None]
        numbers = torch.clamp(torch.floor(block * inverse + 8.5), 0, 15)
        cost = (((numbers - 8) * scale[:, None] - block) ** 2 * importance).sum(-1)
        better = torch.ones_like(cost, dtype=torch.bool) if best is None else cost < best
        best, chosen = (cost, scale) if best is None else (torch.where(better, cost, best), torch.where(better, scale, chosen))
    return chosen


def rounded(weight, second_moments):
    """The matrix [out, in] as the file holds it, with its scales and numbers. second_moments [in, in]: of its inputs."""
    weight, columns = weight.clone(), weight.shape[1]
    moments = second_moments + torch.eye(columns) * 0.02 * second_moments.diagonal().mean()
    upper = torch.linalg.cholesky(torch.cholesky_inverse(torch.linalg.cholesky(moments)), upper=True)
    numbers, scales = torch.empty_like(weight), torch.empty(weight.shape[0], columns // BLOCK)
    for start in range(0, columns, BLOCK):
        end = start + BLOCK
        block, part = weight[:, start:end].clone(), upper[start:end, start:end]
        scale = scales[:, start // BLOCK] = scale_of(block, moments.diagonal()[start:end])
        inverse, errors = torch.where(scale == 0, 0.0, 1 / scale), torch.empty_like(block)
        for i in range(BLOCK):
            numbers[:, start + i] = torch.clamp(torch.floor(block[:, i] * inverse + 8.5), 0, 15)
            errors[:, i] = (block[:, i] - (numbers[:, start + i] - 8) * scale) / part[i, i]
            block[:, i + 1:] -= errors[:, i, None] * part[i, i + 1:]
        weight[:, end:] -= errors @ upper[start:end, end:]
    in_file = ((numbers.view(len(weight), -1, BLOCK) - 8) * scales[:, :, None]).view_as(weight)
    return in_file, (scales, numbers)


def moments_of(inputs):
    return sum(x.T @ x for x in inputs) / sum(map(len, inputs))


def quantize(weights, config, rows):
    """Layer by layer, each for the inputs that the rounded ones before it give. Returns {name or (name, layer): blocks}."""
    heads, keys, head, dim = config["heads"], config["kv"], config["head"], config["dim"]
    model, stored = Qwen2(config), {}
    weights = {name: weight.clone() for name, weight in weights.items()}

    def normalized(scale):
        return [F.rms_norm(h, (dim,), scale, config["eps"]) for h in hidden]

    def rotate(x, cos, sin):
        a, b = x[..., : head // 2], x[..., head // 2:]
        return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)

    def attended(x, layer):
        def product(matrix, bias, n):
            return (x @ weights[matrix][layer].T + weights[bias][layer]).view(len(x), n, head).transpose(0, 1)

        rotation = model.rotation(len(x), "cpu")
        q, k, v = rotate(product("wq", "bq", heads), *rotation), rotate(product("wk", "bk", keys), *rotation), product("wv", "bv", keys)
        return F.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True, enable_gqa=True)[0].transpose(0, 1).reshape(len(x), -1)

    hidden = [F.embedding(row, weights["emb"]) for row in rows]
    for layer in range(config["layers"]):
        def round_all(names, inputs):
            for name in names:
                weights[name][layer], stored[name, layer] = rounded(weights[name][layer], moments_of(inputs))

        inputs = normalized(weights["n1"][layer])
        round_all(("wq", "wk", "wv"), inputs)
        inputs = [attended(x, layer) for x in inputs]
        round_all(("wo",), inputs)
        hidden = [h + x @ weights["wo"][layer].T for h, x in zip(hidden, inputs)]
        inputs = normalized(weights["n2"][layer])
        round_all(("wg", "wu"), inputs)
        inputs = [F.silu(x @ weights["wg"][layer].T) * (x @ weights["wu"][layer].T) for x in inputs]
        round_all(("wd",), inputs)
        hidden = [h + x @ weights["wd"][layer].T for h, x in zip(hidden, inputs)]
    # The embeddings are the output matrix, too; as the input they should only stay near to what they were.
    moments = moments_of(normalized(weights["nf"]))
    stored["emb"] = rounded(weights["emb"], moments + torch.eye(dim) * 0.3 * moments.diagonal().mean())[1]
    return stored


def tensors(weights, stored, layers):
    def matrix(name, key):
        scales, numbers = stored[key]
        return name, numbers.shape, Q4_0, blocks(scales, numbers)

    def plain(name, weight):
        return name, weight.shape, F32, weight.numpy().astype("<f4").tobytes()

    yield matrix("token_embd.weight", "emb")
    yield plain("output_norm.weight", weights["nf"])
    for layer in range(layers):
        for own, name in NAMES.items():
            name = f"blk.{layer}.{name}"
            yield matrix(name, (own, layer)) if own in MATRICES else plain(name, weights[own][layer])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for argument in ("first", "second", "selected", "tokenizer", "out"):
        parser.add_argument(argument)
    parser.add_argument("--share", type=float, default=0.5)
    parser.add_argument("--tokens", type=int, default=12_000)
    args = parser.parse_args()
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "config.json")) as source:
        config = json.load(source)
    with open(args.tokenizer, encoding="utf8") as source:
        keys = metadata(config, json.load(source), "Starter Coder v3 83M", "83M")
    first, second = (load_state(path, config)["weights"] for path in (args.first, args.second))
    mean = {name: (first[name] * (1 - args.share) + second[name] * args.share).float() for name in first}
    with torch.no_grad():
        stored = quantize(mean, config, rows_of(args.selected, Tokenizer.from_file(args.tokenizer), args.tokens))
    write(args.out, keys, tensors(mean, stored, config["layers"]))
