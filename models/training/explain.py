"""Explanations out of doc comments: pairs of a function and what its author says of it."""
import re

FENCES = {"typescript", "tsx", "javascript", "jsx", "python", "go", "rust", "cpp", "c", "java", "csharp", "php", "kotlin", "swift"}
QUESTIONS = ["Explain this code:"] * 8 + ["What does this code do?", "Explain the following code.", "Describe what this function does.", "Explain this function:"]
PYTHON = re.compile(r'^([ \t]*)((?:async )?def \w+\([^\n]*(?:\n[^\n]*){0,6}?:\n)\s*[rRu]?("""|\'\'\')(.*?)\3[ \t]*\n((?:(?:\1[ \t]+[^\n]*)?\n)+)', re.S | re.M)
GO = re.compile(r"((?:^//[^\n]*\n)+)(^func [^\n]*\{\n.*?^\}\n)", re.S | re.M)
RUST = re.compile(r"((?:^[ \t]*///[^\n]*\n)+)((?:^[ \t]*#\[[^\n]*\n)*^([ \t]*)(?:pub[^\n]*? )?(?:const |unsafe |async )*fn [^\n]*\n.*?^\3\}\n)", re.S | re.M)
BLOCK = re.compile(
    r"^([ \t]*/\*\*(?:(?!\*/).)*\*/[ \t]*\n)(^([ \t]*)(?=[\w<@~])(?!(?:import|interface|type|class|declare|export \* |namespace|package|#)\b)[^\n]*\(.*?^\3\}[^\n]*\n)",
    re.S | re.M)


def tidy(doc):
    doc = re.sub(r"^\s*(?:/\*\*?|\*/|\*|///?!?)[ \t]?", "", doc, flags=re.M).replace("*/", "")
    doc = re.sub(r"\{@(?:link|code|linkplain)\s+([^}]*)\}", lambda match: f"`{match.group(1).strip()}`", doc)
    doc = re.sub(r"</?(p|pre|code|br|ul|li|em|b|i|tt|summary|param[^>]*|returns)/?>", "", doc)
    lines = []
    for line in doc.split("\n"):
        if re.match(r"\s*[@:]\w+", line):
            break
        lines.append(line.strip())
    text = re.sub(r"(?<=[^\n])\n(?=[^\n\-*+•`#|>\d\s])", " ", "\n".join(lines))
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def pairs(language, text, rng, most=3):
    if language == "python":
        found = [(m.group(1) + m.group(2) + m.group(5), re.split(r"\n\s*(?:Parameters|Args|Returns|Examples?|Notes?|Raises)\b", m.group(4))[0])
                 for m in PYTHON.finditer(text) if m.group(2).count("\n") <= 8]
    else:
        found = [(m.group(2), m.group(1)) for m in {"go": GO, "rust": RUST}.get(language, BLOCK).finditer(text)]
    good = []
    for code, doc in found:
        if code.count("\n") > 45 or not 50 <= len(code) <= 3000:
            continue
        indent = min((len(line) - len(line.lstrip()) for line in code.split("\n") if line.strip()), default=0)
        doc = tidy(doc)
        is_prose = 40 <= len(doc) <= 900 and len(doc.split()) >= 7 and sum(map(str.isalpha, doc)) > 0.6 * len(doc)
        if is_prose and not re.search(r"TODO|FIXME|eslint|deprecated|nolint|@internal|Copyright", doc[:200]):
            good.append(("\n".join(line[indent:] for line in code.rstrip().split("\n")), doc[0].upper() + doc[1:]))
    rng.shuffle(good)
    return good[:most]
