#!/usr/bin/env python3
"""Step 1: questions about next edits out of histories.

    collect.py REPOSITORIES OUT [--seconds 10] [--most 700] [--processes 2] [--part training]

REPOSITORIES has OWNER+NAME/repo, a git directory each. OUT gets OWNER+NAME.jsonl of each repository of repositories.tsv that
is there, has a permissive licence and is not there yet; a line is a list of questions about one state.
"""
import argparse
import csv
import json
import os
import subprocess
from multiprocessing import Pool

import examples
import sources

MOST_COMMITS = 2000
HERE = os.path.dirname(os.path.abspath(__file__))


def git(folder, *command):
    return subprocess.run(["git", "-c", "safe.directory=*", "-C", folder, *command], capture_output=True, text=True, errors="replace").stdout


def licence(folder):
    names = [name for name in git(folder, "ls-tree", "--name-only", "HEAD").split("\n") if sources.LICENCE_FILE.match(name)]
    found = [sources.licence_of(git(folder, "show", f"HEAD:{name}")) for name in names]
    return next((each for each in found if each), None)


def work(job):
    folder, name, out, seconds, most = job
    offered = licence(folder)
    states, count = [], 0
    if offered:
        for state in examples.of_repository(folder, name, MOST_COMMITS, seconds):
            states.append(state)
            count += any(not made["kind"].startswith("quiet") for made in state)
            if count >= most:
                break
    with open(out + ".part", "w") as target:
        target.writelines(json.dumps(state) + "\n" for state in states)
    os.replace(out + ".part", out)
    return name, offered, len(states), count


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("repositories")
    parser.add_argument("out")
    parser.add_argument("--seconds", type=float, default=10, help="for each repository")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--part", help="only these of repositories.tsv: training, held out or development")
    parser.add_argument("--most", type=int, default=700, help="states of each repository in which an edit follows")
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    with open(os.path.join(HERE, "repositories.tsv")) as table:
        names = [row["repository"] for row in csv.DictReader(table, delimiter="\t") if args.part in (None, row["part"])]
    jobs = [(f"{args.repositories}/{name.replace('/', '+')}/repo", name, f"{args.out}/{name.replace('/', '+')}.jsonl", args.seconds, args.most) for name in names]
    jobs = [job for job in jobs if os.path.isdir(job[0]) and not os.path.exists(job[2])]
    with Pool(args.processes) as pool:
        for name, offered, states, count in pool.imap_unordered(work, jobs):
            print(name, offered, states, "states,", count, "with an edit to come", flush=True)
