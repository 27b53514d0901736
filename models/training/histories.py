"""Reads the commits of a git repository: of each file that a commit changes, the lines around and what became of them."""
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


def commits(repository, most, seconds, patterns=PATTERNS):
    """Lists of windows, a list for each commit, the newest first; no merges, no reverts, no formatting. For so many seconds."""
    command = ["git", "-c", "safe.directory=*", "-C", repository, "log", "-p", f"-U{CONTEXT}", "--no-merges", "--no-renames", "--no-color", "-n", str(most),
               "--format=%x00%s", "--", *patterns]
    reader = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=dict(os.environ, GIT_NO_LAZY_FETCH="1"))
    until = time.time() + seconds
    windows, path, is_revert, count = [], None, False, 0

    def made():
        usable = [window for window in windows if window.is_usable()]
        return usable if count <= MOST_FILES and not is_revert and usable and not is_formatting(usable) else []

    for raw in reader.stdout:
        line = raw.decode("utf8", "replace").rstrip("\n")
        if line.startswith("\0"):
            found = made()
            if found:
                yield found
            if time.time() > until:
                break
            windows, path, is_revert, count = [], None, bool(re.match(r"\0(revert|back ?out|format|prettier|lint)\b", line, re.I)), 0
        elif line.startswith("diff --git "):
            count += 1
            path = line.rsplit(" b/", 1)[-1]
            if sources.SKIP.search(path) or count > MOST_FILES:
                path = None
        elif line.startswith(("new file", "deleted file")):
            path = None
        elif line.startswith("@@"):
            if path:
                windows.append(Window(path))
        elif path and windows and windows[-1].path == path and line[:1] in ("+", "-", " ") and not line.startswith(("+++ ", "--- ")):
            if len(windows[-1].lines) < MOST_LINES:
                windows[-1].add(line)
    else:
        found = made()
        if found:
            yield found
    reader.kill()
    reader.wait()
