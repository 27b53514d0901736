#!/usr/bin/env python3
"""Step 4: what a model answers to the held-out cases, with an adapter or none, and how likely it finds that nothing follows.

    evaluate.py MODEL.gguf CASES.json.xz OUT.json [--adapter STATE.pt] [--prompt chat]
"""
import argparse
import json
import lzma
import re
import time

import torch
import torch.nn.functional as F

import gguf_file
from qwen2 import Adapter, Qwen2, separate_attention

PREFILLED = 16  # prompts at a time
STOPS = ("<|file_sep|>", "<|im_end|>", "<|endoftext|>")


class Writer:
    """Writes the likeliest answers to many prompts at once."""

    def __init__(self, model, adapter):
        self.model, self.layers, self.scale = model, adapter.layers if adapter else [None] * len(model.layers), adapter.scale if adapter else 0.0

    def run(self, x, positions, attend):
        rotation = self.model.rotation(positions)
        for number, (weights, pairs) in enumerate(zip(self.model.layers, self.layers)):
            x = self.model.layer(x, rotation, attend(number), weights, pairs, self.scale)
        return x

    def hidden(self, prompts, keep=None):
        """Of each prompt, all tokens' states. keep: takes (layer, first prompt, keys, values), each a list with one of each prompt."""
        for first in range(0, len(prompts), PREFILLED):
            some = prompts[first:first + PREFILLED]
            sizes = [len(each) for each in some]
            tokens = torch.tensor([token for each in some for token in each], device=self.model.device)
            positions = torch.cat([torch.arange(size, device=self.model.device) for size in sizes])
            separate = separate_attention(sizes)

            def attend(number):
                def kept(q, k, v):
                    if keep:
                        keep(number, first, k.split(sizes), v.split(sizes))
                    return separate(q, k, v)
                return kept
            yield from self.run(self.model.embeddings[tokens], positions, attend).split(sizes)

    def write(self, prompts, limits, stops):
        """Of each prompt, the tokens written, without the one that ends them, and the sum of the logarithms of their probabilities."""
        model, device, count = self.model, self.model.device, len(prompts)
        lengths = torch.tensor([len(each) for each in prompts], device=device)
        room = max(len(prompt) + limit for prompt, limit in zip(prompts, limits))
        keys = torch.zeros(len(model.layers), count, room, model.groups, model.width, dtype=model.dtype, device=device)
        values = torch.zeros_like(keys)

        def keep(layer, first, k, v):
            for i, (key, value) in enumerate(zip(k, v)):
                keys[layer, first + i, :len(key)], values[layer, first + i, :len(value)] = key, value
        last = model.logits(torch.stack([states[-1] for states in self.hidden(prompts, keep)]))
        numbers, stops = torch.arange(count, device=device), torch.tensor(stops, device=device)
        ended, limit, written, sums = torch.zeros(count, dtype=torch.bool, device=device), torch.tensor(limits, device=device), [], torch.zeros(count, device=device)
        for step in range(max(limits)):
            token, ended = last.argmax(-1), ended | (step >= limit)
            sums += torch.where(ended, 0, last.gather(1, token[:, None])[:, 0] - last.logsumexp(-1))
            ended = ended | torch.isin(token, stops)
            written.append(torch.where(ended, -1, token))
            if step % 8 == 7 and bool(ended.all()):
                break
            at = (lengths + step).clamp(max=room - 1)
            seen = torch.arange(room, device=device) <= at[:, None]

            def attend(layer):
                def cached(q, k, v):
                    keys[layer, numbers, at], values[layer, numbers, at] = k, v
                    return self.cached_attention(q, keys[layer], values[layer], seen)
                return cached
            last = model.logits(self.run(model.embeddings[token], at, attend))
        return [[token for token in row if token >= 0] for row in torch.stack(written, 1).tolist()], sums.tolist()

    def cached_attention(self, q, keys, values, seen):
        """One token of each answer: q (answers, heads, width), keys (answers, tokens, groups, width)."""
        q = q.unflatten(1, (self.model.groups, -1))
        scores = torch.einsum("agqw,atgw->agqt", q, keys).float() / self.model.width**0.5
        shares = scores.masked_fill(~seen[:, None, None], -torch.inf).softmax(-1).to(values.dtype)
        return torch.einsum("agqt,atgw->agqw", shares, values).flatten(1, 2)

    def likelihoods(self, prompts, answers):
        """Of each answer, the logarithm of each token's probability."""
        whole = [prompt + answer for prompt, answer in zip(prompts, answers)]
        for prompt, answer, states in zip(prompts, answers, self.hidden(whole)):
            logits = self.model.logits(states[len(prompt) - 1:-1])
            yield (-F.cross_entropy(logits, torch.tensor(answer, device=logits.device), reduction="none")).tolist()


def without_trailing_space(text):
    return re.sub(r"[^\S\n]+$", "", text, flags=re.M).rstrip()


def main(args):
    started = time.time()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    reader = gguf_file.Reader(args.model)
    model = Qwen2(reader, device, torch.bfloat16 if device == "cuda" else torch.float32)
    adapter = None
    if args.adapter:
        tensors = torch.load(args.adapter, map_location=device)["adapter"]
        adapter = Adapter(model, len(tensors["blk.0.attn_q.weight.lora_a"]), args.alpha, 0)
        adapter.load(tensors)
    with lzma.open(args.cases) as source:
        cases = json.load(source)[:args.most]
    names = reader.fields["tokenizer.ggml.tokens"]
    stops, pieces = [names.index(each) for each in STOPS], gguf_file.token_bytes(reader.fields)
    writer = Writer(model, adapter)
    cases.sort(key=lambda case: len(case["unchanged"]))
    print(f"model read after {time.time() - started:.0f} s", flush=True)
    written_tokens, begun = 0, time.time()
    with torch.no_grad():
        for first in range(0, len(cases), args.batch):
            some = cases[first:first + args.batch]
            prompts = [case[args.prompt] for case in some]
            answers, sums = writer.write(prompts, [len(case["unchanged"]) + 160 for case in some], stops)
            written_tokens += sum(map(len, answers))
            for case, answer, total in zip(some, answers, sums):
                text = b"".join(pieces[token] for token in answer).decode("utf8", "replace")
                case["written"], case["log"] = text.split("\n```")[0] if args.prompt == "chat" else text, total
            if args.prompt == "prompt":
                for name in ("unchanged", "answer"):
                    for case, logs in zip(some, writer.likelihoods(prompts, [case[name] for case in some])):
                        case[f"{name} log"] = logs
            print(f"{first + len(some)} cases, {time.time() - begun:.0f} s, {written_tokens / (time.time() - begun):.0f} tokens/s", flush=True)
    for kind in sorted({case["kind"] for case in cases}):
        print(kind, *figures([case for case in cases if case["kind"] == kind]))
    kept = ("path", "source", "kind", "history", "around", "old", "answers", "written", "log", "unchanged log", "answer log")
    with open(args.out, "w") as target:
        json.dump([{key: case[key] for key in kept if key in case} for case in cases], target)
    print(f"done after {time.time() - started:.0f} s", flush=True)


def figures(cases):
    written = [without_trailing_space(case["written"]) for case in cases]
    exact = sum(text in map(without_trailing_space, case["answers"]) for text, case in zip(written, cases))
    kept = sum(text == without_trailing_space(case["old"]) for text, case in zip(written, cases))
    yield f"{len(cases)} cases: exact {exact} ({100 * exact / len(cases):.1f} %), unchanged {kept}"
    if "answer log" in cases[0]:
        logs = [log for case in cases for log in case["answer log"]]
        yield f"loss of the answers {-sum(logs) / len(logs):.4f} a token"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("cases")
    parser.add_argument("out")
    parser.add_argument("--adapter", help="a state that train.py wrote")
    parser.add_argument("--alpha", type=float, default=32)
    parser.add_argument("--prompt", choices=["prompt", "chat"], default="prompt")
    parser.add_argument("--batch", type=int, default=200)
    parser.add_argument("--most", type=int, default=10**9)
    main(parser.parse_args())
