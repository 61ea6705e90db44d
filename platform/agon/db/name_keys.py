"""Names that people give to themselves and to their bots: when are two of them the same to the eye?

Two names are **the same** if they fold to the same (`folded`): they differ in case, width or ligatures alone.
They **look alike** if they have the same skeleton (Unicode Technical Standard 39), as they are written or
when both are folded: a Cyrillic o among Latin letters, 1 for l, rn for m. Nobody may take a name that
looks like another's. Characters that are shown as nothing are in no new name at all.
"""

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

DATA = Path(__file__).with_name("confusables.txt")


class Looks(NamedTuple):
    """Digests of a name's skeletons: of the folded name, and as it is written, in whatever case."""

    folded: str
    written: str


def folded(name: str) -> str:
    """What is left of a name without upper and lower case, width and ligatures.

    Databases do not agree on it: SQLite folds ASCII alone, PostgreSQL letter by letter by its locale's rules.
    So the folded name is kept beside the name, and compared.
    """
    return normalize("NFKC", normalize("NFKC", name).casefold())


def refolded(kept: str, name: str) -> str:
    """What is to be kept beside `name`, beside which `kept` is kept ("" at first): new where the name is new.

    Of names from before that turned out to be the same, all but one have a mark behind a # (in no name).
    """
    now = folded(name)
    return kept if kept.partition("#")[0] == now else now


def looks(name: str) -> Looks:
    """What is kept beside a name to find those that look like it."""
    return Looks(_digest(skeleton(folded(name))), _digest(skeleton(name).casefold()))


def skeleton(name: str) -> str:
    """The skeleton of UTS 39: the same for names that can hardly be told apart."""
    alike, ignorable = _table()
    shown = (char for char in normalize("NFD", name) if ord(char) not in ignorable)
    return normalize("NFD", "".join(alike.get(char, char) for char in shown))


def has_invisible(name: str) -> bool:
    """Whether a name has a character that is shown as nothing, in whatever form it is compared."""
    _, ignorable = _table()
    return any(ord(char) in ignorable for form in ("NFC", "NFKC") for char in normalize(form, name))


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
