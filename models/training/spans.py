"""Where completions are asked for in a text, and where they end: the model's middles."""
import re

MAX_MIDDLE = 900
CLOSE = {"(": ")", "[": "]", "{": "}"}


def line_starts(text):
    return [match.start() for match in re.finditer(r"^(?=[^\n])", text, re.M)]


def line_end(text, at):
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def indentation(line):
    return len(line) - len(line.lstrip())


def in_line(text, start, rng):
    """A cursor inside the line: mostly at the edge of a word, where people pause, or one to three letters into one."""
    line = text[start:line_end(text, start)]
    indent = indentation(line)
    if len(line) - indent < 4:
        return None
    choice = rng.random()
    if choice < 0.45:
        places = [match.end() for match in re.finditer(r"\w+|[ .(\[{=,:]", line)]
    elif choice < 0.75:
        places = [match.start() + rng.randint(1, 3) for match in re.finditer(r"\w{4,}", line)]
    else:
        places = [rng.randint(indent, len(line) - 2)]
    places = [place for place in places if indent <= place < len(line) - 1]
    return start + rng.choice(places) if places else None


def matching_close(text, at, opener):
    """Index of what closes the bracket or quote opened just before `at`."""
    if opener in "\"'`":
        end = text.find(opener, at)
        return end if end > 0 and "\n" not in text[at:end] else None
    depth, close = 1, CLOSE[opener]
    for index in range(at, min(len(text), at + MAX_MIDDLE)):
        depth += (text[index] == opener) - (text[index] == close)
        if depth == 0:
            return index
    return None


def block_end(text, starts, opener):
    """The last line of the block that line number `opener` opens, and whether a line that closes it follows."""
    indent = indentation(text[starts[opener]:line_end(text, starts[opener])])
    last = opener
    for number in range(opener + 1, min(len(starts), opener + 18)):
        line = text[starts[number]:line_end(text, starts[number])]
        if indentation(line) <= indent:
            is_close = line.strip()[:1] in (")", "]", "}") or line.strip() == "end"
            return last, indentation(line) == indent and is_close
        last = number
    return None, False


def whole_lines(text, starts, number, rng):
    """One line, less often two to four; the cursor at its indentation, at the margin, or at the end of the line above."""
    last = number if rng.random() < 0.72 else min(len(starts) - 1, number + rng.randint(1, 3))
    start, end = starts[number], line_end(text, starts[last])
    choice = rng.random()
    if choice < 0.55:
        return start + indentation(text[start:end]), end
    if choice < 0.63:
        return start, end
    if choice < 0.73 and start > 0:
        return start - 1, end
    # As if the line had never been there: the next one stands right of the cursor.
    return start, min(len(text), end + 1)


def block(text, starts, number, rng):
    line = text[starts[number]:line_end(text, starts[number])]
    if not re.search(r"[{:(\[]\s*$|=>\s*$|\b(do|then)(\s*\|.*\|)?\s*$|^\s*(def|class|module|if|unless)\b", line):
        return None
    last, is_closed = block_end(text, starts, number)
    if last is None or last == number:
        return None
    end = line_end(text, starts[last])
    if is_closed and rng.random() < 0.3:
        end = line_end(text, end + 1 + len(text[end:]) - len(text[end:].lstrip("\n")) - 1)
    if rng.random() < 0.35:
        return line_end(text, starts[number]), end
    # As if Enter had been pressed: on the new line, indented.
    return starts[number + 1] + indentation(text[starts[number + 1]:end]), end


def bracket(text, starts, number, rng):
    start = starts[number]
    openers = [match.end() for match in re.finditer(r"[(\[{\"'`]", text[start:line_end(text, start)])]
    if not openers:
        return None
    begin = start + rng.choice(openers)
    end = matching_close(text, begin, text[begin - 1])
    if not end or end <= begin:
        return None
    if rng.random() < 0.3 and end - begin > 4:
        begin += rng.randint(1, min(6, end - begin - 1))
    return begin, end


def span(text, rng):
    """(cursor, end) of a middle, or None."""
    starts = line_starts(text)
    if len(starts) < 3:
        return None
    for _ in range(8):
        number = rng.randrange(len(starts))
        choice = rng.random()
        if choice < 0.4:
            cursor = in_line(text, starts[number], rng)
            found = cursor and (cursor, line_end(text, cursor))
        elif choice < 0.67:
            found = whole_lines(text, starts, number, rng)
        elif choice < 0.87:
            found = block(text, starts, number, rng)
        elif choice < 0.98:
            found = bracket(text, starts, number, rng)
        else:
            cursor = rng.randrange(len(text))
            found = cursor, min(len(text), cursor + rng.randint(1, 300))
        if found and 1 <= found[1] - found[0] <= MAX_MIDDLE and text[found[0]:found[1]].strip():
            return found
    return None
