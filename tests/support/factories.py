"""Creates bots on a site and results of matches; the real referees compute the results."""

import itertools
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import cache

from django.utils import timezone

from agon.contest.arena import Played
from agon.site.accounts.models import User
from agon.site.bots.models import Bot, Submission
from agon.site.bots.states import BotState, State
from agon.site.competitions.models import Competition
from agon.site.leaderboards import ratings
from agon.site.leaderboards.models import Rated, Rating
from agon.site.matches.models import Match, Seat
from agon.site.use_cases import qualification
from games.core.compliance import scripted
from games.core.driver import Driver
from games.core.faults import FaultCause, FaultKind
from games.core.manifest import load
from games.core.reason import NO_REASON, Reason
from games.core.record import SeatInfo
from tests.support.reasons import said

_numbers = itertools.count(1)


def submit(
    owner: User, competition: Competition, name: str = "", state: State = State.QUALIFYING
) -> Submission:
    """A submission in this state of the bot `name`; without a name, of a new bot."""
    number = next(_numbers)
    name = name or f"bot {number}"
    bots = Bot.objects.exclude(state=BotState.DELETED)
    bot, _ = bots.get_or_create(owner=owner, competition=competition, name=name)
    return Submission.objects.create(
        bot=bot, number=bot.submissions.count() + 1, digest=f"{number:064x}", filename="bot.py", state=state
    )


def activate(owner: User, competition: Competition, names: Sequence[str]) -> list[Submission]:
    """Active submissions, without the rated matches that follow."""
    named = [name for name in names if name]
    if (
        len({*named}) == len(named)
        and not Bot.objects.filter(competition=competition, name__in=named).exists()
    ):
        return _new_ones(owner, competition, names)
    return versions(owner, competition, names)


def active_bots(owner: User, competition: Competition, names: Sequence[str]) -> list[Bot]:
    """The bots of `activate`."""
    return [submission.bot for submission in activate(owner, competition, names)]


def _new_ones(owner: User, competition: Competition, names: Sequence[str]) -> list[Submission]:
    """Like `versions`, for bots that do not exist yet, in a fifth of the time. Most tests begin with this."""
    bots, submissions = [], []
    for name in names:
        number = next(_numbers)
        bots.append(Bot.objects.create(owner=owner, competition=competition, name=name or f"bot {number}"))
        fields = {"bot_id": bots[-1].pk, "number": 1, "digest": f"{number:064x}", "filename": "bot.py"}
        fields |= {"state": State.ACTIVE, "activated": timezone.now(), "reason": NO_REASON}
        submissions.append(Submission(**fields))
    Submission.objects.bulk_create(submissions)
    for bot, submission in zip(bots, submissions, strict=True):
        bot.active = submission
    Bot.objects.bulk_update(bots, ["active"])
    made = Rating.objects.bulk_create([Rating(competition=competition) for _ in names])
    Rated.objects.bulk_create(
        Rated(submission_id=submission.pk, rating=rating)
        for submission, rating in zip(submissions, made, strict=True)
    )
    ratings.change_bots(competition)
    return submissions


def versions(owner: User, competition: Competition, names: Sequence[str]) -> list[Submission]:
    """Active submissions, made one by one by the platform's own code; for existing bots, new versions."""
    submissions = [submit(owner, competition, name) for name in names]
    for submission in submissions:
        qualification.enter_play(submission)
        submission.refresh_from_db()
    return submissions


def samurai(number: int) -> Callable[[scripted.Request], str]:
    """A bot that picks the lord `number` forever."""
    return lambda request: " ".join([str(number)] * (5 if request.step % 2 == 0 else 2))


def as_reason(why: str | Reason) -> Reason:
    return why if isinstance(why, Reason) else said(why)


def played(
    match: Match,
    faults: dict[tuple[int, int], tuple[str, str | Reason]] | None = None,
    always: dict[str, str] | None = None,
) -> Played:
    """A result of a Samurai match; faults: {(step, seat): (kind, reason)}; always: the answer of a bot."""
    seats = list(match.seats.select_related("submission").order_by("number"))
    players = [samurai(number) for number in range(len(seats))]
    for number, seat in enumerate(seats):
        if said := (always or {}).get(seat.name):
            players[number] = lambda request, said=said: said
    causes = {
        place: FaultCause(FaultKind(kind), as_reason(why)) for place, (kind, why) in (faults or {}).items()
    }
    return _played(match, seats, scripted.play(match.competition.info, players, match.seed, faults=causes))


def duel(match: Match, strengths: Sequence[str], faulty: Collection[str] = ()) -> Played:
    """A result of a match of Honest RPS: the bot first in `strengths` wins; a draw if neither is in it.

    faulty: names of bots that never answer.
    """
    seats = list(match.seats.select_related("submission").order_by("number"))
    places = [strengths.index(seat.name) if seat.name in strengths else -1 for seat in seats]
    words = [{True: "P", False: "R"}[place == min(places) and len(set(places)) == 2] for place in places]
    crashed = [number for number, seat in enumerate(seats) if seat.name in faulty]
    return _played(match, seats, _duel(match.competition.game, tuple(words), tuple(crashed)))


@cache
def _duel(game: str, words: Sequence[str], crashed: Sequence[int]) -> Driver:
    """A match whose seats always answer these words. The game is without chance: any seed leads to it."""
    crash = FaultCause(FaultKind.CRASH, said("it crashed"))
    players = [lambda request, word=word: word for word in words]
    return scripted.play(load(game), players, 0, start=dict.fromkeys(crashed, crash))


def _played(match: Match, seats: Sequence[Seat], driver: Driver) -> Played:
    infos = [SeatInfo(seat.name, seat.submission.digest) for seat in seats]
    record = replace(driver.log(infos, "2026-01-01T00:00:00+00:00", 0.25), seed=match.seed)
    stderr = tuple(f"seat {number} says hello\n".encode() for number in range(len(seats)))
    return Played(record, stderr, driver.files, 0.25)
