"""Turns bundles of files into packed rows of tokens: the prompts of the product, plain text, repositories, explanations
and next edits. Runs in worker processes; new pieces of data are taken up while training runs.

A row is uint16: the token, and above it one of four kinds: nothing, TARGET for what the product would have the model write,
CONTEXT for what nobody could know, and SILENCE for where nothing was to be said although the text goes on: there the end of
text is what the model shall expect."""
import glob
import json
import os
import random
import re
import time

import numpy as np
from tokenizers import Tokenizer

import explain
from spans import line_end, span

ROW = 8192
TARGET, CONTEXT, SILENCE = 1 << 14, 2 << 14, 3 << 14
END, IM_START, IM_END, PREFIX, MIDDLE, SUFFIX, PAD, REPO, FILE = range(16375, 16384)
# Small programs of their own get more passes, and so do languages of which there is little.
EXERCISES = re.compile(r"^(TheAlgorithms|exercism|kamyu104|keon)/")
PASSES = dict(tsx=2, jsx=2, html=2, css=2, yaml=2, toml=3, sql=3, shell=3)
WORD = re.compile(r"[A-Za-z_]\w{2,}")
# Characters above a cursor, about thirty lines, whose names are at hand.
NEAR = 1200
CLOSERS = re.compile(r"[)\]}>\"'`][)\]}>\"'`;,]*(?=\n|$)")


def anchor_above(text, cursor, lines, reach):
    """As language-server/prompt/text-window.ts: the line start that many lines up, or the highest within reach."""
    lowest = max(0, cursor - reach)
    window = text[lowest:cursor]
    found, before = None, len(window)
    for _ in range(lines + 1):
        newline = window.rfind("\n", 0, before) if before > 0 else -1
        if newline < 0:
            if lowest == 0:
                found = 0
            break
        found, before = newline + 1, newline
    return max(0, cursor - reach // 2) if found is None else lowest + found


def window_start(text, end, chars):
    earliest = end - chars
    if earliest <= 0:
        return 0
    newline = text.find("\n", earliest - 1, end)
    return earliest if newline < 0 else newline + 1


def window_end(text, start, chars):
    if start + chars >= len(text):
        return len(text)
    newline = text.rfind("\n", start, start + chars)
    return start + chars if newline <= start else newline


class Maker:
    def __init__(self, tokenizer, seed):
        self.tokenizer = tokenizer
        self.rng = random.Random(seed)
        self.late = False

    def encode(self, text):
        return self.tokenizer.encode(text, add_special_tokens=False).ids if text else []

    def crossing(self, text, cursor):
        """Tokens of a text over a cursor in it: those that reach beyond it are targets."""
        encoding = self.tokenizer.encode(text, add_special_tokens=False)
        return [token + TARGET if end > cursor else token for token, (_, end) in zip(encoding.ids, encoding.offsets)]

    def limits(self):
        choice = self.rng.random()
        if choice < 0.35:
            return 9600, 3200
        if choice < 0.7:
            return 4800, 1600
        return self.rng.randint(100, 9600), self.rng.randint(0, 1600)

    def snippets(self, others, near):
        """Pieces of neighbouring files that share names with the text near the cursor."""
        names, scored = set(WORD.findall(near)), []
        for _, path, text in others[:5]:
            lines = text[:40_000].split("\n")
            step = self.rng.randint(15, 40)
            for at in range(0, len(lines), step):
                piece = "\n".join(lines[at:at + step])
                own = set(WORD.findall(piece))
                if 60 < len(piece) < 2400 and own:
                    scored.append((len(own & names) / (len(own) + 20), path, piece))
        scored.sort(key=lambda item: -item[0])
        return [(path, piece) for _, path, piece in scored[:self.rng.randint(1, 4)]]

    def place(self, text, shown):
        """A place to fill in: half of the time, of four, the one that needs most names from far above or of the files shown."""
        places = [found for found in (span(text, self.rng) for _ in range(4 if self.rng.random() < 0.5 else 1)) if found]
        if len(places) < 2:
            return places[0] if places else None
        elsewhere = set().union(*(WORD.findall(other[:40_000]) for _, _, other in shown[:5]))

        def names(place):
            cursor, end = place
            near = max(0, cursor - NEAR)
            needed = set(WORD.findall(text[cursor:end])).difference(WORD.findall(text[near:cursor]))
            return len(needed & elsewhere.union(WORD.findall(text[max(0, cursor - 9600):near]))) / (end - cursor + 80)
        return max(places, key=names)

    def head(self, package, path, shown, near):
        tokens = []
        if shown:
            found = self.snippets(shown, near)
            if self.rng.random() < 0.8:
                tokens += [REPO] + self.encode(package.split("/")[-1] + "\n")
            for other, piece in reversed(found):
                tokens += [FILE] + self.encode(f"{other}\n{piece}\n")
        elif self.rng.random() < 0.25:
            return []
        return tokens + [FILE] + self.encode(path + "\n")

    def fill(self, package, path, text, others):
        """A fill-in-the-middle example."""
        rng = self.rng
        shown = others if rng.random() < (0.45 if self.late else 0.3) else []
        found = self.place(text, shown)
        if not found:
            return None
        cursor, end = found
        prefix_chars, suffix_chars = self.limits()
        suffix_start = end
        if "\n" not in text[cursor:end]:
            closers = CLOSERS.match(text, end)
            suffix_start = closers.end() if closers else end
        suffix = text[suffix_start:window_end(text, suffix_start, suffix_chars)] if rng.random() > 0.04 else ""
        suffix = self.encode(suffix)[:1024]
        order = rng.random()
        if order < 0.88:
            lines = 12 if order < 0.5 else rng.randint(8, 24) if order < 0.75 else rng.randint(0, 8)
            anchor = anchor_above(text, cursor, lines, 1000 if lines == 12 else 2000)
        else:
            anchor = cursor
        start = 0 if anchor <= prefix_chars else window_start(text, anchor, int(prefix_chars * (0.75 if rng.random() < 0.5 else rng.uniform(0.75, 1))))
        head = self.head(package, path, shown, text[anchor:cursor][-1500:])
        prefix = self.encode(text[start:anchor])[-3072:]
        middle = self.crossing(text[anchor:end], cursor - anchor) + [END + TARGET]
        if order < 0.94:
            row = head + [PREFIX] + prefix + [SUFFIX] + suffix + [MIDDLE] + middle
        else:
            row = head + [SUFFIX] + suffix + [PREFIX] + prefix + [MIDDLE] + middle
        return row if len(row) <= ROW else None

    def explanations(self, language, text):
        for code, doc in explain.pairs(language, text, self.rng):
            fence = language if self.rng.random() < 0.9 else ""
            question = self.encode(f"user\n{self.rng.choice(explain.QUESTIONS)}\n```{fence}\n{code}\n```")
            yield [IM_START] + question + [IM_END] + self.encode("\n") + [IM_START] + self.encode("assistant\n" + doc) + [IM_END, END], False

    def changed(self, current, updated):
        """The tokens of a window; those of lines that are new are targets."""
        before, is_new = set(current.split("\n")), []
        for line in updated.split("\n"):
            is_new += [line not in before] * (len(line) + 1)
        encoding = self.tokenizer.encode(updated, add_special_tokens=False)
        return [token + TARGET if any(is_new[start:end]) else token for token, (start, end) in zip(encoding.ids, encoding.offsets)]

    def edit(self, path, old, new, original, current, updated):
        return ([FILE] + self.encode(f"{path}.diff\noriginal:\n{old}\nupdated:\n{new}\n") + [FILE] + self.encode(f"original/{path}\n{original}\n")
                + [FILE] + self.encode(f"current/{path}\n{current}\n") + [FILE] + self.encode(f"updated/{path}\n")
                + self.changed(current, updated) + [END + TARGET])

    def step(self, path, old, new, kind):
        """The tokens of an edit that has been made, or that shall be: then the first token, which says that there is one, the lines
        that it replaces, which say where, and the lines that are new are targets."""
        head = f"{path}.diff\noriginal:\n"
        encoding = self.tokenizer.encode(f"{head}{old}\nupdated:\n{new}\n", add_special_tokens=False)
        if kind != "edit":
            first, *rest = (token + CONTEXT for token in encoding.ids)
            return [first - CONTEXT + SILENCE if kind == "silence" else first, *rest]
        before = set(old.split("\n"))
        is_target = [False] * len(head) + [True] * (len(old) + 1) + [False] * len("updated:\n")
        for line in new.split("\n"):
            is_target += [line not in before] * (len(line) + 1)
        marked = [token + TARGET if any(is_target[start:end]) else token for token, (start, end) in zip(encoding.ids, encoding.offsets)]
        return [encoding.ids[0] + TARGET, *marked[1:]]

    def history(self, path, window, steps, ends):
        """Layout H: a window, the edits since, oldest first, and after each of them the question what comes next."""
        row = [FILE] + [token + CONTEXT for token in self.encode(f"{path}\n{window}\n")]
        for each in steps:
            row += [FILE + CONTEXT] + self.step(*each)
        return row + [FILE + CONTEXT, END + (TARGET if ends else CONTEXT)]

    def bundle(self, bundle):
        """Yields (tokens, whether they may be split)."""
        rng = self.rng
        if "steps" in bundle:
            row = self.history(*(bundle[key] for key in ("path", "window", "steps", "ends")))
            if len(row) <= ROW:
                yield row, False
            return
        if "edit" in bundle:
            row = self.edit(*bundle["edit"])
            if len(row) <= ROW:
                yield row, False
            return
        package, files = bundle["p"], bundle["files"]
        if len(files) > 1 and rng.random() < 0.06:
            row = [REPO] + self.encode(package.split("/")[-1] + "\n")
            for _, path, text in files:
                row += [FILE] + self.encode(f"{path}\n{text[:12_000]}")
            yield row + [END], True
            return
        for number, (language, path, text) in enumerate(files):
            if language in explain.FENCES and rng.random() < 0.12:
                yield from self.explanations(language, text)
            if rng.random() < (0.9 if self.late else 0.72):
                others = files[:number] + files[number + 1:]
                count = max(1, min(8, round(len(text) / 6500)))
                for part in range(count):
                    low, high = part * len(text) // count, (part + 1) * len(text) // count
                    low = text.rfind("\n", 0, max(0, low - 5000)) + 1 if low > 5000 else 0
                    row = self.fill(package, path, text[low:line_end(text, min(len(text), high + 2500))], others)
                    if row:
                        yield row, False
            else:
                head = [FILE] + self.encode(path + "\n") if rng.random() < 0.6 else []
                yield head + self.encode(text[:60_000]) + [END], True


def rows(maker, bundles, most_open=24):
    """Best-fit packing into rows of ROW tokens."""
    bins, waiting = [], []

    def close(index):
        tokens = bins.pop(index)
        return np.array(tokens + [END] * (ROW - len(tokens)), np.uint16)

    def samples():
        for bundle in bundles:
            try:
                waiting.extend(maker.bundle(bundle))
            except Exception as error:
                print("sample:", repr(error)[:200], flush=True)
            # Neighbours in the data are of one package: a reservoir mixes them.
            while len(waiting) > 300:
                yield waiting.pop(maker.rng.randrange(len(waiting)))
        while waiting:
            yield waiting.pop()

    for tokens, may_split in samples():
        if may_split:
            while tokens:
                if len(bins) < most_open:
                    bins.append([])
                index = min(range(len(bins)), key=lambda i: len(bins[i]))
                room = ROW - len(bins[index])
                bins[index] += tokens[:room]
                tokens = tokens[room:]
                if len(bins[index]) >= ROW - 8:
                    yield close(index)
        else:
            fitting = [i for i in range(len(bins)) if len(bins[i]) + len(tokens) <= ROW]
            if fitting:
                index = max(fitting, key=lambda i: len(bins[i]))
            else:
                if len(bins) >= most_open:
                    yield close(max(range(len(bins)), key=lambda i: len(bins[i])))
                bins.append([])
                index = len(bins) - 1
            bins[index] += tokens
            if len(bins[index]) >= ROW - 24:
                yield close(index)


def worker(number, of, folder, tokenizer, queue, late, seed=0, per_put=4):
    """Endless rows from the share of the data that is this worker's: pieces are FOLDER/NAME.jsonl beside NAME.ok."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    maker = Maker(Tokenizer.from_file(tokenizer), 1000 * (seed + 1) + number)
    known, everything, buffer, passes = set(), [], [], 0

    def fresh():
        new = []
        for ready in sorted(glob.glob(folder + "/*.ok")):
            if ready not in known:
                known.add(ready)
                with open(ready[:-3] + ".jsonl", encoding="utf8") as source:
                    new += [line for i, line in enumerate(source) if i % of == number]
        everything.extend(new)
        return new

    def shuffled():
        """Everything once, in random order; pieces that arrive meanwhile join."""
        nonlocal passes
        todo = fresh() if passes == 0 else []
        todo = todo or everything[:]
        maker.rng.shuffle(todo)
        count = 0
        while todo:
            if count % 200 == 0:
                new = fresh()
                if new:
                    todo += new
                    maker.rng.shuffle(todo)
            count += 1
            try:
                bundle = json.loads(todo.pop())
            except ValueError:
                continue
            maker.late = bool(late.value)
            language = bundle["files"][0][0] if "files" in bundle else ""
            for _ in range(3 if EXERCISES.match(bundle["p"]) else PASSES.get(language, 1)):
                yield bundle
        passes += 1

    while True:
        if not everything and not fresh():
            time.sleep(0.2)
            continue
        for row in rows(maker, shuffled()):
            buffer.append(row)
            if len(buffer) == per_put:
                queue.put((passes, np.stack(buffer)))
                buffer = []
