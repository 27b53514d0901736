#!/usr/bin/env python3
"""Step 3: chooses examples of completions and writes them for train.py, and cases for measure.py.

    choose.py EXAMPLES CASES OUT [--examples 100000] [--cases 1000]

EXAMPLES and CASES are what `npm run tool -- completions` wrote, CASES with --cases. OUT gets training-1.npz.xz and so on, cases.json.xz,
and places.jsonl, the same cases for `npm run tool -- eval`.
"""
import argparse
import glob
import json
import os
import random
import re
import sys
from collections import Counter, defaultdict

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../next-edit"))

import packing

END_OF_TEXT = 151643
WRITTEN, HEALED = 10, 3
# Parts of all examples: of a language, of a kind of place, of quiet places, and of answers without a word.
MOST = {"language": 0.09, "prose": 0.03, "data": 0.05, "comment": 0.12, "quiet": 0.19, "signs": 0.05}
# Of examples with the same answer, and of those with the same answer after the same tokens.
MOST_ALIKE, MOST_SAME = 25, 1
NEAR = 12
CASES = ("language", "path", "source", "situation", "cut", "prompt", "heal", "answer", "wanted", "lineBreak")
PLACE = ("language", "path", "prefix", "middle", "suffix")


def rows(folder):
    for path in sorted(glob.glob(f"{folder}/*.jsonl")):
        with open(path) as source:
            for line in source:
                yield json.loads(line)


def is_quiet(example):
    return example["cut"].startswith("quiet")


class Chooser:
    """Takes examples in turn as long as none of their kinds has its part of all."""

    def __init__(self, count):
        self.count, self.of, self.alike, self.same, self.refused = count, Counter(), Counter(), Counter(), Counter()

    def kinds(self, example):
        yield "language", example["language"]
        if example["situation"] in MOST:
            yield example["situation"], ""
        if is_quiet(example):
            yield "quiet", ""
        elif not re.search(r"\w", example["wanted"]):
            yield "signs", ""

    def takes(self, example):
        wanted = example["language"], example["wanted"].strip()
        same = *wanted, example["cut"] if is_quiet(example) else "", tuple(example["prompt"][-NEAR:])
        full = next((kind for kind in self.kinds(example) if self.of[kind] >= MOST[kind[0]] * self.count), None)
        if full is None and self.same[same] >= MOST_SAME:
            full = "same"
        if full is None and not is_quiet(example) and self.alike[wanted] >= MOST_ALIKE:
            full = "alike"
        if full is not None:
            self.refused[full if isinstance(full, str) else full[0]] += 1
            return False
        self.same[same] += 1
        self.alike[wanted] += 1
        self.of.update(self.kinds(example))
        return True


def training(folder, count, rng):
    found = list(rows(folder))
    print(len(found), "examples are there", flush=True)
    rng.shuffle(found)
    chooser, chosen = Chooser(count), []
    for example in found:
        if len(chosen) < count and chooser.takes(example):
            chosen.append(example)
    print("left out:", dict(chooser.refused))
    # Those of one file behind each other, which compress better; train.py shuffles.
    return sorted(chosen, key=lambda example: (example["source"], example["path"]))


def cases(folder, count, rng):
    """Of each language in turn a case of each repository in turn."""
    groups = defaultdict(lambda: defaultdict(list))
    for example in rows(folder):
        groups[example["language"]][example["source"]].append(example)
    lists = []
    for of in groups.values():
        for each in of.values():
            rng.shuffle(each)
        lists.append(turns(list(of.values())))
    kinds, chosen = Counter(), []
    for example in turns(lists):
        kind = example["situation"] if example["situation"] in ("prose", "data") else "quiet" if is_quiet(example) else "code"
        if len(chosen) < count and kinds[kind] < {"prose": 0.03, "data": 0.05, "quiet": 0.2}.get(kind, 1) * count:
            kinds[kind] += 1
            chosen.append(example)
    return chosen


def turns(lists):
    return [each[i] for i in range(max(map(len, lists), default=0)) for each in lists if i < len(each)]


def as_tokens(examples):
    for example in examples:
        prompt, answer, healed = example["prompt"], example["answer"], example["healed"]
        weights = [0] * len(prompt) + [HEALED] * healed + [WRITTEN] * (len(answer) - healed + 1)
        yield prompt + answer + [END_OF_TEXT], weights


def report(name, examples):
    by = {key: dict(Counter(example[key] for example in examples).most_common()) for key in ("language", "cut", "situation")}
    print(name, len(examples), "of", len({example["source"] for example in examples}), "repositories,", sum(not example["answer"] or example["wanted"] == "" for example in examples), "empty", by, flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("examples_folder")
    parser.add_argument("cases_folder")
    parser.add_argument("out")
    parser.add_argument("--examples", type=int, default=100_000)
    parser.add_argument("--cases", type=int, default=1000)
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    rng = random.Random(3)
    asked = cases(args.cases_folder, args.cases, rng)
    report("cases:", asked)
    packing.compressed(f"{args.out}/cases.json.xz", json.dumps([{key: case[key] for key in CASES} for case in asked]).encode())
    with open(f"{args.out}/places.jsonl", "w") as target:
        target.writelines(json.dumps({key: case[key] for key in PLACE} | {"kind": case["situation"]}) + "\n" for case in asked)
    chosen = training(args.examples_folder, args.examples, rng)
    report("training:", chosen)
    packing.write(args.out, as_tokens(chosen))
