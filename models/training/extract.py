#!/usr/bin/env python3
"""Step 1: reads source files out of packages and repositories, a pickle a source.

    extract.py DOWNLOADS REPOSITORIES RAW

DOWNLOADS holds npm/*.tgz, deb/*.deb and src/*.orig.tar.*; REPOSITORIES holds OWNER+NAME/repo git directories. Sources
that have a pickle are passed over, so the step can be run again while downloads go on.
"""
import json
import os
import pickle
import re
import subprocess
import sys
import tarfile
import time
from multiprocessing import Pool

import sources

# Where the archive has no licence file at its top, or one that speaks of many parts.
KNOWN_LICENCES = {
    package: licence
    for licence, packages in {
        "Apache-2.0": "docker.io libspring-java kotlin gradle libapache-poi-java helm scala easymock lucene-solr maven-resolver apktool android-platform-tools "
                      "jackson-dataformat-yaml openimageio jetty9 jetty12 swiftlang llvm-toolchain-21",
        "MIT": "mono nodejs bouncycastle harfbuzz lua5.4 mesa c-ares pugixml ruby-nokogiri react node-redux civetweb types-node",
        "BSD-3-Clause": "golang-1.26 golang-1.24 openexr svt-av1 dpdk seaborn gflags",
        "public domain": "sqlite3", "PSF-2.0": "python3.13 python3.14", "PostgreSQL": "postgresql-18", "Zlib": "glfw3",
    }.items()
    for package in packages.split()
}


def stream(path):
    if path.endswith(".deb"):
        return ["dpkg-deb", "--fsys-tarfile", path]
    return [{"xz": "xz", "bz2": "bzip2"}.get(path.rsplit(".", 1)[1], "gzip"), "-dc", path]


def is_read(name, size):
    is_map = name.endswith(".map") and size < 30_000_000
    return is_map or bool(sources.LICENCE_FILE.match(name)) or name in ("package.json", "copyright") or sources.language_of(name) and size < 600_000


def repository(path, is_read=is_read):
    """Files of a repository's newest commit; a snapshot may lack its largest ones. is_read: takes a file's name and size."""
    git = ["git", "-c", "safe.directory=*", "-C", path]
    tree = subprocess.run(git + ["ls-tree", "-r", "-z", "HEAD"], capture_output=True, check=True).stdout.decode("utf8", "replace")
    wanted = []
    for row in filter(None, tree.split("\0")):
        (_, kind, name), place = row.split("\t")[0].split(), row.split("\t", 1)[1]
        if kind == "blob" and is_read(os.path.basename(place), 0) and not sources.SKIP.search(place):
            wanted.append((name, place))
    reader = subprocess.Popen(git + ["cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=dict(os.environ, GIT_NO_LAZY_FETCH="1"))
    for name, place in wanted:
        reader.stdin.write(name.encode() + b"\n")
        reader.stdin.flush()
        header = reader.stdout.readline().split()
        if len(header) == 3:
            raw = reader.stdout.read(int(header[2]) + 1)[:-1]
            if len(raw) < 600_000:
                yield place, raw
    reader.stdin.close()
    reader.wait()


def members(path):
    if path.endswith("/repo"):
        yield from repository(path)
        return
    reader = subprocess.Popen(stream(path), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    with tarfile.open(fileobj=reader.stdout, mode="r|") as archive:
        for member in archive:
            if not member.isfile() or member.size == 0:
                continue
            if is_read(os.path.basename(member.name), member.size):
                yield re.sub(r"^(\./)+", "", member.name), archive.extractfile(member).read()
    reader.stdout.close()
    reader.wait()


def within(path, kind):
    if kind == "src":
        return path.split("/", 1)[-1]
    return re.sub(r"^(package|usr/lib/python3/dist-packages|usr/lib/python3\.\d+|usr/include|usr/share/gocode/src|usr/share/cargo/registry|"
                  r"usr/share/go-[\d.]+|usr/lib/rustlib|usr/share|usr/lib)/", "", path)


def from_map(raw):
    """TypeScript sources out of a source map."""
    try:
        parsed = json.loads(raw)
        pairs = list(zip(parsed.get("sources") or [], parsed.get("sourcesContent") or []))
    except Exception:
        return
    for name, text in pairs:
        if text and name and re.search(r"\.(ts|tsx|mts)$", name) and "node_modules" not in name:
            yield re.sub(r"^(webpack://+[^/]*/|(\.\./)+|\./)+", "", name), text.encode("utf8", "ignore")


def extract(path, kind, package):
    found, seen, licences = [], set(), {}
    declared = ""
    for member, raw in members(path):
        name, place = os.path.basename(member), within(member, kind)
        folder = os.path.dirname(place)
        if name == "package.json" and kind == "npm" and "/" not in place:
            try:
                declared = str(json.loads(raw).get("license", ""))
            except Exception:
                pass
        if sources.LICENCE_FILE.match(name) and sources.language_of(name) in (None, "markdown") or name == "copyright" and kind == "deb":
            text = raw.decode("utf8", "ignore")
            if name == "copyright":
                match = re.search(r"^License:\s*(.+)$", text, re.M)
                declared = declared or (match.group(1) if match else sources.licence_of(text) or "")
            else:
                licences.setdefault(folder, []).append(sources.licence_of(text))
            continue
        # What a package publishes lies in dist; in a repository dist is a build's output.
        if sources.SKIP.search(place) or kind != "npm" and re.search(r"(^|/)dist/", place):
            continue
        files = from_map(raw) if name.endswith(".map") and kind == "npm" else [(place, raw)]
        for place, raw in files:
            language = sources.language_of(place)
            text = language and sources.clean(language, raw)
            if text and hash(text) not in seen:
                seen.add(hash(text))
                found.append((language, place, text))

    def licence(place):
        """The licence of the nearest folder above that has one; None where it is not permissive."""
        while place:
            place = os.path.dirname(place)
            if place in licences:
                return next(filter(None, licences[place]), None)
        return top
    top = KNOWN_LICENCES.get(package) or next(filter(None, licences.get("", [])), None)
    if not top and re.search(r"MIT|Apache|BSD|ISC|Expat|PSF|BSL|Unlicense|0BSD|HPND|Matplotlib|public-domain|Zlib|^Go$", declared) and not re.search(r"GPL|MPL", re.sub(r"or .*GPL.*", "", declared)):
        top = declared
    if not top:
        return None, []
    return top, [(language, place, text) for language, place, text in found if KNOWN_LICENCES.get(package) or licence(place)]


def version_of(path, base):
    if path.endswith("/repo"):
        return subprocess.run(["git", "-C", path, "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip()[:12]
    return re.sub(r"^.*?_|\.orig.*$|_(all|amd64)?\.deb$", "", base) if "_" in base else re.sub(r"^.*-(?=\d)|\.tgz$", "", base)


def work(job):
    path, target = job
    kind = "git" if path.endswith("/repo") else os.path.basename(os.path.dirname(path))
    base = os.path.basename(os.path.dirname(path)) if kind == "git" else os.path.basename(path)
    package = base.replace("+", "/", 1) if kind == "git" else re.sub(r"-\d[^-]*(-.*)?\.tgz$", "", base) if kind == "npm" else base.split("_")[0]
    start = time.time()
    try:
        licence, files = extract(path, kind, package)
    except Exception as error:
        print("FAILED", base, repr(error), flush=True)
        return
    with open(target + ".tmp", "wb") as out:
        pickle.dump(dict(kind=kind, package=package, version=version_of(path, base), licence=licence, files=files), out)
    os.replace(target + ".tmp", target)
    print(f"{kind} {package} {licence} {len(files)} files {sum(len(f[2]) for f in files) / 1e6:.1f} MB {time.time() - start:.0f} s", flush=True)


def jobs(downloads, repositories, raw):
    for kind in ("npm", "deb", "src"):
        folder = f"{downloads}/{kind}"
        names = os.listdir(folder) if os.path.isdir(folder) else []
        for name in names:
            if name.endswith((".tgz", ".deb")) or re.search(r"\.orig[^/]*\.tar\.(gz|xz|bz2)$", name) and "www" not in name:
                yield f"{folder}/{name}", f"{raw}/{kind}_{name}.pkl"
    for name in os.listdir(repositories):
        if os.path.isdir(f"{repositories}/{name}/repo"):
            yield f"{repositories}/{name}/repo", f"{raw}/git_{name}.pkl"


if __name__ == "__main__":
    todo = [job for job in jobs(*sys.argv[1:4]) if not os.path.exists(job[1]) and time.time() - os.path.getmtime(job[0]) > 20]
    with Pool(2, maxtasksperchild=8) as pool:
        for _ in pool.imap_unordered(work, todo):
            pass
