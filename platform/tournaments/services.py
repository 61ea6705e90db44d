"""Running a tournament: draft, start, pause, resume, cancel; what it has come to.

At the start the entrants' active submissions are frozen and the whole schedule is determined: contest.formats
is a pure function of entrants, rounds and what contest.secret_seeds derives from the seed and the
tournament's salt. The matches themselves are queued in chunks, one transaction each, with how many there are
already written in the same transaction: if a process is killed in between, `tick` continues where it stopped,
and no match is queued twice. A tournament is finished when all its matches are finished, void or withdrawn.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.db.models import Avg, Count, Q
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from accounts.models import User
from agon import isolation
from agon.db.transitions import IllegalTransition
from bots.models import Bot
from competitions.models import Competition
from contest import formats
from contest.formats import BadFormat, Pairing
from matches import queueing
from matches.models import Match
from matches.states import OVER, move_all
from matches.states import State as MatchState
from tournaments import states, stopped
from tournaments.models import Entrant, Tournament
from tournaments.states import State

CHUNK = 1000  # matches queued in one transaction, and no more before most of them are played
SEEDS = 1 << 53  # whole numbers that every reader of JSON keeps exact
DRAWN = 1 << 31  # seeds are drawn below it; what is secret is the salt


class BadTournament(Exception):
    """A tournament that cannot be. `field`: "name", "format", "rounds", "seed", "bots", or "" for none."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True)
class Progress:
    """Matches in all, over (of these void or withdrawn), being played now.

    seconds_left: estimated, None at first.
    """

    total: int
    done: int
    void: int
    running: int
    seconds_left: float | None

    @property
    def played(self) -> int:
        return self.done - self.void


def may_organise(user: User | AnonymousUser, tournament: Tournament | None = None) -> bool:
    """Whether `user` may run this tournament; without one, whether he may create one."""
    if not user.is_authenticated:
        return False
    if user.has_perm("tournaments.change_tournament"):
        return True
    if tournament is None:
        return user.has_perm("tournaments.add_tournament")
    return tournament.organiser_id == user.pk


def visible(user: User | AnonymousUser) -> Q:
    """The tournaments that there are for `user`: one not started is there for those who may start it.

    Who enters is its organizer's affair until then.
    """
    if user.has_perm("tournaments.change_tournament"):
        return Q()
    return Q(started__isnull=False) | Q(organiser=user.pk)


def draw_seed() -> int:
    """A seed short enough to be typed again; the tournament's salt, not this, keeps the matches secret."""
    return secrets.randbelow(DRAWN)


@transaction.atomic
def create(
    organiser: User,
    competition: Competition,
    name: str,
    format: str,
    rounds: int,
    seed: int,
    bots: Sequence[Bot],
) -> Tournament:
    """A draft. `bots` enter in this order. Raises BadTournament."""
    name = " ".join(name.split())
    if not 1 <= len(name) <= 120:
        raise BadTournament("name", _("A tournament name must have 1 to 120 characters."))
    if not 0 <= seed < SEEDS:
        raise BadTournament("seed", _("The seed must be a number from 0 to %(most)d.") % {"most": SEEDS - 1})
    for bot in bots:
        if bot.competition_id != competition.pk:
            raise BadTournament("bots", _("%(bot)s is not in this competition.") % {"bot": bot})
    if len({bot.pk for bot in bots}) != len(bots):
        raise BadTournament("bots", _("A bot can enter a tournament only once."))
    _count(format, len(bots), competition, rounds)
    tournament = Tournament.objects.create(
        competition=competition, name=name, format=format, rounds=rounds, seed=seed, organiser=organiser
    )
    Entrant.objects.bulk_create(
        Entrant(tournament=tournament, number=number, bot=bot) for number, bot in enumerate(bots)
    )
    return tournament


@transaction.atomic
def start(tournament: Tournament) -> None:
    """Freeze the entrants' submissions and names, queue the first matches.

    Raises BadTournament, IllegalTransition.
    """
    _only_from(tournament, State.DRAFT, State.RUNNING)
    _lock_bots(tournament)
    entrants = list(tournament.entrants.select_related("bot__active"))
    for entrant in entrants:
        if entrant.bot.active is None:
            raise BadTournament("bots", _("%(bot)s has no active submission.") % {"bot": entrant.bot})
        entrant.submission = entrant.bot.active
        entrant.name = entrant.bot.name
    total = _count(tournament.format, len(entrants), tournament.competition, tournament.rounds)
    states.move(tournament, State.RUNNING, started=timezone.now(), total=total)
    Entrant.objects.bulk_update(entrants, ["submission", "name"])
    schedule(tournament)


@transaction.atomic
def pause(tournament: Tournament) -> None:
    """Play no more matches but those that are being played. Raises IllegalTransition."""
    states.move(tournament, State.PAUSED)
    move_all(tournament.matches.all(), MatchState.QUEUED, MatchState.HELD)


@transaction.atomic
def resume(tournament: Tournament) -> None:
    """Go on after a pause. Raises IllegalTransition."""
    _only_from(tournament, State.PAUSED, State.RUNNING)
    states.move(tournament, State.RUNNING)
    queueing.hint(Match.Queue.BULK, move_all(tournament.matches.all(), MatchState.HELD, MatchState.QUEUED))


@transaction.atomic
def cancel(tournament: Tournament) -> None:
    """Give it up: what is not finished will not be played. Raises IllegalTransition."""
    states.move(tournament, State.CANCELLED, finished_at=timezone.now())
    for state in (MatchState.QUEUED, MatchState.HELD, MatchState.RUNNING):
        move_all(
            tournament.matches.all(),
            state,
            MatchState.WITHDRAWN,
            reason=gettext_noop("The tournament was cancelled."),
            lease_until=None,
            finished_at=timezone.now(),
        )


@transaction.atomic
def schedule(tournament: Tournament) -> int:
    """Queue the next chunk of a running tournament's matches, if few are waiting; how many were queued."""
    current = Tournament.objects.select_for_update().get(pk=tournament.pk)
    if current.state != State.RUNNING or current.scheduled == current.total:
        return 0
    if current.matches.filter(state=MatchState.QUEUED).count() > CHUNK // 2:
        return 0
    entrants = list(current.entrants.values_list("submission", "name"))
    digests = dict(current.entrants.values_list("submission", "submission__digest"))
    chunk = pairings(current)[current.scheduled : current.scheduled + CHUNK]
    queueing.queue_many(
        (
            (
                Match(
                    competition=current.competition,
                    tournament=current,
                    kind=Match.Kind.TOURNAMENT,
                    queue=Match.Queue.BULK,
                    seed=current.seeds.of_match(
                        pairing.index, [digests[entrants[entrant][0]] for entrant in pairing.seats]
                    ),
                    index=pairing.index,
                    round=pairing.round,
                ),
                [entrants[entrant] for entrant in pairing.seats],
            )
            for pairing in chunk
        ),
        Match.Queue.BULK,
    )
    stopped.withdraw(current)
    current.scheduled += len(chunk)
    current.save(update_fields=["scheduled"])
    return len(chunk)


def pairings(tournament: Tournament) -> tuple[Pairing, ...]:
    """The schedule of a tournament that was started."""
    info = tournament.competition.info
    return _schedule(
        tournament.format,
        tournament.entrants.count(),
        info.min_seats,
        tournament.rounds,
        tournament.seeds.of_seatings(),
    )


@transaction.atomic
def settle(tournament_id: int) -> bool:
    """Finish a running tournament of which every match is over; whether it was finished now."""
    tournament = Tournament.objects.select_for_update().get(pk=tournament_id)
    if tournament.state != State.RUNNING or tournament.scheduled < tournament.total:
        return False
    if tournament.matches.exclude(state__in=OVER).exists():
        return False
    states.move(tournament, State.FINISHED, finished_at=timezone.now())
    return True


def tick() -> None:
    """What the sweeper does for tournaments: go on scheduling, finish, hold what a pause has missed."""
    running = Tournament.objects.filter(state=State.RUNNING)
    isolation.each(running, schedule)
    isolation.each(list(running.values_list("pk", flat=True)), settle)
    strays = Match.objects.filter(
        Q(tournament__state=State.PAUSED, state=MatchState.QUEUED)
        | Q(tournament__state=State.RUNNING, state=MatchState.HELD)
    )
    isolation.each(set(strays.values_list("tournament", flat=True)), _set_right)


@transaction.atomic
def _set_right(tournament_id: int) -> None:
    """Hold, or queue, matches that were given back by their worker just when it was paused, or resumed."""
    tournament = Tournament.objects.select_for_update().get(pk=tournament_id)
    matches = tournament.matches.all()
    if tournament.state == State.PAUSED:
        move_all(matches, MatchState.QUEUED, MatchState.HELD)
    elif tournament.state == State.RUNNING:
        queueing.hint(Match.Queue.BULK, move_all(matches, MatchState.HELD, MatchState.QUEUED))


def progress(tournament: Tournament) -> Progress:
    """How far it is. The estimate: mean time of a match, times those left, over those played at once."""
    facts = tournament.matches.aggregate(
        done=Count("pk", filter=Q(state__in=OVER)),
        void=Count("pk", filter=Q(state__in=(MatchState.VOID, MatchState.WITHDRAWN))),
        running=Count("pk", filter=Q(state=MatchState.RUNNING)),
        mean=Avg("seconds"),
    )
    mean = facts.pop("mean")
    left = tournament.total - facts["done"]
    seconds_left = None if mean is None else mean * left / max(1, facts["running"])
    return Progress(total=tournament.total, seconds_left=seconds_left, **facts)


def _lock_bots(tournament: Tournament) -> None:
    """A bot that leaves play just now has left it, or is frozen as an entrant first."""
    bots = Bot.objects.filter(pk__in=tournament.entrants.values("bot")).order_by("pk")
    list(bots.select_for_update().values_list("pk"))


def _only_from(tournament: Tournament, state: State, wanted: State) -> None:
    """Two states lead to `running`, by different ways: a draft is started, a paused tournament resumed."""
    found = Tournament.objects.select_for_update().get(pk=tournament.pk).state
    if found != state:
        raise IllegalTransition(tournament, found, wanted)


def _count(format: str, entrants: int, competition: Competition, rounds: int) -> int:
    try:
        return formats.count(format, entrants, competition.info.min_seats, rounds)
    except BadFormat as error:
        field = "bots" if error.field == "entrants" else error.field
        raise BadTournament(field, _(error.text) % error.values) from error


@lru_cache(maxsize=2)
def _schedule(format: str, entrants: int, seats: int, rounds: int, seed: int) -> tuple[Pairing, ...]:
    return tuple(formats.schedule(format, entrants, seats, rounds, seed))
