"""Next edits that follow from a first one by a rule, made out of files: a rename, a parameter and its arguments, a
literal, a removed variable and its uses."""
import re

from sources import KEYWORDS

IDENTIFIER = re.compile(r"\b[A-Za-z_]\w{2,}\b")
CALL = re.compile(r"\b([A-Za-z_]\w{2,})\(([^()\n]*)\)")
LITERAL = re.compile(r"\"[^\"\\\n{}]{2,40}\"|'[^'\\\n{}]{2,40}'|\b\d{2,6}\b")
STATEMENT = re.compile(r"^\s*[\w.$]+(\(.*\)|\s*[-+|&]?=\s.*);?\s*$")
MOST_PLACES = 9


def where(lines, pattern):
    return [number for number, line in enumerate(lines) if pattern.search(line)]


def replaced(lines, pattern, new):
    """A change for each line in which the pattern stands."""
    return [(number, [lines[number]], [pattern.sub(lambda _: new, lines[number])]) for number in where(lines, pattern)]


def parts_of(name):
    return [part for part in re.split(r"_|(?<=[a-z0-9])(?=[A-Z])", name) if part] or [name]


def another_name(name, names, rng):
    """A name in the same style: another one of the file, or one with a word more, less or replaced by one of another's."""
    foreign = rng.choice(names)
    parts, others = parts_of(name), parts_of(foreign)
    choice = rng.random()
    if choice < 0.2:
        return foreign
    if choice < 0.45 and len(parts) > 1:
        parts.pop(rng.randrange(len(parts)))
    elif choice < 0.7:
        parts[rng.randrange(len(parts))] = rng.choice(others)
    else:
        parts.insert(rng.randint(0, len(parts)), rng.choice(others))
    if "_" in name or name.islower() and rng.random() < 0.3:
        new = "_".join(parts)
        return new.upper() if name.isupper() else new.lower()
    first = parts[0].lower() if name[0].islower() else parts[0][0].upper() + parts[0][1:]
    return first + "".join(part[0].upper() + part[1:] for part in parts[1:])


def names_in(lines):
    counts = {}
    for line in lines:
        for name in set(IDENTIFIER.findall(line)):
            counts[name] = counts.get(name, 0) + 1
    return {name: count for name, count in counts.items() if name not in KEYWORDS and len(name) < 40}


def rename(lines, rng):
    counts = names_in(lines)
    repeated = [name for name, count in counts.items() if 2 <= count <= MOST_PLACES]
    if not repeated or len(counts) < 5:
        return []
    name = rng.choice(repeated)
    new = another_name(name, list(counts), rng)
    return replaced(lines, re.compile(rf"\b{re.escape(name)}\b"), new) if new != name and new not in KEYWORDS and new else []


def parameter(lines, rng):
    """One more argument in each call of a function that is called several times, in the last place or the first."""
    calls = {}
    for number, line in enumerate(lines):
        for match in CALL.finditer(line):
            calls.setdefault(match[1], set()).add(number)
    several = [name for name, at in calls.items() if 2 <= len(at) <= MOST_PLACES and name not in KEYWORDS]
    names = [name for name in names_in(lines)]
    if not several or not names:
        return []
    name, value = rng.choice(several), rng.choice(names + ["true", "None", "0", "null", "options", "ctx"])
    is_first = rng.random() < 0.25

    def more(match):
        inner = match[1].strip()
        return f"{name}({value})" if not inner else f"{name}({value}, {match[1]})" if is_first else f"{name}({match[1]}, {value})"
    pattern = re.compile(rf"\b{re.escape(name)}\(([^()\n]*)\)")
    return [(number, [lines[number]], [pattern.sub(more, lines[number])]) for number in sorted(calls[name])]


def literal(lines, rng):
    counts = {}
    for line in lines:
        for text in set(LITERAL.findall(line)):
            counts[text] = counts.get(text, 0) + 1
    repeated = [text for text, count in counts.items() if 2 <= count <= MOST_PLACES]
    if not repeated:
        return []
    old = rng.choice(repeated)
    if old[0] in "\"'":
        others = [text for text in counts if text[0] == old[0] and text != old]
        word = rng.choice(names_list) if (names_list := list(names_in(lines))) else "value"
        new = rng.choice(others) if others and rng.random() < 0.4 else old[0] + rng.choice([word, old[1:-1] + "-" + word.lower(), word.lower() + "/" + old[1:-1]]) + old[0]
    else:
        new = str(rng.choice([int(old) * 2, int(old) + 1, int(old) * 10, rng.randint(2, 999)]))
    return replaced(lines, re.compile(rf"(?<!\w){re.escape(old)}(?!\w)"), new) if new != old else []


def removal(lines, rng):
    """A variable that stands in whole statements only: its first line goes, and then the others."""
    names = [name for name, count in names_in(lines).items() if 2 <= count <= 5]
    rng.shuffle(names)
    for name in names[:12]:
        at = where(lines, re.compile(rf"\b{re.escape(name)}\b"))
        if all(STATEMENT.match(lines[number]) and lines[number].count("(") == lines[number].count(")") for number in at):
            return [(number, [lines[number]], []) for number in at]
    return []


def propagation(lines, rng):
    """(lines, changes): half of the time backwards, from the text that the changes make to the one of the file."""
    make = rng.choices([rename, parameter, literal, removal], [50, 25, 15, 10])[0]
    changes = make(lines, rng)
    if len(changes) < 2 or any(old == new for _, old, new in changes):
        return None
    if make is not removal and rng.random() < 0.5:
        lines = list(lines)
        for number, _, new in changes:
            lines[number] = new[0]
        changes = [(number, new, old) for number, old, new in changes]
    return lines, changes
