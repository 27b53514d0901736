#!/usr/bin/env python3
"""Step 2b: next edits, out of version histories and made by rules out of files.

    edits.py REPOSITORIES RAW OUT.jsonl --without SELECTED/holdout-*.jsonl CASES.jsonl [--commits 5000] [--seconds 60]
    edits.py REPOSITORIES RAW OUT.jsonl --only held-out.tsv

Only repositories whose licence step 1 found permissive and that step 2 does not hold out, and of these nothing that
resembles what it does; with --only, what is held out and nothing else, for figures. A line is a bundle, {"p", "path", "window", "steps", "ends"} or {"p", "edit": [path, old, new, original, current,
updated]}, which data.py writes as Layout H and as Sweep v1. A step is [path, old, new, kind]: an edit that follows from the steps
before, silence (nothing was to be shown, and the user went on with this), or given (nothing is learnt from it). `ends` says
whether nothing follows after the last one.
"""
import argparse
import csv
import glob
import json
import os
import pickle
import random
import re
from collections import Counter
from multiprocessing import Pool

import sources
from histories import commits, without_space
from propagation import propagation
from select_files import COPY, HELD_OUT_GIT, is_held_out, line_hashes, resembles

PER_REPOSITORY = 9_000_000
MOST_STEPS = 12
MOST_LINES = 8
SWEEP = 0.15
SYNTHETIC = 0.2
# Whoever is not shown what cannot be known learns to be silent; two thirds of it say nothing.
SILENT = 1 / 3
WORD = re.compile(r"[^\W\d]\w+")
# Hashes of the lines that are held out; empty if the rows are of these themselves.
hidden = set()


def hide(paths):
    """Files of step 2 have a list a line, those of cases an object."""
    for path in paths:
        with open(path, encoding="utf8") as source:
            for row in map(json.loads, source):
                text = row[3] if isinstance(row, list) else row["prefix"] + row["middle"] + row["suffix"]
                hidden.update(line_hashes(text).tolist())


def is_hidden(path, text):
    return bool(hidden) and bool(COPY.search(path) or resembles(line_hashes(text), hidden))


def changed_words(old, new):
    """The words that an edit brings in or takes out, without those of every other line of code."""
    counts = Counter(WORD.findall("\n".join(new)))
    counts.subtract(WORD.findall("\n".join(old)))
    return {word for word, count in counts.items() if count and word not in sources.KEYWORDS}


def entry(lines, at, old, new):
    """The edit's lines as they are written: with the line above where lines only come or go, and with up to three above where
    the same lines stand elsewhere, too."""
    start, end = at, at + len(old)

    def is_unclear():
        wanted = lines[start:end]
        return sum(lines[i:i + len(wanted)] == wanted for i in range(len(lines) - len(wanted) + 1)) > 1
    if not old or not new:
        start, end = (start - 1, end) if start > 0 else (start, end + 1)
    while start > max(0, at - 3) and is_unclear():
        start -= 1
    return "\n".join(lines[start:end]), "\n".join(lines[start:at] + new + lines[at + len(old):end])


def cut(lines, changes, rng):
    """A part of a long window, around one of its changes."""
    most = rng.randint(40, 170)
    if len(lines) <= most:
        return lines, changes
    at, old, _ = rng.choice(changes)
    low = max(0, min(at + len(old) // 2 - rng.randint(most // 4, 3 * most // 4), len(lines) - most))
    high = low + most
    inside = [(start - low, old, new) for start, old, new in changes if start >= low and start + len(old) <= high]
    return lines[low:high], inside


def one_by_one(changes, rng):
    """Changes that replace line by line, some of them as a change for each line."""
    for at, old, new in changes:
        if 1 < len(old) == len(new) and rng.random() < 0.5:
            yield from ((at + i, [a], [b]) for i, (a, b) in enumerate(zip(old, new)) if a != b)
        else:
            yield at, old, new


def ordered(changes, rng):
    """Half of the time from any of them to the nearest one that is left; otherwise down from any of them, and then from the top."""
    first = rng.randrange(len(changes))
    rest = changes[first:] + changes[:first]
    if rng.random() < 0.5:
        return rest
    found = [rest.pop(0)]
    while rest:
        found.append(rest.pop(min(range(len(rest)), key=lambda i: abs(rest[i][0] - found[-1][0]))))
    return found


def typed(old, new, rng):
    """The last line of a change in the middle of being typed, and whether that is inside a word; None if nothing is to be typed."""
    before, line = old[-1] if len(old) == len(new) else "", new[-1]
    head = len(os.path.commonprefix([before, line]))
    tail = len(os.path.commonprefix([before[head:][::-1], line[head:][::-1]]))
    part = line[head:len(line) - tail]
    is_inside = rng.random() < 0.5
    if is_inside:
        places = [match.start() + rng.randint(1, len(match[0]) - 1) for match in re.finditer(r"[^\W\d]\w{3,}", part)]
    else:
        places = [match.end() for match in re.finditer(r"\w+|[^\w\s]", part)][:-1]
    if not places:
        return None
    return new[:-1] + [line[:head + rng.choice(places)] + line[len(line) - tail:]], is_inside


def steps_of(path, lines, changes, elsewhere, rng):
    """Steps, and whether nothing follows from them."""
    lines, left = list(lines), ordered(changes, rng)[:MOST_STEPS]
    words, steps = set(), []
    for other, at, old, new, of in elsewhere:
        words |= changed_words(old, new)
        steps.append([other, *entry(of, at, old, new), "given"])
    open_at = rng.randrange(len(left)) if rng.random() < 0.3 else -1
    is_inside = False
    for number, (at, old, new) in enumerate(left):
        own = changed_words(old, new)
        is_short = max(len(old), len(new)) <= MOST_LINES and without_space(old) != without_space(new)
        follows = bool(words & own)
        kind = "given" if not steps else "silence" if is_inside else "edit" if follows and is_short else "silence" if not follows and rng.random() < SILENT else "given"
        if is_inside:
            return steps, True
        if number == open_at and new and (half := typed(old, new, rng)):
            # The line stays as it is: what is left of it is ghost text's, and the row ends with the next answer.
            (new, is_inside), left[number + 2:] = half, []
            own = changed_words(old, new)
            kind = "given" if kind == "edit" else kind
        steps.append([path, *entry(lines, at, old, new), kind])
        words |= own
        lines[at:at + len(old)] = new
        left[number + 1:] = [(start + (len(new) - len(old)) * (start >= at + len(old)), *rest) for start, *rest in left[number + 1:]]
        if open_at == number + 1 and not left[number + 1:]:
            break
    return steps, is_inside or (open_at < 0 and len(left) == len(changes) and rng.random() < 0.7)


def row(name, path, lines, changes, elsewhere, rng):
    lines, changes = cut(lines, list(one_by_one(changes, rng)), rng)
    if not changes:
        return None
    steps, ends = steps_of(path, lines, changes, elsewhere, rng)
    if not any(kind != "given" for *_, kind in steps) and (not ends or rng.random() < 0.8):
        return None
    window = "\n".join(lines)
    text = window + "".join(old + new for _, old, new, _ in steps)
    is_odd = len(text) - len(text.encode("ascii", "ignore")) > 0.03 * len(text)
    if not 200 < len(text) < 16_000 or is_odd or is_hidden(path, text) or sources.SECRET.search(text) or sources.GENERATED.search(window[:700]):
        return None
    return {"p": name, "path": path, "window": window, "steps": steps, "ends": ends}


def sweep(name, path, lines, changes, rng):
    """Two successive changes within ten lines, or one and nothing after it."""
    number = rng.randrange(len(changes))
    at, old, new = changes[number]
    after = lines[:at] + new + lines[at + len(old):]
    low, high = max(0, at - 10), at + len(new) + 11
    updated = current = after[low:high]
    if number + 1 < len(changes):
        start, old_next, new_next = changes[number + 1]
        start += len(new) - len(old)
        is_known = changed_words(old, new) & changed_words(old_next, new_next) and max(len(old_next), len(new_next)) <= MOST_LINES
        if is_known and start + len(old_next) <= high:
            updated = after[low:start] + new_next + after[start + len(old_next):high]
        elif rng.random() > SILENT:
            return None
    elif rng.random() > 0.2:
        return None
    texts = ["\n".join(part) for part in (old, new, lines[low:at + len(old) + 11], current, updated)]
    whole = "".join(texts)
    is_usable = 200 < len(whole) < 8000 and not sources.SECRET.search(whole) and not is_hidden(path, "\n".join(texts))
    return {"p": name, "edit": [path, *texts]} if is_usable else None


def work(job):
    repository, name, raw, most, seconds = job
    rng = random.Random(name)
    found, size = [], 0
    for windows in commits(repository, most, seconds):
        for number, window in enumerate(windows[:8]):
            if rng.random() < SWEEP:
                made = sweep(name, window.path, window.lines, window.changes, rng)
            else:
                earlier = [(other.path, *rng.choice(other.changes), other.lines) for other in windows[:number][-3:]] if rng.random() < 1 / 3 else []
                earlier = [each for each in earlier if max(len(each[2]), len(each[3])) <= MOST_LINES]
                made = row(name, window.path, window.lines, window.changes, earlier, rng)
            if made:
                found.append(made)
                size += len(made.get("window", "")) or sum(map(len, made["edit"]))
        if size > PER_REPOSITORY:
            break
    return found + list(synthetic(name, raw, len(found) * SYNTHETIC / (1 - SYNTHETIC), rng))


def synthetic(name, raw, count, rng):
    if not raw:
        return
    with open(raw, "rb") as source:
        files = [file for file in pickle.load(source)["files"] if file[0] not in sources.DATA and file[0] not in ("markdown", "css")]
    for _ in range(int(count) if files else 0):
        _, path, text = rng.choice(files)
        lines = text.rstrip("\n").split("\n")
        most = rng.randint(40, 170)
        low = rng.randint(0, max(0, len(lines) - most))
        made = propagation(lines[low:low + most], rng)
        if made and (found := row(name, path, *made, [], rng)):
            yield found


def jobs(args):
    if args.only:
        with open(args.only) as table:
            names = [line["package"] for line in csv.DictReader(table, delimiter="\t")]
        for folder in sorted(glob.glob(args.repositories + "/*/repo")):
            name = folder.split("/")[-2].replace("+", "/", 1)
            if HELD_OUT_GIT.match(name) or name in names:
                yield folder, name, None, args.commits, args.seconds
        return
    for path in sorted(glob.glob(args.raw + "/git_*.pkl")):
        with open(path, "rb") as source:
            head = pickle.load(source)
        if head["licence"] and head["files"] and not is_held_out(head["package"]):
            yield f"{args.repositories}/{head['package'].replace('/', '+', 1)}/repo", head["package"], path, args.commits, args.seconds


def decisions(rows):
    """How often each kind is asked for."""
    kinds = Counter(kind for each in rows if "steps" in each for *_, kind in each["steps"])
    kinds["nothing at the end"] = sum(each.get("ends", False) for each in rows)
    return kinds


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("repositories")
    parser.add_argument("raw")
    parser.add_argument("out")
    parser.add_argument("--commits", type=int, default=5000)
    parser.add_argument("--seconds", type=float, default=60, help="for each repository")
    parser.add_argument("--only", help="a table of what is held out")
    parser.add_argument("--without", nargs="+", default=[], help="files that hold what is held out")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    if bool(args.only) == bool(args.without):
        parser.error("give either --without or --only")
    with Pool(args.jobs, hide, (args.without,)) as pool, open(args.out, "w") as target:
        total, kinds = 0, Counter()
        for found in pool.imap_unordered(work, jobs(args)):
            total += len(found)
            kinds += decisions(found)
            target.writelines(json.dumps(each) + "\n" for each in found)
            target.flush()
    print(total, "rows", dict(kinds), os.path.getsize(args.out) / 1e6, "MB")
