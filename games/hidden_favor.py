"""The board of games in which favor is won in the open and in secret; hidden_favor.js draws it.

Every turn all players choose at once with which of six targets (lords, languages) they win favor: on open
turns five times, 1 each, visible to all; on secret ones twice, 2 each, and only the number of picks of each
target is shown. There are two tables, the real one and the shown one, which becomes a copy of the real one
when the referee reveals it. Each game decides when that happens and when points are shared out.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from random import Random
from typing import Any

from games.core.game import Json
from games.core.match_log import MatchLog
from games.core.story import StoryLine, Term

TARGETS = 6
TURNS = 9
OPEN_PICKS, SECRET_PICKS = 5, 2
# Shares have denominators 1 to 4: counted in twelfths they are whole numbers, exact and quick.
_WHOLE = 12
_TOKENS = re.compile(r"[^ \t\r]+").findall
_TARGET = re.compile(r"\+?0*([0-5])", re.ASCII).fullmatch
_TARGET_OF_DIGIT = {str(target): target for target in range(TARGETS)}


def draw_worths(rng: Random) -> list[int]:
    """What each target is worth: 3 to 6, uniform and independent."""
    return [rng.randint(3, 6) for _ in range(TARGETS)]


def picks_of(raw: Json, count: int) -> tuple[int, ...]:
    """The targets in an answer, each judged by itself: a missing or invalid one is target 0."""
    picks = [_target(token) for token in _TOKENS(str(raw))[:count]]
    return (*picks, *(0,) * (count - len(picks)))


def slips(log: MatchLog, seat: int, no_target: str, wrong_count: str) -> list[StoryLine]:
    """The answers of a seat that are legal but probably mistaken.

    no_target: the text if one of the words that count is not a target (values `step`, `word`).
    wrong_count: the text if words are missing or too many (values `step`, `expected`, `got`).
    """
    result = []
    for exchange in log.exchanges:
        if exchange.seat != seat or exchange.fault is not None:
            continue
        expected = OPEN_PICKS if exchange.step % 2 == 0 else SECRET_PICKS
        words = _TOKENS(str(exchange.reply))
        word = next((word for word in words[:expected] if not _TARGET(word)), "")
        values: dict[str, str | int | Term] = {
            "step": exchange.step + 1,
            "expected": expected,
            "got": len(words),
        }
        if word:
            result.append(StoryLine(seat, exchange.step, no_target, values | {"word": repr(word[:20])}))
        elif len(words) != expected:
            result.append(StoryLine(seat, exchange.step, wrong_count, values))
    return result


def counted(picks: Sequence[int]) -> str:
    """What was picked, and how often: "1, 4 ×2"."""
    return ", ".join(
        f"{target} ×{times}" if times > 1 else str(target) for target, times in sorted(Counter(picks).items())
    )


class Favor:
    """The favor of each target for each seat. A table is a list of rows: one per target, with one column per
    seat."""

    def __init__(self, seats: int) -> None:
        self.real = [[0] * seats for _ in range(TARGETS)]
        self.shown = [[0] * seats for _ in range(TARGETS)]
        self.secret_picks = [0] * TARGETS
        self.twelfths = [0] * seats
        self._columns = [_own_first(seat, seats) for seat in range(seats)]

    def win_openly(self, chosen: Mapping[int, Sequence[int]]) -> None:
        """1 per pick, visible to all. chosen: targets by seat."""
        for seat, targets in chosen.items():
            for target in targets:
                self.real[target][seat] += 1
                self.shown[target][seat] += 1

    def win_secretly(self, chosen: Mapping[int, Sequence[int]]) -> None:
        """2 per pick, hidden; the number of picks (not the gain) is shown to all."""
        self.secret_picks = [0] * TARGETS
        for seat, targets in chosen.items():
            for target in targets:
                self.real[target][seat] += 2
                self.secret_picks[target] += 1

    def reveal(self) -> None:
        """Show everything won so far: a copy, so that later gains do not count twice."""
        self.shown = [list(row) for row in self.real]

    def share_out(self, worths: Sequence[int]) -> None:
        """Each target's worth is shared by the seats it favors most and lost by those it favors least."""
        for worth, row in zip(worths, self.real, strict=True):
            most, least = max(row), min(row)
            gain = worth * _WHOLE // row.count(most)
            loss = worth * _WHOLE // row.count(least)
            for seat, favor in enumerate(row):
                if favor == most:
                    self.twelfths[seat] += gain
                if favor == least:
                    self.twelfths[seat] -= loss

    def points(self) -> list[Fraction]:
        """By seat, exact."""
        return [Fraction(twelfths, _WHOLE) for twelfths in self.twelfths]

    def winner(self) -> int | None:
        """The seat with the most points; None in a draw, when several have them."""
        best = max(self.twelfths)
        return self.twelfths.index(best) if self.twelfths.count(best) == 1 else None

    def block(self, seat: int, heading: str, *, secret_picks: bool) -> str:
        """What a seat reads each turn: the shown table, itself first; its own real favor; the secret
        picks."""
        own, a, b, c = self._columns[seat]
        lines = [heading]
        lines += [f"{row[own]} {row[a]} {row[b]} {row[c]}" for row in self.shown]
        lines.append(line([row[own] for row in self.real]))
        if secret_picks:
            lines.append(line(self.secret_picks))
        return "\n".join(lines) + "\n"


def points_now(worths: Sequence[int], real: Sequence[Sequence[int]]) -> list[Fraction]:
    """What each seat gets if these tables were shared out. real: by target, then by seat."""
    favor = Favor(len(real[0]))
    favor.real = [list(row) for row in real]
    favor.share_out(worths)
    return favor.points()


def shown_only(frame: Mapping[str, Any], *, secret: bool) -> dict[str, Json]:
    """A frame without what is hidden from any of the players: secret picks, and favor that was not shown."""
    if "real" not in frame:
        return dict(frame)
    picks = [[] for _ in frame["picks"]] if secret else frame["picks"]
    return {**frame, "picks": picks, "real": frame["shown"]}


def line(numbers: Sequence[int]) -> str:
    """Numbers with single blanks between them."""
    return " ".join(map(str, numbers))


def _own_first(seat: int, seats: int) -> list[int]:
    """The order of a bot's columns: itself, then the others by ascending seat."""
    return [seat, *(other for other in range(seats) if other != seat)]


def _target(token: str) -> int:
    """The target that a token names; 0 for anything but a whole number from 0 to 5."""
    if token in _TARGET_OF_DIGIT:
        return _TARGET_OF_DIGIT[token]
    match = _TARGET(token)
    return int(match[1]) if match else 0
