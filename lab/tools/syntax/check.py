"""Counts syntax errors with the languages' own parsers. Reads lines of JSON, {"language", "text"}, and answers each
with a line: a number, or null if this machine has no parser for the language. tree-sitter parses C and C++, since a
compiler would need their headers, and languages whose own parser few machines have."""
import ast
import importlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import warnings

warnings.simplefilter("ignore")
COMMANDS = {  # the arguments before the file, and the file name's ending
    "go": (["gofmt", "-e"], ".go"),
    "rust": (["rustc", "-Zunpretty=normal", "--edition", "2021"], ".rs"),
    "php": (["php", "-l"], ".php"),
    "ruby": (["ruby", "-c"], ".rb"),
    "shellscript": (["bash", "-n"], ".sh"),
}
GRAMMARS = {  # packages of PyPI
    "c": "tree_sitter_c",
    "cpp": "tree_sitter_cpp",
    "csharp": "tree_sitter_c_sharp",
    "html": "tree_sitter_html",
    "lua": "tree_sitter_lua",
    "sql": "tree_sitter_sql",
    "toml": "tree_sitter_toml",
    "yaml": "tree_sitter_yaml",
}
parsers = {}


def python_errors(text):
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return 1
    return 0


def command_errors(language, text):
    command, suffix = COMMANDS[language]
    if shutil.which(command[0]) is None:
        return None
    with tempfile.NamedTemporaryFile("w", suffix=suffix) as file:
        file.write(text)
        file.flush()
        # rustc needs this variable, since parsing alone is an unstable option.
        environment = {**os.environ, "RUSTC_BOOTSTRAP": "1"}
        run = subprocess.run([*command, file.name], capture_output=True, env=environment, check=False)
    return int(run.returncode != 0)


def grammar_errors(language, text):
    if language not in parsers:
        try:
            tree_sitter, grammar = importlib.import_module("tree_sitter"), importlib.import_module(GRAMMARS[language])
            parsers[language] = tree_sitter.Parser(tree_sitter.Language(grammar.language()))
        except ImportError:
            parsers[language] = None
    parser = parsers[language]
    if parser is None:
        return None
    count, nodes = 0, [parser.parse(text.encode()).root_node]
    while nodes:
        node = nodes.pop()
        count += node.is_error or node.is_missing
        if node.has_error:
            nodes += node.children
    return count


def errors(language, text):
    if language == "python":
        return python_errors(text)
    if language in COMMANDS:
        return command_errors(language, text)
    return grammar_errors(language, text) if language in GRAMMARS else None


for line in sys.stdin:
    asked = json.loads(line)
    # If a text was cut within a surrogate pair, its half is replaced, since it cannot be written to a file.
    text = asked["text"].encode("utf8", "replace").decode("utf8")
    print(json.dumps(errors(asked["language"], text)), flush=True)
