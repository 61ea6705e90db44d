"""A match of one's bot is played again with an edited program: same game, seed and seat, same opponents.

Opponents are house bots and the author's own versions, as in every trial. Authors of other bots have not
agreed that these play for others, so a house bot of about the same rating sits in the place of each, and the
page says so. This is possible only once the seed is public: it could reveal other seeds of a running contest.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.contrib.auth.models import AnonymousUser

from agon.site.accounts.models import User
from agon.site.bots.access import owns
from agon.site.bots.models import Submission
from agon.site.bots.states import COMPETED, State
from agon.site.competitions.models import Competition
from agon.site.leaderboards import table
from agon.site.matches import records
from agon.site.matches.models import Match, Seat
from agon.site.tournaments.match_access import visible
from agon.site.trials.tables import Table, house_opponents


class Replaced(NamedTuple):
    """Another bot sits in a seat than in the match. Names with their versions."""

    before: str
    now: str


@dataclass(frozen=True)
class Again:
    """A match to be played again from the seat of one of the user's bots."""

    match: Match
    seat: Seat
    others: tuple[Submission, ...]
    replaced: Sequence[Replaced]

    @property
    def key(self) -> str:
        """It names the match and the seat in an address."""
        return key_of(self.seat)

    @property
    def table(self) -> Table:
        return Table(self.others[0], self.others, self.seat.number, self.match.seed)


def key_of(seat: Seat) -> str:
    return f"{seat.match_id}-{seat.number}"


def seats(user: User | AnonymousUser, match: Match, among: Sequence[Seat]) -> list[Seat]:
    """The seats among those given from which the user may play a match again that they may see.

    Not that of a bot at home: its program is not here to be edited.
    """
    if not match.seed_is_public or match.state != Match.State.FINISHED or not match.competition.is_open:
        return []
    return [seat for seat in among if _is_own(seat.submission, user) and not seat.submission.is_home]


def find(user: User | AnonymousUser, key: str) -> Again | None:
    """What the key names; None if the user may not play that again, or no bot can take an opponent's seat."""
    number, _, place = key.partition("-")
    if not (_is_number(number) and _is_number(place)) or not user.is_authenticated:
        return None
    matches = visible(user).select_related("competition", "tournament", "comparison").filter(pk=int(number))
    match = matches.select_related("recording").first()
    if match is None or not records.is_kept(match):
        return None
    every = list(match.seats.select_related("submission__bot__active"))
    own = next((seat for seat in seats(user, match, every) if seat.number == int(place)), None)
    if own is None:
        return None
    seated = _seated(user, match.competition, [seat.submission for seat in every if seat != own])
    if not seated:
        return None
    before = [seat for seat in every if seat != own]
    replaced = [
        Replaced(_label(seat.submission, seat.name), _label(now, now.bot.name))
        for seat, now in zip(before, seated, strict=True)
        if seat.submission_id != now.pk
    ]
    return Again(match, own, seated, replaced)


def _seated(
    user: User | AnonymousUser, competition: Competition, before: Sequence[Submission]
) -> tuple[Submission, ...]:
    """Who sits in the seats of `before`; () if no house bot plays that could."""
    kept = [_kept(submission, user) for submission in before]
    house = house_opponents(competition)
    if not all(kept) and not house:
        return ()
    ratings = {
        row.bot_id: row.rating for row in table.rows_of([submission.bot for submission in (*before, *house)])
    }
    submissions: list[Submission] = []
    for opponent, same in zip(before, kept, strict=True):
        free = [bot for bot in house if bot not in submissions and bot not in kept] or house
        submissions.append(same or _nearest(free, ratings, opponent))
    return tuple(submissions)


def _kept(version: Submission, user: User | AnonymousUser) -> Submission | None:
    """The version itself or, of a bot that may still play here, the active one; None for a bot of others."""
    if not version.bot.house and not _is_own(version, user):
        return None
    if version.state == State.ACTIVE or (version.state in COMPETED and version.artifact_bytes):
        return version
    return version.bot.active


def _nearest(house: Sequence[Submission], ratings: dict[int, float], to: Submission) -> Submission:
    """The house bot whose rating is nearest; without ratings the strongest."""
    if to.bot_id not in ratings:
        return house[-1]
    rated = [submission for submission in house if submission.bot_id in ratings] or house
    return min(rated, key=lambda opponent: abs(ratings.get(opponent.bot_id, 0.0) - ratings[to.bot_id]))


def _is_own(version: Submission, user: User | AnonymousUser) -> bool:
    return owns(user, version.bot)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 18


def _label(version: Submission, name: str) -> str:
    return f"{name} #{version.number}"
