"""When two names of accounts or bots are the same, or look the same.

Two names are **the same** if their name keys are equal: they differ in case, width or ligatures alone. They
**look alike** if they have the same skeleton (Unicode Technical Standard 39), either as written or by their
name keys: a Cyrillic o among Latin letters, 1 for l, rn for m. A new name may not look like another's,
and may not contain characters that are displayed as nothing.
"""

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple
from unicodedata import category, normalize

DATA = Path(__file__).with_name("confusables.txt")

_JOINERS = "\u200c\u200d"


class Skeletons(NamedTuple):
    """Digests of a name's skeletons: of its name key, and of the name as written, case ignored."""

    folded: str
    written: str


def name_key(name: str) -> str:
    """The name without case, width and ligatures.

    Databases do not agree on it: SQLite ignores the case of ASCII alone, PostgreSQL follows the rules of its
    locale, letter by letter. So the key is stored beside the name, and compared.
    """
    return normalize("NFKC", normalize("NFKC", name).casefold())


def skeletons_of(name: str) -> Skeletons:
    """The digests to store beside a name, by which names that look like it are found."""
    return Skeletons(_digest(skeleton(name_key(name))), _digest(skeleton(name).casefold()))


def skeleton(name: str) -> str:
    """The skeleton of UTS 39: equal for names that are easily confused."""
    alike, ignorable = _table()
    shown = (char for char in normalize("NFD", name) if ord(char) not in ignorable)
    return normalize("NFD", "".join(alike.get(char, char) for char in shown))


def has_invisible(name: str) -> bool:
    """Whether a name has a character that is displayed as nothing, in any form in which it is compared."""
    _, ignorable = _table()
    return any(ord(char) in ignorable for form in ("NFC", "NFKC") for char in normalize(form, name))


def misleads(title: str) -> bool:
    """Whether a title is displayed as nothing, or has a control character, such as one that turns text round.

    Titles need not differ from each other, so joiners and variations of emoji are allowed, unlike in names.
    """
    controls = (char for char in title if category(char) in ("Cc", "Cf", "Cs") and char not in _JOINERS)
    return next(controls, None) is not None or not skeleton(title).strip()


def _digest(text: str) -> str:
    return sha256(text.encode(errors="surrogatepass")).hexdigest()


@cache
def _table() -> tuple[dict[str, str], frozenset[int]]:
    """What each character looks like; the characters that are shown as nothing."""
    alike: dict[str, str] = {}
    ignorable: set[int] = set()
    for line in DATA.read_text().splitlines():
        if line.startswith("#"):
            continue
        if "-" in line:
            start, end = line.split("-")
            ignorable.update(range(int(start, 16), int(end, 16) + 1))
        else:
            char, prototype = line.split(" ")
            alike[chr(int(char, 16))] = "".join(chr(int(code, 16)) for code in prototype.split("+"))
    return alike, frozenset(ignorable)
