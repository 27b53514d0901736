"""How a question about a next edit is written:

    <|file_sep|>PATH.diff⏎original:⏎OLD LINES⏎updated:⏎NEW LINES⏎     for each edit, the oldest first
    <|file_sep|>PATH⏎LINES AROUND THE PLACE AS THEY ARE NOW⏎
    <|file_sep|>PATH.diff⏎original:⏎LINES ASKED ABOUT⏎updated:⏎
    -> THESE LINES AS THEY WILL BE⏎<|file_sep|>
"""
import difflib
import functools
import re

FILE_SEP, END_OF_TEXT, TURN, END_OF_TURN = "<|file_sep|>", "<|endoftext|>", "<|im_start|>", "<|im_end|>"
# No token has text of two lines, unless the second one is blank.
LINES = re.compile(r"[^\n]*\n(?:[^\S\n]*\n)*|[^\n]+")
LONGEST = 24
COPIED, WRITTEN = 3, 10


def shortened(text):
    """The beginning and the end of a long text."""
    lines = text.split("\n")
    return text if len(lines) <= LONGEST else "\n".join([*lines[:LONGEST // 2], "...", *lines[1 - LONGEST // 2:]])


class Layout:
    def __init__(self, tokenizer):
        self.tokenizer = tokenizer
        # Questions about one commit have most of their lines in common.
        self.line = functools.lru_cache(1 << 17)(lambda text: tokenizer.encode(text, add_special_tokens=False).ids)

    def plain(self, text):
        return [token for line in LINES.findall(text) for token in self.line(line)]

    def special(self, name):
        return self.tokenizer.token_to_id(name)

    def prompt(self, question):
        path = question["path"]
        parts = [f"{other}.diff\noriginal:\n{shortened(old)}\nupdated:\n{shortened(new)}\n" for other, old, new in question["history"]]
        parts += [f"{path}\n{question['around']}\n", f"{path}.diff\noriginal:\n{question['old']}\nupdated:\n"]
        return [token for part in parts for token in (self.special(FILE_SEP), *self.plain(part))]

    def answer(self, text):
        return self.plain(text + "\n") + [self.special(FILE_SEP)]

    def weights(self, question):
        """Of each token of the answer, in tenths: of a window, what is copied counts less than what is written."""
        answer = question["answers"][0]
        if question["kind"].endswith("lines"):
            return [WRITTEN] * len(self.answer(answer))
        old, new = question["old"].split("\n"), answer.split("\n")
        copied = set()
        for tag, _, _, begin, end in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            # The line behind those that go is where it is decided that they do.
            copied.update(range(begin, end) if tag == "equal" and begin == 0 else range(begin + 1, end) if tag == "equal" else ())
        found, number = [], 0
        for line in LINES.findall(answer + "\n"):
            found += [COPIED if number in copied else WRITTEN] * len(self.line(line))
            number += line.count("\n")
        return found + [WRITTEN]

    def chat(self, question):
        """The same question as one asks a model that was trained to follow instructions."""
        def block(text):
            return f"```\n{text}\n```\n"
        edits = "\n".join(f"{path}, before:\n{block(shortened(old))}after:\n{block(shortened(new))}" for path, old, new in question["history"])
        text = (f"A programmer has just made these edits, the oldest first:\n\n{edits}\nThe code around the next place, {question['path']}:\n{block(question['around'])}\n"
                f"These lines of it are next:\n{block(question['old'])}\nWrite these lines as they should be after the edits above, in one code block and nothing else. "
                "If nothing follows for them, repeat them as they are.")
        turns = [("system", "You predict the next edit of a programmer."), ("user", text)]
        tokens = [token for role, said in turns for token in (self.special(TURN), *self.plain(f"{role}\n{said}"), self.special(END_OF_TURN), *self.plain("\n"))]
        return tokens + [self.special(TURN), *self.plain("assistant\n```\n")]
