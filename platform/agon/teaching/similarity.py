"""Which programs of a class are alike, and where: fingerprints of their tokens, chosen by winnowing.

Schleimer, Wilkerson and Aiken: Winnowing: Local Algorithms for Document Fingerprinting (2003). Names,
numbers and strings count as equal, comments and layout not at all, so that renaming hides nothing. What is
in a starter or in a house bot belongs to no student. A pair is a reason to look, and no proof. The scanner
takes time in proportion to the text, whatever the text is.
"""

import re
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import combinations
from pathlib import PurePosixPath

GRAM = 16  # tokens of a fingerprint; shorter passages are not found
WINDOW = 9  # of so many fingerprints one is kept: each common passage of GRAM + WINDOW - 1 tokens is found
MOST_PLACES = 8  # of one fingerprint in a program, to which a passage is compared

_HASH_COMMENTS = (".py", ".rb", ".sh", ".bash", ".pl", ".r", ".toml")
_STRINGS = (
    r"""(?P<quotes>"{3}|'{3})(?:\\.|[^\\])*?(?:(?P=quotes)|\\?\Z)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?"""
)
_REST = r"(?P<number>\d[\w.]*)|(?P<word>\w+)|(?P<sign>\S)|\s+"
_SCAN_HASH = re.compile(rf"(?P<comment>\#[^\n]*)|(?P<string>{_STRINGS})|{_REST}", re.DOTALL)
_SCAN_SLASHES = re.compile(
    rf"(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))|(?P<string>{_STRINGS})|{_REST}", re.DOTALL
)
_WORDS = (
    "and as async await bool break byte case catch char class const continue def default del delete do "
    "double elif else end enum except extends False final finally float fn for foreach from func function "
    "global if impl import in include int interface is lambda let long loop match mod mut namespace new "
    "nil None none not null or package pass private public raise return self short static string struct "
    "super switch then this throw trait true True try type union unless unsigned until use using var void "
    "when while with yield"
)
_KEYWORDS = frozenset(_WORDS.split())


@dataclass(frozen=True)
class Passage:
    """Lines, from 1, of a file of either program that have `tokens` tokens in common."""

    left_file: str
    left_lines: tuple[int, int]
    right_file: str
    right_lines: tuple[int, int]
    tokens: int


@dataclass(frozen=True)
class Pair:
    """left_share, right_share: of a program's own tokens, those in passages."""

    left: int
    right: int
    left_share: float
    right_share: float
    passages: tuple[Passage, ...]


@dataclass(frozen=True)
class _Token:
    text: str
    file: str
    line: int


_Run = Sequence[_Token]  # tokens of one file, with nothing in between that is not the student's own
_Place = tuple[int, int]  # a run and a token in it
Files = Mapping[str, str]


def pairs(programs: Mapping[int, Files], excluded: Sequence[Files], seconds: float = 60.0) -> list[Pair]:
    """The programs that have passages in common, the most alike first. excluded: starters and house bots.

    seconds: of this thread's processor time, for comparing passages: text can be such that each pair takes
    long. Those with the most fingerprints in common are compared first.
    """
    known = {gram for files in excluded for run in _runs(files) for gram in _grams(run)}
    own = {key: _without(_runs(files), known) for key, files in programs.items()}
    prints = {key: _fingerprints(runs) for key, runs in own.items()}
    common = {
        (left, right): shared
        for left, right in combinations(sorted(programs), 2)
        if (shared := len(prints[left].keys() & prints[right].keys()))
    }
    deadline = time.thread_time() + seconds
    alike = []
    for left, right in sorted(common, key=lambda both: -common[both]):
        if time.thread_time() > deadline:
            break
        pair = _pair(left, right, own[left], own[right], prints[left], prints[right])
        alike += [pair] if pair.passages else []
    return sorted(alike, key=lambda pair: (-max(pair.left_share, pair.right_share), pair.left, pair.right))


def _pair(
    left: int,
    right: int,
    left_runs: Sequence[_Run],
    right_runs: Sequence[_Run],
    left_prints: Mapping[bytes, Sequence[_Place]],
    right_prints: Mapping[bytes, Sequence[_Place]],
) -> Pair:
    starts = sorted(
        (place, right_prints[gram][:MOST_PLACES])
        for gram, places in left_prints.items()
        if gram in right_prints
        for place in places
    )
    passages = []
    left_covered: set[_Place] = set()
    right_covered: set[_Place] = set()
    for place, others in starts:
        if place in left_covered:
            continue
        spans = [_common(left_runs[place[0]], place[1], right_runs[there[0]], there[1]) for there in others]
        (before, after), right_place = max(
            zip(spans, others, strict=True), key=lambda candidate: sum(candidate[0])
        )
        if before + after < GRAM:
            continue  # two fingerprints of one value
        passages.append(
            _passage(left_runs[place[0]], place[1], right_runs[right_place[0]], right_place[1], before, after)
        )
        left_covered |= {(place[0], place[1] + step) for step in range(-before, after)}
        right_covered |= {(right_place[0], right_place[1] + step) for step in range(-before, after)}
    left_size, right_size = sum(map(len, left_runs)), sum(map(len, right_runs))
    return Pair(left, right, len(left_covered) / left_size, len(right_covered) / right_size, tuple(passages))


def _common(left: _Run, at: int, right: _Run, there: int) -> tuple[int, int]:
    """How many tokens before, and from, the two places are equal."""
    before = after = 0
    while before < min(at, there) and left[at - before - 1].text == right[there - before - 1].text:
        before += 1
    most = min(len(left) - at, len(right) - there)
    while after < most and left[at + after].text == right[there + after].text:
        after += 1
    return before, after


def _passage(left: _Run, at: int, right: _Run, there: int, before: int, after: int) -> Passage:
    first, last = left[at - before], left[at + after - 1]
    other_first, other_last = right[there - before], right[there + after - 1]
    return Passage(
        first.file,
        (first.line, last.line),
        other_first.file,
        (other_first.line, other_last.line),
        before + after,
    )


def _runs(files: Files) -> list[_Run]:
    return [_scan(path, text) for path, text in sorted(files.items())]


def _scan(path: str, text: str) -> list[_Token]:
    scanner = _SCAN_HASH if PurePosixPath(path).suffix.lower() in _HASH_COMMENTS else _SCAN_SLASHES
    tokens, line = [], 1
    for matched in scanner.finditer(text):
        kind, value = matched.lastgroup, matched.group()
        if kind == "word":
            tokens.append(_Token(value if value in _KEYWORDS else "name", path, line))
        elif kind == "sign":
            tokens.append(_Token(value, path, line))
        elif matched["number"] or matched["string"]:
            tokens.append(_Token("1" if matched["number"] else '"', path, line))
        line += value.count("\n")
    return tokens


def _grams(run: _Run) -> list[bytes]:
    texts = [token.text for token in run]
    return [
        blake2b("\n".join(texts[place : place + GRAM]).encode(), digest_size=8).digest()
        for place in range(len(texts) - GRAM + 1)
    ]


def _without(runs: Sequence[_Run], known: set[bytes]) -> list[_Run]:
    """The runs without the tokens of known fingerprints, cut where these were."""
    own: list[_Run] = []
    for run in runs:
        current: list[_Token] = []
        known_until = 0
        grams = _grams(run)
        for place, token in enumerate(run):
            if place < len(grams) and grams[place] in known:
                known_until = place + GRAM
            if place >= known_until:
                current.append(token)
            elif current:
                own.append(current)
                current = []
        if current:
            own.append(current)
    return own


def _fingerprints(runs: Sequence[_Run]) -> dict[bytes, list[_Place]]:
    """The least fingerprint of each window, the last one of equal ones, by its value."""
    places: dict[bytes, list[_Place]] = defaultdict(list)
    for number, run in enumerate(runs):
        grams = _grams(run)
        chosen = {
            min(range(start, min(start + WINDOW, len(grams))), key=lambda place: (grams[place], -place))
            for start in range(max(len(grams) - WINDOW + 1, min(len(grams), 1)))
        }
        for place in sorted(chosen):
            places[grams[place]].append((number, place))
    return dict(places)
