#!/usr/bin/env python3
"""Step 3: mixes the selected bundles into pieces that travel: PIECES/piece-NN.jsonl.zst, each a random sample of everything.

    pack.py SELECTED PIECES MEGABYTES_A_PIECE [--seen EARLIER_PIECES] [--seed 11]

Languages of which there is more than wanted are thinned out, and packages made by generators. Of what is thinned, bundles
that stand in EARLIER_PIECES (those of the run before) go first.
"""
import argparse
import glob
import os
import random
import re
import subprocess
from collections import Counter, defaultdict
from multiprocessing import Pool

MEGABYTES = dict(python=430, typescript=320, tsx=90, javascript=200, jsx=50, java=340, go=200, rust=160, cpp=300, c=110, csharp=230, ruby=120, php=120,
                 kotlin=120, swift=100, shell=60, sql=20, html=45, css=40, yaml=45, json=12, toml=10, markdown=60, cmake=10, proto=10, scala=30, lua=20, edit=460)
REPETITIVE = re.compile(r"azure-sdk|aws-sdk|google-api|google-cloud|python-azure|botocore|android-platform-frameworks|dpdk")
REPETITIVE_SHARE = 0.3
# Of what is wanted of a language, at most so much is new to a model that has read the earlier pieces: else it forgets the rest.
UNSEEN_SHARE = 0.8


def lines_of(pieces):
    """Hashes of the bundles in pieces."""
    found = set()
    for path in sorted(glob.glob(pieces + "/*.zst")):
        found.update(map(hash, subprocess.run(("zstd", "-dc", "--long=27", path), capture_output=True, check=True).stdout.splitlines()))
    return found


def chosen(selected, seen, rng):
    """Lines of the shards with their packages, thinned out, in random order."""
    new, old = defaultdict(list), defaultdict(list)
    for path in sorted(glob.glob(selected + "/shard-*.jsonl")):
        with open(path, encoding="utf8") as shard:
            for line in shard:
                language = re.search(r'"files": \[\["(\w+)"|"(edit)": \[|"(steps)": \[', line)
                package = re.match(r'\{"p": "([^"]*)"', line)
                if not language or not package or REPETITIVE.search(package[1]) and rng.random() > REPETITIVE_SHARE:
                    continue
                is_seen = hash(line.rstrip("\n").encode()) in seen
                (old if is_seen else new)[language[1] or "edit"].append((package[1], line))
    lines = []
    for language in sorted(new | old):
        sizes = [sum(len(line) for _, line in group[language]) for group in (new, old)]
        wanted = MEGABYTES.get(language, 0) * 1e6
        fresh = min(sizes[0], max(UNSEEN_SHARE * wanted, wanted - sizes[1]))
        parts = fresh, min(sizes[1], wanted - fresh)
        print(language, *(f"{part / 1e6:.1f} of {size / 1e6:.1f} MB {name}" for part, size, name in zip(parts, sizes, ("unseen", "seen"))), flush=True)
        for group, part, size in zip((new, old), parts, sizes):
            lines += [row for row in group[language] if size and rng.random() < part / size]
    rng.shuffle(lines)
    return lines


def pack(target, lines):
    # Files of one package beside each other compress better.
    raw = "".join(line for _, line in sorted(lines, key=lambda row: row[0])).encode()
    subprocess.run(["zstd", "-q", "-f", "-9", "--long=27", "-o", target + ".tmp"], input=raw, check=True)
    os.replace(target + ".tmp", target)
    print(target, len(raw), os.path.getsize(target), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("selected")
    parser.add_argument("pieces")
    parser.add_argument("megabytes", type=float)
    parser.add_argument("--seen", default="")
    parser.add_argument("--seed", type=int, default=11)
    args = parser.parse_args()
    everything = chosen(args.selected, lines_of(args.seen) if args.seen else set(), random.Random(args.seed))
    total = sum(len(line) for _, line in everything)
    count = max(1, round(total / (args.megabytes * 1e6)))
    print(f"{total / 1e6:.0f} MB in {count} pieces", flush=True)
    os.makedirs(args.pieces, exist_ok=True)
    with Pool(2) as pool:
        jobs = ((f"{args.pieces}/piece-{number:02d}.jsonl.zst", everything[number::count]) for number in range(count))
        pool.starmap(pack, jobs, chunksize=1)
