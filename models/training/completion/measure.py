#!/usr/bin/env python3
"""Step 5: what a model completes at held-out places, with an adapter or none, before the server's rules and gates.

    measure.py MODEL.gguf CASES.json.xz OUT.jsonl [--adapter STATE.pt]

OUT.jsonl is a recording: `npm run tool -- eval PLACES.jsonl --recorded OUT.jsonl` says what the server shows of it.
"""
import argparse
import bisect
import codecs
import json
import lzma
import os
import sys
import time
from collections import defaultdict

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../next-edit"))

import torch

import gguf_file
from qwen2 import Adapter, Qwen2
from writer import Writer

# The first of the special tokens, of which each ends an answer.
FIRST_SPECIAL = 151643
MOST_TOKENS = 64


class HealingWriter(Writer):
    """Writes answers that begin with given bytes, as the engine does."""

    def __init__(self, model, adapter, pieces):
        super().__init__(model, adapter)
        self.pieces = pieces[:FIRST_SPECIAL]
        self.order = sorted(range(len(self.pieces)), key=self.pieces.__getitem__)
        self.sorted = [self.pieces[token] for token in self.order]
        self.number = {piece: token for token, piece in enumerate(self.pieces)}
        self.rests = []

    def complete(self, prompts, heals, limits):
        self.rests = list(heals)
        return self.write(prompts, limits, list(range(FIRST_SPECIAL, self.model.embeddings.shape[0])))

    def compatible(self, rest):
        """The tokens that begin with these bytes, and those with which these bytes begin."""
        begin = bisect.bisect_left(self.sorted, rest)
        end = bisect.bisect_left(self.sorted, rest + b"\xff" * 4)
        shorter = [self.number[rest[:size]] for size in range(1, len(rest)) if rest[:size] in self.number]
        return shorter + self.order[begin:end]

    def choose(self, logits):
        chosen = super().choose(logits)
        for row, rest in enumerate(self.rests):
            if rest:
                tokens = torch.tensor(self.compatible(rest), device=logits.device)
                chosen[row] = tokens[logits[row, tokens].argmax()]
                self.rests[row] = rest[len(self.pieces[chosen[row]]):]
        return chosen


def first_line(text):
    return text.lstrip().split("\n", 1)[0].rstrip()


def same_beginning(a, b):
    return next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))


def figures(cases):
    quiet = [case for case in cases if case["wanted"].strip() == ""]
    others = [case for case in cases if case["wanted"].strip() != ""]
    if others:
        first = sum(first_line(case["written"]) == first_line(case["wanted"]) for case in others)
        exact = sum(case["written"].rstrip() == case["wanted"].rstrip() for case in others)
        right = sum(same_beginning(case["written"], case["wanted"]) for case in others)
        wrong = sum(len(case["written"]) for case in others) - right
        yield f"{len(others)} places: first line right {first} ({100 * first / len(others):.1f} %), all right {exact} ({100 * exact / len(others):.1f} %), characters right {right} of {sum(len(case['wanted']) for case in others)}, wrong {wrong}, nothing written {sum(not case['written'].strip() for case in others)}"
    if quiet:
        silent = sum(case["written"].strip() == "" for case in quiet)
        yield f"{len(quiet)} quiet: silent {silent} ({100 * silent / len(quiet):.1f} %)"


def characters(tokens, pieces, logs, heal):
    """Whole characters after the healed ones, each with the logarithms of the tokens since the last."""
    decoder, found, skip, log = codecs.getincrementaldecoder("utf8")("replace"), [], len(heal), 0.0
    for token, own in zip(tokens, logs):
        piece = pieces[token]
        log += own
        text = decoder.decode(piece[skip:])
        skip = max(0, skip - len(piece))
        if text:
            found.append([text, log])
            log = 0.0
    return found


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
    pieces = gguf_file.token_bytes(reader.fields)
    writer = HealingWriter(model, adapter, pieces)
    for number, case in enumerate(cases, 1):
        case["id"] = f"cut:{number}"
    with torch.no_grad():
        for some in batches(sorted(cases, key=lambda case: len(case["prompt"])), args.batch):
            prompts, heals = [case["prompt"] for case in some], [case["heal"].encode() for case in some]
            answers, _ = writer.complete(prompts, heals, [MOST_TOKENS + len(heal) // 4 for heal in heals])
            # A prompt without an answer has no likelihood.
            logs = writer.likelihoods(prompts, [answer or [FIRST_SPECIAL] for answer in answers])
            for case, answer, heal, log in zip(some, answers, heals, logs):
                case["pieces"] = characters(answer, pieces, log, heal)
                case["written"] = "".join(text for text, _ in case["pieces"])
                case["isEnded"] = len(answer) < MOST_TOKENS + len(heal) // 4
            print(f"{time.time() - started:.0f} s", flush=True)
    groups = defaultdict(list)
    for case in cases:
        for name in ("all", case["situation"]):
            groups[name].append(case)
    for name, group in groups.items():
        print(f"{name}:", *figures(group))
    with open(args.out, "w") as target:
        target.write(json.dumps({"name": model.name}) + "\n")
        target.writelines(json.dumps({key: case[key] for key in ("id", "lineBreak", "pieces", "isEnded")}) + "\n" for case in cases)
    print(f"done after {time.time() - started:.0f} s", flush=True)


def batches(items, size):
    return [items[first:first + size] for first in range(0, len(items), size)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("cases")
    parser.add_argument("out")
    parser.add_argument("--adapter", help="a state that train.py wrote")
    parser.add_argument("--alpha", type=float, default=32)
    parser.add_argument("--batch", type=int, default=200)
    parser.add_argument("--most", type=int, default=10**9)
    main(parser.parse_args())
