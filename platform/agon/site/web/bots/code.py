"""Source code as it is shown on pages: highlighted, and two versions compared.

Foreign text: what it contains is escaped, and its size bounds the work. Lexers and differ are not linear in
the worst case, so long files and long lines are shown plainly, and each gets SECONDS for a whole page. That
bounds no single token, for which some of Pygments' 500 lexers may take hours: only those of languages that
bots are written in are used, and not that of Markdown, which uses all others.
"""

import difflib
import time
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import PurePosixPath
from typing import NamedTuple

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_for_filename
from pygments.token import Comment, Keyword, Name, Number, String, _TokenType
from pygments.util import ClassNotFound

from agon.contest.text import escape_controls
from sandbox.languages.registry import extensions

MOST_BYTES = 256 << 10  # of a file; a larger one is only named
MOST_SHOWN = 1 << 20  # of all files
MOST_FILES = 200
MOST_LEXED = 64 << 10  # of a file
BESIDES = (".h", ".hpp", ".json", ".toml")  # files that are highlighted, besides programs
LONGEST_LINE = 1000  # characters of a line that a lexer gets
SECONDS = 1.0  # of this thread's processor time, for all lexers of a page, or all comparisons
MOST_LINES = 3000  # of a file that is compared
CONTEXT = 3  # lines around a difference
# What is highlighted, by the class of its spans; the first match counts.
CLASSES = (
    (Comment, "c"),
    (String, "s"),
    (Number, "n"),
    (Keyword, "k"),
    (Name.Function, "f"),
    (Name.Class, "f"),
)

Files = Sequence[tuple[str, bytes]]


class CodeFile(NamedTuple):
    """size: in bytes. lines: None for a file that is binary or too large."""

    path: str
    size: int
    lines: list[SafeString] | None


class DiffLine(NamedTuple):
    """sign: "+", "-", " ", or "@" for the place of what follows."""

    sign: str
    text: str


class FileDiff(NamedTuple):
    """lines: None where the files are binary or too large to be compared."""

    path: str
    change: str  # "added", "removed", "changed"
    lines: list[DiffLine] | None


def highlighted(files: Files) -> list[CodeFile]:
    """The files with their lines as HTML."""
    deadline = time.thread_time() + SECONDS
    left = MOST_SHOWN
    result = []
    for path, data in files[:MOST_FILES]:
        text = _text(data) if len(data) <= left else None
        left -= len(data) if text is not None else 0
        result.append(CodeFile(path, len(data), None if text is None else _lines(path, text, deadline)))
    return result


def compared(old: Files, new: Files) -> list[FileDiff]:
    """The files that differ, by path."""
    deadline = time.thread_time() + SECONDS
    left = MOST_SHOWN
    before, after = dict(old), dict(new)
    result = []
    for path in sorted(path for path in before | after if before.get(path) != after.get(path))[:MOST_FILES]:
        size = len(before.get(path, b"")) + len(after.get(path, b""))
        lines = _differences(before.get(path, b""), after.get(path, b""), deadline) if size <= left else None
        left -= size if lines is not None else 0
        change = "added" if path not in before else "removed" if path not in after else "changed"
        result.append(FileDiff(path, change, lines))
    return result


def _text(data: bytes) -> str | None:
    if len(data) > MOST_BYTES or b"\0" in data:
        return None
    try:
        return escape_controls(data.decode())
    except UnicodeDecodeError:
        return None


def _lines(path: str, text: str, deadline: float) -> list[SafeString]:
    lexer = _lexer(path, text)
    tokens: Iterator[tuple[_TokenType | None, str]] = iter([(None, text)])
    if lexer is not None and time.thread_time() < deadline:
        tokens = _until(deadline, lexer, text)
    lines: list[list[tuple[str, str]]] = [[]]
    for kind, value in tokens:
        name = _class(kind)
        for place, part in enumerate(value.split("\n")):
            if place:
                lines.append([])
            if part:
                lines[-1].append((name, part))
    if not lines[-1]:
        del lines[-1]  # the text ends with a line end
    return [_html(line) for line in lines]


def _html(line: Sequence[tuple[str, str]]) -> SafeString:
    """A line of parts and their classes; neighbors of one class share a span."""
    parts = []
    for name, group in groupby(line, key=itemgetter(0)):
        text = "".join(part for _, part in group)
        parts.append(format_html('<span class="{}">{}</span>', name, text) if name else escape(text))
    return mark_safe("".join(parts))


def _lexer(path: str, text: str) -> Lexer | None:
    known = PurePosixPath(path).suffix.lower() in (*extensions(), *BESIDES)
    if not known or len(text) > MOST_LEXED or max(map(len, text.split("\n"))) > LONGEST_LINE:
        return None
    try:
        return get_lexer_for_filename(path)
    except ClassNotFound:
        return None


def _until(deadline: float, lexer: Lexer, text: str) -> Iterator[tuple[_TokenType | None, str]]:
    """The tokens; at the deadline (of time.thread_time), the rest of the text without a kind."""
    for place, kind, value in lexer.get_tokens_unprocessed(text):
        if time.thread_time() > deadline:
            yield None, text[place:]
            return
        yield kind, value


def _class(kind: _TokenType | None) -> str:
    return next((name for group, name in CLASSES if kind is not None and kind in group), "")


class _OutOfTime(Exception):
    """What is compared takes too long."""


class _Matcher(difflib.SequenceMatcher[str]):
    """Raises _OutOfTime after a deadline: its time may grow with the cube of the number of lines."""

    def __init__(self, old: Sequence[str], new: Sequence[str], deadline: float) -> None:
        super().__init__(None, old, new)
        self._deadline = deadline

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> difflib.Match:
        if time.thread_time() > self._deadline:
            raise _OutOfTime
        return super().find_longest_match(alo, ahi, blo, bhi)


def _differences(before: bytes, after: bytes, deadline: float) -> list[DiffLine] | None:
    """The lines that differ, and those around them. None where that is not shown."""
    old, new = _text(before), _text(after)
    if old is None or new is None:
        return None
    ours, theirs = (text.split("\n") if text else [] for text in (old, new))
    if max(len(ours), len(theirs)) > MOST_LINES:
        return None
    try:
        return list(_in_groups(ours, theirs, _Matcher(ours, theirs, deadline)))
    except _OutOfTime:
        return None


def _in_groups(ours: Sequence[str], theirs: Sequence[str], matcher: _Matcher) -> Iterator[DiffLine]:
    for group in matcher.get_grouped_opcodes(CONTEXT):
        (_, first, _, new_first, _), (_, _, last, _, new_last) = group[0], group[-1]
        yield DiffLine("@", f"@@ -{_range(first, last)} +{_range(new_first, new_last)} @@")
        for tag, start, end, new_start, new_end in group:
            if tag == "equal":
                yield from (DiffLine(" ", line) for line in ours[start:end])
                continue
            yield from (DiffLine("-", line) for line in ours[start:end])
            yield from (DiffLine("+", line) for line in theirs[new_start:new_end])


def _range(first: int, last: int) -> str:
    """A range of lines as `diff -u` writes it: the first line, and the number of lines unless it is 1."""
    count = last - first
    if count == 1:
        return str(last)
    return f"{first + 1 if count else first},{count}"
