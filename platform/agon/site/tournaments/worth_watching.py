"""Chooses the match that spectators see next: on the home page, and on the pages that play one after another.

Everyone may see it: what a wall or a stream shows must not depend on who is signed in. It is over, so that it
can be played at a speed that people can follow.

- Of a competition: a rated match without faults that one bot won alone. It must not be long.
- Of a tournament: a match of the latest round that counts.
"""

from collections.abc import Iterable, Sequence, Set
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from django.contrib.auth.models import AnonymousUser

from agon.site.competitions.models import Competition
from agon.site.core.cached import cached
from agon.site.leaderboards import table
from agon.site.matches.models import Fault, Match, Seat
from agon.site.matches.states import State
from agon.site.tournaments import happening
from agon.site.tournaments.match_access import may_see_records, visible
from agon.site.tournaments.models import Tournament
from games.core.manifest import file_of

FRESH = 10.0  # seconds
LATEST_MATCHES = 100  # matches to consider
RANKED = 10  # bots at the top that count as such
STEPS = (4, 600)  # of a competition's match, at least and at most


class Candidate(NamedTuple):
    """A match that may be shown.

    bots: ids, by seat. names: by seat. steps: its length. upset: whether it was one; see
    agon.site.tournaments.happening. with_people: whether a bot of a user plays, not only house bots. tops:
    how many of the first RANKED bots of the leaderboard play. round: of its tournament, else 0.
    """

    match: int
    bots: tuple[int, ...]
    names: tuple[str, ...]
    steps: int
    upset: bool = False
    with_people: bool = False
    tops: int = 0
    round: int = 0


def of_competition(competition: Competition) -> list[Candidate]:
    """The candidates of a competition, in any order; none if its game has no viewer."""
    if competition.suspended or file_of(competition.game, "viewer.js") is None:
        return []
    return cached(f"watch-competition-{competition.pk}", lambda: _of_competition(competition), FRESH)


def of_tournament(tournament: Tournament) -> list[Candidate]:
    """The candidates of a tournament, in any order; none while its results are not everyone's."""
    if file_of(tournament.competition.game, "viewer.js") is None:
        return []
    return cached(f"watch-tournament-{tournament.pk}", lambda: _of_tournament(tournament), FRESH)


def choose(candidates: Sequence[Candidate], shown: Sequence[int] = ()) -> Candidate | None:
    """The best candidate. shown: the matches that these spectators have seen, the last one at the end.

    What they have not seen comes first, with bots that they have not just seen together. If they have seen
    all, the match that was shown the longest ago comes again.
    """
    seen = {match: place for place, match in enumerate(shown)}
    pairings = {frozenset(candidate.bots) for candidate in candidates if candidate.match in seen}

    def worth(candidate: Candidate) -> tuple[object, ...]:
        return (
            -seen.get(candidate.match, -1),
            frozenset(candidate.bots) not in pairings,
            candidate.round,
            candidate.upset,
            candidate.with_people,
            candidate.tops,
            candidate.match,
        )

    return max(candidates, key=worth, default=None)


def _of_competition(competition: Competition) -> list[Candidate]:
    if not may_see_records(AnonymousUser(), competition):
        return []
    played = Match.objects.filter(
        competition=competition,
        kind=Match.Kind.LADDER,
        state=State.FINISHED,
        steps__range=STEPS,
        removed_record=None,
    )
    latest = list(played.order_by("-pk").values_list("pk", flat=True)[:LATEST_MATCHES])
    won = Seat.objects.filter(match__in=latest, won=True).values_list("match", flat=True)
    faulty = Fault.objects.filter(seat__match__in=latest).values_list("seat__match", flat=True)
    upsets = {upset.match for upset in happening.upsets()}
    best = table.best([competition], RANKED).get(competition.pk, [])
    return _candidates(set(won) - set(faulty), upsets, {row.bot_id for row in best})


def _of_tournament(tournament: Tournament) -> list[Candidate]:
    counted = visible(AnonymousUser()).filter(tournament=tournament, kind=Match.Kind.TOURNAMENT)
    played = counted.filter(state=State.FINISHED, removed_record=None).order_by("-index")
    return _candidates(played.values_list("pk", flat=True)[:LATEST_MATCHES])


def _candidates(
    matches: Iterable[int], upsets: Set[int] = frozenset(), best: Set[int] = frozenset()
) -> list[Candidate]:
    """upsets: matches that were one. best: the bots at the top of the leaderboard."""
    seats = Seat.objects.filter(match__in=list(matches)).order_by("match", "number")
    fields = ("match", "submission__bot", "name", "submission__bot__house", "match__steps", "match__round")
    candidates = []
    for match, group in groupby(seats.values_list(*fields), key=itemgetter(0)):
        of_match = list(group)
        bots = tuple(seat[1] for seat in of_match)
        with_people = not all(seat[3] for seat in of_match)
        tops = len(best & set(bots))
        names, steps, round_ = tuple(seat[2] for seat in of_match), of_match[0][4], of_match[0][5]
        candidates.append(
            Candidate(match, bots, names, steps, match in upsets, with_people, tops, round_ or 0)
        )
    return candidates
