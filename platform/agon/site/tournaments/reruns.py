"""Runs matches of a tournament again; an organizer then applies or discards the new results.

Until then the new matches belong to no tournament and count for nothing. Their seeds are derived from a salt
and a draw of their own (SeedDraw), since the tournament's may be public, and the archive says which result is
from which. They are applied in one transaction, in which every new match with a result takes the place of its
old one; the old one is kept, and stays public. If a new match is void, the old result stays.

If later pairings follow from results (Format.needs_results), only the latest round of a paused or finished
tournament can be run again. If the new results of a finished tournament call for another round (the final may
be a draw now), it is reopened, and bots that were stopped since its end are disqualified.
"""

from collections import Counter
from collections.abc import Set
from dataclasses import asdict, dataclass
from datetime import datetime
from operator import attrgetter

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from agon.contest.points import Result
from agon.contest.secret_seeds import placed
from agon.contest.standings import StandingsRow
from agon.site.accounts.models import User
from agon.site.audit.verbs import Verb
from agon.site.core.texts.reasons import StoredReason
from agon.site.matches import queueing
from agon.site.matches.models import Match, Seat
from agon.site.matches.states import OVER
from agon.site.matches.states import State as MatchState
from agon.site.tournaments import scheduling, stopped
from agon.site.tournaments.kept_programs import check_next_round, check_programs
from agon.site.tournaments.models import Rerun, RerunMatch, SeedDraw, Tournament
from agon.site.tournaments.results import results, results_of
from agon.site.tournaments.services import BadTournament, check_reason, record
from agon.site.tournaments.standings import current_standings
from agon.site.tournaments.states import State

LARGEST = 10_000  # matches of one re-run
LISTED = 1000  # matches that an entry of the log names; it also says of how many these are the first
DISCARDED = StoredReason("results_discarded")


@dataclass(frozen=True)
class Choice:
    """The criteria for the matches to run again, which have to meet all that are given.

    bot: an entrant's number. worker: a part of its name. fault: a kind. since, until: when the match ended.
    numbers: ids of matches. void: only those without a result, because the platform failed.
    """

    bot: int | None = None
    worker: str = ""
    fault: str = ""
    since: datetime | None = None
    until: datetime | None = None
    numbers: tuple[int, ...] = ()
    void: bool = False


@dataclass(frozen=True)
class Preview:
    """The changes that a re-run would make.

    total, done: its matches, and those that are over. outcomes: how often each (old, new) pair of outcomes
    occurred, in words. table: each entrant's old and new row of the standings.
    """

    total: int
    done: int
    outcomes: dict[tuple[str, str], int]
    table: list[tuple[StandingsRow, StandingsRow]]

    @property
    def is_ready(self) -> bool:
        """Whether all matches of the re-run are over."""
        return self.done == self.total


def select_matches(tournament: Tournament, choice: Choice) -> QuerySet[Match]:
    """The matches that `choice` selects among the finished and void ones, in the order of the schedule."""
    matches = tournament.matches.filter(state__in=(MatchState.FINISHED, MatchState.VOID))
    if choice.bot is not None:
        entered = tournament.entrants.filter(number=choice.bot).values("submission")
        matches = matches.filter(pk__in=Seat.objects.filter(submission__in=entered).values("match"))
    if choice.worker:
        matches = matches.filter(worker__icontains=choice.worker)
    if choice.fault:
        matches = matches.filter(pk__in=Seat.objects.filter(faults__kind=choice.fault).values("match"))
    if choice.since:
        matches = matches.filter(finished_at__gte=choice.since)
    if choice.until:
        matches = matches.filter(finished_at__lte=choice.until)
    if choice.void:
        matches = matches.filter(state=MatchState.VOID)
    if choice.numbers:
        matches = matches.filter(pk__in=choice.numbers)
    return matches.order_by("index")


@transaction.atomic
def begin(tournament: Tournament, choice: Choice, by: User, reason: str) -> Rerun:
    """Queue new matches in place of the chosen ones; those of stopped bots are withdrawn at once.

    Raises BadTournament.
    """
    current = Tournament.objects.select_for_update(no_key=True).get(pk=tournament.pk)
    check_reason(reason, is_required=True)
    if choice == Choice():
        raise BadTournament("", _("Say which matches: give at least one of the criteria."))
    if current.state not in (State.RUNNING, State.PAUSED, State.FINISHED):
        raise BadTournament("", _("Only a tournament that was started and not cancelled can be run again."))
    if current.reruns.filter(state=Rerun.State.PLAYING).exists():
        raise BadTournament("", _("Apply or discard the matches that were run again before."))
    matches = list(select_matches(current, choice).prefetch_related("seats__submission__bot")[: LARGEST + 1])
    if not 1 <= len(matches) <= LARGEST:
        raise BadTournament(
            "", _("Expected 1 to %(most)d matches, got %(got)d.") % {"most": LARGEST, "got": len(matches)}
        )
    _check_rounds(current, matches)
    check_programs({seat.submission for match in matches for seat in match.seats.all()})
    rerun = Rerun.objects.create(tournament=current, by=by, reason=reason)
    draw = SeedDraw.objects.create(tournament=current, rerun=rerun)
    seeds = _first_seeds(current, draw, {match.index for match in matches})
    planned = [queueing.Planned(_seats(old), seeds[old.index], old.index, old.round) for old in matches]
    new_matches = queueing.queue_many(current.competition, Match.Kind.RERUN, planned)
    pairs = list(zip(matches, new_matches, strict=True))
    RerunMatch.objects.bulk_create(
        (RerunMatch(rerun=rerun, old=old, new=new) for old, new in pairs), batch_size=1000
    )
    with_stopped = [
        new.pk for old, new in pairs if any(seat.submission.bot.is_stopped for seat in old.seats.all())
    ]
    unwanted = Match.objects.filter(pk__in=with_stopped)  # their old results stay
    queueing.withdraw(unwanted, scheduling.STOPPED)
    numbers = [match.pk for match in matches]
    listed = {"matches": numbers[:LISTED], "of": len(numbers), "choice": _criteria_of(choice)}
    record(Verb.RERUN, current, by, reason, details=draw.published | listed)
    return rerun


def preview(rerun: Rerun) -> Preview:
    """The changes that the new results so far would make if they were applied."""
    pairs = list(rerun.matches.select_related("old", "new"))
    changed = _new_results(rerun)
    old = results(rerun.tournament)
    outcomes = Counter(
        (_outcome(old.get(pair.old.index)), _outcome(changed.get(pair.old.index)))
        for pair in pairs
        if pair.new.state in OVER
    )
    before = {row.entrant: row for row in current_standings(rerun.tournament)}
    after = current_standings(rerun.tournament, changed)
    table = [(before[row.entrant], row) for row in after]
    return Preview(len(pairs), sum(outcomes.values()), dict(outcomes), table)


@transaction.atomic
def apply(rerun: Rerun, by: User, reason: str = "") -> None:
    """Let the new results count. Raises BadTournament."""
    current = _locked(rerun)
    pairs = list(current.matches.select_related("old", "new"))
    if any(pair.new.state not in OVER for pair in pairs):
        raise BadTournament("", _("Some of these matches are still to be played."))
    tournament = current.tournament
    _check_rounds(tournament, [pair.old for pair in pairs])
    replacing = current.matches.filter(new__state=MatchState.FINISHED)
    Match.objects.filter(pk__in=replacing.values("old")).update(tournament=None, kind=Match.Kind.RERUN)
    Match.objects.filter(pk__in=replacing.values("new")).update(
        tournament=tournament, kind=Match.Kind.TOURNAMENT
    )
    replaced = {str(pair.old_id): pair.new_id for pair in pairs if pair.new.state == MatchState.FINISHED}
    Rerun.objects.filter(pk=current.pk).update(state=Rerun.State.APPLIED)
    listed = {"replaced": dict(list(replaced.items())[:LISTED]), "of": len(replaced)}
    record(Verb.APPLY, tournament, by, reason, details=listed)
    draw = scheduling.reopen_if_unfinished(tournament)
    if draw is not None:
        record(Verb.REOPEN, tournament, by, reason, details=draw.published)
        stopped.disqualify_in_reopened(tournament)
        check_next_round(tournament)


@transaction.atomic
def discard(rerun: Rerun, by: User, reason: str = "") -> None:
    """Keep the old results, and withdraw the new matches that are not over. Raises BadTournament."""
    current = _locked(rerun)
    queueing.withdraw(Match.objects.filter(pk__in=current.matches.values("new")), DISCARDED)
    Rerun.objects.filter(pk=current.pk).update(state=Rerun.State.DISCARDED)
    record(Verb.DISCARD, current.tournament, by, reason)


def _first_seeds(tournament: Tournament, draw: SeedDraw, indexes: Set[int]) -> dict[int, int]:
    """The seeds of the first attempts at the matches with these indexes."""
    seeds = draw.seeds
    schedule = placed(scheduling.scheduled_matches(tournament))
    return {
        scheduled.index: seeds.first(scheduled, place)
        for scheduled, place in schedule
        if scheduled.index in indexes
    }


def _seats(match: Match) -> list[tuple[int, str]]:
    """Ids and names of its submissions, by seat."""
    return [(seat.submission_id, seat.name) for seat in sorted(match.seats.all(), key=attrgetter("number"))]


def _new_results(rerun: Rerun) -> dict[int, Result]:
    """The results of the new matches by index."""
    return results_of(rerun.tournament, Seat.objects.filter(match__rerun__rerun=rerun))


def _outcome(result: Result | None) -> str:
    """The outcome of a match, in a word or two."""
    if result is None:
        return _("no result")
    if not result.has_one_winner:
        return _("shared first place")
    return _("seat %(number)d won") % {"number": result.ranks.index(1) + 1}


def _check_rounds(tournament: Tournament, matches: list[Match]) -> None:
    if not tournament.chosen_format.needs_results:
        return
    last = scheduling.rounds_scheduled(tournament) - 1
    settled = tournament.state in (State.PAUSED, State.FINISHED)
    if not settled or any(match.round != last for match in matches):
        raise BadTournament(
            "",
            _(
                "Later pairings follow from results here, so only the latest round of a paused or finished "
                "tournament can be run again."
            ),
        )


def _locked(rerun: Rerun) -> Rerun:
    """The re-run, with its tournament locked. Raises BadTournament if it is no longer open."""
    Tournament.objects.select_for_update(no_key=True).get(pk=rerun.tournament_id)
    current = Rerun.objects.select_related("tournament").get(pk=rerun.pk)
    if current.state != Rerun.State.PLAYING:
        raise BadTournament("", _("These matches were applied or discarded already."))
    return current


def _criteria_of(choice: Choice) -> dict[str, object]:
    """The criteria that were given, as JSON; the numbers of matches are in the entry anyway."""
    given = {
        name: value
        for name, value in asdict(choice).items()
        if value is not False and value not in (None, "", ())
    }
    given.pop("numbers", None)
    return {
        name: value.isoformat() if isinstance(value, datetime) else value for name, value in given.items()
    }
