#!/usr/bin/env python3
"""Step 2: chooses examples and writes them as tokens, and the held-out cases.

    prepare.py RAW TOKENIZER.json OUT [--examples 40000] [--cases 200]

OUT gets training.npz.xz, which train.py reads, and cases.json.xz, which evaluate.py reads.
"""
import argparse
import csv
import io
import json
import lzma
import os
import random
from collections import Counter, defaultdict

import numpy as np
from tokenizers import Tokenizer

import examples
import sources
from layout import Layout

HERE = os.path.dirname(os.path.abspath(__file__))
MOST_TOKENS = 2048
QUIET = 0.4
LINES = 0.6
# Of one repository, of examples in which the same lines become the same, and of settings, which say little about code.
MOST_OF_REPOSITORY = 700
MOST_ALIKE = 2
MOST_SETTINGS = 0.04
MOST_CASES = 12


def states_of(raw, part):
    with open(os.path.join(HERE, "repositories.tsv")) as table:
        names = [row["repository"] for row in csv.DictReader(table, delimiter="\t") if row["part"] == part]
    for name in names:
        path = f"{raw}/{name.replace('/', '+')}.jsonl"
        if os.path.exists(path):
            with open(path) as source:
                yield name, [json.loads(line) for line in source]


def language(question):
    return sources.language_of(question["path"]) or os.path.splitext(question["path"])[1].lstrip(".") or "other"


def is_quiet(question):
    return question["kind"].startswith("quiet")


def changed(question):
    """What makes two examples alike: the lines that go and come."""
    old, new = question["old"].split("\n"), question["answers"][0].split("\n")
    return (question["old"], question["around"][:200]) if is_quiet(question) else (tuple(line for line in old if line not in new), tuple(line for line in new if line not in old))


class Chosen:
    def __init__(self):
        self.alike, self.found = Counter(), []

    def add(self, question, most=MOST_ALIKE):
        key = changed(question)
        if self.alike[key] >= most:
            return False
        self.alike[key] += 1
        self.found.append(question)
        return True


def training(raw, count, without, rng):
    edits, quiet = Chosen(), Chosen()
    for chosen in (edits, quiet):
        chosen.alike.update({changed(question): MOST_ALIKE for question in without})
    for _, states in states_of(raw, "training"):
        rng.shuffle(states)
        own = 0
        for state in states:
            known = [question for question in state if not is_quiet(question) and examples.is_known(question)]
            wanted = "lines" if rng.random() < LINES else "window"
            known = [question for question in known if question["kind"] == wanted] or known
            own += own < MOST_OF_REPOSITORY and bool(known) and edits.add(rng.choice(known))
            silent = [question for question in state if is_quiet(question)]
            if silent:
                quiet.add(rng.choice(silent), 1)
    settings = [question for question in edits.found if language(question) == "yaml"]
    rng.shuffle(settings)
    dropped = {id(question) for question in settings[int(MOST_SETTINGS * len(edits.found)):]}
    found = [question for question in edits.found if id(question) not in dropped]
    rng.shuffle(found)
    found = found[:int(count * (1 - QUIET))]
    share = Counter(map(language, found))
    rng.shuffle(quiet.found)
    rest = []
    for question in quiet.found:
        if share[language(question)] > 0:
            share[language(question)] -= 1 / (QUIET / (1 - QUIET))
            rest.append(question)
    return found + rest


def in_turns(questions):
    """One of each language in turn, and of each language one of each repository in turn."""
    groups = defaultdict(lambda: defaultdict(list))
    for question in questions:
        groups[language(question)][question["source"].split("@")[0]].append(question)
    lists = [[each for turn in turns(list(of.values())) for each in turn] for of in groups.values()]
    return [each for turn in turns(lists) for each in turn]


def turns(lists):
    return [[each[i] for each in lists if i < len(each)] for i in range(max(map(len, lists)))]


def cases(raw, count, rng):
    """Of states in which an edit follows both questions, then quiet ones of other states."""
    both, quiet = [], []
    for _, states in states_of(raw, "held out"):
        rng.shuffle(states)
        own, alike = Counter(), set()
        for state in states:
            by_kind = {question["kind"]: question for question in state}
            silent = [question for question in state if is_quiet(question)]
            if "lines" in by_kind and "window" in by_kind:
                if changed(by_kind["lines"]) not in alike and own["edit"] < 2 * MOST_CASES:
                    own["edit"] += 1
                    alike.add(changed(by_kind["lines"]))
                    both.append(by_kind["lines"] | {"window": by_kind["window"]})
            elif silent and own["quiet"] < 2 * MOST_CASES:
                own["quiet"] += 1
                quiet.append(rng.choice(silent))
    both, quiet = in_turns(both)[:count], in_turns(quiet)[:count]
    return [{key: value for key, value in case.items() if key != "window"} for case in both] + [case["window"] for case in both] + quiet


def compressed(path, data):
    with lzma.open(path, "wb", preset=3) as target:
        target.write(data)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("raw")
    parser.add_argument("tokenizer")
    parser.add_argument("out")
    parser.add_argument("--examples", type=int, default=40_000)
    parser.add_argument("--cases", type=int, default=200)
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    rng, layout = random.Random(5), Layout(Tokenizer.from_file(args.tokenizer))
    asked = cases(args.raw, args.cases, rng)
    written = [question | {"prompt": layout.prompt(question), "chat": layout.chat(question), "unchanged": layout.answer(question["old"]), "answer": layout.answer(question["answers"][0])}
               for question in asked]
    compressed(f"{args.out}/cases.json.xz", json.dumps(written).encode())
    print("cases", dict(Counter(question["kind"] for question in asked)), dict(Counter(map(language, asked))), len({question["source"].split("@")[0] for question in asked}), "repositories")

    tokens, weights, sizes, kept = [], [], [], []
    for question in training(args.raw, args.examples, asked, rng):
        prompt, answer = layout.prompt(question), layout.answer(question["answers"][0])
        if len(prompt) + len(answer) <= MOST_TOKENS:
            tokens += [np.array(prompt + answer, np.uint32)]
            weights += [np.array([0] * len(prompt) + layout.weights(question), np.uint8)]
            sizes.append(len(prompt) + len(answer))
            kept.append(question)
    buffer = io.BytesIO()
    np.savez(buffer, tokens=np.concatenate(tokens), weights=np.concatenate(weights), sizes=np.array(sizes, np.int64))
    compressed(f"{args.out}/training.npz.xz", buffer.getvalue())
    print(len(sizes), "examples", f"{sum(sizes) / 1e6:.1f} M tokens", dict(Counter(question["kind"] for question in kept)), dict(Counter(map(language, kept)).most_common()))
