"""Counts syntax errors with the languages' own parsers: a line of JSON in, {"language", "text"}, and one out, a number,
or null where this machine has no parser for the language. C and C++ are parsed by tree-sitter, since a compiler needs
their headers to parse them, and so are languages whose own parser few machines have."""
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
COMMANDS = {  # the arguments before the file, and how its name ends
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
        # Only rustc asks for this variable: its parser alone is an unstable option.
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
    # Half of a surrogate pair, at which a text may have been cut, is in no file.
    text = asked["text"].encode("utf8", "replace").decode("utf8")
    print(json.dumps(errors(asked["language"], text)), flush=True)
