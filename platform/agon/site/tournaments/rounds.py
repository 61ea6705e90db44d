"""The bracket, groups or rounds of a tournament, as its page shows them: what its format shows, in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from agon.contest.formats import shown as of_format
from agon.site.tournaments import scheduling
from agon.site.tournaments.cached import cached
from agon.site.tournaments.models import Entrant, Tournament


@dataclass
class Side:
    """As in agon.contest.formats.shown, like all below, but with entrants, ids of matches, and words."""

    entrant: Entrant | None
    points: Fraction | None
    won: bool
    won_label: str


@dataclass
class PairingShown:
    sides: list[Side]
    matches: list[int]
    note: str
    over: bool


@dataclass
class Column:
    title: str
    pairings: list[PairingShown]
    lead: str


@dataclass
class Chart:
    title: str
    columns: list[Column]


@dataclass
class GroupShown:
    title: str
    rows: list[tuple[Entrant, Fraction]]
    note: str


@dataclass
class RoundShown:
    number: int
    pairings: list[PairingShown]
    byes: list[Entrant]


@dataclass
class Shown:
    charts: list[Chart] = field(default_factory=list)
    groups: list[GroupShown] = field(default_factory=list)
    rounds: list[RoundShown] = field(default_factory=list)


def recently_shown(tournament: Tournament) -> Shown:
    """`shown`, cached for a moment; empty for formats without a bracket or rounds to show."""
    if tournament.chosen_format.show is None:
        return Shown()
    return cached(tournament, f"rounds-shown-{get_language()}", lambda: shown(tournament))


def shown(tournament: Tournament) -> Shown:
    """The bracket and groups, or the rounds, of a started tournament in a format that has them."""
    show = tournament.chosen_format.show
    if show is None:
        return Shown()
    entrants = list(tournament.entrants.select_related("bot"))
    history = scheduling.history(tournament)
    scheduled_matches = scheduling.scheduled_matches(tournament)
    # Read last: if a round is queued meanwhile, there are more ids than matches, and none is missing.
    numbers = dict(tournament.matches.values_list("index", "pk"))
    ids = {(scheduled.round, scheduled.number): numbers[scheduled.index] for scheduled in scheduled_matches}
    return _Reader(entrants, ids).read(show(scheduling.plan(tournament), history))


@dataclass(frozen=True)
class _Reader:
    """Puts entrants, ids and the reader's words in place of numbers, places and texts."""

    entrants: Sequence[Entrant]
    ids: Mapping[of_format.Place, int]

    def read(self, shown: of_format.Shown) -> Shown:
        return Shown(
            [Chart(_(chart.title), list(map(self._column, chart.columns))) for chart in shown.charts],
            [GroupShown(_words(group.title), self._rows(group), _note(group.note)) for group in shown.groups],
            [
                RoundShown(
                    round.number, self._pairings(round.pairings), [self.entrants[bye] for bye in round.byes]
                )
                for round in shown.rounds
            ],
        )

    def _column(self, column: of_format.Column) -> Column:
        return Column(_words(column.title), self._pairings(column.pairings), column.lead)

    def _rows(self, group: of_format.GroupShown) -> list[tuple[Entrant, Fraction]]:
        return [(self.entrants[entrant], points) for entrant, points in group.rows]

    def _pairings(self, pairings: Sequence[of_format.PairingShown]) -> list[PairingShown]:
        return [
            PairingShown(
                [
                    Side(
                        None if side.entrant is None else self.entrants[side.entrant],
                        side.points,
                        side.won,
                        _(side.won_label),
                    )
                    for side in pairing.sides
                ],
                [self.ids[place] for place in pairing.matches],
                _note(pairing.note),
                pairing.over,
            )
            for pairing in pairings
        ]


def _note(text: str) -> str:
    return _(text) if text else ""


def _words(text: of_format.Text) -> str:
    return _(text.text) % text.values if text.text else ""
