#!/usr/bin/env python3
"""Step 1: the files of repositories as they are now.

    files.py REPOSITORIES OUT --part "held out" [--hidden FILE_OR_FOLDER ...]
    files.py REPOSITORIES OUT --part training --hidden OUT_OF_THE_PART_HELD_OUT CASES.jsonl ../../../test/golden ...

REPOSITORIES has OWNER+NAME/repo, a git directory each. OUT gets OWNER+NAME.jsonl of each repository of
../next-edit/repositories.tsv that is there and has a permissive licence: a line for each file, {path, language, text, isOther}.
Files that only serve the others as context are isOther. A file stays out if more than 35 % of its lines stand in a hidden one, or 55 %
in files of its language that came before it.
"""
import argparse
import csv
import json
import os
import random
import re
import sys
from collections import Counter, defaultdict

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "../next-edit"), os.path.join(HERE, "..")]

import extract
import sources
from collect import licence
from select_files import is_held_out

# VS Code's ids of the languages that sources.py does not know or names otherwise.
IDS = {".dart": "dart", ".ex": "elixir", ".exs": "elixir", ".zig": "zig", ".hs": "haskell", ".sol": "solidity", ".jl": "julia", ".r": "r",
       ".vue": "vue", ".svelte": "svelte", ".scss": "scss", ".less": "less", ".h": "c"}
NAMES = {"shell": "shellscript", "tsx": "typescriptreact", "jsx": "javascriptreact", "proto": "proto3"}
UNWANTED = re.compile(r"(^|/)(vendor|deps|dist|build|out|target|generated|gen|licen[sc]es?|mocks?|stubs?|samples?/data|tests?/(data|resources|assets)|migrations)(/|$)|(^|/)(LICEN[CS]E|COPYING|NOTICE)|\.lock$|\.d\.ts$|\.snap$|\.erb$", re.I)
TEST = re.compile(r"(^|/)(tests?|__tests__|specs?|testing|benchmarks?|examples?|bench)/|_test\.\w+$|_spec\.rb$|\.(test|spec)\.[jt]sx?$|(^|/)test_[^/]*\.py$|Tests?\.\w+$", re.I)
# So many of the files with tests, whose lines resemble each other, and of those that are no code are not only context.
TESTS, NO_CODE = 0.35, 0.25
# What the server's index of files holds at most.
MOST_FILES, MOST_CHARS, LARGEST = 2000, 4_000_000, 64 * 1024
LINE = 20
MOST_RESEMBLING, MOST_SEEN = 0.35, 0.55


def language_of(path):
    ending = os.path.splitext(path)[1].lower()
    name = sources.language_of(path)
    return IDS.get(ending) or NAMES.get(name, name)


def lines_of(text):
    return [hash(line) for line in map(str.strip, text.split("\n")) if len(line) >= LINE]


def texts_in(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from texts_in(each)


def hidden_lines(paths):
    """Lines of texts, of all strings in files of JSON lines, and of the files in folders."""
    found = set()
    for path in paths:
        names = [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names] if os.path.isdir(path) else [path]
        for name in names:
            with open(name, encoding="utf8", errors="ignore") as source:
                for row in source if name.endswith(".jsonl") else [source.read()]:
                    for text in texts_in(json.loads(row)) if name.endswith(".jsonl") else [row]:
                        found.update(lines_of(text))
    return found


class Chooser:
    def __init__(self, hidden, rng):
        self.hidden, self.rng, self.seen, self.dropped = hidden, rng, defaultdict(set), Counter()

    def files(self, repository):
        """Of one repository: folders in a random order, so that files of one folder come together."""
        found = defaultdict(list)
        for path, raw in extract.repository(repository, lambda name, size: language_of(name) and not UNWANTED.search(name)):
            if len(raw) <= LARGEST and not UNWANTED.search(path):
                found[os.path.dirname(path)].append((path, raw))
        folders, count, chars = list(found.values()), 0, 0
        self.rng.shuffle(folders)
        for path, raw in (each for folder in folders for each in folder):
            text = sources.strip_licence(raw.decode("utf8", "replace").replace("\r\n", "\n"))
            reason = self.reason_against(path, text)
            self.dropped[reason] += 1
            if reason is None and count < MOST_FILES and chars + len(text) <= MOST_CHARS:
                count, chars = count + 1, chars + len(text)
                yield {"path": path, "language": language_of(path), "text": text, "isOther": self.is_other(path)}

    def is_other(self, path):
        share = NO_CODE if language_of(path) in ("markdown", "json", "yaml", "toml", "html") else TESTS if TEST.search(path) else 1
        return self.rng.random() >= share

    def reason_against(self, path, text):
        language = sources.language_of(path) or "python"
        if "\ufffd" in text or not sources.is_wanted(language, text):
            return "unwanted"
        if max(map(len, text.split("\n"))) > 400 or "HumanEval" in text or "canonical_solution" in text:
            return "unwanted"
        lines = lines_of(text)
        if lines and sum(line in self.hidden for line in lines) > MOST_RESEMBLING * len(lines):
            return "resembles what is hidden"
        seen = self.seen[language_of(path)]
        if lines and sum(line in seen for line in lines) > MOST_SEEN * len(lines):
            return "seen before"
        seen.update(lines)
        return None


def main(args):
    os.makedirs(args.out, exist_ok=True)
    with open(os.path.join(HERE, "../next-edit/repositories.tsv")) as table:
        names = [row["repository"] for row in csv.DictReader(table, delimiter="\t") if row["part"] == args.part]
    chooser = Chooser(hidden_lines(args.hidden), random.Random(7))
    for name in names:
        folder, target = f"{args.repositories}/{name.replace('/', '+')}/repo", f"{args.out}/{name.replace('/', '+')}.jsonl"
        if is_held_out(name) or not os.path.isdir(folder):
            print(name, "stays out", flush=True)
            continue
        offered = licence(folder)
        files = list(chooser.files(folder)) if offered else []
        if files:
            with open(target, "w") as out:
                out.writelines(json.dumps(file) + "\n" for file in files)
        print(name, offered, len(files), "files", sum(len(file["text"]) for file in files), "characters", flush=True)
    print({str(reason): count for reason, count in chooser.dropped.items()})


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("repositories")
    parser.add_argument("out")
    parser.add_argument("--part", required=True, help="of repositories.tsv: training, held out or development")
    parser.add_argument("--hidden", nargs="*", default=[], help="files and folders with what is measured")
    main(parser.parse_args())
