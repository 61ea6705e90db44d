"""Creates, starts, pauses, resumes and cancels tournaments, and computes their progress.

At the start the entrants' active submissions are frozen. agon.site.tournaments.scheduling then queues the
matches.
"""

import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Avg, Count, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from agon.contest import formats
from agon.contest.formats import FORMATS, BadFormat, Value
from agon.contest.secret_seeds import new_draw
from agon.site.accounts.models import User
from agon.site.audit import acts
from agon.site.audit.acts import LONGEST_REASON
from agon.site.audit.verbs import Verb
from agon.site.bots.models import Bot
from agon.site.competitions.models import Competition
from agon.site.core.db.deadlocks import repeated_after_deadlock
from agon.site.core.db.name_keys import misleads
from agon.site.core.db.transitions import move_all
from agon.site.core.queue.notify import notify_on_commit
from agon.site.core.texts.likely_times import why_unlikely
from agon.site.core.texts.numbers import filled
from agon.site.core.texts.reasons import StoredReason
from agon.site.leaderboards import table
from agon.site.matches import queueing
from agon.site.matches import states as match_states
from agon.site.matches.models import Match
from agon.site.matches.states import OVER
from agon.site.matches.states import State as MatchState
from agon.site.teams.queries import acts_for
from agon.site.tournaments import game_rules, states
from agon.site.tournaments.models import Entrant, Rerun, Tournament
from agon.site.tournaments.scheduling import schedule
from games.core.manifest import GameInfo

SEEDS = 1 << 53  # seeds are below it: integers that every JSON parser keeps exact
DRAWN = 1 << 31  # drawn seeds are below it: short to type, since the salt is what is secret


class BadTournament(Exception):
    """The tournament cannot be created or changed this way; str(e) says why, in the reader's language.

    field: the field of the form that it concerns: "name", "format", "rounds", "seed", "bots", "reason", the
    name of a setting of the format, ..., or "" for none.
    """

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class Start(NamedTuple):
    """When a tournament starts by itself, who enters then, and who sees the results."""

    at: datetime | None = None
    field: str = Tournament.Field.CHOSEN
    release: str = Tournament.Release.PUBLIC


BY_HAND = Start()  # an organizer starts it


class Draft(NamedTuple):
    """What an organizer chooses for a tournament; see `create`."""

    name: str
    format: str
    rounds: int | None
    seed: int
    bots: Sequence[Bot]
    settings: Mapping[str, Value] | None
    starts: Start
    sources_open: bool


@dataclass(frozen=True)
class Progress:
    """Numbers of matches: all, those that are over, of these the void or withdrawn ones, and those running.

    is_estimate: whether there may be more or fewer than `total`. seconds_left: an estimate; None before the
    first result.
    """

    total: int
    done: int
    void: int
    running: int
    is_estimate: bool
    seconds_left: float | None

    @property
    def played(self) -> int:
        """Matches with a result."""
        return self.done - self.void


def draw_seed() -> int:
    """A random seed, short enough to type: it need not be secret, since the salt is."""
    return secrets.randbelow(DRAWN)


@transaction.atomic
def create(
    organizer: User,
    competition: Competition,
    name: str,
    format: str,
    rounds: int | None,
    seed: int,
    bots: Sequence[Bot],
    settings: Mapping[str, Value] | None = None,
    starts: Start = BY_HAND,
    sources_open: bool = False,
) -> Tournament:
    """Create a draft whose matches have as few seats as the game allows.

    rounds: None for as many as the format proposes for those who enter, which is decided at the start.
    bots: the entrants, in the order of entry. settings: of the format; those not given have their defaults.
    sources_open: whether everyone may read the programs when it is over; then owners enter their bots
    (agon.site.tournaments.entering). Raises BadTournament.
    """
    competition = Competition.objects.select_for_update(no_key=True).get(pk=competition.pk)
    wanted = Draft(name, format, rounds, seed, bots, settings, starts, sources_open)
    fields = validated(wanted, organizer, competition)
    tournament = Tournament.objects.create(competition=competition, organizer=organizer, **fields)
    enter(tournament, bots)
    details: dict[str, object] = {"commitment": tournament.commitment}
    if sources_open:
        details |= {"sources_open": True, "entered": [bot.name for bot in bots]}
    record(Verb.CREATE, tournament, organizer, details=details)
    return tournament


def validated(draft: Draft, organizer: User, competition: Competition) -> dict[str, Any]:
    """The fields of a draft's row, without its entrants. Raises BadTournament."""
    name = " ".join(draft.name.split())
    if not 1 <= len(name) <= 120:
        raise BadTournament("name", _("A tournament name must have 1 to 120 characters."))
    if misleads(name):
        raise BadTournament("name", _("A name cannot contain invisible characters."))
    if not 0 <= draft.seed < SEEDS:
        raise BadTournament("seed", _("The seed must be a number from 0 to %(most)d.") % {"most": SEEDS - 1})
    bots, starts = draft.bots, draft.starts
    if wrong := why_unlikely(starts.at):
        raise BadTournament("starts_at", wrong)
    if starts.at is not None and competition.state == Competition.State.ARCHIVED:
        raise BadTournament("starts_at", _("The competition is archived: open it again first."))
    for bot in bots:
        if bot.competition_id != competition.pk:
            raise BadTournament("bots", _("%(bot)s is not in this competition.") % {"bot": bot})
    if len({bot.pk for bot in bots}) != len(bots):
        raise BadTournament("bots", _("A bot can enter a tournament only once."))
    seats = competition.info.min_seats
    settings = _with_defaults(draft.format, draft.settings)
    rounds = draft.rounds
    if rounds is None:
        rounds = proposed_rounds(draft.format, len(bots), seats, settings)
    if draft.sources_open:
        _check_consent(organizer, bots, starts)
    elif starts.field == Tournament.Field.CHOSEN:
        _count_matches(draft.format, len(bots), seats, rounds, settings)
    elif starts.at is None:
        raise BadTournament("starts_at", _("Say when it starts, because that decides which bots enter."))
    return {
        "name": name,
        "format": draft.format,
        "rounds": rounds,
        "rounds_by_field": draft.rounds is None,
        "format_settings": settings,
        "seats": seats,
        "starts_at": starts.at,
        "field": starts.field,
        "release": starts.release,
        "sources_open": draft.sources_open,
        "seed": draft.seed,
    }


def proposed_rounds(format: str, entrants: int, seats: int, settings: Mapping[str, Value]) -> int:
    """The rounds for so many entrants, where the organizer chooses none. Raises BadTournament."""
    chosen = FORMATS.get(format)
    if chosen is None or chosen.proposed_rounds is None:
        raise BadTournament("rounds", _("Say how many rounds are played."))
    return chosen.proposed_rounds(entrants, seats, settings)


def _check_consent(organizer: User, bots: Sequence[Bot], starts: Start) -> None:
    """Refuse to publish programs whose owners have not entered them. Raises BadTournament."""
    if starts.field != Tournament.Field.CHOSEN:
        raise BadTournament("field", _("Where sources are opened, owners enter their bots themselves."))
    others = [bot.name for bot in bots if not bot.house and not acts_for(organizer, bot.owner_id)]
    if others:
        raise BadTournament(
            "bots",
            _("Where sources are opened, owners enter their bots themselves: %(bots)s.")
            % {"bots": ", ".join(others)},
        )


def enter(tournament: Tournament, bots: Sequence[Bot]) -> None:
    """Make these the entrants of a draft, in this order."""
    tournament.entrants.all().delete()
    Entrant.objects.bulk_create(
        Entrant(tournament=tournament, number=number, bot=bot) for number, bot in enumerate(bots)
    )


def fitted_settings(tournament: Tournament, entrants: int) -> Mapping[str, Value]:
    """The settings of a draft, or those that so many entrants can play by."""
    fitted, settings = tournament.chosen_format.fitted, tournament.format_settings
    return settings if fitted is None else fitted(entrants, tournament.seats, settings)


def most_rounds(tournament: Tournament) -> int:
    """The rounds of a draft, or the most below that its format allows for its entrants.

    If it allows none, such as for a single entrant, they stay as they are.
    """
    field, seats = tournament.entrants.count(), tournament.seats
    for rounds in range(tournament.rounds, 0, -1):
        with suppress(BadTournament):
            _count_matches(tournament.format, field, seats, rounds, tournament.format_settings)
            return rounds
    return tournament.rounds


@repeated_after_deadlock
@transaction.atomic
def start(tournament: Tournament, by: User | None = None, why: str = "") -> None:
    """Freeze the entrants' submissions, names and ratings, and queue the first matches.

    Raises BadTournament, IllegalTransition.
    """
    Tournament.objects.select_for_update(no_key=True).get(pk=tournament.pk)
    tournament.refresh_from_db()  # it may have been edited since it was read
    info = tournament.competition.info
    _check_seats(tournament, info)
    field = tournament.entrants.count()
    if tournament.rounds_by_field:
        tournament.rounds = proposed_rounds(
            tournament.format, field, tournament.seats, tournament.format_settings
        )
    total = _count_matches(
        tournament.format, field, tournament.seats, tournament.rounds, tournament.format_settings
    )
    times = {"started": timezone.now(), "starts_at": None}
    game = {"game_version": info.version, **game_rules.at_the_start(tournament)}
    tournament.move(states.START, total=total, rounds=tournament.rounds, **game, **times)
    lock_bots(tournament)
    entrants = list(tournament.entrants.select_related("bot__active"))
    ratings = {row.bot_id: row.points for row in table.rows_of(entry.bot for entry in entrants) if row.known}
    for entrant in entrants:
        if entrant.bot.active is None:
            raise BadTournament("bots", _("%(bot)s has no active submission.") % {"bot": entrant.bot})
        entrant.submission = entrant.bot.active
        entrant.name = entrant.bot.name
        entrant.rating = ratings.get(entrant.bot_id)
    Entrant.objects.bulk_update(entrants, ["submission", "name", "rating"])
    # Drawn after the entrants are frozen: even with the salt, seeds cannot be chosen by choosing entrants.
    tournament.draw = new_draw()
    tournament.save(update_fields=["draw"])
    record(Verb.START, tournament, by, why, details={"draw": tournament.draw})
    schedule(tournament)


@repeated_after_deadlock
@transaction.atomic
def pause(tournament: Tournament, by: User | None = None, why: str = "") -> None:
    """Start no more matches; running ones end normally. Raises IllegalTransition."""
    tournament.move(states.PAUSE)
    record(Verb.PAUSE, tournament, by, why)
    move_all(tournament.matches.all(), match_states.HOLD)


@repeated_after_deadlock
@transaction.atomic
def resume(tournament: Tournament, by: User | None = None, why: str = "") -> None:
    """Continue after a pause. Raises IllegalTransition."""
    tournament.move(states.RESUME)
    record(Verb.RESUME, tournament, by, why)
    notify_on_commit(Match.Queue.BULK, move_all(tournament.matches.all(), match_states.RESUME))


@repeated_after_deadlock
@transaction.atomic
def cancel(tournament: Tournament, by: User | None = None, why: str = "") -> None:
    """End the tournament: unfinished matches and re-runs are withdrawn. Raises IllegalTransition."""
    tournament.move(states.CANCEL, finished_at=timezone.now())  # the announced time stays for calendars
    record(Verb.CANCEL, tournament, by, why)
    open_rerun = tournament.reruns.filter(state=Rerun.State.PLAYING)
    rerun_matches = Match.objects.filter(rerun__rerun__in=open_rerun)
    for matches in (tournament.matches.all(), Match.objects.filter(pk__in=rerun_matches.values("pk"))):
        queueing.withdraw(matches, StoredReason("tournament_cancelled"))
    open_rerun.update(state=Rerun.State.DISCARDED)


def check_text(field: str, text: str) -> None:
    """Refuse what no database can store as text. Raises BadTournament."""
    if "\0" in text:
        raise BadTournament(field, _("A text cannot contain a null character."))


def check_reason(reason: str, *, is_required: bool = False) -> None:
    """Raises BadTournament for a reason that the log does not take, or that is missing."""
    if is_required and not reason.strip():
        raise BadTournament("reason", _("Give a reason: entrants see it."))
    check_text("reason", reason)
    if len(reason) > LONGEST_REASON:
        raise BadTournament(
            "reason", _("A reason must have at most %(most)d characters.") % {"most": LONGEST_REASON}
        )


def record(
    verb: Verb,
    tournament: Tournament,
    by: User | None,
    reason: str = "",
    subject: str | None = None,
    details: Mapping[str, object] | None = None,
) -> None:
    """Add an entry to the tournament's log. subject: None for the tournament itself.

    Raises BadTournament, which undoes the act.
    """
    check_reason(reason)
    about = tournament.name if subject is None else subject
    acts.record(verb, by, tournament.competition, tournament, about, reason, details)


def progress(tournament: Tournament) -> Progress:
    """The progress. The estimate is the mean time of a match times the matches left, divided by the workers
    that are playing them.
    """
    facts = tournament.matches.aggregate(
        done=Count("pk", filter=Q(state__in=OVER)),
        void=Count("pk", filter=Q(state__in=(MatchState.VOID, MatchState.WITHDRAWN))),
        running=Count("pk", filter=Q(state=MatchState.RUNNING)),
        workers=Count("worker", filter=Q(state=MatchState.RUNNING), distinct=True),
        mean=Avg("seconds"),
    )
    mean, workers = facts.pop("mean"), facts.pop("workers")
    is_estimate = tournament.expected is not None
    total = tournament.likely_total
    left = max(facts["running"], total - facts["done"])
    seconds_left = None if mean is None else mean * left / max(1, workers)
    return Progress(total=total, is_estimate=is_estimate, seconds_left=seconds_left, **facts)


def lock_bots(tournament: Tournament) -> None:
    """Lock the entrants' bots, so that one that is leaving play leaves before the freeze or after it."""
    bots = Bot.objects.filter(pk__in=tournament.entrants.values("bot")).order_by("pk")
    list(bots.select_for_update(no_key=True).values_list("pk"))


def _check_seats(draft: Tournament, info: GameInfo) -> None:
    """Raise BadTournament if the game has another number of seats than when the draft was made."""
    if not info.min_seats <= draft.seats <= info.max_seats:
        words = _("The game has %(now)s seats now, and this tournament has %(seats)d: edit it first.")
        raise BadTournament("", words % {"now": info.seat_range, "seats": draft.seats})


def _count_matches(format: str, entrants: int, seats: int, rounds: int, settings: Mapping[str, Value]) -> int:
    try:
        return formats.count(format, entrants, seats, rounds, settings)
    except BadFormat as error:
        raise _to_bad_tournament(error) from error


def _with_defaults(format: str, settings: Mapping[str, Value] | None) -> dict[str, Value]:
    try:
        return formats.with_defaults(format, settings)
    except BadFormat as error:
        raise _to_bad_tournament(error) from error


def _to_bad_tournament(error: BadFormat) -> BadTournament:
    field = "bots" if error.field == "entrants" else error.field
    return BadTournament(field, filled(error.text, error.values))
