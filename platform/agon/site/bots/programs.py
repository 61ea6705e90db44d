"""Which uploads are the same program to ratings: those that differ in comments, layout and notes only.

A second upload of the same program would be a second chance, so it keeps its rating
(agon.site.leaderboards.ratings). What runs is the upload itself. A bot can read its own comments; then two
uploads count as one although they play differently, which wins its author nothing: the results of both add
up.

Comments are found by a scanner of strings and comments, which takes time in proportion to the text, whatever
the text is: a lexer with a limit of time would let an upload choose not to be compared. In Python, where the
layout matters, the standard tokenizer is asked first. A changed name or an unused line make another program.
"""

import hashlib
import io
import re
import tokenize
from collections.abc import Iterable
from itertools import pairwise
from pathlib import PurePosixPath

from sandbox.source import Source

# What Python's tokenizer gets, of a file without its comments: its time grows with the square of a line.
MOST_TOKENIZED = 256 << 10
LONGEST_LINE = 1000
NOTES = (".md", ".rst")  # files that are not compared
NOTES_NAMED = ("readme", "license", "licence", "copying", "changelog", "authors")

# Each matches to the end if it is not closed, so that no text is scanned twice. Repetitions of groups are
# possessive: others keep a hundred bytes for each character, which may be millions.
DOUBLE = r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)'
SINGLE = r"'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'?"
QUOTED = rf"{DOUBLE}|{SINGLE}"
# The last choice never matches. Before Python 3.11.5 a possessive repetition whose last choice looked ahead
# and failed ends where that had looked to (gh-106052).
_WITHIN = r"""[^"'\\]*+(?:(?:\\.|(?!(?P=quotes))["']|(?!))[^"'\\]*+)*+"""
THRICE = rf"""(?P<quotes>"{{3}}|'{{3}}){_WITHIN}(?:(?P=quotes)|\\?\Z)"""
BACKTICKS = r"`[^`\\]*+(?:\\.[^`\\]*+)*+(?:`|\\?\Z)"
HASH, SLASHES, BLOCK = r"\#[^\n]*", r"//[^\n]*", r"/\*.*?(?:\*/|\Z)"
C_LIKE = (QUOTED, rf"{SLASHES}|{BLOCK}")
# Strings and comments by extension. Where an apostrophe is more than a quotation mark, it begins no string.
SYNTAX = {
    **dict.fromkeys((".c", ".h", ".cpp", ".cc", ".cxx", ".c++", ".hpp", ".cs", ".go", ".java"), C_LIKE),
    **dict.fromkeys((".js", ".mjs", ".cjs", ".ts"), (rf"{QUOTED}|{BACKTICKS}", rf"{SLASHES}|{BLOCK}")),
    ".d": (QUOTED, rf"{SLASHES}|{BLOCK}|/\+.*?(?:\+/|\Z)"),
    ".rs": (DOUBLE, rf"{SLASHES}|{BLOCK}"),
    ".php": (QUOTED, rf"{SLASHES}|{BLOCK}|{HASH}"),
    ".py": (rf"{THRICE}|{QUOTED}", HASH),
    ".rb": (QUOTED, rf"{HASH}|(?:\A|(?<=\n))=begin\b.*?(?:\n=end\b[^\n]*|\Z)"),
    **dict.fromkeys((".sh", ".bash", ".r"), (QUOTED, HASH)),
    ".pl": (QUOTED, rf"{HASH}|(?:\A|(?<=\n))=[a-z]+\b.*?(?:\n=cut\b[^\n]*|\Z)"),
    ".toml": (QUOTED, HASH),
    ".lua": (rf"{QUOTED}|\[\[.*?(?:\]\]|\Z)", r"--\[\[.*?(?:\]\]|\Z)|--[^\n]*"),
    ".hs": (DOUBLE, r"--[^\n]*|\{-.*?(?:-\}|\Z)"),
    ".ml": (DOUBLE, r"\(\*.*?(?:\*\)|\Z)"),
    **dict.fromkeys((".pas", ".pp"), (r"'[^'\n]*'?", rf"{SLASHES}|\{{.*?(?:\}}|\Z)|\(\*.*?(?:\*\)|\Z)")),
    **dict.fromkeys((".lisp", ".lsp", ".rkt"), (DOUBLE, r";[^\n]*|\#\|.*?(?:\|\#|\Z)")),
    **dict.fromkeys((".f90", ".f95", ".f03", ".f08"), (QUOTED, r"![^\n]*")),
}
SCANNERS = {
    extension: re.compile(rf"(?P<string>{strings})|(?P<comment>{comments})|\s+|(?P<word>\w+|\S)", re.DOTALL)
    for extension, (strings, comments) in SYNTAX.items()
}
LAYOUT = (tokenize.COMMENT, tokenize.NL, tokenize.ENCODING, tokenize.ENDMARKER)
LINE_STARTS = ("NEWLINE", "INDENT", "DEDENT")


def program_of(source: Source) -> str:
    """SHA-256 (hex) of what the files of an upload say, whatever they are called and in whatever order."""
    contents = sorted(
        hashlib.sha256(said).digest()
        for said in (_said(file.path, file.data) for file in source.files if not _is_note(file.path))
        if said
    )
    return hashlib.sha256(b"agon program 1\n" + b"".join(contents)).hexdigest()


def _is_note(path: str) -> bool:
    name = PurePosixPath(path.lower())
    return name.suffix in NOTES or name.stem in NOTES_NAMED


def _said(path: str, data: bytes) -> bytes:
    """The words and signs of a program; the bytes of any other file."""
    suffix = PurePosixPath(path).suffix.lower()
    scanner = SCANNERS.get(suffix)
    if scanner is None:
        return data
    text = data.decode("utf-8-sig", "surrogateescape")
    words: Iterable[str] | None = _of_python(text) if suffix == ".py" else None
    if words is None:
        words = (token[0] for token in scanner.finditer(text) if token["string"] or token["word"])
    said = bytearray()  # a list of the words may take thirty times as much
    for word in words:
        said += word.encode("utf-8", "surrogateescape") + b"\0"
    return bytes(said[:-1])


def _of_python(text: str) -> list[str] | None:
    """The tokens of a Python file without docstrings; None if it is too large, or no Python."""
    text = _without_comments(text)
    if len(text) > MOST_TOKENIZED or max(map(len, text.split("\n"))) > LONGEST_LINE:
        return None
    try:
        read = io.StringIO(text).readline
        tokens = [piece for piece in tokenize.generate_tokens(read) if piece.type not in LAYOUT]
    except (tokenize.TokenError, SyntaxError, ValueError):
        return None
    words = ["NEWLINE"]
    for token, following in pairwise([*tokens, None]):
        if token is None or _is_alone(token, following, words[-1]):
            continue
        word = tokenize.tok_name[token.type]
        if word not in LINE_STARTS:
            words.append(token.string)
        elif word != "NEWLINE" or words[-1] not in LINE_STARTS:
            words.append(word)
    return words if words[1:] else []


def _without_comments(text: str) -> str:
    """A Python file without its comments; only the beginning of one that is too large to be tokenized."""
    kept, size = [], 0
    for token in SCANNERS[".py"].finditer(text):
        if not token["comment"]:
            kept.append(token[0])
            size += len(token[0])
        if size > MOST_TOKENIZED:
            break
    return "".join(kept)


def _is_alone(token: tokenize.TokenInfo, following: tokenize.TokenInfo | None, before: str) -> bool:
    """Whether a token is a line of its own and a string: a docstring, or a comment."""
    ends = following is None or following.type == tokenize.NEWLINE
    return token.type == tokenize.STRING and before in LINE_STARTS and ends
