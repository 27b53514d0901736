#!/usr/bin/env python3
"""Step 3: mixes the selected bundles into pieces that travel: PIECES/piece-NN.jsonl.zst, each a random sample of everything.

    pack.py SELECTED PIECES MEGABYTES_A_PIECE

Languages of which there is more than wanted are thinned out, and so are packages made by generators.
"""
import glob
import json
import os
import random
import re
import subprocess
import sys
from collections import Counter

MEGABYTES = dict(python=1100, typescript=650, tsx=200, javascript=450, jsx=50, java=430, go=450, rust=420, cpp=450, c=320, csharp=380, ruby=180, php=260,
                 kotlin=170, swift=170, shell=60, sql=20, html=45, css=60, yaml=45, json=35, toml=10, markdown=110, cmake=10, proto=15, scala=30, lua=20)
REPETITIVE = re.compile(r"azure-sdk|aws-sdk|google-api|google-cloud|python-azure|botocore|android-platform-frameworks|dpdk")
REPETITIVE_SHARE = 0.3


def main(selected, pieces, megabytes):
    rng = random.Random(11)
    lines, sizes = [], Counter()
    for path in sorted(glob.glob(selected + "/shard-*.jsonl")):
        with open(path, encoding="utf8") as shard:
            for line in shard:
                language = re.search(r'"files": \[\["(\w+)"', line)
                package = re.match(r'\{"p": "([^"]*)"', line)
                if not language or not package or REPETITIVE.search(package[1]) and rng.random() > REPETITIVE_SHARE:
                    continue
                sizes[language[1]] += len(line)
                lines.append((language[1], package[1], line))
    share = {language: min(1, MEGABYTES.get(language, 0) * 1e6 / size) for language, size in sizes.items()}
    print({language: f"{size / 1e6:.0f} MB x {share[language]:.2f}" for language, size in sizes.most_common()})
    lines = [row for row in lines if rng.random() < share[row[0]]]
    rng.shuffle(lines)
    total = sum(len(row[2]) for row in lines)
    count = max(1, round(total / (megabytes * 1e6)))
    print(f"{total / 1e6:.0f} MB in {count} pieces", flush=True)
    os.makedirs(pieces, exist_ok=True)
    for number in range(count):
        # Files of one package beside each other compress better.
        piece = sorted(lines[number::count], key=lambda row: row[1])
        target = f"{pieces}/piece-{number:02d}.jsonl.zst"
        packer = subprocess.Popen(["zstd", "-q", "-f", "-9", "--long=27", "-o", target + ".tmp"], stdin=subprocess.PIPE)
        packer.stdin.write("".join(row[2] for row in piece).encode())
        packer.stdin.close()
        packer.wait()
        os.replace(target + ".tmp", target)
        print(target, sum(len(row[2]) for row in piece), os.path.getsize(target), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]))
