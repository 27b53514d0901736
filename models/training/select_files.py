#!/usr/bin/env python3
"""Step 2: holds out whole packages, drops near-duplicates and whatever resembles what is held out, and groups files of a
folder into bundles.

    PYTHONHASHSEED=0 select_files.py RAW OUT HUMAN_EVAL.jsonl.gz CASES.jsonl

A file goes when more than 55 % of its lines were seen before in its language, or more than 35 % occur in a held-out file.
Writes OUT/shard-NN-G.jsonl (a bundle a line), OUT/corpus-G.tsv and OUT/holdout-G.jsonl.
"""
import glob
import gzip
import json
import os
import pickle
import random
import re
import sys
from collections import Counter, defaultdict
from multiprocessing import Process

import numpy as np

HELD_OUT = re.compile(
    r"xterm-xterm|lumino-widgets|tanstack-table-core|^(yjs|luxon|leaflet|express|bulma)$|python3-(flask|httpx|starlette|click)$|spf13-cobra|gorilla-mux|"
    r"^caddy$|^lib(rust-(tower-http|axum|ndarray)-dev|spdlog-dev|google-gson-java)$|^lua5\.4$|^harfbuzz$|^zookeeper$|"
    r"^(npgsql/npgsql|openai/human-eval.*|puma|php-monolog|pinterest/ktlint|Alamofire/Alamofire)$")
# The git repositories of what is held out as a package.
HELD_OUT_GIT = re.compile(
    r"^(pallets/(flask|click)|encode/(httpx|starlette)|spf13/cobra|gorilla/mux|tower-rs/tower-http|tokio-rs/axum|rust-ndarray/ndarray|gabime/spdlog|caddyserver/caddy|"
    r"google/gson|lua/lua|harfbuzz/harfbuzz|apache/zookeeper|puma/puma|Seldaek/monolog|xtermjs/xterm\.js|jupyterlab/lumino|TanStack/table|yjs/yjs|moment/luxon|"
    r"Leaflet/Leaflet|expressjs/express|jgthms/bulma|npgsql/npgsql|pinterest/ktlint|Alamofire/Alamofire|DapperLib/Dapper|h5bp/html5-boilerplate|pmndrs/jotai|rack/rack|tj/git-extras|nvim-telescope/telescope\.nvim)$", re.I)
# Copies of held-out packages inside others.
COPY = re.compile(r"(^|/)(flask|werkzeug/flask|httpx|starlette|click|cobra|gorilla/mux|caddy|tower-http|axum|ndarray|spdlog|lua|harfbuzz|gson|zookeeper|yjs|luxon|leaflet|xterm)(/|-\d)")
TEST = re.compile(r"(^|/)(tests?|__tests__|specs?|testing|benchmarks?|examples?|bench)/|_test\.(go|cc|py|rb)$|\.(test|spec)\.[jt]sx?$|(^|/)test_[^/]*\.py$|Tests?\.(java|cs|kt|swift|php)$", re.I)
GROUPS = ["python java csharp swift c lua sql html markdown yaml shell kotlin", "typescript tsx javascript jsx go rust cpp ruby php scala css json toml cmake proto"]
FAMILY = {"tsx": "typescript", "jsx": "javascript", "c": "cpp"}
PER_PACKAGE = 70e6
# Of what there is plenty.
TESTS_THINNED = {"java", "c", "cpp", "scala"}
SHARDS = 16
MASK = (1 << 30) - 1


def is_held_out(package):
    return bool(HELD_OUT.search(package) or HELD_OUT_GIT.match(package))


def package_of(path):
    """The package of a source by the name of its pickle, as step 1 writes it."""
    kind, name = os.path.basename(path)[:-len(".pkl")].split("_", 1)
    return name.replace("+", "/", 1) if kind == "git" else re.sub(r"-\d[^-]*(-.*)?\.tgz$", "", name) if kind == "npm" else name.split("_")[0]


def family(language):
    return FAMILY.get(language, language)


def line_hashes(text):
    lines = (line for line in map(str.strip, text.split("\n")) if len(line) >= 12)
    return np.unique(np.fromiter((hash(line) & MASK for line in lines), np.int64))


def resembles(hashes, hidden):
    """Whether too many of these lines occur in what is held out."""
    return len(hidden.intersection(hashes.tolist())) > 0.35 * len(hashes)


class Seen:
    """Set of line hashes as a table of bits; one in a hundred answers of "seen" is wrong once it is well filled."""

    def __init__(self):
        self.bits = np.zeros(1 << 27, np.uint8)

    def share(self, hashes):
        return float(np.mean(self.bits[hashes >> 3] >> (hashes & 7) & 1))

    def add(self, hashes):
        self.bits[hashes >> 3] |= (1 << (hashes & 7)).astype(np.uint8)


def human_eval_lines(path):
    lines = set()
    for row in gzip.open(path, "rt"):
        lines.update(line for line in map(str.strip, json.loads(row)["prompt"].split("\n")) if len(line) >= 25)
    return {line for line in lines if re.match(r"def |>>>|[A-Z]", line)}


def load(path):
    with open(path, "rb") as source:
        return pickle.load(source)


def bundles(files):
    """Neighbours of one folder together, so that prompts can show one file beside another."""
    folders = defaultdict(list)
    for file in files:
        folders[os.path.dirname(file[1])].append(file)
    for group in folders.values():
        bundle, size = [], 0
        for file in group:
            if bundle and (len(bundle) == 6 or size + len(file[2]) > 48_000):
                yield bundle
                bundle, size = [], 0
            bundle.append(file)
            size += len(file[2])
        yield bundle


def run(number, raw, out, human_eval, cases):
    wanted = set(GROUPS[number].split())
    rng = random.Random(number)
    paths = sorted(glob.glob(raw + "/*.pkl"))
    rng.shuffle(paths)
    paths.sort(key=lambda path: not is_held_out(package_of(path)))
    hidden, seen, solved = defaultdict(set), defaultdict(Seen), human_eval_lines(human_eval)
    for row in open(cases):
        case = json.loads(row)
        hidden[family(case["language"])].update(line_hashes(case["prefix"] + case["middle"] + case["suffix"]).tolist())
    shards = [open(f"{out}/shard-{i:02d}-{number}.jsonl", "w") for i in range(SHARDS)]
    holdout, manifest, dropped = [], [], Counter()
    for path in paths:
        source = load(path)
        if not source["licence"]:
            continue
        is_held = is_held_out(source["package"])
        kept, sizes = [], Counter()
        for language, place, text in source["files"]:
            if language not in wanted:
                continue
            hashes = line_hashes(text)
            if not len(hashes):
                continue
            kin = family(language)
            if is_held:
                hidden[kin].update(hashes.tolist())
                holdout.append((language, source["package"], place, text))
                continue
            weight = 0.1 if language == "html" and "doc" in place else 1
            if place.endswith((".d.ts", ".pyi")):
                weight = 0.45
            elif TEST.search(place):
                weight = 0.4 if language in TESTS_THINNED else 0.85
            if sizes[language] > PER_PACKAGE or rng.random() > weight:
                dropped["share"] += 1
                continue
            if COPY.search(place) or resembles(hashes, hidden[kin]):
                dropped["held out"] += 1
                continue
            if language == "python" and ("HumanEval" in text or sum(line in solved for line in map(str.strip, text.split("\n"))) >= 2):
                dropped["HumanEval"] += 1
                continue
            table = seen[kin]
            if table.share(hashes) > 0.55:
                dropped["duplicate"] += 1
                continue
            table.add(hashes)
            kept.append((language, place, text))
            sizes[language] += len(text)
        if kept:
            manifest.append((source["package"], source["kind"], source["version"], source["licence"], len(kept), sum(sizes.values()),
                             " ".join(f"{name}:{size}" for name, size in sizes.most_common())))
        name = re.sub(r"\.orig.*$", "", source["package"])
        for bundle in bundles(kept):
            print(json.dumps({"p": name, "files": bundle}, ensure_ascii=False), file=shards[rng.randrange(SHARDS)])
    with open(f"{out}/corpus-{number}.tsv", "w") as table:
        table.writelines("\t".join(map(str, row)) + "\n" for row in sorted(manifest))
    with open(f"{out}/holdout-{number}.jsonl", "w") as table:
        table.writelines(json.dumps(row) + "\n" for row in holdout)
    total = Counter()
    for row in manifest:
        for part in row[6].split():
            total[part.split(":")[0]] += int(part.split(":")[1])
    print(number, dict(dropped), "MB:", {name: round(size / 1e6) for name, size in total.most_common()}, "all", round(sum(total.values()) / 1e6), flush=True)


if __name__ == "__main__":
    os.makedirs(sys.argv[2], exist_ok=True)
    running = [Process(target=run, args=(i, *sys.argv[1:5])) for i in range(len(GROUPS))]
    for process in running:
        process.start()
    for process in running:
        process.join()
