"""Writes a Swiss tournament as a TRF16 file, the report format of FIDE (Handbook C.04 annex 2: "Agreed
TRF16").

A few lines describe the tournament. A line (001) for each entrant has its starting rank, name, points and
rank, and ten columns for each round: opponent, color (w for the first seat), and result. Results are 1, = and
0 for matches played, `-` for a match without a result, `U` for a bye that is worth a point, and `Z` for a
round in which the entrant was absent.
"""

from collections.abc import Sequence
from datetime import date
from fractions import Fraction

from agon.contest.formats.base import History, Outcome, Plan, place_points
from agon.contest.formats.swiss import rank, score

_WORDS = {Fraction(1): "1", Fraction(1, 2): "=", Fraction(0): "0"}
_NOT_THERE = "0000 - Z"
_BYE = "0000 - U"


def to_trf(
    name: str, site: str, began: date, ended: date, plan: Plan, history: History, bots: Sequence[str]
) -> str:
    """The file's text. bots: names in entry order. Raises ValueError for a game of more than two seats."""
    if plan.seats != 2:
        raise ValueError(f"seats: expected 2, got {plan.seats}")
    points, ranks = score(plan, history), rank(plan, history).ranks
    lines = [
        f"012 {_plain(name)}",
        f"022 {_plain(site)}",
        f"042 {began:%Y/%m/%d}",
        f"052 {ended:%Y/%m/%d}",
        f"062 {plan.entrants}",
        "092 Individual: Swiss-System",
        f"XXR {plan.rounds}",
    ]
    for entrant, bot in enumerate(bots):
        rounds = "".join(f"  {_cell(entrant, history, number)}" for number in range(history.number))
        identity = f"001 {entrant + 1:4}      {_plain(bot)[:33]:33}"
        lines.append(f"{identity:80}{float(points[entrant]):4.1f} {ranks[entrant]:4}{rounds}".rstrip())
    return "\r\n".join(lines) + "\r\n"


def _cell(entrant: int, history: History, number: int) -> str:
    """What an entrant did in a round, in eight columns."""
    played = history.rounds[number]
    outcome = next((match for match in played.outcomes if entrant in match.seats), None)
    if outcome is None:
        return _BYE if entrant in played.idle else _NOT_THERE
    seat = outcome.seats.index(entrant)
    return f"{outcome.seats[1 - seat] + 1:4} {'wb'[seat]} {_result(outcome, seat)}"


def _result(outcome: Outcome, seat: int) -> str:
    return _WORDS[place_points(outcome.ranks)[seat]] if outcome.ranks else "-"


def _plain(text: str) -> str:
    """One line, as the columns want it."""
    return " ".join(text.split())
