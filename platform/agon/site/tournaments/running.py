"""Acts of organizers on a started tournament other than pausing and cancelling it. All enter the audit log.

- Withdraw, disqualify: the entrant is listed last with the reason, gets no more matches, and its remaining
  ones are withdrawn. If all entrants play the same schedule, its past matches no longer count, so that the
  others are measured against the same opponents; if later pairings followed from results
  (Format.needs_results), they still count for its opponents. They differ only in the word that is shown.
  After the end, too, an entrant can be disqualified. If another round follows from that, the tournament is
  reopened; places that were revealed are revealed anew.
- Reinstate: undoes that, except for rounds that were scheduled meanwhile; after the end only for an entrant
  that missed nothing. A bot that an administrator has stopped is not reinstated, but released.
- Release: standings and matches are shown to organizers, then to entrants, then to everyone.
- Priority: how many shares of the workers' time it has (agon.site.matches.shares).
- Awards: whether the prizes of the competition go to its ranks.
- Reveal: before the release, places are shown to everyone one by one, from the last to the first; those that
  are shared together (agon.site.tournaments.resolver). The release is an act of its own.
"""

from collections.abc import Collection, Sequence

from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from agon.contest import revealing
from agon.contest.standings import StandingsRow
from agon.site.accounts.models import User
from agon.site.audit.verbs import Verb
from agon.site.competitions import prizes
from agon.site.competitions.access import RUNS_ALL
from agon.site.competitions.models import Competition
from agon.site.competitions.prizes import Prize
from agon.site.teams.queries import acting_accounts
from agon.site.tournaments import rights, scheduling, services, stopped
from agon.site.tournaments.kept_programs import check_next_round
from agon.site.tournaments.models import Entrant, Tournament
from agon.site.tournaments.services import BadTournament, record
from agon.site.tournaments.standings import current_standings, recent_standings
from agon.site.tournaments.states import State

DISQUALIFIABLE = (*stopped.GOING_ON, State.FINISHED)
STAGES = [Tournament.Release.ORGANIZERS, Tournament.Release.ENTRANTS, Tournament.Release.PUBLIC]


def sees_results(user: User | AnonymousUser, tournament: Tournament) -> bool:
    """Whether `user` may see standings and matches."""
    if tournament.release == Tournament.Release.PUBLIC or rights.may_organize(user, tournament):
        return True
    if tournament.release == Tournament.Release.ORGANIZERS:
        return False
    return tournament.entrants.filter(bot__owner__in=acting_accounts(user)).exists()


def unreleased_to(user: User | AnonymousUser) -> Q:
    """Selects the tournaments whose results `user` may not see."""
    if user.has_perm(RUNS_ALL):
        return Q(pk__in=[])
    entered = Q(release=Tournament.Release.ENTRANTS)
    if user.is_authenticated:
        entered &= ~Q(
            pk__in=Entrant.objects.filter(bot__owner__in=acting_accounts(user)).values("tournament")
        )
    return (Q(release=Tournament.Release.ORGANIZERS) | entered) & ~rights.organized_by(user)


@transaction.atomic
def withdraw(tournament: Tournament, number: int, by: User, reason: str) -> None:
    """Take out an entrant, by its number, as withdrawn. Raises BadTournament."""
    entrant = _lock_entrant(tournament, number, reason)
    stopped.leave(tournament, entrant, reason, Entrant.Left.WITHDRAWN)
    record(Verb.WITHDRAW, tournament, by, reason, entrant.name)


@transaction.atomic
def disqualify(tournament: Tournament, number: int, by: User, reason: str) -> None:
    """Take out an entrant, by its number, as disqualified. Raises BadTournament."""
    entrant = _lock_entrant(tournament, number, reason, DISQUALIFIABLE)
    stopped.leave(tournament, entrant, reason, Entrant.Left.DISQUALIFIED)
    record(Verb.DISQUALIFY, tournament, by, reason, entrant.name)
    _follow_after_end(tournament, by, reason)


@transaction.atomic
def reinstate(tournament: Tournament, number: int, by: User, reason: str) -> None:
    """Readmit an entrant, by its number. Raises BadTournament."""
    entrant = _lock_entrant(tournament, number, reason, DISQUALIFIABLE, out=True)
    is_over = _locked(tournament).state == State.FINISHED
    if entrant.bot.is_stopped and (entrant.left == Entrant.Left.STOPPED or not is_over):
        words = _("%(bot)s is stopped: it plays again when an administrator lets it.")
        raise BadTournament("entrant", words % {"bot": entrant.name})
    if is_over and stopped.missed_something(tournament, entrant):
        words = _("The tournament is over, and %(bot)s did not play all of it: it cannot be reinstated.")
        raise BadTournament("entrant", words % {"bot": entrant.name})
    stopped.return_to(tournament, entrant)
    record(Verb.REINSTATE, tournament, by, reason, entrant.name)
    _follow_after_end(tournament, by, reason)


@transaction.atomic
def release(tournament: Tournament, stage: str, by: User, reason: str = "") -> None:
    """Set who sees the results. stage: a value of Tournament.Release. Raises BadTournament."""
    if stage not in Tournament.Release.values:
        raise BadTournament("release", _("Expected one of %(stages)s.") % {"stages": ", ".join(STAGES)})
    current = _locked(tournament)
    # If the results were public and are withheld again, revealing begins again at the last place.
    tournament.revealed = 0 if current.release == Tournament.Release.PUBLIC else current.revealed
    tournament.release = stage
    tournament.save(update_fields=["release", "revealed"])
    record(Verb.RELEASE, tournament, by, reason, tournament.get_release_display())


@transaction.atomic
def reveal(
    tournament: Tournament, by: User, reason: str = "", shown: int | None = None, hidden: int | None = None
) -> None:
    """Show everyone the next place, from the last to the first, with all that share it.

    shown: how many places were revealed on the organizer's page, so that a double click, or two presenters,
    reveal only one. hidden: if given, all places but so many. Raises BadTournament.
    """
    current = _locked(tournament)
    if current.state != State.FINISHED or current.release == Tournament.Release.PUBLIC:
        raise BadTournament("", _("Places are revealed after the end and before the results are released."))
    if shown not in (None, current.revealed):
        raise BadTournament("", _("This place has been revealed already."))
    if hidden is not None and hidden < 0:
        raise BadTournament("hidden", _("Expected how many places stay hidden: a number from 0."))
    table = current_standings(current)
    step = revealing.next_step([row.rank for row in table], current.revealed, hidden)
    if step is None:
        raise BadTournament("", _("Every place has been revealed: release the results."))
    rows = table[len(table) - step : len(table) - current.revealed]
    tournament.revealed = step
    tournament.save(update_fields=["revealed"])
    names = [row.bot for row in reversed(rows)]
    details = {"places": [[row.rank, row.bot] for row in reversed(rows)]} if len(rows) > 1 else {}
    record(Verb.REVEAL, tournament, by, reason, ", ".join(names), details)


@transaction.atomic
def set_prize(tournament: Tournament, prize: str, by: User, reason: str = "") -> None:
    """Set the prize, in words; "" for none. Raises BadTournament."""
    prize = " ".join(prize.split())
    services.check_text("prize", prize)
    if len(prize) > 200:
        raise BadTournament("prize", _("A prize must have at most 200 characters."))
    _locked(tournament)
    tournament.prize = prize
    tournament.save(update_fields=["prize"])
    record(Verb.PRIZE, tournament, by, reason, prize)


@transaction.atomic
def set_awards(tournament: Tournament, awards: bool, by: User, reason: str = "") -> None:
    """Let the prizes of the competition go to the ranks of this tournament, or no longer.

    Another one that awarded them does so no more, which its log says. Raises BadTournament.
    """
    Competition.objects.select_for_update(no_key=True).get(pk=tournament.competition_id)
    if _locked(tournament).state == State.CANCELLED:
        raise BadTournament("", _("The tournament was cancelled."))
    for other in Tournament.objects.filter(competition=tournament.competition, awards=True):
        if other.pk != tournament.pk or not awards:
            Tournament.objects.filter(pk=other.pk).update(awards=False)
            record(Verb.NO_AWARD, other, by, reason, other.name)
    if awards and not _locked(tournament).awards:
        Tournament.objects.filter(pk=tournament.pk).update(awards=True)
        record(Verb.AWARD, tournament, by, reason, tournament.name)
    tournament.awards = awards


def prizes_of(
    tournament: Tournament, rows: Sequence[StandingsRow], house: Collection[int]
) -> dict[int, tuple[Prize, ...]]:
    """What each entrant has won, by its number: of the final and released results of the tournament that
    awards the competition's prizes. house: the numbers of house bots, which win nothing.
    """
    is_final = tournament.state == State.FINISHED and tournament.release == Tournament.Release.PUBLIC
    return prizes_to_come(tournament, rows, house) if is_final else {}


def prizes_to_come(
    tournament: Tournament, rows: Sequence[StandingsRow], house: Collection[int]
) -> dict[int, tuple[Prize, ...]]:
    """`prizes_of`, once the results are released to everyone: for those to whom a place is shown before."""
    if not tournament.awards:
        return {}
    placed = [row for row in rows if not row.disqualified]
    by_rank = prizes.of_ranks(tournament.competition.settings.prizes, (row.rank for row in placed))
    to_come = {row.entrant: by_rank[row.rank] for row in placed if row.entrant not in house}
    return {entrant: won for entrant, won in to_come.items() if won}


@transaction.atomic
def set_priority(tournament: Tournament, priority: int, by: User, reason: str = "") -> None:
    """Set how many shares of the workers' time it has. Raises BadTournament."""
    if priority not in Tournament.Priority.values:
        raise BadTournament("priority", _("There is no such priority."))
    if _locked(tournament).is_over:
        raise BadTournament("priority", _("The tournament is over."))
    tournament.priority = priority
    tournament.save(update_fields=["priority"])
    record(Verb.PRIORITY, tournament, by, reason, tournament.get_priority_display())


@transaction.atomic
def close_sources(tournament: Tournament, by: User, reason: str = "") -> None:
    """Let no one else read the programs and their standard error. They cannot be opened again.

    Raises BadTournament.
    """
    if not _locked(tournament).sources_open:
        return
    tournament.sources_open = False
    tournament.save(update_fields=["sources_open"])
    record(Verb.SOURCES_CLOSED, tournament, by, reason, "")


def revealed_rows(tournament: Tournament) -> list[StandingsRow]:
    """The places that everyone may see before the release; none while it runs, or runs again."""
    if not tournament.revealed or tournament.state != State.FINISHED:
        return []
    table = current_standings(tournament)
    return list(table[max(0, len(table) - tournament.revealed) :])


def winners(tournament: Tournament) -> list[str]:
    """The names of the bots in the first place of a finished tournament; several if they share it."""
    rows = recent_standings(tournament)
    return [row.bot for row in rows if row.rank == 1 and not row.disqualified]


def _follow_after_end(tournament: Tournament, by: User, reason: str) -> None:
    """What follows if an entrant of a tournament that is over left or returned: its places may be others."""
    current = _locked(tournament)
    if current.state != State.FINISHED:
        return
    Tournament.objects.filter(pk=current.pk).update(revealed=0)
    draw = scheduling.reopen_if_unfinished(current)
    if draw is not None:
        record(Verb.REOPEN, current, by, reason, current.name, draw.published)
        stopped.disqualify_in_reopened(current)
        check_next_round(current)


def _lock_entrant(
    tournament: Tournament,
    number: int,
    reason: str,
    states: Collection[State] = stopped.GOING_ON,
    out: bool = False,
) -> Entrant:
    """Lock the tournament, which must be in one of these states, and return the entrant.

    out: whether it must have left. Raises BadTournament.
    """
    services.check_reason(reason, is_required=True)
    state = _locked(tournament).state
    if state == State.FINISHED and state not in states:
        raise BadTournament("", _("The tournament is over: a bot can only be disqualified."))
    if state not in states:
        raise BadTournament("", _("A draft or a cancelled tournament cannot lose or regain a bot."))
    entrant = tournament.entrants.filter(number=number).first()
    if entrant is None:
        raise BadTournament("entrant", _("There is no such entrant."))
    if bool(entrant.stopped) != out:
        words = _("%(bot)s has not left.") if out else _("%(bot)s has left already.")
        raise BadTournament("entrant", words % {"bot": entrant.name})
    return entrant


def _locked(tournament: Tournament) -> Tournament:
    return Tournament.objects.select_for_update(no_key=True).get(pk=tournament.pk)
