#!/usr/bin/env python3
"""Step 2: chooses examples and writes them as tokens, and the held-out cases.

    prepare.py RAW TOKENIZER.json OUT [--examples 160000] [--cases 2000] [--quiet-cases 800] [--windows 500]

OUT gets training-1.npz.xz and so on, pieces that travel, which train.py reads, and for evaluate.py cases.json.xz and, of other
repositories, development.json.xz.
"""
import argparse
import csv
import json
import os
import random
from collections import Counter, defaultdict

from tokenizers import Tokenizer

import examples
import packing
import sources
from layout import Layout

HERE = os.path.dirname(os.path.abspath(__file__))
MOST_TOKENS = 2048
QUIET = 0.4
# Which question is asked about a state in which an edit follows, and about one in which none does.
WANTED = {"lines": 0.3, "cursor window": 0.6, "window": 0.1}
QUIET_WANTED = {"quiet lines": 0.25, "quiet cursor window": 0.55, "quiet window": 0.2}
# Of the states in which an edit follows, so many are asked both ways.
BOTH = 0.6
# Of one repository, of examples in which the same lines become the same, and of settings, which say little about code.
MOST_OF_REPOSITORY = 800
MOST_ALIKE = 2
MOST_SETTINGS = 0.04
MOST_CASES = 40
MOST_QUIET_CASES = 20
# An example goes if more of its lines than this stand in a case.
MOST_RESEMBLING = 0.35
LINE = 20


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


def lines_of(question):
    text = "\n".join([question["around"], *question["answers"][:1], *(text for _, old, new in question["history"] for text in (old, new))])
    return {line for line in map(str.strip, text.split("\n")) if len(line) >= LINE}


class Chosen:
    def __init__(self, hidden):
        self.alike, self.found, self.hidden, self.resembling = Counter(), [], hidden, 0

    def add(self, question, most=MOST_ALIKE):
        key, lines = changed(question), lines_of(question)
        if self.alike[key] >= most:
            return False
        if len(lines & self.hidden) > MOST_RESEMBLING * len(lines):
            self.resembling += 1
            return False
        self.alike[key] += 1
        self.found.append(question)
        return True


def drawn(shares, rng):
    return rng.choices(list(shares), shares.values())[0]


def training(raw, count, without, rng):
    hidden = set().union(*map(lines_of, without))
    edits, quiet = Chosen(hidden), Chosen(hidden)
    for chosen in (edits, quiet):
        chosen.alike.update({changed(question): MOST_ALIKE for question in without})
    for _, states in states_of(raw, "training"):
        rng.shuffle(states)
        own = 0
        for state in states:
            known = [question for question in state if not is_quiet(question) and examples.is_known(question)]
            wanted = drawn(WANTED, rng)
            known.sort(key=lambda question: question["kind"] != wanted)
            for question in known[:2 if rng.random() < BOTH else 1]:
                own += own < MOST_OF_REPOSITORY and edits.add(question)
            silent = [question for question in state if is_quiet(question)]
            if silent:
                rng.shuffle(silent)
                wanted = drawn(QUIET_WANTED, rng)
                quiet.add(min(silent, key=lambda question: question["kind"] != wanted), 1)
    print(edits.resembling + quiet.resembling, "questions resemble cases")
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
    # Those of one commit behind each other, which compress better; train.py shuffles.
    return sorted(found + rest, key=lambda question: question["source"])


def in_turns(questions):
    """One of each language in turn, and of each language one of each repository in turn."""
    groups = defaultdict(lambda: defaultdict(list))
    for question in questions:
        groups[language(question)][question["source"].split("@")[0]].append(question)
    lists = [[each for turn in turns(list(of.values())) for each in turn] for of in groups.values()]
    return [each for turn in turns(lists) for each in turn]


def turns(lists):
    return [[each[i] for each in lists if i < len(each)] for i in range(max(map(len, lists)))]


def cases(raw, part, count, quiet_count, windows, rng):
    """Of states in which an edit follows the lines, of some the window too; then quiet questions of other states."""
    both, quiet = [], []
    for _, states in states_of(raw, part):
        rng.shuffle(states)
        own, alike = Counter(), set()
        for state in states:
            by_kind = {question["kind"]: question for question in state}
            silent = [question for question in state if is_quiet(question)]
            if "lines" in by_kind and "window" in by_kind:
                if changed(by_kind["lines"]) not in alike and own["edit"] < MOST_CASES:
                    own["edit"] += 1
                    alike.add(changed(by_kind["lines"]))
                    both.append(by_kind["lines"] | {"window": by_kind["window"]})
            elif silent and own["quiet"] < MOST_QUIET_CASES:
                own["quiet"] += 1
                quiet.append(rng.choice(silent))
    both, quiet = in_turns(both)[:count], in_turns(quiet)[:quiet_count]
    return [{key: value for key, value in case.items() if key != "window"} for case in both] + [case["window"] for case in both[:windows]] + quiet


def write_cases(path, asked, layout):
    written = [question | {"prompt": layout.prompt(question), "chat": layout.chat(question), "unchanged": layout.answer(question["old"]), "answer": layout.answer(question["answers"][0])}
               for question in asked]
    packing.compressed(path, json.dumps(written).encode())
    print(path, dict(Counter(question["kind"] for question in asked)), dict(Counter(map(language, asked))), len({question["source"].split("@")[0] for question in asked}), "repositories", flush=True)


def as_tokens(questions, layout):
    for question in questions:
        prompt, answer = layout.prompt(question), layout.answer(question["answers"][0])
        if len(prompt) + len(answer) <= MOST_TOKENS:
            yield prompt + answer, [0] * len(prompt) + layout.weights(question)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("raw")
    parser.add_argument("tokenizer")
    parser.add_argument("out")
    parser.add_argument("--examples", type=int, default=160_000)
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--quiet-cases", type=int, default=800)
    parser.add_argument("--windows", type=int, default=500, help="of the cases in which an edit follows, so many are asked as windows, too")
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    rng, layout = random.Random(5), Layout(Tokenizer.from_file(args.tokenizer))
    asked = {name: cases(args.raw, part, args.cases, args.quiet_cases, args.windows, rng) for name, part in (("cases", "held out"), ("development", "development"))}
    chosen = training(args.raw, args.examples, asked["cases"] + asked["development"], rng)
    print(len(chosen), "examples", dict(Counter(question["kind"] for question in chosen)), dict(Counter(map(language, chosen)).most_common()),
          len({question["source"].split("@")[0] for question in chosen}), "repositories", flush=True)
    packing.write(args.out, as_tokens(chosen, layout))
    for name, questions in asked.items():
        if questions:
            write_cases(f"{args.out}/{name}.json.xz", questions, layout)
