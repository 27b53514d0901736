#!/usr/bin/env python3
"""Step 3: mixes the selected bundles into pieces that travel: PIECES/piece-NN.jsonl.zst, each a random sample of everything.

    pack.py SELECTED PIECES MEGABYTES_A_PIECE

Languages of which there is more than wanted are thinned out, and so are libraries and packages made by generators.
"""
import glob
import json
import os
import random
import re
import subprocess
import sys
from collections import Counter
from multiprocessing import Pool

MEGABYTES = dict(python=200, typescript=170, tsx=160, javascript=110, jsx=50, java=120, go=110, rust=90, cpp=120, c=40, csharp=110, ruby=120, php=100,
                 kotlin=80, swift=80, shell=60, sql=20, html=45, css=40, yaml=45, json=15, toml=10, markdown=40, cmake=10, proto=10, scala=30, lua=20, edit=510)
REPETITIVE = re.compile(r"azure-sdk|aws-sdk|google-api|google-cloud|python-azure|botocore|android-platform-frameworks|dpdk")
REPETITIVE_SHARE = 0.3
# Of packages of npm and Debian, which are libraries; repositories (OWNER/NAME), among them all applications, stay whole.
LIBRARIES_SHARE = 0.5


def chosen(selected, rng):
    """Lines of the shards with their languages and packages, thinned out, in random order."""
    lines, sizes = [], Counter()
    for path in sorted(glob.glob(selected + "/shard-*.jsonl")):
        with open(path, encoding="utf8") as shard:
            for line in shard:
                language = re.search(r'"files": \[\["(\w+)"|"(edit)": \[|"(steps)": \[', line)
                package = re.match(r'\{"p": "([^"]*)"', line)
                if not language or not package:
                    continue
                kept = REPETITIVE_SHARE if REPETITIVE.search(package[1]) else 1 if "/" in package[1] else LIBRARIES_SHARE
                if rng.random() > kept:
                    continue
                name = language[1] or "edit"
                sizes[name] += len(line)
                lines.append((name, package[1], line))
    share = {language: min(1, MEGABYTES.get(language, 0) * 1e6 / size) for language, size in sizes.items()}
    print({language: f"{size / 1e6:.0f} MB x {share[language]:.2f}" for language, size in sizes.most_common()})
    lines = [row for row in lines if rng.random() < share[row[0]]]
    rng.shuffle(lines)
    return lines


def pack(target, lines):
    # Files of one package beside each other compress better.
    raw = "".join(line for _, _, line in sorted(lines, key=lambda row: row[1])).encode()
    subprocess.run(["zstd", "-q", "-f", "-9", "--long=27", "-o", target + ".tmp"], input=raw, check=True)
    os.replace(target + ".tmp", target)
    print(target, len(raw), os.path.getsize(target), flush=True)


if __name__ == "__main__":
    selected, pieces, megabytes = sys.argv[1:4]
    everything = chosen(selected, random.Random(11))
    total = sum(len(row[2]) for row in everything)
    count = max(1, round(total / (float(megabytes) * 1e6)))
    print(f"{total / 1e6:.0f} MB in {count} pieces", flush=True)
    os.makedirs(pieces, exist_ok=True)
    with Pool(2) as pool:
        jobs = ((f"{pieces}/piece-{number:02d}.jsonl.zst", everything[number::count]) for number in range(count))
        pool.starmap(pack, jobs, chunksize=1)
