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

import gguf_file
from qwen2 import Adapter, Qwen2
from writer import Writer

STOPS = ("<|file_sep|>", "<|im_end|>", "<|endoftext|>")


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
