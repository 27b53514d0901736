"""Examples of next edits out of the commits of a repository: what was edited before, the lines around a place now, the
lines there that are asked about, and what becomes of them."""
import functools
import os
import random
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import sources
from edits import changed_words, entry, ordered, typed
from histories import commits, without_space

PATTERNS = ["*" + extension for name in
            ("python typescript tsx javascript jsx java go rust c cpp csharp ruby php kotlin swift scala lua shell sql css cmake proto").split()
            for extension in sources.LANGUAGES[name].split()] + ["*.vue", "*.svelte", "*.dart", "*.ex", "*.exs", "*.zig", "*.hs", "*.sol", "*.yml"]
AROUND = 20
WINDOW = 21
MOST_LINES = 8
MOST_DONE = 6
MOST_STATES = 6
CHANGES_A_STATE = 2
# Of a commit's changes, so many or a few more are looked at.
MOST_CHANGES = 40
# Of commits with a single change, in which nothing follows.
SINGLE = 0.3
PARTLY_TYPED = 0.35
# Of the words that an answer brings in, so many may stand nowhere in what the model is told: who is taught to guess, guesses.
UNKNOWN = 0.34
WORD = re.compile(r"[^\W\d]\w+")


@functools.lru_cache(4096)
def words_of(old, new):
    return changed_words(old, new)


class Change:
    """Lines of a window that a commit replaces."""

    def __init__(self, window, at, old, new):
        self.window, self.at, self.old, self.new = window, at, old, new
        self.words = words_of(tuple(old), tuple(new))
        self.is_blank = without_space(old) == without_space(new)

    def is_short(self):
        return not self.is_blank and max(len(self.old), len(self.new)) <= MOST_LINES

    def follows(self, words):
        return bool(words & self.words)


def changes_of(windows, rng):
    """In the order in which they are made: from any of them on, and then of the other windows."""
    found = []
    first = rng.randrange(len(windows))
    for window in windows[first:] + windows[:first]:
        changes = [part for at, old, new in window.changes for part in by_line(at, old, new, rng)]
        found += [Change(window, *change) for change in ordered(changes, rng)]
        if len(found) >= MOST_CHANGES:
            break
    return found


def by_line(at, old, new, rng):
    """Lines that are replaced one by one, half of the time as a change for each."""
    if 1 < len(old) == len(new) and rng.random() < 0.5:
        return [(at + i, [a], [b]) for i, (a, b) in enumerate(zip(old, new)) if a != b]
    return [(at, old, new)]


class State:
    """The windows of a commit after some of its changes, the last one of them perhaps in the middle of being typed."""

    def __init__(self, order, done, rng):
        self.done, self.left = order[:done], order[done:]
        self.words = set().union(*(change.words for change in self.done))
        self.coming = [change for change in self.left if change.follows(self.words)]
        self.open, last = None, self.done[-1]
        if last.new and rng.random() < PARTLY_TYPED and (half := typed(last.old, last.new, rng)) and not half[1]:
            self.open, self.half = last, half[0]

    def now(self, change):
        return self.half if change is self.open else change.new

    def size(self, change):
        """The number of lines that it replaces, or that are typed of it, in this state."""
        return len(self.now(change) if change in self.done else change.old)

    def history(self):
        """Paths with lines before and after, the oldest first."""
        return [(change.window.path, "\n".join(change.old), "\n".join(self.now(change))) for change in self.done[-MOST_DONE:] if not change.is_blank]

    def lines(self, window, applied=()):
        """The window's lines, and where the changes stand in them. applied: what is made besides."""
        lines, places, at = [], {}, 0
        for change in sorted((change for change in self.done + self.left if change.window is window), key=lambda change: change.at):
            lines += window.lines[at:change.at]
            places[change] = len(lines)
            lines += change.new if change in applied else self.now(change) if change in self.done else change.old
            at = change.at + len(change.old)
        return lines + window.lines[at:], places


def region_of(state, change):
    """The lines that the edit replaces, as the first one and the end: with the line above where lines only come or go."""
    lines, places = state.lines(change.window)
    at = places[change]
    above = entry(lines, at, change.old, change.new)[0]
    count = above.count("\n") + 1
    begin = max(0, at - (count - len(change.old)))
    return begin, begin + count


def window_of(lines, at, rng):
    """21 lines, of which this is any but one of the first or the last three, if the file has them."""
    begin = max(0, min(at - rng.randint(3, WINDOW - 4), len(lines) - WINDOW))
    return begin, min(len(lines), begin + WINDOW)


def window_around_cursor(state, lines, places):
    """As Hearth asks: the line of the cursor, which is behind the last edit, with ten above and ten below."""
    last = state.done[-1]
    begin = max(0, min(places[last] + max(0, len(state.now(last)) - 1) - WINDOW // 2, len(lines) - WINDOW))
    return begin, min(len(lines), begin + WINDOW)


def around_cursor(state, coming):
    """What becomes of the window around the cursor; nothing if the commit makes an edit there that no word foretells."""
    last = state.done[-1].window
    lines, places = state.lines(last)
    begin, end = window_around_cursor(state, lines, places)
    inside = [change for change in state.left if change.window is last and begin - 1 <= places[change] <= end]
    if not all(change in coming for change in inside):
        return
    known = inside + ([state.open] if state.open else [])
    yield question(state, last, begin, end, known, "cursor window" if known else "quiet cursor window")


def question(state, window, begin, end, applied, kind):
    """What is asked about these lines. answers: the first is the commit's; of more edits than one some count, too."""
    lines, places = state.lines(window)
    inside = [change for change in applied if change.window is window and begin <= places[change] and places[change] + state.size(change) <= end]

    def answer(parts):
        changed = lines[:]
        for change in sorted(parts, key=lambda change: -places[change]):
            changed[places[change]:places[change] + state.size(change)] = change.new
        return "\n".join(changed[begin:len(changed) - (len(lines) - end)])
    answers = [answer(inside)]
    if 1 < len(inside) <= 4:
        answers += [answer([change for i, change in enumerate(inside) if chosen >> i & 1]) for chosen in range(1, 2 ** len(inside) - 1)]
    low, high = max(0, begin - AROUND), end + AROUND
    if kind.endswith("window"):
        low, high = max(0, begin - AROUND // 2), end + AROUND // 2
    return {"path": window.path, "history": state.history(), "around": "\n".join(lines[low:high]), "old": "\n".join(lines[begin:end]), "answers": answers, "kind": kind}


def quiet_places(state, window, rng):
    """Lines that stay as they are: mostly such as share a word with the edits, or stand beside them."""
    lines, places = state.lines(window)
    taken = {at + i for change, at in places.items() for i in range(-1, max(1, len(change.old), len(change.new)) + 1)}
    free = [i for i, line in enumerate(lines) if i not in taken and line.strip()]
    alike = [i for i in free if set(WORD.findall(lines[i])) & state.words]
    return alike if alike and rng.random() < 0.75 else free


def questions(order, rng):
    """One state's: where an edit follows, as its lines and as a window, and where none does."""
    done = rng.randint(1, min(MOST_DONE, len(order)))
    state = State(order, done, rng)
    if state.done[-1].is_blank:
        return
    last = state.done[-1].window
    coming = [change for change in state.coming if change.is_short() and change.window.path == last.path]
    yield from around_cursor(state, coming)
    if coming:
        change = min(coming, key=lambda change: (change.window is not last, abs(change.at - state.done[-1].at)))
        begin, end = region_of(state, change)
        yield question(state, change.window, begin, end, [change], "lines")
        lines, places = state.lines(change.window)
        known = [each for each in coming if each.window is change.window] + ([state.open] if state.open else [])
        yield question(state, change.window, *window_of(lines, places[change], rng), known, "window")
    free = quiet_places(state, last, rng)
    if not free:
        return
    at = rng.choice(free)
    lines, places = state.lines(last)
    if not state.left or not state.coming:
        # Nothing follows: the window of the last edit.
        if not state.open:
            yield question(state, last, *window_of(lines, places[state.done[-1]], rng), [], "quiet window")
    else:
        begin, end = window_of(lines, at, rng)
        if not any(begin - 1 <= places[change] <= end for change in state.left + [state.open] if change in places):
            yield question(state, last, begin, end, [], "quiet window")
    count = rng.choice([1, 1, 1, 2, 2, 3])
    end = min(at + count, len(lines))
    begin = at - (entry(lines, at, lines[at:end], [""])[0].count("\n") + 1 - (end - at))
    if all(i in free for i in range(begin, end)):
        yield question(state, last, begin, end, [], "quiet lines")


def is_usable(made):
    text = made["around"] + made["answers"][0] + "".join(old + new for _, old, new in made["history"])
    if not made["history"] or not 60 < len(text) < 9000 or len(made["answers"][0]) > 1800 or max(map(len, text.split("\n"))) > 240:
        return False
    if len(text) - len(text.encode("ascii", "ignore")) > 0.05 * len(text) or "<|" in text:
        return False
    # Two of the patterns are slow, and are asked only where one of their words stands.
    low = text.lower()
    return not (
        (any(sign in text for sign in sources.SECRET_SIGNS) and sources.SECRET.search(text))
        or (any(sign in low for sign in ("generated", "do not edit")) and sources.GENERATED.search(text))
        or any(sign in low for sign in ("copyright", "license", "licence", "spdx", "all rights reserved", "(c)"))
    )


def is_known(made):
    """Whether most of the words that come in stand somewhere in what is told."""
    told = set(WORD.findall(made["around"] + " ".join(old + " " + new for _, old, new in made["history"])))
    new = changed_words(made["old"].split("\n"), made["answers"][0].split("\n")) & set(WORD.findall(made["answers"][0]))
    return len(new - told) <= UNKNOWN * len(new)


def of_repository(folder, name, most_commits, seconds):
    """Lists of questions about one state; `source` names the commit's number in the history."""
    rng = random.Random(name)
    for number, windows in enumerate(commits(folder, most_commits, seconds, PATTERNS)):
        changes = [change for window in windows for change in window.changes]
        if len(changes) == 1 and len(changes[0][1]) < 2 and rng.random() > SINGLE:
            continue
        for _ in range(min(MOST_STATES, 1 + len(changes) // CHANGES_A_STATE)):
            order = changes_of(windows, rng)
            made = [each | {"source": f"{name}@{number}"} for each in questions(order, rng) if is_usable(each)]
            if made:
                yield made
