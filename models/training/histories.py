"""Reads the commits of a git repository: of each file that a commit changes, the lines around and what became of them."""
import itertools
import os
import re
import subprocess
import time

import sources

PATTERNS = ["*.py", "*.ts", "*.tsx", "*.js", "*.jsx", "*.vue", "*.go", "*.rs", "*.java", "*.cs", "*.rb", "*.php", "*.kt", "*.swift", "*.cpp", "*.cc", "*.c", "*.h",
            "*.sh", "*.sql", "*.yml"]
CONTEXT = 60
MOST_FILES = 30
MOST_CHANGED = 30
# Formatting of a whole file, or generated: one hunk so long is nothing that somebody typed.
MOST_LINES = 900
# Of files so large git makes no diff.
LARGE_FILE = "300k"
LEFT_OUT = re.compile(r"(revert|back ?out|format|prettier|lint)\b", re.I)
# Commits of which the diffs are asked for together.
AT_ONCE = 64


class Window:
    """Lines of a file before a commit, and the changes in them: (index of the first line, old lines, new lines)."""

    def __init__(self, path):
        self.path, self.lines, self.changes, self.is_open = path, [], [], False

    def add(self, line):
        sign, text = line[:1], line[1:]
        if sign == " ":
            self.lines.append(text)
            self.is_open = False
            return
        if not self.is_open:
            self.changes.append((len(self.lines), [], []))
            self.is_open = True
        if sign == "-":
            self.changes[-1][1].append(text)
            self.lines.append(text)
        else:
            self.changes[-1][2].append(text)

    def is_usable(self):
        sizes = [max(len(old), len(new)) for _, old, new in self.changes]
        return 0 < len(sizes) <= 40 and max(sizes) <= MOST_CHANGED and max(map(len, self.lines), default=0) <= 300 and len(self.lines) >= 5


def without_space(lines):
    return re.sub(r"\s+", "", "".join(lines))


def is_formatting(windows):
    return all(without_space(old) == without_space(new) for window in windows for _, old, new in window.changes)


def git(repository, *command, **options):
    command = ["git", "-c", "safe.directory=*", "-c", f"core.bigFileThreshold={LARGE_FILE}", "-C", repository, *command]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=dict(os.environ, GIT_NO_LAZY_FETCH="1"), **options)


def small_commits(repository, most, patterns):
    """Names of the commits that may be of use, the newest first: found without a look at the files themselves, which is what takes long."""
    log = git(repository, "log", "--no-merges", "--no-renames", "--no-color", "--name-only", "-n", str(most), "--format=%x00%H %s", "--", *patterns)
    for commit in log.communicate()[0].decode("utf8", "replace").split("\0")[1:]:
        head, *paths = [line for line in commit.split("\n") if line]
        name, _, subject = head.partition(" ")
        if len(paths) <= MOST_FILES and not LEFT_OUT.match(subject) and not all(sources.SKIP.search(path) for path in paths):
            yield name


def windows_of(diff):
    windows = []
    for file in ("\n" + diff).split("\ndiff --git ")[1:]:
        head, *hunks = file.split("\n@@")
        lines = head.split("\n")
        path = lines[0].rsplit(" b/", 1)[-1]
        if sources.SKIP.search(path) or any(line.startswith(("new file", "deleted file")) for line in lines):
            continue
        for hunk in hunks:
            window = Window(path)
            for line in hunk.split("\n")[1:MOST_LINES + 1]:
                if line[:1] in ("+", "-", " "):
                    window.add(line)
            if window.is_usable():
                windows.append(window)
    return windows


def commits(repository, most, seconds, patterns=PATTERNS):
    """Lists of windows, a list for each commit, the newest first; no merges, no reverts, no formatting. For so many seconds."""
    until = time.time() + seconds
    names = small_commits(repository, most, patterns)
    while time.time() < until and (some := list(itertools.islice(names, AT_ONCE))):
        reader = git(repository, "diff-tree", "--stdin", "-r", "-p", f"-U{CONTEXT}", "--no-renames", "--no-color", "--format=%x00", "--", *patterns, stdin=subprocess.PIPE)
        for diff in reader.communicate("\n".join(some).encode() + b"\n")[0].decode("utf8", "replace").split("\0"):
            windows = windows_of(diff)
            if windows and not is_formatting(windows):
                yield windows
