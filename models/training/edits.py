#!/usr/bin/env python3
"""Step 2b: next edits out of version histories: what changed in a file, and what the same commit changed next.

    edits.py REPOSITORIES RAW OUT.jsonl [COMMITS]

Only repositories whose licence step 1 found permissive and that step 2 does not hold out. A line is a bundle {"p", "edit": [path, old, new, original, current, updated]}.
"""
import glob
import json
import os
import pickle
import random
import re
import subprocess
import sys
from multiprocessing import Pool

import sources
from select_files import HELD_OUT

PATTERNS = ["*.py", "*.ts", "*.tsx", "*.js", "*.go", "*.rs", "*.java", "*.cs", "*.rb", "*.php", "*.kt", "*.swift", "*.cpp", "*.c", "*.h"]
PER_REPOSITORY = 2_500_000


def groups(hunk):
    """Runs of lines: (is_change, old lines, new lines)."""
    runs = []
    for line in hunk:
        is_change = line[:1] in "+-"
        if not runs or runs[-1][0] != is_change:
            runs.append((is_change, [], []))
        if line[:1] != "+":
            runs[-1][1].append(line[1:])
        if line[:1] != "-":
            runs[-1][2].append(line[1:])
    return runs


def text_of(runs, done):
    """The window with the first `done` changes made."""
    lines, count = [], 0
    for is_change, old, new in runs:
        lines += new if is_change and count < done else old
        count += is_change
    return "\n".join(lines)


def examples(path, hunks, rng):
    parsed = [groups(hunk) for hunk in hunks if len(hunk) <= 60]
    before = None
    for runs in parsed:
        changes = [run for run in runs if run[0]]
        if max((len(old) + len(new) for _, old, new in changes), default=99) > 30:
            before = None
            continue
        if len(changes) > 1:
            _, old, new = changes[0]
            yield [path, "\n".join(old), "\n".join(new), text_of(runs, 0), text_of(runs, 1), text_of(runs, 2)]
        elif before:
            yield [path, *before, text_of(runs, 0), text_of(runs, 0), text_of(runs, 1)]
        elif changes and rng.random() < 0.15:
            # Nothing more to do.
            _, old, new = changes[0]
            yield [path, "\n".join(old), "\n".join(new), text_of(runs, 0), text_of(runs, 1), text_of(runs, 1)]
        before = ("\n".join(changes[-1][1]), "\n".join(changes[-1][2])) if changes else None


def work(job):
    repository, name, commits = job
    rng = random.Random(name)
    command = ["git", "-c", "safe.directory=*", "-C", repository, "log", "-p", "-U9", "--no-merges", "--no-renames", "-n", commits, "--format=%x00", "--", *PATTERNS]
    reader = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=dict(os.environ, GIT_NO_LAZY_FETCH="1"))
    found, size, path, hunks = [], 0, None, []

    def finish():
        nonlocal size
        if path and 1 <= len(hunks) <= 6 and not sources.SKIP.search(path):
            for example in list(examples(path, hunks, rng))[:2]:
                length = sum(map(len, example))
                text = "".join(example)
                if 200 < length < 8000 and text.isascii() and not sources.SECRET.search(text) and not sources.GENERATED.search(text):
                    found.append({"p": name, "edit": example})
                    size += length

    for raw in reader.stdout:
        line = raw.decode("utf8", "replace").rstrip("\n")
        if line.startswith("diff --git "):
            finish()
            path, hunks = line.rsplit(" b/", 1)[-1], []
            if size > PER_REPOSITORY:
                break
        elif line.startswith("@@"):
            hunks.append([])
        elif hunks and line[:1] in ("+", "-", " ") and path:
            hunks[-1].append(line)
    reader.kill()
    return found


if __name__ == "__main__":
    repositories, raw, out = sys.argv[1:4]
    commits = sys.argv[4] if len(sys.argv) > 4 else "500"
    jobs = []
    for path in sorted(glob.glob(raw + "/git_*.pkl")):
        with open(path, "rb") as source:
            head = pickle.load(source)
        if head["licence"] and head["files"] and not HELD_OUT.search(head["package"]):
            jobs.append((f"{repositories}/{head['package'].replace('/', '+', 1)}/repo", head["package"], commits))
    with Pool(2) as pool, open(out, "w") as target:
        total = 0
        for found in pool.imap_unordered(work, jobs):
            total += len(found)
            target.writelines(json.dumps(row) + "\n" for row in found)
    print(len(jobs), "repositories", total, "edits", os.path.getsize(out) / 1e6, "MB")
