"""The prizes of a competition: which places get what, as organizers write it, and what goes to which rank."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _

from agon.site.core.db.name_keys import misleads

MOST_PRIZES = 50
LONGEST = 200  # characters of a text
LAST_PLACE = 1000
_PLACES = re.compile(r"([0-9]{1,4})(?:\s*[-–]\s*([0-9]{1,4}))?")


class Prize(NamedTuple):
    """What each of the places `first` to `last` gets."""

    first: int
    last: int
    text: str

    @property
    def places(self) -> str:
        """As organizers write it: “1”, “2-3”."""
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"

    @property
    def size(self) -> int:
        """How many places get it."""
        return self.last - self.first + 1

    def to_json(self) -> dict[str, str]:
        return {"places": self.places, "text": self.text}


def from_json(value: object) -> Prize:
    """Raises TypeError, ValueError."""
    if not isinstance(value, Mapping) or set(value) != {"places", "text"}:
        raise TypeError(value)
    places, text = value["places"], value["text"]
    if not isinstance(places, str) or not isinstance(text, str):
        raise TypeError(value)
    return _prize(places, text)


def from_lines(lines: str) -> tuple[Prize, ...]:
    """The prizes of a text with one a line, such as “2-3: A book”. Raises ValueError with a sentence."""
    prizes = []
    for number, line in enumerate(lines.splitlines(), 1):
        if not line.strip():
            continue
        places, colon, text = line.partition(":")
        try:
            prizes.append(_prize(places, text if colon else ""))
        except ValueError:
            words = _("Line %(line)d: expected places and a prize, such as “2-3: A book”; got “%(given)s”.")
            raise ValueError(words % {"line": number, "given": line.strip()[:60]}) from None
    return tuple(prizes)


def to_lines(prizes: Iterable[Prize]) -> str:
    """The text that `from_lines` reads."""
    return "\n".join(f"{prize.places}: {prize.text}" for prize in prizes)


def normal(prizes: Iterable[Prize]) -> tuple[Prize, ...]:
    """The prizes in the order of their places."""
    return tuple(sorted(Prize(prize.first, prize.last, " ".join(prize.text.split())) for prize in prizes))


def problem(prizes: Sequence[Prize]) -> str:
    """What is wrong with prizes in their normal form; "" if nothing is."""
    if len(prizes) > MOST_PRIZES:
        return _("At most %(most)d prizes; these are %(given)d.") % {
            "most": MOST_PRIZES,
            "given": len(prizes),
        }
    before = 0
    for prize in prizes:
        if not 1 <= prize.first <= prize.last <= LAST_PLACE:
            words = _("Expected places from 1 to %(most)d, the first one first; got “%(places)s”.")
            return words % {"most": LAST_PLACE, "places": prize.places}
        if prize.first <= before:
            return _("Place %(place)d gets two prizes.") % {"place": prize.first}
        if not prize.text or misleads(prize.text):
            return _("A prize needs visible letters, and no control characters.")
        if len(prize.text) > LONGEST:
            words = _("At most %(most)d characters; these are %(length)d.")
            return words % {"most": LONGEST, "length": len(prize.text)}
        before = prize.last
    return ""


def of_ranks(prizes: Sequence[Prize], ranks: Iterable[int]) -> dict[int, tuple[Prize, ...]]:
    """What goes to each rank. Those who tie share the prizes of all places that they take together."""
    counted: dict[int, int] = {}
    for rank in ranks:
        counted[rank] = counted.get(rank, 0) + 1
    return {
        rank: tuple(prize for prize in prizes if prize.first < rank + count and rank <= prize.last)
        for rank, count in counted.items()
    }


def _prize(places: str, text: str) -> Prize:
    """Raises ValueError."""
    parts = _PLACES.fullmatch(places.strip())
    if parts is None or not text.strip():
        raise ValueError(places)
    first = int(parts[1])
    return Prize(first, int(parts[2] or first), text.strip())
