#!/usr/bin/env python3
"""Step 0: downloads the packages and repositories of a table, in the version that it names or else the newest.

    download.py TABLE DOWNLOADS REPOSITORIES [--kind npm] [--jobs 4]     TABLE: corpus.tsv, then held-out.tsv

npm packages come from npm. Debian's packages and sources come through apt, whose lists must include sid's `deb` and
`deb-src` lines for all of them; repositories come from GitHub, with their last 600 commits. What is there already is
passed over, so the step can be run again. Prints a line for whatever could not be had.
"""
import argparse
import csv
import glob
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor


def succeeds(*command, cwd=None):
    return subprocess.run(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def npm_names(package):
    """corpus.tsv names a package as its archive is named: "@lumino/widgets" is lumino-widgets there."""
    yield package
    for i, letter in enumerate(package):
        if letter == "-":
            yield f"@{package[:i]}/{package[i + 1:]}"


def npm(package, version, folder):
    if glob.glob(f"{folder}/{package}-[0-9]*.tgz"):
        return True
    return any(succeeds("npm", "pack", name + at, "--pack-destination", folder) for at in ("@" + version, "") for name in npm_names(package))


def deb(package, _, folder):
    return bool(glob.glob(f"{folder}/{package}_*.deb")) or succeeds("apt-get", "download", package, cwd=folder)


def src(package, _, folder):
    """Its archive is enough: a mirror may lack the description beside it, or whole versions that its lists name."""
    def is_there():
        return bool(glob.glob(f"{folder}/{package}_*.orig.tar.*"))

    rows = subprocess.run(("apt-cache", "madison", package), capture_output=True, text=True).stdout.splitlines()
    versions = [row.split("|")[1].strip() for row in rows if row.endswith("Sources")]
    return is_there() or any(succeeds("apt-get", "source", "--download-only", f"{package}={version}", cwd=folder) or is_there() for version in versions)


def git(package, _, folder):
    target = f"{folder}/{package.replace('/', '+')}/repo"
    return os.path.isdir(target) or succeeds("git", "clone", "--quiet", "--bare", "--depth", "600", f"https://github.com/{package}", target)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("table")
    parser.add_argument("downloads")
    parser.add_argument("repositories")
    parser.add_argument("--kind", choices=["npm", "deb", "src", "git"], action="append")
    parser.add_argument("--jobs", type=int, default=4)
    args = parser.parse_args()
    ways = {"npm": npm, "deb": deb, "src": src, "git": git}
    with open(args.table, encoding="utf8") as source:
        rows = [row for row in csv.DictReader(source, delimiter="\t") if row["kind"] in (args.kind or ways)]

    def get(row):
        kind = row["kind"]
        folder = args.repositories if kind == "git" else os.path.join(args.downloads, kind)
        os.makedirs(folder, exist_ok=True)
        if not ways[kind](row["package"], row["version"], os.path.abspath(folder)):
            print("not found:", kind, row["package"], flush=True)

    with ThreadPoolExecutor(args.jobs) as pool:
        list(pool.map(get, rows))
